//! The scripts that a project of Python keeps for its environment's keeper, or for poe.

use toml::Value;

use super::super::survey::Survey;
use super::super::{script, tasks};
use super::environment::Environment;
use super::stated::{PIPFILE, PYPROJECT, Stated};

/// The scripts that serve an operation by their name.
pub fn scripts(survey: &mut Survey<'_>, stated: &Stated, environment: Environment) {
    let add = |survey: &mut Survey<'_>, path: &str, table: Option<&Value>, run: &str| {
        let Some(table) = table.and_then(Value::as_table) else { return };
        tasks::add(survey, path, "script", None, |_, name| {
            let why = unfit(table.get(name)?);
            Some(why.map_or_else(|| Ok(format!("{run} {name}")), Err))
        });
    };
    let table = |path: &[&str]| stated.get(path);
    if environment == Environment::Pdm {
        add(survey, PYPROJECT, table(&["tool", "pdm", "scripts"]), "pdm run");
    }
    if environment == Environment::Pipenv {
        add(survey, PIPFILE, stated.pipfile.get("scripts"), "pipenv run");
    }
    let hatch = table(&["tool", "hatch", "envs", "default", "scripts"]);
    add(survey, PYPROJECT, hatch, "hatch run");
    let poe = environment.run(stated, "poethepoet", "poe");
    // Its module has another name than its program.
    let poe = if environment == Environment::Plain { "poe" } else { &poe };
    add(survey, PYPROJECT, table(&["tool", "poe", "tasks"]), poe);
}

/// Why a script can't just be run.
fn unfit(script: &Value) -> Option<&'static str> {
    match script {
        Value::String(command) => script::unfit(command),
        Value::Array(commands) => {
            let commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
            script::unfit(&commands.join("\n"))
        }
        Value::Table(table) => {
            let line = ["cmd", "shell"].into_iter().find_map(|key| table.get(key));
            if table.get("args").is_some_and(|args| !args.is_bool()) {
                Some("it has arguments of its own")
            } else {
                line.and_then(Value::as_str).and_then(script::unfit)
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            Some("it is no command")
        }
    }
}

//! mise: the tasks that run as they are, and the tools that it keeps.

use toml::{Table, Value};

use super::super::script;
use super::super::survey::{Survey, join};
use super::NAMES;

/// Where mise's settings may be, in the order in which they count.
const FILES: [&str; 6] = [
    "mise.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];

/// Where each file is a task.
const DIRECTORIES: [&str; 4] = ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks"];

/// The tasks that serve an operation by their name.
pub fn tasks(survey: &mut Survey<'_>) {
    let file = settings(survey);
    for (operation, names) in NAMES {
        for name in names {
            let declared = file
                .as_ref()
                .and_then(|(path, settings)| Some((*path, settings.get("tasks")?.get(name)?)));
            let path = if let Some((path, task)) = declared {
                if let Some(why) = unfit(task) {
                    survey.note(path, &format!("task \"{name}\": {why}"));
                    continue;
                }
                path.to_owned()
            } else {
                let paths = DIRECTORIES.map(|directory| join(directory, name));
                let Some(path) = paths.into_iter().find(|path| survey.has_program(path)) else {
                    continue;
                };
                path
            };
            survey
                .found(operation, format!("mise run {name}"), format!("task \"{name}\" in {path}"))
                .needs_file(&path)
                .add();
            break;
        }
    }
}

/// The version that mise keeps of a tool, by the first of these names that it has.
pub fn version(survey: &mut Survey<'_>, names: &[&str]) -> Option<String> {
    let (_, settings) = settings(survey)?;
    let tool = names.iter().find_map(|name| settings.get("tools")?.get(name))?;
    let first = tool.as_array().map_or(Some(tool), |versions| versions.first())?;
    first.get("version").unwrap_or(first).as_str().map(str::to_owned)
}

fn settings(survey: &mut Survey<'_>) -> Option<(&'static str, Table)> {
    let path = survey.first_file(&FILES)?;
    Some((path, survey.toml(path)?))
}

fn unfit(task: &Value) -> Option<&'static str> {
    let has_required_argument =
        |usage: &str| usage.contains('<') && usage.lines().any(|line| line.contains("arg"));
    match task {
        Value::String(command) => script::unfit(command),
        Value::Array(commands) => script::unfit(&lines(commands)),
        Value::Table(table) => {
            let run = match table.get("run") {
                Some(Value::Array(commands)) => lines(commands),
                run => run.and_then(Value::as_str).unwrap_or_default().to_owned(),
            };
            if table.get("usage").and_then(Value::as_str).is_some_and(has_required_argument) {
                Some("it has a required argument")
            } else if table.contains_key("confirm") {
                Some("it asks before it runs")
            } else if ["file", "depends"].into_iter().any(|key| table.contains_key(key)) {
                None
            } else {
                script::unfit(&run)
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            Some("it is no command")
        }
    }
}

fn lines(commands: &[Value]) -> String {
    commands.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::super::files::Fake;
    use super::*;

    fn look(files: &[(&str, &str)]) -> (Vec<String>, usize) {
        let files = Fake::of(files);
        let mut survey = Survey::of(&files);
        tasks(&mut survey);
        let shown = survey.shown();
        (shown.findings.into_iter().map(|it| it.command).collect(), shown.notes.len())
    }

    #[test]
    fn a_task_that_runs_as_it_is_is_found() {
        for text in [
            "[tasks]\ntest = 'pytest'",
            "[tasks.test]\nrun = 'pytest'",
            "[tasks.test]\nrun = ['pytest', 'echo done']",
            "[tasks.test]\ndepends = ['unit']",
        ] {
            assert_eq!(
                look(&[("mise.toml", text)]),
                (vec!["mise run test".to_owned()], 0),
                "{text}"
            );
        }
        assert_eq!(look(&[(".mise/tasks/test*", "#!/bin/sh\npytest")]).0, ["mise run test"]);
        assert_eq!(look(&[(".mise/tasks/test", "no program")]).0, [""; 0]);
    }

    #[test]
    fn a_task_that_needs_something_is_left_out_with_a_note() {
        for text in [
            "[tasks.test]\nrun = 'pytest'\nusage = 'arg \"<file>\"'",
            "[tasks.test]\nrun = 'pytest'\nconfirm = 'sure?'",
            "[tasks.test]\ndescription = 'none'",
            "[tasks]\ntest = 'echo none'",
            "[tasks]\ntest = 1",
        ] {
            assert_eq!(look(&[("mise.toml", text)]), (vec![], 1), "{text}");
        }
    }
}

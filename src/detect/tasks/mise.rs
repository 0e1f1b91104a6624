//! The tasks of mise that run as they are.

use toml::Value;

use super::super::survey::{Survey, join};
use super::super::{pins, script};

/// Where each file is a task.
const DIRECTORIES: [&str; 4] = ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks"];

/// The tasks that serve an operation by their name.
pub fn tasks(survey: &mut Survey<'_>) {
    if let Some((path, settings)) = pins::mise_settings(survey) {
        super::add(survey, path, "task", None, |_, name| {
            let task = settings.get("tasks")?.get(name)?;
            Some(unfit(task).map_or_else(|| Ok(format!("mise run {name}")), Err))
        });
    }
    for directory in DIRECTORIES {
        super::add(survey, directory, "task", None, |survey, name| {
            let is_task = survey.has_program(&join(directory, name));
            is_task.then(|| Ok(format!("mise run {name}")))
        });
    }
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
    use super::super::super::survey::seen;
    use super::*;

    fn look(files: &[(&str, &str)]) -> (Vec<String>, usize) {
        let (commands, notes) = seen(tasks, files);
        (commands, notes.len())
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

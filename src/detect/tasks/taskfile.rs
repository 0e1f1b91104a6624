//! The tasks of a Taskfile that run as they are.

use super::super::pins;
use super::super::script;
use super::super::survey::Survey;
use crate::manifest::yaml::Node;

/// In the order in which task looks for them.
const TASKFILES: [&str; 8] = [
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];

/// The tasks that serve an operation by their name.
pub fn tasks(survey: &mut Survey<'_>) {
    let Some(path) = survey.first_file(&TASKFILES) else { return };
    let Some(file) = survey.yaml(path) else { return };
    let pin = pins::pinned(survey, "task");
    super::add(survey, path, "task", pin.as_ref(), |_, name| {
        let task = file.get("tasks")?.get(name)?;
        // Elsewhere, task would take them for names of tasks.
        let args = if commands(task).contains("CLI_ARGS") { " --" } else { "" };
        Some(unfit(task).map_or_else(|| Ok(format!("task {name}{args}")), Err))
    });
}

fn unfit(task: &Node) -> Option<&'static str> {
    if task.get("internal") == Some(&Node::Bool(true)) {
        Some("it is internal")
    } else if task.get("requires").is_some() {
        Some("it requires variables")
    } else if task.get("prompt").is_some() {
        Some("it asks before it runs")
    } else if task.get("platforms").is_some() {
        Some("it is there on some systems only")
    } else if task.get("watch") == Some(&Node::Bool(true)) {
        Some(script::ENDLESS)
    } else if task.get("deps").is_some() {
        None
    } else {
        script::unfit(&commands(task))
    }
}

/// What a task runs, a line each: a command, or the name of another task.
fn commands(task: &Node) -> String {
    match task {
        Node::String(command) => command.clone(),
        Node::List(commands) => commands.iter().map(|it| command(it) + "\n").collect(),
        Node::Mapping(_) => {
            let listed = task.get("cmds").or_else(|| task.get("cmd"));
            listed.map(commands).unwrap_or_default()
        }
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Tagged => String::new(),
    }
}

fn command(item: &Node) -> String {
    let named = ["cmd", "task", "defer"].into_iter().find_map(|key| item.get(key)?.as_str());
    item.as_str().or(named).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::survey::seen;
    use super::*;

    fn look(task: &str) -> (Vec<String>, usize) {
        let text = format!("version: '3'\ntasks:\n  test: {task}\n");
        let (commands, notes) = seen(tasks, &[("Taskfile.yml", &text)]);
        (commands, notes.len())
    }

    #[test]
    fn a_task_that_runs_as_it_is_is_found() {
        for task in [
            "go test",
            "[go test]",
            "{cmds: [go test]}",
            "{cmd: go test}",
            "{deps: [a]}",
            "{cmds: [{task: unit}]}",
        ] {
            assert_eq!(look(task), (vec!["task test".to_owned()], 0), "{task}");
        }
        assert_eq!(look("{cmds: ['go test {{.CLI_ARGS}}']}").0, ["task test --"]);
    }

    #[test]
    fn a_task_that_needs_something_is_left_out_with_a_note() {
        for task in [
            "{cmds: [go test], requires: {vars: [A]}}",
            "{cmds: [go test], internal: true}",
            "{cmds: [go test], prompt: sure}",
            "{cmds: [go test], platforms: [linux]}",
            "{cmds: [go test], watch: true}",
            "{cmds: []}",
            "echo none",
        ] {
            assert_eq!(look(task), (vec![], 1), "{task}");
        }
    }
}

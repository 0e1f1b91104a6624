//! The tasks of a Taskfile that run as they are.

use super::super::pins;
use super::super::script;
use super::super::survey::Survey;
use super::NAMES;
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
    let Some(tasks) = file.get("tasks") else { return };
    for (operation, names) in NAMES {
        for name in names {
            let Some(task) = tasks.get(name) else { continue };
            if let Some(why) = unfit(task) {
                survey.note(path, &format!("task \"{name}\": {why}"));
                continue;
            }
            // Elsewhere, task would take them for names of tasks.
            let args = if commands(task).contains("CLI_ARGS") { " --" } else { "" };
            let pin = pins::pinned(survey, "task");
            survey
                .found(
                    operation,
                    format!("task {name}{args}"),
                    format!("task \"{name}\" in {path}"),
                )
                .needs_file(path)
                .needs(pin)
                .add();
            break;
        }
    }
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
        Some("it watches for changes, so it never ends")
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
    use super::super::super::files::Fake;
    use super::*;

    fn look(task: &str) -> (Vec<String>, usize) {
        let text = format!("version: '3'\ntasks:\n  test: {task}\n");
        let files = Fake::of(&[("Taskfile.yml", &*text)]);
        let mut survey = Survey::of(&files);
        tasks(&mut survey);
        let shown = survey.shown();
        (shown.findings.into_iter().map(|it| it.command).collect(), shown.notes.len())
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

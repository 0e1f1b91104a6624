//! The task runners: what a repo's own Makefile, justfile, Taskfile or `mise.toml` calls its operations.

pub mod just;
pub mod make;
pub mod mise;
pub mod taskfile;

use std::collections::HashSet;

use super::survey::{Survey, has_ending};
use super::{Operation, Worth, script};
use crate::manifest::version::Requirement;

/// The names that say which operation a task is, the best first. `install` is none of them: of a Makefile it
/// installs the program, and `check` means many things.
const NAMES: [(Operation, &[&str]); 4] = [
    (Operation::Test, &["test"]),
    (Operation::Lint, &["lint"]),
    (Operation::TypeCheck, &["typecheck", "type-check", "tsc"]),
    (Operation::Build, &["build"]),
];

/// What a runner's file says of a task: the command that runs it, or why it can't just be run.
pub type Task = Result<String, &'static str>;

/// Adds the tasks that serve an operation by their name; a note for each that can't just be run. `kind` is the
/// runner's word for a task.
pub fn add(
    survey: &mut Survey<'_>,
    path: &str,
    kind: &str,
    runner: Option<&Requirement>,
    task: impl Fn(&Survey<'_>, &str) -> Option<Task>,
) {
    for (operation, names) in NAMES {
        for name in names {
            match task(survey, name) {
                None => {}
                Some(Err(why)) => survey.note(path, &format!("{kind} \"{name}\": {why}")),
                Some(Ok(command)) => {
                    let evidence = format!("{kind} \"{name}\" in {path}");
                    let found = |survey: &mut Survey<'_>, operation, worth| {
                        let found = survey.found(operation, &*command, &*evidence).worth(worth);
                        found.needs_file(path).needs(runner.cloned()).add();
                    };
                    found(survey, operation, Worth::Own);
                    if operation == Operation::Build && is_compiled(survey) {
                        found(survey, Operation::TypeCheck, Worth::Borrowed);
                    }
                    break;
                }
            }
        }
    }
}

/// Whether the project has sources in a language without a checker of its own that is found otherwise: to
/// build them is to check them.
fn is_compiled(survey: &Survey<'_>) -> bool {
    const SOURCES: [&str; 8] = [".c", ".cc", ".cpp", ".cxx", ".zig", ".swift", ".hs", ".ml"];
    survey.search(|path| has_ending(path, &SOURCES)).is_some()
}

/// A task's own lines, and the names of the tasks that it depends on.
pub struct Steps<'a> {
    /// What the task itself does.
    pub script: &'a str,
    /// What runs with it.
    pub others: &'a [String],
}

/// Why neither a task nor anything that it depends on shows that its operation can be run. What has no steps that
/// are known, a file or a task from elsewhere, is taken to do something.
pub fn unfit<'a>(
    task: &Steps<'a>,
    steps: impl Fn(&str) -> Option<Steps<'a>>,
) -> Option<&'static str> {
    let why = script::unfit(task.script)?;
    let mut left: Vec<&String> = task.others.iter().collect();
    let mut seen = HashSet::new();
    while let Some(name) = left.pop() {
        if seen.insert(name) {
            let other = steps(name)?;
            script::unfit(other.script)?;
            left.extend(other.others);
        }
    }
    Some(why)
}

//! What the project at a directory shows of the operations that it has: how each is run, and what says so.

mod bazel;
mod cmake;
mod deno;
mod dotnet;
mod elixir;
pub mod files;
mod go;
mod gradle;
mod maven;
mod node;
mod php;
mod pins;
mod python;
mod range;
mod ruby;
mod rust;
mod script;
mod survey;
mod tasks;

use crate::manifest::Assumption;
use files::Files;
use survey::Survey;

/// What a project may show how to do, in the order of the vocabulary (contract section 14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Getting the dependencies: `dependencies.install`.
    Install,
    /// Running the tests: `test.focused` and `test.full`.
    Test,
    /// Looking for bad style: `lint.run`.
    Lint,
    /// Checking types, or compiling: `typecheck.run`.
    TypeCheck,
    /// Building: `build.run`.
    Build,
}

/// A command that a project shows, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What the command does.
    pub operation: Operation,
    /// A command line for `/bin/sh -c`.
    pub command: String,
    /// What shows it, e.g. `script "test" in package.json`.
    pub evidence: String,
    /// What the command needs, as far as the project says.
    pub assumptions: Vec<Assumption>,
    /// Whether the evidence is for this operation.
    pub worth: Worth,
}

/// How much a finding's evidence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// It is for this operation.
    Own,
    /// It is for another one that serves this, too: a build that checks types.
    Borrowed,
}

/// All that a project shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The most preferred first: the repo's own tasks, then the ecosystems' commands.
    pub findings: Vec<Finding>,
    /// What looked like evidence and could not be used, and why.
    pub notes: Vec<String>,
}

impl Shown {
    /// What is found for an operation, the most preferred first; what is borrowed only if nothing has
    /// evidence of its own. A command that is there twice counts once.
    pub fn of(&self, operation: Operation) -> Vec<&Finding> {
        let of_worth = |worth| {
            let mut found: Vec<&Finding> = Vec::new();
            for finding in &self.findings {
                let is_new = !found.iter().any(|other| other.command == finding.command);
                if finding.operation == operation && finding.worth == worth && is_new {
                    found.push(finding);
                }
            }
            found
        };
        let own = of_worth(Worth::Own);
        if own.is_empty() { of_worth(Worth::Borrowed) } else { own }
    }
}

/// The repo's own tasks first, then what the ecosystems' own files prove (contract section 11).
const SOURCES: [fn(&mut Survey<'_>); 19] = [
    node::scripts,
    tasks::make::targets,
    tasks::just::recipes,
    tasks::taskfile::tasks,
    tasks::mise::tasks,
    deno::tasks,
    php::scripts,
    node::install,
    rust::commands,
    go::commands,
    python::commands,
    maven::commands,
    gradle::commands,
    dotnet::commands,
    ruby::commands,
    php::commands,
    elixir::commands,
    deno::commands,
    // What builds anything comes last: whoever has it beside a language's own files mostly works with those.
    build_systems,
];

fn build_systems(survey: &mut Survey<'_>) {
    cmake::commands(survey);
    bazel::commands(survey);
}

/// What the project shows. The same files show the same on every machine.
pub fn detect(files: &dyn Files) -> Shown {
    let mut survey = Survey::of(files);
    for look in SOURCES {
        look(&mut survey);
    }
    survey.shown()
}

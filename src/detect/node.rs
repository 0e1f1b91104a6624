//! Node: the scripts of `package.json`, the package manager that runs them, its workspaces.

mod manager;
mod package;
mod workspaces;

use super::survey::{Command, Survey};
use super::{Operation, Worth, pins};
use manager::Manager;
use package::Package;

const PACKAGE: &str = "package.json";

/// The scripts that serve an operation by their name, the best first.
const SCRIPTS: [(Operation, &[&str]); 4] = [
    (Operation::Test, &["test"]),
    (Operation::Lint, &["lint"]),
    (
        Operation::TypeCheck,
        &[
            "typecheck",
            "type-check",
            "tsc",
            "check-types",
            "check:types",
            "types:check",
            "ts:check",
        ],
    ),
    (Operation::Build, &["build"]),
];

/// This means many things: it checks types if one of these programs is in it.
const CHECK: &str = "check";
const CHECKERS: [&str; 4] = ["tsc", "vue-tsc", "svelte-check", "astro"];

/// Where nothing is named after it, a build checks types, too.
const BUILDS: [&str; 2] = ["build:libs", "build"];

/// Programs that watch for changes when they test, unless they believe that they run in CI.
const WATCHING: [&str; 4] = ["react-scripts", "craco", "react-app-rewired", "rescripts"];

/// The scripts of `package.json`.
pub fn scripts(survey: &mut Survey<'_>) {
    let Some(package) = Package::read(survey, PACKAGE.to_owned()) else { return };
    let manager = Manager::of(survey, &package);
    for (operation, names) in SCRIPTS {
        if let Some(name) = package.fit_script(survey, names) {
            add_script(survey, &package, manager, operation, name).add();
        } else {
            workspaces::script(survey, &package, manager, (operation, Worth::Own), names);
        }
    }
    if package.runs(CHECK, &CHECKERS) && package.fit_script(survey, &[CHECK]).is_some() {
        add_script(survey, &package, manager, Operation::TypeCheck, CHECK).add();
    }
    if let Some(name) = package.fit_script(survey, &BUILDS) {
        add_script(survey, &package, manager, Operation::TypeCheck, name)
            .worth(Worth::Borrowed)
            .add();
    } else {
        let borrowed = (Operation::TypeCheck, Worth::Borrowed);
        workspaces::script(survey, &package, manager, borrowed, &BUILDS);
    }
}

fn add_script<'s, 'f>(
    survey: &'s mut Survey<'f>,
    package: &Package,
    manager: Manager,
    operation: Operation,
    name: &str,
) -> Command<'s, 'f> {
    let is_watching = operation == Operation::Test && package.runs(name, &WATCHING);
    let command = ended(manager.run(name), is_watching);
    let node = if manager == Manager::Bun { None } else { package.node(survey) };
    let evidence = format!("script \"{name}\" in {PACKAGE}");
    survey.found(operation, command, evidence).needs_file(PACKAGE).needs(node)
}

/// A command that ends even if it runs a program that watches.
fn ended(command: String, is_watching: bool) -> String {
    if is_watching { format!("CI=true {command}") } else { command }
}

/// Installing what `package.json` names: exactly what the lock file says, if there is one.
pub fn install(survey: &mut Survey<'_>) {
    let Some(package) = Package::read(survey, PACKAGE.to_owned()) else { return };
    let manager = Manager::of(survey, &package);
    let lock = manager.lock(survey);
    // Only the top of a workspace knows what these versions mean.
    let is_told_above =
        |version: &str| version.starts_with("workspace:") || version.starts_with("catalog:");
    let is_member = lock.is_none()
        && !workspaces::is_top(survey, &package)
        && package.dependencies().any(is_told_above);
    if is_member {
        let why = "a member of a workspace: its dependencies are installed from the top";
        survey.note(PACKAGE, why);
        return;
    }
    let node = if manager == Manager::Bun { None } else { package.node(survey) };
    // Where the project states its manager, that starts itself in the right version, and so does yarn since 2.
    let starts_itself = package.manager().is_some() || manager == Manager::Yarn;
    let pin = if starts_itself { None } else { pins::pinned(survey, manager.program()) };
    let found = survey
        .found(Operation::Install, manager.install(lock.is_some()), lock.unwrap_or(PACKAGE))
        .needs_file(PACKAGE);
    let found = if let Some(lock) = lock { found.needs_file(lock) } else { found };
    found.needs(node).needs(pin).add();
}

//! Node: the scripts of `package.json`, the package manager that runs them, its workspaces.

mod manager;
mod workspaces;

use serde_json::{Map, Value};

use super::range::{self, Dialect};
use super::survey::Survey;
use super::{Operation, Worth, pins, script};
use crate::manifest::version::Requirement;
use manager::Manager;

const PACKAGE: &str = "package.json";

/// The scripts that serve an operation by their name, the best first.
const SCRIPTS: [(Operation, &[&str]); 4] = [
    (Operation::Test, &["test"]),
    (Operation::Lint, &["lint"]),
    (Operation::TypeCheck, &["typecheck", "type-check", "tsc", "check-types"]),
    (Operation::Build, &["build"]),
];

/// Where nothing is named after it, a build checks types, too.
const BUILDS: [&str; 2] = ["build:libs", "build"];

/// A package's `package.json`.
struct Package {
    content: Map<String, Value>,
    path: String,
}

impl Package {
    fn read(survey: &mut Survey<'_>, path: String) -> Option<Self> {
        survey.json(&path).map(|content| Self { content, path })
    }

    fn of_project(survey: &mut Survey<'_>) -> Option<Self> {
        Self::read(survey, PACKAGE.to_owned())
    }

    /// What a script runs.
    fn script(&self, name: &str) -> Option<&str> {
        self.content.get("scripts")?.get(name)?.as_str()
    }

    /// The first of these scripts that can be run for its result; a note for each that can't.
    fn fit_script<'n>(&self, survey: &mut Survey<'_>, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| {
            let Some(script) = self.script(name) else { return false };
            let why = script::unfit(script);
            if let Some(why) = why {
                survey.note(&self.path, &format!("script \"{name}\": {why}"));
            }
            why.is_none()
        })
    }

    /// The versions of all dependencies that the package names.
    fn dependencies(&self) -> impl Iterator<Item = &str> {
        ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
            .into_iter()
            .filter_map(|key| self.content.get(key)?.as_object())
            .flat_map(|versions| versions.values().filter_map(Value::as_str))
    }

    fn node(&self, survey: &mut Survey<'_>) -> Option<Requirement> {
        let stated = |table: &str| self.content.get(table)?.get("node")?.as_str();
        match (stated("engines"), stated("volta")) {
            (Some(engines), _) => range::requirement("node", engines, Dialect::Npm),
            (None, Some(volta)) => range::pinned("node", volta, range::Pin::Major),
            (None, None) => pins::pinned(survey, "node"),
        }
    }
}

/// The scripts of `package.json`.
pub fn scripts(survey: &mut Survey<'_>) {
    let Some(package) = Package::of_project(survey) else { return };
    let manager = Manager::of(survey, &package);
    for (operation, names) in SCRIPTS {
        if let Some(name) = package.fit_script(survey, names) {
            add_script(survey, &package, manager, operation, name).add();
        } else {
            workspaces::script(survey, &package, manager, operation, names);
        }
    }
    if let Some(name) = package.fit_script(survey, &BUILDS) {
        add_script(survey, &package, manager, Operation::TypeCheck, name)
            .worth(Worth::Borrowed)
            .add();
    }
}

fn add_script<'s, 'f>(
    survey: &'s mut Survey<'f>,
    package: &Package,
    manager: Manager,
    operation: Operation,
    name: &str,
) -> super::survey::Command<'s, 'f> {
    // It watches, unless it believes that it runs in CI.
    let script = package.script(name).unwrap_or_default();
    let environment = if script.contains("react-scripts test") { "CI=true " } else { "" };
    let command = format!("{environment}{}", manager.run(name));
    let node = if manager == Manager::Bun { None } else { package.node(survey) };
    let evidence = format!("script \"{name}\" in {PACKAGE}");
    survey.found(operation, command, evidence).needs_file(PACKAGE).needs(node)
}

/// Installing what `package.json` names: exactly what the lock file says, if there is one.
pub fn install(survey: &mut Survey<'_>) {
    let Some(package) = Package::of_project(survey) else { return };
    let manager = Manager::of(survey, &package);
    let lock = manager.lock(survey);
    if lock.is_none() && package.dependencies().any(|version| version.starts_with("workspace:")) {
        survey
            .note(PACKAGE, "a member of a workspace: its dependencies are installed from the top");
        return;
    }
    let node = if manager == Manager::Bun { None } else { package.node(survey) };
    let pin = pins::pinned(survey, manager.program());
    let found = survey
        .found(Operation::Install, manager.install(lock.is_some()), lock.unwrap_or(PACKAGE))
        .needs_file(PACKAGE);
    let found = if let Some(lock) = lock { found.needs_file(lock) } else { found };
    found.needs(node).needs(pin).add();
}

//! Python: who keeps the environment, and the tools that are configured.

mod environment;
mod runners;
mod scripts;
mod stated;

use super::range::{Dialect, requirement};
use super::survey::{Survey, file_name, has_ending};
use super::{Operation, pins};
use crate::exec::shell::quote;
use environment::Environment;
use stated::Stated;

/// The commands of the tools that a project of Python configures.
pub fn commands(survey: &mut Survey<'_>) {
    let Some(stated) = Stated::of(survey) else { return };
    let environment = Environment::of(survey, &stated);
    // An environment's keeper chooses the interpreter itself, whatever `python3` is.
    let python = if environment == Environment::Plain {
        match stated.requires_python() {
            Some(range) => requirement("python3", range, Dialect::Pessimistic),
            None => pins::pinned(survey, "python3"),
        }
    } else {
        None
    };
    let keeper = pins::pinned(survey, environment.program());

    scripts::scripts(survey, &stated, environment);
    let mut commands: Vec<(Operation, String, String)> = Vec::new();
    if let Some((command, evidence)) = environment.install(survey, &stated) {
        commands.push((Operation::Install, command, evidence));
    }
    for (operation, tool) in [
        (Operation::Test, test(survey, &stated)),
        (Operation::Lint, lint(survey, &stated)),
        (Operation::TypeCheck, type_check(survey, &stated)),
    ] {
        let Some(Tool { package, words, evidence }) = tool else { continue };
        if environment.lacks(survey, &stated, package) {
            let why = "which is in an extra that is not locked";
            survey.note(&evidence, &format!("{package}, {why}"));
            continue;
        }
        let command = environment.run(&stated, package, &words);
        commands.push((operation, command, evidence));
    }
    for (operation, command, evidence) in commands {
        let named = evidence.rsplit(" in ").next().unwrap_or(&evidence);
        let file = if survey.has_file(named) { named } else { stated.file() }.to_owned();
        // What runs by its own name has an interpreter of its own.
        let python = python.clone().filter(|_| command.starts_with("python3 "));
        let found = survey.found(operation, command, evidence).needs_file(&file);
        found
            .needs(python)
            .needs(keeper.clone().filter(|_| environment != Environment::Plain))
            .add();
    }
}

/// A tool that is configured or required.
struct Tool {
    /// The package that brings it.
    package: &'static str,
    /// Its words, the first being the program, which is also the module's name.
    words: String,
    /// What shows it.
    evidence: String,
}

impl Tool {
    fn new(package: &'static str, words: impl Into<String>, evidence: String) -> Self {
        Self { package, words: words.into(), evidence }
    }
}

fn test(survey: &mut Survey<'_>, stated: &Stated) -> Option<Tool> {
    let pytest = stated
        .configuration(
            survey,
            "pytest",
            &["pytest.ini", ".pytest.ini"],
            &[("setup.cfg", "tool:pytest"), ("tox.ini", "pytest")],
        )
        .or_else(|| stated.requirement("pytest"))
        .or_else(|| survey.first_file(&["conftest.py", "tests/conftest.py"]).map(str::to_owned));
    // Without a test, pytest fails.
    let is_test = |path: &str| {
        has_ending(path, &["_test.py"])
            || (file_name(path).starts_with("test_") && has_ending(path, &[".py"]))
    };
    let has_tests = survey.search(is_test).is_some();
    let by_pytest = || pytest.clone().map(|evidence| Tool::new("pytest", "pytest", evidence));
    // Elsewhere, tox and nox may be what brings it.
    if has_tests && stated.requires("pytest") {
        return by_pytest();
    }
    if let Some(tool) = runners::test(survey, stated) {
        return Some(tool);
    }
    if has_tests && pytest.is_some() {
        return by_pytest();
    }
    if let Some(evidence) = &pytest {
        survey.note(evidence, "pytest: no test_*.py or *_test.py is there");
    }
    django(survey)
}

/// The tests that Django finds by itself; without one, a pass says nothing.
fn django(survey: &mut Survey<'_>) -> Option<Tool> {
    const PROGRAM: &str = "manage.py";
    if !survey.text(PROGRAM)?.contains("django") {
        return None;
    }
    let is_test = |path: &str| file_name(path).starts_with("test") && has_ending(path, &[".py"]);
    if survey.search(is_test).is_none() {
        survey.note(PROGRAM, "tests: no test*.py is there");
        return None;
    }
    Some(Tool::new("django", "manage.py test", PROGRAM.to_owned()))
}

fn lint(survey: &mut Survey<'_>, stated: &Stated) -> Option<Tool> {
    if let Some(tool) = runners::other(survey, &["lint"]) {
        return Some(tool);
    }
    if let Some(evidence) = stated.configuration(survey, "ruff", &["ruff.toml", ".ruff.toml"], &[])
    {
        return Some(Tool::new("ruff", "ruff check", evidence));
    }
    let flake8 = stated.configuration(
        survey,
        "flake8",
        &[".flake8"],
        &[("setup.cfg", "flake8"), ("tox.ini", "flake8")],
    )?;
    Some(Tool::new("flake8", "flake8", flake8))
}

fn type_check(survey: &mut Survey<'_>, stated: &Stated) -> Option<Tool> {
    const NAMES: [&str; 6] = ["typecheck", "type-check", "type", "types", "typing", "mypy"];
    if let Some(tool) = runners::other(survey, &NAMES) {
        return Some(tool);
    }
    let mypy =
        stated.configuration(survey, "mypy", &["mypy.ini", ".mypy.ini"], &[("setup.cfg", "mypy")]);
    if let Some(evidence) = mypy {
        if stated.says_what_mypy_checks(survey) {
            return Some(Tool::new("mypy", "mypy", evidence));
        }
        if let Some(package) = stated.package(survey) {
            return Some(Tool::new("mypy", format!("mypy {}", quote(&package)), evidence));
        }
        survey.note(&evidence, "mypy: nothing says which files it checks");
    }
    let pyright = stated.configuration(survey, "pyright", &["pyrightconfig.json"], &[])?;
    Some(Tool::new("pyright", "pyright", pyright))
}

//! Python: who keeps the environment, and the tools that are configured.

mod environment;
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

    let mut commands: Vec<(Operation, String, String)> = Vec::new();
    if let Some((command, evidence)) = environment.install(survey, &stated) {
        commands.push((Operation::Install, command, evidence));
    }
    for (operation, tool) in [
        (Operation::Test, test(survey, &stated)),
        (Operation::Lint, lint(survey, &stated)),
        (Operation::TypeCheck, type_check(survey, &stated)),
    ] {
        if let Some(Tool { package, words, evidence }) = tool {
            let command = environment.run(&stated, package, &words);
            commands.push((operation, command, evidence));
        }
    }
    for (operation, command, evidence) in commands {
        let is_file = operation == Operation::Install || survey.has_file(&evidence);
        let file = if is_file { evidence.clone() } else { stated.file().to_owned() };
        survey
            .found(operation, command, evidence)
            .needs_file(&file)
            .needs(python.clone())
            .needs(keeper.clone())
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
    let tests = survey.search(is_test);
    if let (Some(evidence), Some(_)) = (&pytest, &tests) {
        return Some(Tool::new("pytest", "pytest", evidence.clone()));
    }
    if let Some(evidence) =
        stated.configuration(survey, "tox", &[], &[("tox.ini", "tox"), ("tox.ini", "testenv")])
    {
        return Some(Tool::new("tox", "tox", evidence));
    }
    if survey.has_file("noxfile.py") {
        return Some(Tool::new("nox", "nox", "noxfile.py".to_owned()));
    }
    let is_django = |text: String| text.contains("django");
    if survey.text("manage.py").is_some_and(is_django) {
        return Some(Tool::new("django", "manage.py test", "manage.py".to_owned()));
    }
    if let Some(evidence) = pytest {
        survey.note(&evidence, "pytest: no test_*.py or *_test.py is there");
    }
    None
}

fn lint(survey: &mut Survey<'_>, stated: &Stated) -> Option<Tool> {
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

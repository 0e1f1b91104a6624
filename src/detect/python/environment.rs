//! Who keeps the environment of a Python project, and how a tool runs in it.

use super::super::survey::Survey;
use super::stated::{PIPFILE, PYPROJECT, Place, Stated};
use crate::exec::shell::quote;

/// The keeper of a project's environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// uv.
    Uv,
    /// poetry.
    Poetry,
    /// pdm.
    Pdm,
    /// pipenv.
    Pipenv,
    /// Nobody: whatever `python3` is.
    Plain,
}

impl Environment {
    /// The keeper whose lock file or table is there.
    pub fn of(survey: &Survey<'_>, stated: &Stated) -> Self {
        let has_table = |tool| stated.get(&["tool", tool]).is_some();
        if survey.has_file("uv.lock") {
            Self::Uv
        } else if survey.has_file("poetry.lock") {
            Self::Poetry
        } else if survey.has_file("pdm.lock") {
            Self::Pdm
        } else if survey.has_file(PIPFILE) {
            Self::Pipenv
        } else if has_table("uv") {
            Self::Uv
        } else if has_table("poetry") {
            Self::Poetry
        } else if has_table("pdm") {
            Self::Pdm
        } else {
            Self::Plain
        }
    }

    /// The name of its program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Uv => "uv",
            Self::Poetry => "poetry",
            Self::Pdm => "pdm",
            Self::Pipenv => "pipenv",
            Self::Plain => "python3",
        }
    }

    /// The command that fills the environment, exactly as a lock file says if there is one, and what shows
    /// it.
    pub fn install(self, survey: &Survey<'_>, stated: &Stated) -> Option<(String, String)> {
        let (lock, locked, free, file) = match self {
            Self::Uv => ("uv.lock", "uv sync --locked", "uv sync", PYPROJECT),
            Self::Poetry => ("poetry.lock", "poetry install", "poetry install", PYPROJECT),
            Self::Pdm => ("pdm.lock", "pdm install --frozen-lockfile", "pdm install", PYPROJECT),
            Self::Pipenv => ("Pipfile.lock", "pipenv sync --dev", "pipenv install --dev", PIPFILE),
            Self::Plain => {
                let (first, _) = stated.requirements.first()?;
                let files = stated.requirements.iter().map(|(path, _)| format!(" -r {path}"));
                let command = format!("python3 -m pip install{}", files.collect::<String>());
                return Some((command, (*first).to_owned()));
            }
        };
        let (command, evidence) = if survey.has_file(lock) { (locked, lock) } else { (free, file) };
        // What the other entries need must be installed, too; uv does that as it runs them.
        let mut words: Vec<String> = Vec::new();
        for package in ["pytest", "ruff", "flake8", "mypy", "pyright", "tox", "nox"] {
            let word = match (self, stated.pyproject_place(package)) {
                (Self::Poetry, Some(Place::Group(name))) => format!(" --with {}", quote(&name)),
                (Self::Poetry, Some(Place::Extra(name))) => format!(" --extras {}", quote(&name)),
                (Self::Pdm, Some(Place::Extra(name))) => format!(" --group {}", quote(&name)),
                _ => continue,
            };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Some((format!("{command}{}", words.concat()), evidence.to_owned()))
    }

    /// The command that runs a package's program in the environment, or as it is if the project doesn't
    /// require the package.
    pub fn run(self, stated: &Stated, package: &str, words: &str) -> String {
        // A file of the project itself, not a program that a package brings.
        let is_script = words.starts_with("manage.py");
        // So pytest finds the project's modules, however it was installed.
        let is_plain_pytest = self == Self::Plain && package == "pytest";
        if !stated.requires(package) && !is_script && !is_plain_pytest {
            return words.to_owned();
        }
        let words = if is_script && self != Self::Plain {
            format!("python {words}")
        } else {
            words.to_owned()
        };
        match self {
            Self::Uv => match stated.pyproject_place(package) {
                Some(Place::Group(name)) => format!("uv run --group {} {words}", quote(&name)),
                Some(Place::Extra(name)) => format!("uv run --extra {} {words}", quote(&name)),
                Some(Place::Always) | None => format!("uv run {words}"),
            },
            Self::Poetry | Self::Pdm | Self::Pipenv => format!("{} run {words}", self.program()),
            Self::Plain if is_script => format!("python3 {words}"),
            Self::Plain => format!("python3 -m {words}"),
        }
    }
}

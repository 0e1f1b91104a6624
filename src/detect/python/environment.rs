//! Who keeps the environment of a Python project, and how a tool runs in it.

use super::super::survey::Survey;
use super::stated::{PIPFILE, PYPROJECT, Place, Stated};
use crate::exec::shell::quote;

/// The packages whose programs entries run.
const TOOLS: [&str; 8] =
    ["pytest", "ruff", "flake8", "mypy", "pyright", "tox", "nox", "poethepoet"];

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
    pub fn install(self, survey: &mut Survey<'_>, stated: &Stated) -> Option<(String, String)> {
        let (lock, locked, free, file) = match self {
            Self::Uv => ("uv.lock", "uv sync --locked", "uv sync", PYPROJECT),
            Self::Poetry => ("poetry.lock", "poetry install", "poetry install", PYPROJECT),
            Self::Pdm => ("pdm.lock", "pdm install --frozen-lockfile", "pdm install", PYPROJECT),
            Self::Pipenv => ("Pipfile.lock", "pipenv sync --dev", "pipenv install --dev", PIPFILE),
            Self::Plain => return by_pip(survey, stated),
        };
        let has_lock = survey.has_file(lock);
        let (command, evidence) = if has_lock { (locked, lock) } else { (free, file) };
        // What the other entries need must be installed, too; uv does that as it runs them.
        let mut words: Vec<String> = Vec::new();
        for package in TOOLS {
            let is_optional = |name: &str| {
                let group = stated.get(&["tool", "poetry", "group", name, "optional"]);
                group.and_then(toml::Value::as_bool) == Some(true)
            };
            let word = match (self, stated.pyproject_place(package)) {
                (Self::Poetry, Some(Place::Group(name))) if is_optional(&name) => {
                    format!(" --with {}", quote(&name))
                }
                (Self::Poetry, Some(Place::Extra(name))) => format!(" --extras {}", quote(&name)),
                (Self::Pdm, Some(Place::Extra(name))) if !self.lacks(survey, stated, package) => {
                    format!(" --group {}", quote(&name))
                }
                _ => continue,
            };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        if self == Self::Poetry && stated.lacks_package(survey) {
            words.push(" --no-root".to_owned());
        }
        Some((format!("{command}{}", words.concat()), evidence.to_owned()))
    }

    /// Whether a package can't be installed: pdm refuses a group that it has not locked.
    pub fn lacks(self, survey: &Survey<'_>, stated: &Stated, package: &str) -> bool {
        let Some(Place::Extra(name)) = stated.pyproject_place(package) else { return false };
        let lock = survey.head("pdm.lock");
        self == Self::Pdm && !lock.is_empty() && !locked_groups(&lock).contains(&name)
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

/// What hatch keeps; else the requirements, and the project itself where it can be installed, with the extras that bring the tools.
fn by_pip(survey: &mut Survey<'_>, stated: &Stated) -> Option<(String, String)> {
    let places: Vec<Place> =
        TOOLS.iter().filter_map(|package| stated.pyproject_place(package)).collect();
    let has_hatch = stated.get(&["tool", "hatch", "envs"]).is_some();
    if has_hatch && stated.requirements.is_empty() {
        return Some(("hatch env create".to_owned(), format!("[tool.hatch.envs] in {PYPROJECT}")));
    }
    if places.iter().any(|place| matches!(place, Place::Group(_))) {
        let why = "its tools are in a group of dependencies, which pip knows since 25.1 only";
        survey.note(PYPROJECT, &format!("install: {why}"));
        return None;
    }
    let mut extras: Vec<&str> = Vec::new();
    for place in &places {
        if let Place::Extra(name) = place
            && !extras.contains(&&**name)
        {
            extras.push(name);
        }
    }
    let mut operands: Vec<String> =
        stated.requirements.iter().map(|(path, _)| format!(" -r {path}")).collect();
    if stated.is_package(survey) {
        let extras =
            if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
        operands.push(format!(" -e {}", quote(&format!(".{extras}"))));
    }
    let (evidence, _) = stated.requirements.first().cloned().or_else(|| {
        let file = survey.first_file(&[PYPROJECT, "setup.py"])?;
        Some((file, String::new()))
    })?;
    let command = format!("python3 -m pip install{}", operands.concat());
    (!operands.is_empty()).then_some((command, evidence.to_owned()))
}

/// The groups that pdm's lock file says it holds.
fn locked_groups(lock: &str) -> Vec<String> {
    let list = lock.lines().find_map(|line| line.strip_prefix("groups = "));
    let names = list.unwrap_or_default().split('"').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

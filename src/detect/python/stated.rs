//! What a project of Python states about itself, in `pyproject.toml` and the files before it.

use toml::{Table, Value};

use super::super::survey::{Survey, join};

pub const PYPROJECT: &str = "pyproject.toml";
pub const REQUIREMENTS: &str = "requirements.txt";
pub const PIPFILE: &str = "Pipfile";

/// Files of requirements for those who work on the project, beside `requirements.txt`.
const MORE_REQUIREMENTS: [&str; 10] = [
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements_dev.txt",
    "requirements-test.txt",
    "test-requirements.txt",
    "requirements_test.txt",
    "requirements/dev.txt",
    "requirements/development.txt",
    "requirements/local.txt",
    "requirements/test.txt",
];

/// Any of these makes a directory a project of Python.
const MARKS: [&str; 12] = [
    PYPROJECT,
    PIPFILE,
    REQUIREMENTS,
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "manage.py",
    "pytest.ini",
    "mypy.ini",
    "ruff.toml",
    ".flake8",
];

/// What is stated.
pub struct Stated {
    mark: &'static str,
    pyproject: Table,
    /// What the Pipfile says.
    pub pipfile: Table,
    /// The files of requirements that are there, with their texts.
    pub requirements: Vec<(&'static str, String)>,
}

/// Where a package is required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// With everything else, or in the group that is always installed.
    Always,
    /// In a group of dependencies (PEP 735, or poetry's or pdm's).
    Group(String),
    /// In an extra of the package.
    Extra(String),
}

impl Stated {
    /// What the files say; none if this is no project of Python.
    pub fn of(survey: &mut Survey<'_>) -> Option<Self> {
        let mark = survey.first_file(&MARKS)?;
        let pyproject = survey.toml(PYPROJECT);
        if pyproject.is_none() && survey.has_file(PYPROJECT) {
            // No tool of Python would get past it.
            return None;
        }
        let files = [REQUIREMENTS].into_iter().chain(MORE_REQUIREMENTS);
        let requirements = files.filter_map(|path| Some((path, survey.text(path)?))).collect();
        Some(Self {
            mark,
            pyproject: pyproject.unwrap_or_default(),
            pipfile: survey.toml(PIPFILE).unwrap_or_default(),
            requirements,
        })
    }

    /// The file by which a project of Python is known.
    pub fn file(&self) -> &'static str {
        self.mark
    }

    /// The value at a path of keys in `pyproject.toml`.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.pyproject.get(*first)?, |value, key| value.get(key))
    }

    /// The interpreter's versions that the project says it works with.
    pub fn requires_python(&self) -> Option<&str> {
        self.get(&["project", "requires-python"])?.as_str()
    }

    /// What shows that a tool is configured: a file of its own, its table in `pyproject.toml`, or a section
    /// in a file that several tools share.
    pub fn configuration(
        &self,
        survey: &mut Survey<'_>,
        tool: &str,
        files: &[&str],
        sections: &[(&str, &str)],
    ) -> Option<String> {
        if let Some(path) = survey.first_file(files) {
            return Some(path.to_owned());
        }
        // flake8 reads no pyproject.toml, unless a plugin makes it.
        let reads_pyproject = tool != "flake8" || self.requires("flake8-pyproject");
        if reads_pyproject && self.get(&["tool", tool]).is_some() {
            return Some(format!("[tool.{tool}] in {PYPROJECT}"));
        }
        sections.iter().find_map(|(path, section)| {
            let text = survey.text(path)?;
            section_of(&text, section).map(|_| format!("[{section}] in {path}"))
        })
    }

    /// What shows that a package is required.
    pub fn requirement(&self, package: &str) -> Option<String> {
        if self.pyproject_place(package).is_some() {
            return Some(format!("{package} in {PYPROJECT}"));
        }
        if self.is_in_pipfile(package) {
            return Some(format!("{package} in {PIPFILE}"));
        }
        let (path, _) = self.requirements.iter().find(|(_, text)| lists(text, package))?;
        Some(format!("{package} in {path}"))
    }

    /// Whether a package is required anywhere.
    pub fn requires(&self, package: &str) -> bool {
        self.requirement(package).is_some()
    }

    fn is_in_pipfile(&self, package: &str) -> bool {
        ["packages", "dev-packages"]
            .iter()
            .any(|key| self.pipfile.get(*key).is_some_and(|table| table.get(package).is_some()))
    }

    /// Where `pyproject.toml` requires a package, the easiest place first.
    pub fn pyproject_place(&self, package: &str) -> Option<Place> {
        let holds = |list: &Value| {
            let items = list.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).any(|item| is_requirement_of(item, package))
        };
        let is_in = |path: &[&str]| self.get(path).is_some_and(holds);
        let is_key = |path: &[&str]| self.get(path).is_some_and(|it| it.get(package).is_some());
        let tables = |path: &[&str]| -> Vec<(String, Value)> {
            let table = self.get(path).and_then(Value::as_table).into_iter().flatten();
            table.map(|(name, value)| (name.clone(), value.clone())).collect()
        };
        // poetry has what an extra brings among all dependencies, too.
        let extra = tables(&["tool", "poetry", "extras"]).into_iter().find(|(_, list)| holds(list));
        if let Some((name, _)) = extra {
            return Some(Place::Extra(name));
        }
        let groups = tables(&["dependency-groups"]).into_iter();
        let groups = groups.chain(tables(&["tool", "pdm", "dev-dependencies"]));
        let mut groups = groups.filter(|(_, list)| holds(list)).map(|(name, _)| name);
        if is_in(&["project", "dependencies"])
            || groups.clone().any(|name| self.is_default_group(&name))
            || is_in(&["tool", "uv", "dev-dependencies"])
            || is_key(&["tool", "poetry", "dependencies"])
            || is_key(&["tool", "poetry", "dev-dependencies"])
        {
            return Some(Place::Always);
        }
        if let Some(name) = groups.next() {
            return Some(Place::Group(name));
        }
        for (name, group) in tables(&["tool", "poetry", "group"]) {
            let has = group.get("dependencies").is_some_and(|it| it.get(package).is_some());
            if has {
                let is_optional = group.get("optional").and_then(Value::as_bool) == Some(true);
                return Some(if is_optional { Place::Group(name) } else { Place::Always });
            }
        }
        let extras = tables(&["project", "optional-dependencies"]).into_iter();
        extras.filter(|(_, list)| holds(list)).map(|(name, _)| Place::Extra(name)).next()
    }

    /// Whether a group of dependencies is installed without being asked for.
    fn is_default_group(&self, name: &str) -> bool {
        match self.get(&["tool", "uv", "default-groups"]) {
            Some(Value::Array(names)) => names.iter().any(|it| it.as_str() == Some(name)),
            Some(all) => all.as_str() == Some("all"),
            None => name == "dev",
        }
    }

    /// Whether pip can install the project itself.
    pub fn is_package(&self, survey: &Survey<'_>) -> bool {
        self.get(&["build-system"]).is_some() || survey.has_file("setup.py")
    }

    /// Whether poetry would look in vain for the package that it installs with the dependencies.
    pub fn lacks_package(&self, survey: &Survey<'_>) -> bool {
        let poetry = |key| self.get(&["tool", "poetry", key]);
        if poetry("package-mode").and_then(Value::as_bool) == Some(false)
            || poetry("packages").is_some()
        {
            return false;
        }
        let Some(name) = self.module() else { return false };
        let paths = ["src", ""].map(|parent| join(parent, &name));
        !paths.iter().any(|path| survey.has(path) || survey.has_file(&format!("{path}.py")))
    }

    /// Whether mypy's configuration names the files, packages or modules that it checks.
    pub fn says_what_mypy_checks(&self, survey: &mut Survey<'_>) -> bool {
        const KEYS: [&str; 3] = ["files", "packages", "modules"];
        if KEYS.iter().any(|key| self.get(&["tool", "mypy", key]).is_some()) {
            return true;
        }
        ["mypy.ini", ".mypy.ini", "setup.cfg"].iter().any(|path| {
            let text = survey.text(path).unwrap_or_default();
            let lines = section_of(&text, "mypy").unwrap_or_default();
            let keys = lines.iter().filter_map(|line| line.split_once('='));
            keys.into_iter().any(|(key, _)| KEYS.contains(&key.trim()))
        })
    }

    /// The name under which the project's own package is imported, if that follows from its name.
    fn module(&self) -> Option<String> {
        let name = self
            .get(&["project", "name"])
            .or_else(|| self.get(&["tool", "poetry", "name"]))?
            .as_str()?;
        Some(name.replace(['-', '.'], "_").to_lowercase())
    }

    /// The directory of the project's own package, if it is where its name says.
    pub fn package(&self, survey: &Survey<'_>) -> Option<String> {
        let name = self.module()?;
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let directories = ["src", ""].map(|parent| join(parent, &name));
        directories
            .into_iter()
            .find(|directory| is_word && survey.has_file(&join(directory, "__init__.py")))
    }
}

/// The lines of a section of an INI file, if it is there.
pub fn section_of<'a>(text: &'a str, section: &str) -> Option<Vec<&'a str>> {
    let header = format!("[{section}]");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != header);
    lines.next()?;
    Some(lines.take_while(|line| !line.starts_with('[')).collect())
}

/// Whether a file of requirements lists a package.
fn lists(text: &str, package: &str) -> bool {
    text.lines().any(|line| is_requirement_of(line.trim(), package))
}

/// Whether a requirement (PEP 508) is one of this package: `pytest>=8; python_version > "3"`.
fn is_requirement_of(requirement: &str, package: &str) -> bool {
    let end = requirement
        .find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c))
        .unwrap_or(requirement.len());
    let normal = |name: &str| name.to_ascii_lowercase().replace(['_', '.'], "-");
    normal(&requirement[..end]) == package
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_of_the_package_that_it_names() {
        for text in ["pytest", "pytest>=8", "Pytest[x] ~= 8 ; python_version > '3'", "pytest @ url"]
        {
            assert!(is_requirement_of(text, "pytest"), "{text}");
        }
        for text in ["pytest-cov", "# pytest", "-r pytest.txt", "a-pytest", ""] {
            assert!(!is_requirement_of(text, "pytest"), "{text}");
        }
    }

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text = "[a]\nfiles = 1\n[mypy]\nx = 1\n\n[mypy-b]\nfiles = 2\n";
        assert_eq!(section_of(text, "mypy"), Some(vec!["x = 1", ""]));
        assert_eq!(section_of(text, "tool"), None);
    }
}

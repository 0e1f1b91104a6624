//! One look at a project: what its files say, and what was found in them so far.

mod search;

use std::fmt::Display;

use serde_json::{Map, Value};

use super::files::{Files, Kind};
use super::{Finding, Operation, Shown, Worth};
use crate::manifest::Assumption;
use crate::manifest::version::Requirement;
use crate::manifest::yaml::{self, Node};

/// A project while it is looked at.
pub struct Survey<'a> {
    files: &'a dyn Files,
    shown: Shown,
}

/// A command that was found, before what it needs and what shows it are known.
pub struct Command<'s, 'f> {
    survey: &'s mut Survey<'f>,
    finding: Finding,
}

impl<'a> Survey<'a> {
    /// A survey that has found nothing yet.
    pub fn of(files: &'a dyn Files) -> Self {
        Self { files, shown: Shown::default() }
    }

    /// What was found.
    pub fn shown(self) -> Shown {
        self.shown
    }

    /// Whether a regular file is at the path.
    pub fn has_file(&self, path: &str) -> bool {
        matches!(self.files.kind(path), Some(Kind::File | Kind::Program))
    }

    /// Whether a file that may be executed is at the path.
    pub fn has_program(&self, path: &str) -> bool {
        self.files.kind(path) == Some(Kind::Program)
    }

    /// Whether anything is at the path.
    pub fn has(&self, path: &str) -> bool {
        self.files.kind(path).is_some()
    }

    /// The first of these that is a file.
    pub fn first_file<'n>(&self, paths: &[&'n str]) -> Option<&'n str> {
        paths.iter().copied().find(|path| self.has_file(path))
    }

    /// The names in a directory, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        self.files.names(directory)
    }

    /// The command that runs a build tool's wrapper, if the project has it.
    pub fn wrapper(&self, path: &str) -> Option<String> {
        match self.files.kind(path)? {
            Kind::Program => Some(format!("./{path}")),
            Kind::File => Some(format!("sh ./{path}")),
            Kind::Directory | Kind::LinkedDirectory => None,
        }
    }

    /// A file's text; a note if it is there and can't be used.
    pub fn text(&mut self, path: &str) -> Option<String> {
        if !self.has_file(path) {
            return None;
        }
        let text =
            self.files.read(path).map_err(|error| error.to_string()).and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| "not valid UTF-8".to_owned())
            });
        let text = self.usable(path, text)?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// The start of a file, whatever its size; nothing if it can't be read.
    pub fn head(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.files.head(path)).into_owned()
    }

    /// The JSON object in a file.
    pub fn json(&mut self, path: &str) -> Option<Map<String, Value>> {
        let text = self.text(path)?;
        let parsed =
            serde_json::from_str(&text).map_err(|error| format!("not a JSON object: {error}"));
        self.usable(path, parsed)
    }

    /// A file's JSON, which may hold comments.
    pub fn json_with_comments(&mut self, path: &str) -> Option<Value> {
        let text = self.text(path)?;
        let parsed =
            jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default())
                .map_err(|error| format!("not valid JSON: {error}"));
        self.usable(path, parsed)
    }

    /// A file's TOML.
    pub fn toml(&mut self, path: &str) -> Option<toml::Table> {
        let text = self.text(path)?;
        let parsed = text.parse().map_err(|error: toml::de::Error| {
            let before = |at| text.get(..at).unwrap_or_default();
            let line = |at| before(at).matches('\n').count() + 1;
            let place = error.span().map(|span| format!(" on line {}", line(span.start)));
            format!("not valid TOML: {}{}", error.message(), place.unwrap_or_default())
        });
        self.usable(path, parsed)
    }

    /// A file's YAML.
    pub fn yaml(&mut self, path: &str) -> Option<Node> {
        let text = self.text(path)?;
        let parsed = yaml::parse(&text).map_err(|fault| match fault.place {
            Some(place) => format!("not valid YAML: {} on line {}", fault.message, place.line),
            None => format!("not valid YAML: {}", fault.message),
        });
        self.usable(path, parsed)
    }

    fn usable<T>(&mut self, path: &str, result: Result<T, impl Display>) -> Option<T> {
        result.map_err(|cause| self.note(path, &cause.to_string())).ok()
    }

    /// Says of a file why something in it is no evidence.
    pub fn note(&mut self, path: &str, why: &str) {
        let note = format!("{path}: {why}");
        if !self.shown.notes.contains(&note) {
            self.shown.notes.push(note);
        }
    }

    /// A command for an operation, shown by `evidence`.
    pub fn found(
        &mut self,
        operation: Operation,
        command: impl Into<String>,
        evidence: impl Into<String>,
    ) -> Command<'_, 'a> {
        let finding = Finding {
            operation,
            command: command.into(),
            evidence: evidence.into(),
            assumptions: Vec::new(),
            worth: Worth::Own,
        };
        Command { survey: self, finding }
    }

    /// Several commands, each with its evidence, that all need this file and these tools.
    pub fn found_all<C: Into<String>, E: Into<String>>(
        &mut self,
        commands: impl IntoIterator<Item = (Operation, C, E)>,
        file: &str,
        tools: &[&Option<Requirement>],
    ) {
        for (operation, command, evidence) in commands {
            let found = self.found(operation, command, evidence).needs_file(file);
            tools.iter().fold(found, |found, tool| found.needs((*tool).clone())).add();
        }
    }
}

impl Command<'_, '_> {
    /// It needs this file.
    pub fn needs_file(mut self, path: &str) -> Self {
        self.finding.assumptions.push(Assumption::FileExists(path.to_owned()));
        self
    }

    /// It needs this version of a tool, if the project states one.
    pub fn needs(mut self, requirement: Option<Requirement>) -> Self {
        let assumption = requirement.map(Assumption::ToolVersion);
        let known = &self.finding.assumptions;
        self.finding.assumptions.extend(assumption.filter(|it| !known.contains(it)));
        self
    }

    /// How much its evidence says.
    pub fn worth(mut self, worth: Worth) -> Self {
        self.finding.worth = worth;
        self
    }

    /// Adds it to what was found, unless it can't stand on one line.
    pub fn add(self) {
        if self.finding.command.contains(char::is_control) {
            let evidence = self.finding.evidence;
            self.survey.note(&evidence, "a name in it holds a control character");
        } else {
            self.survey.shown.findings.push(self.finding);
        }
    }
}

/// A path below a directory.
pub fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// The last name in a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path has one of these endings, exactly as written.
pub fn has_ending(path: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| path.ends_with(ending))
}

/// The commands and the notes of one look at a project that exists in a test only.
#[cfg(test)]
pub fn seen(look: impl Fn(&mut Survey<'_>), files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let files = super::files::Fake::of(files);
    let mut survey = Survey::of(&files);
    look(&mut survey);
    let shown = survey.shown();
    (shown.findings.into_iter().map(|finding| finding.command).collect(), shown.notes)
}

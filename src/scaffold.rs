//! From what a project shows to the text of a first manifest (contract section 11).

use std::fmt::Write as _;

use crate::detect::{Finding, Operation, Shown};
use crate::manifest::Assumption;
use crate::text::{json_line, printable};

#[cfg(test)]
mod tests;

/// The ids that the gates of a change look for (contract section 14).
pub const GATES: [&str; 2] = ["typecheck.run", "test.focused"];

/// An id of the vocabulary that a project's findings can fill.
struct Slot {
    id: &'static str,
    operation: Operation,
    /// What stands there instead if nothing was found; nothing for what no gate needs.
    todo: Option<&'static str>,
}

/// In the order of the vocabulary (contract section 14).
const SLOTS: [Slot; 6] = [
    Slot { id: "dependencies.install", operation: Operation::Install, todo: None },
    Slot {
        id: "test.focused",
        operation: Operation::Test,
        todo: Some("nothing here shows how the tests are run"),
    },
    Slot {
        id: "test.full",
        operation: Operation::Test,
        todo: Some("nothing here shows how all tests are run"),
    },
    Slot { id: "lint.run", operation: Operation::Lint, todo: None },
    Slot {
        id: "typecheck.run",
        operation: Operation::TypeCheck,
        todo: Some("nothing here shows how types are checked"),
    },
    Slot { id: "build.run", operation: Operation::Build, todo: None },
];

/// A manifest's text, and what is in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Scaffold {
    /// The whole file.
    pub text: String,
    /// The ids that it declares.
    pub declared: Vec<&'static str>,
    /// The ids that it has a stub for.
    pub missing: Vec<&'static str>,
}

/// Writes what a project shows as a manifest. `place` is where the project is, seen from the manifest's
/// directory, unless it is that directory itself.
pub fn scaffold(shown: &Shown, place: Option<&str>) -> Scaffold {
    let (mut entries, mut stubs) = (String::new(), String::new());
    let (mut declared, mut missing) = (Vec::new(), Vec::new());
    for Slot { id, operation, todo } in &SLOTS {
        let found = shown.of(*operation);
        if let Some((best, others)) = found.split_first() {
            declared.push(*id);
            entries.push_str(&entry(id, best, others));
        } else if let Some(todo) = todo {
            missing.push(*id);
            let _ = write!(stubs, "\n  # TODO: {todo}\n  # {id}:\n  #   command: TODO\n");
        }
    }
    let capabilities = if declared.is_empty() {
        "# Delete the {} when you fill in the first entry.\ncapabilities: {}\n"
    } else {
        "capabilities:"
    };
    let text = format!("{}version: 1\n{capabilities}{entries}{stubs}", head(shown, place));
    Scaffold { text, declared, missing }
}

fn head(shown: &Shown, place: Option<&str>) -> String {
    let mut head = "\
# Written by `cap init` from what the project shows: review it before you rely on it. Run each entry once
# (`cap run ID`), correct what is wrong, and narrow test.focused to what is fast. `cap list` shows the result.
"
    .to_owned();
    if let Some(place) = place {
        let _ = writeln!(
            head,
            "# The commands were found in {} and work there: run `cap` in that directory.",
            printable(place)
        );
    }
    for note in &shown.notes {
        let _ = writeln!(head, "# Not used: {}", printable(note));
    }
    head
}

/// One entry, with what shows it in a comment above, and what else would have done.
fn entry(id: &str, best: &Finding, others: &[&Finding]) -> String {
    let mut text = format!("\n  # {}\n", printable(&best.evidence));
    for other in others {
        let (command, evidence) = (printable(&other.command), printable(&other.evidence));
        let _ = writeln!(text, "  # also: {command} ({evidence})");
    }
    let _ = write!(text, "  {id}:\n    command: {}\n", scalar(&best.command));
    if !best.assumptions.is_empty() {
        text.push_str("    assumptions:\n");
    }
    for assumption in &best.assumptions {
        let (kind, value) = match assumption {
            Assumption::FileExists(path) => ("file-exists", path),
            Assumption::ToolVersion(requirement) => ("tool-version", &requirement.text),
        };
        let _ = writeln!(text, "      - {kind}: {}", scalar(value));
    }
    text
}

/// What YAML, or an older version of it, takes for something else than a text.
const NOT_TEXTS: [&str; 11] =
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"];

/// A text as a YAML scalar: as it is where that is sure to be read as the same text, else in double quotes.
fn scalar(text: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let is_plain_start = text.strip_prefix(['.', '/']).unwrap_or(text).starts_with(is_letter)
        || text.starts_with("./");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ._/+-=<>@,&*()$~^:".contains(c);
    let is_key = text.contains(": ") || text.ends_with(':');
    let is_text = !NOT_TEXTS.contains(&&*text.to_ascii_lowercase());
    if is_plain_start && is_text && !is_key && text.trim() == text && text.chars().all(is_plain) {
        return text.to_owned();
    }
    // A JSON string is a YAML one, but for what YAML takes only escaped.
    let mut quoted = String::new();
    for c in json_line(&text).chars() {
        if ('\u{7f}'..='\u{9f}').contains(&c) || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            let _ = write!(quoted, "\\u{:04x}", u32::from(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}

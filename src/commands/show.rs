//! Messages in one style: errors, warnings, a manifest's faults.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};

use crate::git::finding::ProbeError;
use crate::home::{self, ConfigError};
use crate::manifest::Manifest;
use crate::manifest::fault::{Excerpts, Fault, Invalid};
use crate::manifest::find::Location;
use crate::text::{did_you_mean, printable, printable_path};

/// The words that tell what a message is, and how they look.
const LABELS: [(&str, Style); 4] = [
    ("error:", AnsiColor::Red.on_default().bold()),
    ("warning:", AnsiColor::Yellow.on_default().bold()),
    ("help:", AnsiColor::Cyan.on_default().bold()),
    ("note:", AnsiColor::Cyan.on_default().bold()),
];

/// Prints lines on stderr, in colour for a person. Nobody is there to hear of it if that fails.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", for_stderr(text));
}

/// Messages as stderr shall show them: their labels in colour where a person reads them.
pub fn for_stderr(text: &str) -> Cow<'_, str> {
    if is_coloured(&io::stderr()) { Cow::Owned(labelled(text)) } else { Cow::Borrowed(text) }
}

/// Whether a stream is a terminal of somebody who wants colour.
pub fn is_coloured(stream: &impl RawStream) -> bool {
    stream.is_terminal() && AutoStream::choice(stream) != ColorChoice::Never
}

/// Each line with its label in colour, which stands first or behind a place.
fn labelled(text: &str) -> String {
    let label = |line: &str| {
        let at = |label: &str| match line.find(label) {
            Some(0) => Some(0),
            Some(at) if line[..at].ends_with(": ") => Some(at),
            Some(_) | None => None,
        };
        let found = LABELS.iter().find_map(|(label, style)| Some((at(label)?, label, style)));
        let Some((at, label, style)) = found else { return line.to_owned() };
        format!("{}{style}{label}{style:#}{}", &line[..at], &line[at + label.len()..])
    };
    text.split('\n').map(label).collect::<Vec<_>>().join("\n")
}

/// Prints an error.
pub fn error(text: &str) {
    message(&format!("error: {text}"));
}

/// The exit code when stdout could not be written. A reader that has had enough is no failure.
pub fn output_failed(cause: &io::Error) -> ExitCode {
    if cause.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    error(&format!("cannot write to stdout: {cause}"));
    ExitCode::FAILURE
}

/// Every fault of a manifest with its line, then one line that sums up.
pub fn faults(invalid: &Invalid, path: &Path) -> String {
    let headlines = invalid.faults.iter().map(|fault| (fault, fault.headline(path)));
    let count = match invalid.faults.len() {
        1 => "1 fault".to_owned(),
        many => format!("{many} faults"),
    };
    let shown = with_excerpts(headlines, &invalid.text);
    // A misspelt key may be what a fault comes from.
    let warnings = warnings(&invalid.warnings, path, &invalid.text);
    shown + &warnings + "error: manifest invalid: " + &count
}

/// Warnings, each with its line.
pub fn warnings(warnings: &[Fault], path: &Path, text: &str) -> String {
    with_excerpts(warnings.iter().map(|it| (it, warning(it, path))), text)
}

/// Messages on faults or warnings, each with the line that it is about below it.
fn with_excerpts<'a>(messages: impl Iterator<Item = (&'a Fault, String)>, text: &str) -> String {
    let mut excerpts = Excerpts::of(text);
    let mut shown = String::new();
    for (fault, message) in messages {
        let excerpt = excerpts.excerpt(fault);
        for line in [Some(message), excerpt].into_iter().flatten() {
            shown.push_str(&line);
            shown.push('\n');
        }
    }
    shown
}

/// Why there is no capability with this id, and the way to those that are.
pub fn undeclared(id: &str, location: &Location, manifest: Option<&Manifest>) -> String {
    let path = printable_path(&location.path);
    let why = match manifest {
        None => match location.misnamed() {
            None => format!("there is no '{path}': 'cap init' writes one"),
            Some(_) => format!("there is no '{path}', but a 'manifest.yml': rename it"),
        },
        Some(manifest) => {
            let ids = manifest.capabilities.iter().map(|capability| capability.id.as_str());
            let hint = did_you_mean(id, ids);
            let hint = hint.unwrap_or_else(|| "'cap list' shows what it declares".to_owned());
            format!("'{path}' does not declare it: {hint}")
        }
    };
    format!("no capability '{}': {why}", printable(id))
}

/// A probe that failed (contract section 9).
pub fn unknown_tree(cause: &ProbeError) -> String {
    format!("warning: the git tree is not known, so it counts as dirty: {cause}")
}

/// A config file that can't be used.
pub fn ignored_config(home: &Path, cause: &ConfigError) -> String {
    let path = printable_path(&home::config_path(home));
    format!("warning: '{path}' is ignored: {cause}")
}

/// A warning on one line.
pub fn warning(warning: &Fault, path: &Path) -> String {
    format!("{}: warning: {}", warning.position(path), printable(&warning.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_coloured_where_a_message_begins_and_nowhere_else() {
        let red = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m";
        assert_eq!(labelled("error: no error: here"), format!("{red} no error: here"));
        let warning = "\u{1b}[1m\u{1b}[33mwarning:\u{1b}[0m";
        assert_eq!(labelled("a:1:2: warning: x\n a"), format!("a:1:2: {warning} x\n a"));
        for text in ["no error:", "terror: x", ""] {
            assert_eq!(labelled(text), text);
        }
    }
}

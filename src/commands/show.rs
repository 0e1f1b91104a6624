//! Messages in one style: errors, warnings, a manifest's faults.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::git::finding::ProbeError;
use crate::home::{self, ConfigError};
use crate::manifest::fault::{Fault, Invalid};
use crate::text::{printable, printable_path};

/// Prints lines on stderr. Nobody is there to hear of it if that fails.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
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
    let mut text = String::new();
    for fault in &invalid.faults {
        text.push_str(&fault.headline(path));
        text.push('\n');
        if let Some(excerpt) = fault.excerpt(&invalid.text) {
            let _ = writeln!(text, "{excerpt}");
        }
    }
    let count = match invalid.faults.len() {
        1 => "1 fault".to_owned(),
        many => format!("{many} faults"),
    };
    text + "error: manifest invalid: " + &count
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

/// One line for each warning.
pub fn warnings<'a>(warnings: &'a [Fault], path: &'a Path) -> impl Iterator<Item = String> + 'a {
    warnings.iter().map(|warning| {
        format!("{}: warning: {}", warning.position(path), printable(&warning.message))
    })
}

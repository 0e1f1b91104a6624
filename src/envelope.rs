//! The envelope: the one line of JSON that tells a run's outcome, and the file that holds it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::file::{self, ReadError};
use crate::text::json_line;

/// What every envelope begins with.
const START: &[u8] = b"{\"cap_envelope\":";

/// A run's result, with its keys in the contract's order (section 7).
#[derive(Debug, Serialize)]
pub struct Envelope<'a> {
    /// The format's version, always 1.
    #[serde(rename = "cap_envelope")]
    pub format: u8,
    /// The id that was asked for.
    pub capability: &'a str,
    /// The outcome's name.
    pub outcome: &'a str,
    /// The full line that ran, or the entry's command if none was started.
    pub command: Option<&'a str>,
    /// What the shell returned.
    pub exit_code: Option<u8>,
    /// The signal that ended the shell.
    pub signal: Option<&'a str>,
    /// Whole milliseconds.
    pub duration_ms: u64,
    /// Why, for the outcomes that need a reason.
    pub reason: Option<&'a str>,
    /// The end of the output; no key at all when there is none to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tail: Option<&'a str>,
}

impl Envelope<'_> {
    /// The envelope as one line, without a newline.
    pub fn line(&self) -> String {
        json_line(self)
    }
}

/// The place where the caller wants the envelope as a file.
#[derive(Debug)]
pub struct EnvelopeFile {
    path: PathBuf,
}

/// An envelope file that can't be written or removed.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeFileError {
    /// Something is there that is no envelope; it stays untouched.
    #[error("what is there is no envelope file, so it is left alone")]
    Foreign,
    /// The path leads into `/dev` or `/proc`.
    #[error("nothing is ever written under /dev or /proc")]
    SystemPath,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl EnvelopeFile {
    /// The envelope file at `path`, counted from the run directory.
    pub fn new(run_directory: &Path, path: &Path) -> Self {
        Self { path: run_directory.join(path) }
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes an envelope that an earlier run left, so that a killed run can't leave an old verdict.
    pub fn remove_old(&self) -> Result<(), EnvelopeFileError> {
        self.check_replaceable()?;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// Writes `line` and a newline; the file appears whole or not at all.
    pub fn write(&self, line: &str) -> Result<(), EnvelopeFileError> {
        self.check_replaceable()?;
        Ok(file::replace(&self.path, &[line.as_bytes(), b"\n"], 0o600)?)
    }

    /// Only what may be an envelope is removed or replaced: nothing, a symbolic link, or a regular file
    /// that is empty or starts like an envelope.
    fn check_replaceable(&self) -> Result<(), EnvelopeFileError> {
        let Some(parent) = self.path.parent() else {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        };
        let directory = fs::canonicalize(parent)?;
        for path in [self.path.as_path(), &directory] {
            if path.starts_with("/dev") || path.starts_with("/proc") {
                return Err(EnvelopeFileError::SystemPath);
            }
        }
        match fs::symlink_metadata(&self.path) {
            Ok(metadata) if metadata.is_symlink() => Ok(()),
            Ok(_) if may_be_envelope(&self.path)? => Ok(()),
            Ok(_) => Err(EnvelopeFileError::Foreign),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn may_be_envelope(path: &Path) -> Result<bool, EnvelopeFileError> {
    let mut start = Vec::new();
    match file::open_regular(path) {
        Ok(file) => file.take(START.len() as u64).read_to_end(&mut start)?,
        Err(ReadError::Io(error)) => return Err(error.into()),
        Err(ReadError::NotRegular(_) | ReadError::TooLarge(_)) => return Ok(false),
    };
    Ok(start.is_empty() || start == START)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    const KEYS: [&str; 9] = [
        "cap_envelope",
        "capability",
        "outcome",
        "command",
        "exit_code",
        "signal",
        "duration_ms",
        "reason",
        "output_tail",
    ];

    proptest! {
        #[test]
        fn whatever_is_in_it_the_line_is_one_object_with_its_keys_in_order(
            capability in any::<String>(),
            command in any::<Option<String>>(),
            exit_code in any::<Option<u8>>(),
            signal in any::<Option<String>>(),
            duration_ms in any::<u64>(),
            reason in any::<Option<String>>(),
            tail in proptest::option::of("[\\x00-\u{ff}\u{2028}\u{2029}\u{feff}\u{10ffff}\"\\\\{}]{0,40}"),
        ) {
            let envelope = Envelope {
                format: 1,
                capability: &capability,
                outcome: "task-failed",
                command: command.as_deref(),
                exit_code,
                signal: signal.as_deref(),
                duration_ms,
                reason: reason.as_deref(),
                output_tail: tail.as_deref(),
            };
            let line = envelope.line();
            prop_assert!(line.as_bytes().starts_with(START));
            let breaks = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
            prop_assert!(!line.contains(breaks), "{line:?}");
            let read: Map<String, Value> = serde_json::from_str(&line).unwrap();
            let mut expected = json!({
                "cap_envelope": 1, "capability": capability, "outcome": "task-failed",
                "command": command, "exit_code": exit_code, "signal": signal,
                "duration_ms": duration_ms, "reason": reason,
            });
            if let Some(tail) = &tail {
                expected["output_tail"] = json!(tail);
            }
            prop_assert_eq!(&Value::from(read), &expected);
            // Outside of strings a key's name can't stand between these.
            let places = KEYS.map(|key| line.find(&format!(",\"{key}\":")));
            let there: Vec<usize> = places.into_iter().flatten().collect();
            prop_assert!(there.is_sorted(), "{line}");
            prop_assert_eq!(there.len(), 7 + usize::from(tail.is_some()));
        }
    }
}

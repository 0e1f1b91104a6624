//! Probes an assumption: whether what a command needs is there.

pub mod tool_version;

use std::ffi::OsStr;
use std::io;
use std::time::Duration;

use crate::exec::Status;
use crate::exec::capture::{Captured, End, capture};
use crate::exec::signals::{Signals, signal_name};
use crate::manifest::Assumption;
use crate::manifest::version::Requirement;
use tool_version::{find_version, other_arguments};

/// The time that a tool has to tell its version (contract section 15).
const TOOL_LIMIT: Duration = Duration::from_secs(10);

/// An assumption that does not hold.
#[derive(Debug, thiserror::Error)]
pub enum AssumptionError {
    /// There is nothing at the path.
    #[error("file-exists '{path}': {cause}")]
    NoFile {
        /// As in the manifest.
        path: String,
        /// What looking there came to.
        cause: io::Error,
    },
    /// The tool has another version.
    #[error("tool-version '{requirement}': {tool} is {found}{hint}")]
    WrongVersion {
        /// As in the manifest.
        requirement: String,
        /// The tool's name.
        tool: String,
        /// Its version.
        found: String,
        /// What to write instead if only a wildcard was missing; else nothing.
        hint: String,
    },
    /// The tool ran, but nothing it printed is a version.
    #[error("tool-version '{requirement}': {tool} prints no version")]
    NoVersion {
        /// As in the manifest.
        requirement: String,
        /// The tool's name.
        tool: String,
    },
    /// The tool is missing, hangs or fails.
    #[error("tool-version '{requirement}': {tool} is not runnable: {cause}")]
    NotRunnable {
        /// As in the manifest.
        requirement: String,
        /// The tool's name.
        tool: String,
        /// Why.
        cause: String,
    },
    /// An interrupt came to `cap`, which is still to be taken.
    #[error("interrupted")]
    Interrupted,
}

/// Checks one assumption in the current directory (contract section 3).
pub fn check(assumption: &Assumption, signals: &Signals) -> Result<(), AssumptionError> {
    match assumption {
        Assumption::FileExists(path) => match std::fs::metadata(path) {
            Ok(_) => Ok(()),
            Err(cause) => Err(AssumptionError::NoFile { path: path.clone(), cause }),
        },
        Assumption::ToolVersion(requirement) => check_tool(requirement, signals),
    }
}

fn check_tool(requirement: &Requirement, signals: &Signals) -> Result<(), AssumptionError> {
    let (text, tool) = (requirement.text.clone(), requirement.tool.clone());
    let captured = ask(&tool, signals).map_err(|refusal| match refusal {
        Refusal::Interrupted => AssumptionError::Interrupted,
        Refusal::NotRunnable(cause) => {
            AssumptionError::NotRunnable { requirement: text.clone(), tool: tool.clone(), cause }
        }
    })?;
    let Some(found) = find_version(&tool, &captured.stdout, &captured.stderr) else {
        return Err(AssumptionError::NoVersion { requirement: text, tool });
    };
    requirement.check(&found).map_err(|comparison| AssumptionError::WrongVersion {
        requirement: text,
        tool,
        found: found.to_string(),
        hint: comparison.hint(&found).map(|hint| format!(" ({hint})")).unwrap_or_default(),
    })
}

/// Why a tool did not tell its version.
enum Refusal {
    Interrupted,
    NotRunnable(String),
}

/// Makes a tool print its version: with `--version`, or where that fails as its own fashion is.
fn ask(tool: &str, signals: &Signals) -> Result<Captured, Refusal> {
    let first = ask_with(tool, &["--version"], signals);
    match (first, other_arguments(tool)) {
        // A tool that is missing or hangs would do no better with other arguments.
        (Err(Refusal::NotRunnable(cause)), Some(arguments)) if cause.starts_with("exit") => {
            ask_with(tool, arguments, signals)
        }
        (first, _) => first,
    }
}

fn ask_with(tool: &str, arguments: &[&str], signals: &Signals) -> Result<Captured, Refusal> {
    let not_runnable = |cause: String| Err(Refusal::NotRunnable(cause));
    let captured = match capture(OsStr::new(tool), arguments, TOOL_LIMIT, Some(signals)) {
        Ok(captured) => captured,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !tool.contains('/') => {
            return not_runnable("not found in PATH, or its interpreter is missing".to_owned());
        }
        Err(error) => return not_runnable(error.to_string()),
    };
    let arguments = arguments.join(" ");
    match captured.end {
        End::Ended(Status::Exited(0)) => Ok(captured),
        End::Ended(Status::Exited(code)) => {
            let said = first_line(&captured.stderr);
            not_runnable(format!("exit {code} from '{tool} {arguments}'{said}"))
        }
        End::Ended(Status::Signalled(number)) => {
            not_runnable(format!("'{tool} {arguments}' was killed by {}", signal_name(number)))
        }
        End::TimedOut => {
            let seconds = TOOL_LIMIT.as_secs();
            not_runnable(format!("'{tool} {arguments}' did not end within {seconds} s"))
        }
        End::Interrupted => Err(Refusal::Interrupted),
    }
}

/// What a tool that failed has to say, behind a colon; nothing if it said nothing.
fn first_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(|line| format!(": {}", line.chars().take(200).collect::<String>())).unwrap_or_default()
}

//! How git is asked: settings and environment that nobody else has a say in, one deadline, and nothing
//! believed that comes with a warning.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use super::finding::{ProbeError, State};
use crate::exec::Status;
use crate::exec::capture::Kept;
use crate::exec::signals::Signals;
use crate::exec::spawn;
use crate::exec::watch::{self, Cut, Sink, Watched};
use crate::text::printable;

/// What git sees of the environment in the place of the caller's `GIT_*`: no locks, no replaced objects,
/// no network, no prompt, no trace.
const ENVIRONMENT: [(&str, &str); 9] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_PERF", "0"),
    ("GIT_TRACE2_EVENT", "0"),
];

/// Settings that could hide a difference, run a hook or add a warning, each with the value that does not.
const SETTINGS: [&str; 13] = [
    // rev-parse asks the commit itself for its tree; status would believe a file that says otherwise.
    "core.commitGraph=false",
    "core.fsmonitor=false",
    "core.fileMode=true",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.untrackedCache=false",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "status.showUntrackedFiles=normal",
    "diff.ignoreSubmodules=none",
    "core.warnAmbiguousRefs=false",
    "advice.statusUoption=false",
    "advice.sparseIndexExpanded=false",
];

/// Why a probe goes no further.
#[derive(Debug)]
pub enum Stop {
    /// Something differs from the tree.
    Dirty,
    /// An interrupt came to `cap`, which is still to be taken.
    Interrupted,
    /// git could not tell.
    Failed(ProbeError),
}

impl From<ProbeError> for Stop {
    fn from(error: ProbeError) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for State {
    fn from(stop: Stop) -> Self {
        match stop {
            // What an interrupt kept from being looked at may be dirty.
            Stop::Dirty | Stop::Interrupted => Self::Dirty,
            Stop::Failed(error) => Self::Failed(error),
        }
    }
}

/// One probe: which git, until when, and whose interrupts.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// An absolute path.
    pub program: &'a Path,
    /// When the probe must have ended.
    pub deadline: Instant,
    /// Where an interrupt shows.
    pub signals: Option<&'a Signals>,
}

impl Asking<'_> {
    /// Starts git in `directory`, which is counted from the current one; empty is the current one.
    pub fn start<'a>(
        &self,
        directory: &Path,
        question: &[&str],
        stdout: &'a mut dyn Sink,
        stderr: &'a mut Kept,
    ) -> Result<Watched<'a>, ProbeError> {
        let mut command = spawn::command(self.program.as_os_str());
        let is_git = |name: &OsStr| name.as_encoded_bytes().starts_with(b"GIT_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_git(name)) {
            command.env_remove(name);
        }
        command.envs(ENVIRONMENT);
        if !directory.as_os_str().is_empty() {
            command.arg("-C").arg(directory);
        }
        command.arg("--no-optional-locks");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(question);
        Ok(watch::start(command, stdout, stderr)?)
    }

    /// Waits until all have ended, or one of their sinks has enough.
    pub fn watch(&self, programs: &mut [Watched<'_>]) -> Result<Amount, Stop> {
        match watch::watch(programs, self.deadline, self.signals) {
            Ok(()) => Ok(Amount::All),
            Err(Cut::Enough) => Ok(Amount::Enough),
            Err(Cut::TimedOut) => Err(Stop::Failed(ProbeError::TimedOut)),
            Err(Cut::Interrupted) => Err(Stop::Interrupted),
        }
    }
}

/// How much of what was asked for is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Everything.
    All,
    /// A sink had enough; the rest was not waited for.
    Enough,
}

/// Refuses an answer that came with a warning.
pub fn refuse_warnings(stderr: &Kept) -> Result<(), ProbeError> {
    if stderr.bytes.is_empty() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&stderr.bytes);
    Err(ProbeError::Warned(printable(text.lines().next().unwrap_or_default()).into_owned()))
}

/// Refuses an answer of git that did not end as it should.
pub fn refuse_failure(status: Option<Status>, name: &'static str) -> Result<(), ProbeError> {
    if status == Some(Status::Exited(0)) { Ok(()) } else { Err(ProbeError::Exited(name)) }
}

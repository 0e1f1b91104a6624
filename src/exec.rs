//! A command line in, how it ended and its tail out: the only code that starts processes.

pub mod capture;
mod job_control;
mod kill;
pub mod lineage;
mod phase;
mod proc;
pub mod relay;
pub mod shell;
pub mod signals;
pub mod spawn;
mod supervision;
mod tail;
pub mod watch;

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::poll::PollTimeout;
use nix::sys::signal::Signal;

use lineage::Lineage;

pub use supervision::run;

/// The shell of every command, never `$SHELL`.
pub const SHELL: &str = "/bin/sh";

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Descriptor 1.
    Stdout,
    /// Descriptor 2.
    Stderr,
}

/// What a process returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// An exit code.
    Exited(u8),
    /// The number of the signal that ended it.
    Signalled(i32),
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            // The kernel keeps eight bits of it.
            (Some(code), _) => Self::Exited(u8::try_from(code).unwrap_or(u8::MAX)),
            (None, signal) => Self::Signalled(signal.unwrap_or_default()),
        }
    }
}

/// What ended a command that did not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Its budget passed.
    TimedOut,
    /// This signal came to `cap`.
    Interrupted(Signal),
}

/// How a command's run went.
#[derive(Debug)]
pub struct Finished {
    /// What ended it, unless it ended by itself.
    pub cause: Option<Cause>,
    /// What the shell returned; none if it could not be ended.
    pub status: Option<Status>,
    /// From the start to the shell's end, less the time suspended.
    pub duration: Duration,
    /// The last bytes of its output.
    pub tail: String,
    /// Whether a background process still held the output when reading was given up.
    pub has_leftover: bool,
    /// Whether an interrupt came after the shell's end: nothing more is to be waited for.
    pub is_hurried: bool,
}

/// What to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// A command line for `/bin/sh -c`.
    pub line: &'a str,
    /// After this long it is ended.
    pub budget: Duration,
    /// How many bytes of its output to keep.
    pub tail_bytes: usize,
    /// What is ended with it after a timeout or an interrupt.
    pub lineage: &'a Lineage,
}

/// Whether a read that failed so may be tried again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// A wait for poll(2), which counts in milliseconds: rounded up, or a loop would spin through the last one.
fn poll_timeout(wait: Duration) -> PollTimeout {
    PollTimeout::try_from(wait + Duration::from_micros(999)).unwrap_or(PollTimeout::ZERO)
}

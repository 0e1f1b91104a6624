//! Running a probe: a short program whose output is kept for us, not shown, within a time limit.

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::signals::Signals;
use super::watch::{self, Cut, Sink};
use super::{Status, spawn};

/// How much of each stream is kept, in bytes; the rest is read and dropped (contract section 15).
const KEPT: usize = 64 << 10;

/// What came of a probe.
#[derive(Debug)]
pub struct Captured {
    /// How it ended.
    pub end: End,
    /// The start of its stdout.
    pub stdout: Vec<u8>,
    /// The start of its stderr.
    pub stderr: Vec<u8>,
}

/// How a probe ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Ended(Status),
    /// It was killed when its time had passed.
    TimedOut,
    /// It was killed because an interrupt came to `cap`, which is still to be taken.
    Interrupted,
}

/// Runs a program without a shell: stdin empty, a group of its own, killed whole at `limit`, or at an
/// interrupt if `signals` are given.
pub fn capture(
    program: &OsStr,
    args: &[&str],
    limit: Duration,
    signals: Option<&Signals>,
) -> io::Result<Captured> {
    let deadline = Instant::now() + limit;
    let mut command = spawn::command(program);
    command.args(args);
    let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
    let mut program = [watch::start(command, &mut stdout, &mut stderr)?];
    let watched = watch::watch(&mut program, deadline, signals);
    let end = match (watched, program[0].status()) {
        (Ok(()), Some(status)) => End::Ended(status),
        (Err(Cut::Interrupted), _) => End::Interrupted,
        // Nobody here ever has enough.
        (Ok(()) | Err(Cut::TimedOut | Cut::Enough), _) => End::TimedOut,
    };
    drop(program);
    Ok(Captured { end, stdout: stdout.bytes, stderr: stderr.bytes })
}

/// The start of a stream.
#[derive(Debug, Default)]
pub struct Kept {
    /// At most 64 KiB.
    pub bytes: Vec<u8>,
}

impl Sink for Kept {
    fn take(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let room = KEPT - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        ControlFlow::Continue(())
    }
}

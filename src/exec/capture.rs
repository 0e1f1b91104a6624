//! Running a probe: a short program whose output is kept for us, not shown, within a time limit.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::signals::{Signals, set_nonblocking};
use super::{Status, is_passing, spawn};

/// How much of each stream is kept, in bytes; the rest is read and dropped (contract section 15).
const KEPT: usize = 64 << 10;
/// The end of a probe that has closed its output is looked for this often at first, then more rarely.
const FIRST_LOOK: Duration = Duration::from_micros(100);
const LONGEST_LOOK: Duration = Duration::from_millis(10);
/// A killed process is gone within this, or it never is.
const DEATH: Duration = Duration::from_millis(500);

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
    let (stdout, stdout_writer) = io::pipe()?;
    let (stderr, stderr_writer) = io::pipe()?;
    command.args(args).stdout(stdout_writer).stderr(stderr_writer);
    let mut child = command.spawn()?;
    drop(command);
    let mut outputs = [Kept::new(stdout), Kept::new(stderr)];
    let end = watch(&mut child, &mut outputs, deadline, signals);
    if !matches!(end, End::Ended(_)) {
        kill(&mut child);
    }
    let [stdout, stderr] = outputs.map(|kept| kept.bytes);
    Ok(Captured { end, stdout, stderr })
}

fn watch(
    child: &mut Child,
    outputs: &mut [Kept; 2],
    deadline: Instant,
    signals: Option<&Signals>,
) -> End {
    let mut look = FIRST_LOOK;
    loop {
        let ended = child.try_wait();
        for output in outputs.iter_mut() {
            output.read();
        }
        // Its end was looked at before its output: whatever it wrote has been read now. What a process
        // that it left behind may still write is not waited for.
        if let Ok(Some(status)) = ended {
            return End::Ended(status.into());
        }
        if signals.is_some_and(Signals::is_interrupted) {
            return End::Interrupted;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return End::TimedOut;
        }
        let open: Vec<&Kept> = outputs.iter().filter(|output| output.is_open).collect();
        if open.is_empty() {
            std::thread::sleep(look.min(left));
            look = (2 * look).min(LONGEST_LOOK);
            continue;
        }
        let mut fds: Vec<PollFd<'_>> =
            open.iter().map(|output| PollFd::new(output.pipe.as_fd(), PollFlags::POLLIN)).collect();
        fds.extend(signals.map(|it| PollFd::new(it.interrupt_fd(), PollFlags::POLLIN)));
        let wait = PollTimeout::try_from(left.min(LONGEST_LOOK)).unwrap_or(PollTimeout::ZERO);
        // Whatever it returns, the next turn looks at everything.
        let _ = poll(&mut fds, wait);
    }
}

fn kill(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let deadline = Instant::now() + DEATH;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        std::thread::sleep(FIRST_LOOK);
    }
}

/// One stream of a probe.
#[derive(Debug)]
struct Kept {
    pipe: PipeReader,
    bytes: Vec<u8>,
    is_open: bool,
}

impl Kept {
    fn new(pipe: PipeReader) -> Self {
        // Without it a read could wait past the deadline: better to read nothing.
        let is_open = set_nonblocking(&pipe).is_ok();
        Self { pipe, bytes: Vec::new(), is_open }
    }

    /// Reads what is there now, at most as much as a pipe holds, so that a flood can't hold up the rest.
    fn read(&mut self) {
        let mut buffer = [0; 16 << 10];
        for _ in 0..4 {
            if !self.is_open {
                return;
            }
            match self.pipe.read(&mut buffer) {
                Ok(count @ 1..) => {
                    let room = KEPT - self.bytes.len();
                    self.bytes.extend_from_slice(&buffer[..count.min(room)]);
                }
                Err(error) if is_passing(&error) => return,
                Ok(0) | Err(_) => self.is_open = false,
            }
        }
    }
}

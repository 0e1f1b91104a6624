//! Short programs beside one another: what they print goes to sinks as it comes, and one deadline ends
//! them all.

use std::io::{self, PipeReader, Read};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::signals::{Signals, set_nonblocking};
use super::{Status, is_passing};

/// How much is read from a pipe at once, in bytes.
const READ_SIZE: usize = 64 << 10;
/// The end of a program that has closed its output is looked for this often at first, then more rarely.
const FIRST_LOOK: Duration = Duration::from_micros(100);
const LONGEST_LOOK: Duration = Duration::from_millis(10);
/// The same while another program's output is waited for, whose wait counts in milliseconds.
const LOOK_BESIDE: Duration = Duration::from_millis(1);
/// A killed process is gone within this, or it never is.
const DEATH: Duration = Duration::from_millis(500);
/// What a program that has ended may have left in its pipe: pipe(7) knows none larger without privilege.
const LARGEST_PIPE: usize = 1 << 20;

/// What takes a stream's bytes as they come.
pub trait Sink {
    /// Takes some bytes; `Break` says that it has enough, and that no program need run on.
    fn take(&mut self, bytes: &[u8]) -> ControlFlow<()>;
}

/// What ended programs that did not all end by themselves. They were killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// A sink had enough.
    Enough,
    /// The deadline passed.
    TimedOut,
    /// An interrupt came to `cap`, which is still to be taken.
    Interrupted,
}

/// A program that was started. If it has not ended when this goes, its whole group is killed.
pub struct Watched<'a> {
    child: Child,
    outputs: [Output<'a>; 2],
    status: Option<Status>,
}

/// Starts a program that [`super::spawn::command`] made; its group is its own.
pub fn start<'a>(
    mut command: Command,
    stdout: &'a mut dyn Sink,
    stderr: &'a mut dyn Sink,
) -> io::Result<Watched<'a>> {
    let (stdout_reader, stdout_writer) = io::pipe()?;
    let (stderr_reader, stderr_writer) = io::pipe()?;
    // Without it a read could wait past the deadline.
    set_nonblocking(&stdout_reader)?;
    set_nonblocking(&stderr_reader)?;
    let child = command.stdout(stdout_writer).stderr(stderr_writer).spawn()?;
    let outputs = [(stdout_reader, stdout), (stderr_reader, stderr)];
    let outputs = outputs.map(|(pipe, sink)| Output { pipe, sink, is_open: true });
    Ok(Watched { child, outputs, status: None })
}

/// Waits until all have ended; or kills those that have not, at the deadline, at an interrupt if
/// `signals` are given, or as soon as a sink has enough.
pub fn watch(
    programs: &mut [Watched<'_>],
    deadline: Instant,
    signals: Option<&Signals>,
) -> Result<(), Cut> {
    let result = look_after(programs, deadline, signals);
    if result.is_err() {
        // All before any is waited for.
        programs.iter().for_each(Watched::kill);
    }
    result
}

fn look_after(
    programs: &mut [Watched<'_>],
    deadline: Instant,
    signals: Option<&Signals>,
) -> Result<(), Cut> {
    let mut buffer = vec![0; READ_SIZE].into_boxed_slice();
    let mut look = FIRST_LOOK;
    loop {
        for program in programs.iter_mut().filter(|program| program.status.is_none()) {
            if program.turn(&mut buffer).is_break() {
                return Err(Cut::Enough);
            }
        }
        let running = || programs.iter().filter(|program| program.status.is_none());
        if running().next().is_none() {
            return Ok(());
        }
        if signals.is_some_and(Signals::is_interrupted) {
            return Err(Cut::Interrupted);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Cut::TimedOut);
        }
        let pipes = running().flat_map(Watched::open_pipes);
        let mut fds: Vec<PollFd<'_>> =
            pipes.map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)).collect();
        if fds.is_empty() {
            std::thread::sleep(look.min(left));
            look = (2 * look).min(LONGEST_LOOK);
            continue;
        }
        fds.extend(signals.map(|it| PollFd::new(it.interrupt_fd(), PollFlags::POLLIN)));
        let is_ending = running().any(|program| program.open_pipes().next().is_none());
        let longest = if is_ending { LOOK_BESIDE } else { LONGEST_LOOK };
        let wait = PollTimeout::try_from(left.min(longest)).unwrap_or(PollTimeout::ZERO);
        // Whatever it returns, the next turn looks at everything.
        let _ = poll(&mut fds, wait);
    }
}

impl Watched<'_> {
    /// What it returned; nothing if it was killed.
    pub fn status(&self) -> Option<Status> {
        self.status
    }

    /// Takes what is there. The end is looked at before the output: whatever a program that has ended
    /// wrote is then read. What a process that it left behind may still write is not waited for.
    fn turn(&mut self, buffer: &mut [u8]) -> ControlFlow<()> {
        self.status = self.child.try_wait().ok().flatten().map(Status::from);
        // As much as a pipe holds at most, so that a flood can't hold up the rest.
        let most = if self.status.is_some() { LARGEST_PIPE } else { READ_SIZE };
        let [stdout, stderr] = &mut self.outputs;
        // Both, even if the first is enough: what it was told about may stand in the other.
        let flows = [stdout.read(buffer, most), stderr.read(buffer, most)];
        if flows.iter().any(ControlFlow::is_break) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn open_pipes(&self) -> impl Iterator<Item = &PipeReader> {
        self.outputs.iter().filter(|output| output.is_open).map(|output| &output.pipe)
    }

    fn kill(&self) {
        if let (None, Ok(pid)) = (self.status, i32::try_from(self.child.id())) {
            let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.kill();
        let deadline = Instant::now() + DEATH;
        while self.status.is_none()
            && matches!(self.child.try_wait(), Ok(None))
            && Instant::now() < deadline
        {
            std::thread::sleep(FIRST_LOOK);
        }
    }
}

/// One stream of a program.
struct Output<'a> {
    pipe: PipeReader,
    sink: &'a mut dyn Sink,
    is_open: bool,
}

impl Output<'_> {
    /// Reads what is there now, until `most` bytes have come.
    fn read(&mut self, buffer: &mut [u8], most: usize) -> ControlFlow<()> {
        let mut taken = 0;
        while self.is_open && taken < most {
            match self.pipe.read(buffer) {
                Ok(count @ 1..) => {
                    taken += count;
                    self.sink.take(&buffer[..count])?;
                }
                Err(error) if is_passing(&error) => return ControlFlow::Continue(()),
                Ok(0) | Err(_) => self.is_open = false,
            }
        }
        ControlFlow::Continue(())
    }
}

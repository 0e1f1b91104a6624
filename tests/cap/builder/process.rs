//! A running cap: its streams, its signals, its end. Nothing here sleeps to synchronise: tests wait for what happens.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, kill, killpg};
use nix::unistd::Pid;

/// How long a test may take. One that takes longer has failed, whatever the speed of the machine.
pub const LIMIT: Duration = Duration::from_mins(1);

/// One of the two streams that cap writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Stdout,
    Stderr,
}

/// Where a stream of cap goes.
pub enum Stream {
    /// A pipe that is read all the time.
    Captured,
    /// A pipe that nobody reads before `Running::resume`.
    Stalled,
    /// For stderr: the very same file as stdout.
    SameAsStdout,
    /// Anything else: a file, a device, a terminal.
    Given(File),
}

#[derive(Default)]
struct State {
    bytes: [Vec<u8>; 2],
    open: [bool; 2],
    status: Option<ExitStatus>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    /// Waits until `reached` holds; false if it doesn't before the deadline.
    fn wait(
        &self,
        deadline: Instant,
        reached: impl Fn(&State) -> bool,
    ) -> (MutexGuard<'_, State>, bool) {
        let mut state = self.state.lock().unwrap();
        while !reached(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return (state, false);
            }
            state = self.changed.wait_timeout(state, left).unwrap().0;
        }
        (state, true)
    }
}

/// Undoes what whoever started the tests may have ignored, such as SIGHUP by nohup(1) or SIGINT by a shell for a
/// job in the background: cap would rightly ignore it, too.
#[expect(unsafe_code, reason = "the default disposition runs no code")]
fn hear_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        use Signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] {
            // SAFETY: see above.
            unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) }.unwrap();
        }
    });
}

/// The reading end of one stream.
enum Reader {
    None,
    Stalled(PipeReader),
    Reading { stop: PipeWriter, thread: JoinHandle<()> },
}

/// What is left when a process has ended.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A process that was started with streams to watch.
pub struct Process {
    pid: Pid,
    deadline: Instant,
    shared: Arc<Shared>,
    readers: [Reader; 2],
}

impl Process {
    /// Starts `command` in a process group of its own.
    pub fn start(
        mut command: Command,
        stdin: Vec<u8>,
        stdout: Stream,
        stderr: Stream,
        limit: Duration,
    ) -> Self {
        hear_signals();
        let shared = Arc::new(Shared::default());
        let mut readers = [Reader::None, Reader::None];
        let same = match stdout {
            Stream::Given(ref file) => Stdio::from(file.try_clone().unwrap()),
            Stream::Captured | Stream::Stalled | Stream::SameAsStdout => {
                let (ours, theirs) = io::pipe().unwrap();
                readers[0] = Reader::Stalled(ours);
                let same = Stdio::from(theirs.try_clone().unwrap());
                command.stdout(theirs);
                same
            }
        };
        let captured = [matches!(stdout, Stream::Captured), matches!(stderr, Stream::Captured)];
        if let Stream::Given(file) = stdout {
            command.stdout(file);
        }
        match stderr {
            Stream::SameAsStdout => drop(command.stderr(same)),
            Stream::Given(file) => drop(command.stderr(file)),
            Stream::Captured | Stream::Stalled => {
                let (ours, theirs) = io::pipe().unwrap();
                readers[1] = Reader::Stalled(ours);
                command.stderr(theirs);
            }
        }
        command
            .stdin(if stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
            .process_group(0);
        let mut child =
            command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        // Its copies of the writing ends: with them there would never be an end of file.
        drop(command);
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        if let Some(mut pipe) = child.stdin.take() {
            thread::spawn(move || pipe.write_all(&stdin));
        }
        let deadline = Instant::now() + limit;
        let mut process = Self { pid, deadline, shared, readers };
        for (channel, is_captured) in [Channel::Stdout, Channel::Stderr].into_iter().zip(captured) {
            if is_captured {
                process.resume(channel);
            }
        }
        reap(child, Arc::clone(&process.shared));
        process
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// When the test's time is over.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Sends a signal to cap alone.
    pub fn signal(&self, signal: Signal) {
        assert!(
            self.shared.state.lock().unwrap().status.is_none(),
            "cap has ended before {signal} was sent"
        );
        kill(self.pid, signal).unwrap();
    }

    /// Starts to read a stream that was stalled.
    pub fn resume(&mut self, channel: Channel) {
        let reader = &mut self.readers[channel as usize];
        let Reader::Stalled(pipe) = std::mem::replace(reader, Reader::None) else {
            panic!("{channel:?} isn't stalled")
        };
        let (stopped, stop) = io::pipe().unwrap();
        let shared = Arc::clone(&self.shared);
        shared.update(|state| state.open[channel as usize] = true);
        *reader = Reader::Reading {
            stop,
            thread: thread::spawn(move || read(pipe, &stopped, channel, &shared)),
        };
    }

    /// Goes away as the reader of a stream, as `head -1` does.
    pub fn close(&mut self, channel: Channel) {
        if let Reader::Reading { stop, thread } =
            std::mem::replace(&mut self.readers[channel as usize], Reader::None)
        {
            drop(stop);
            thread.join().unwrap();
        }
    }

    /// What has been captured so far.
    pub fn captured(&self, channel: Channel) -> Vec<u8> {
        self.shared.state.lock().unwrap().bytes[channel as usize].clone()
    }

    /// Waits until the captured bytes satisfy `reached`; false if they don't before the stream's end.
    pub fn wait_for(&self, channel: Channel, reached: impl Fn(&[u8]) -> bool) -> bool {
        let at = channel as usize;
        let (state, _) =
            self.shared.wait(self.deadline, |state| reached(&state.bytes[at]) || !state.open[at]);
        reached(&state.bytes[at])
    }

    /// Waits until cap itself has ended; its streams may still be open or stalled.
    pub fn wait_for_exit(&self) -> Option<ExitStatus> {
        self.shared.wait(self.deadline, |state| state.status.is_some()).0.status
    }

    /// Waits for the end of the process and of what it has written.
    pub fn end(mut self) -> Result<Ended, String> {
        let (mut state, in_time) = self
            .shared
            .wait(self.deadline, |state| state.status.is_some() && state.open == [false, false]);
        let [stdout, stderr] = std::mem::take(&mut state.bytes);
        let status = state.status;
        drop(state);
        if in_time && let Some(status) = status {
            self.close(Channel::Stdout);
            self.close(Channel::Stderr);
            return Ok(Ended { status, stdout, stderr });
        }
        let what = if status.is_some() {
            "has ended, but its output is still held open"
        } else {
            "is still running"
        };
        Err(format!(
            "cap {what} at the test's time limit\n  stdout: {:?}\n  stderr: {:?}",
            String::from_utf8_lossy(&stdout),
            String::from_utf8_lossy(&stderr)
        ))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.shared.state.lock().unwrap().status.is_none() {
            let _ = killpg(self.pid, Signal::SIGKILL);
        }
    }
}

/// Takes the status of a child when it ends.
fn reap(mut child: Child, shared: Arc<Shared>) {
    thread::spawn(move || {
        let status = child.wait().unwrap();
        shared.update(|state| state.status = Some(status));
    });
}

/// Reads a pipe to its end, or until `stopped` is hung up.
fn read(mut pipe: PipeReader, stopped: &PipeReader, channel: Channel, shared: &Shared) {
    let mut buffer = vec![0; 65536];
    loop {
        let mut ends = [&pipe, stopped].map(|end| PollFd::new(end.as_fd(), PollFlags::POLLIN));
        // An interrupted call tells nothing; the next turn asks again.
        let _ = poll(&mut ends, PollTimeout::NONE);
        let [readable, is_stopped] = ends.map(|end| end.any().unwrap_or_default());
        if is_stopped {
            break;
        }
        if readable {
            match pipe.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => shared.update(|state| {
                    state.bytes[channel as usize].extend_from_slice(&buffer[..count]);
                }),
            }
        }
    }
    drop(pipe);
    shared.update(|state| state.open[channel as usize] = false);
}

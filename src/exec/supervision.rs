//! The poll loop of a run: it reads the command's output, sees its end, and carries out its course.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::job_control::JobControl;
use super::kill::Processes;
use super::phase::{Course, Order, Phase, Sight};
use super::relay::Streams;
use super::signals::{self, Signals};
use super::tail::Tail;
use super::{Finished, Job, SHELL, Stream, is_passing, poll_timeout, spawn};

/// How much is read from a pipe at once, in bytes: what a pipe holds. Four times as much in both was slower.
const READ_SIZE: usize = 64 << 10;

/// Runs a command line in the current directory, relaying its output (contract section 5).
pub fn run(job: &Job<'_>, streams: &Streams, signals: &Signals) -> io::Result<Finished> {
    let job_control = JobControl::take_over()?;
    // Before the start: on a busy machine, the command may have done much of its work when it returns.
    let clock = Clock::start();
    let (outputs, shell) = start(job.line, streams.is_one())?;
    let mut supervision = Supervision {
        streams,
        signals,
        job_control,
        clock,
        processes: Processes::new(shell, job.lineage),
        course: Course::new(job.budget),
        outputs,
        buffer: vec![0; READ_SIZE].into_boxed_slice(),
        tail: Tail::new(job.tail_bytes),
        last_byte: Duration::ZERO,
        ended_at: None,
        has_stragglers: false,
    };
    while supervision.course.phase != Phase::Over {
        supervision.turn();
    }
    Ok(supervision.finish())
}

/// Starts the shell, and returns the ends of its output to read from.
fn start(line: &str, is_one_stream: bool) -> io::Result<(Vec<Output>, Pid)> {
    // A shell would start in a directory that is gone, and do who knows what.
    std::env::current_dir()?;
    let mut command = spawn::command(OsStr::new(SHELL));
    command.args(["-c", "--", line]);
    let (stdout, stdout_writer) = io::pipe()?;
    let mut outputs = vec![Output::new(Stream::Stdout, stdout)?];
    if is_one_stream {
        command.stderr(stdout_writer.try_clone()?);
    } else {
        let (stderr, stderr_writer) = io::pipe()?;
        outputs.push(Output::new(Stream::Stderr, stderr)?);
        command.stderr(stderr_writer);
    }
    command.stdout(stdout_writer);
    let child = command.spawn()?;
    // The command still holds the ends to write to: as long as it lives, no reader sees an end.
    drop(command);
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok((outputs, Pid::from_raw(pid)))
}

/// The end of one pipe of the command that is read from.
#[derive(Debug)]
struct Output {
    stream: Stream,
    pipe: PipeReader,
    /// Nobody holds the other end any more.
    is_closed: bool,
}

impl Output {
    fn new(stream: Stream, pipe: PipeReader) -> io::Result<Self> {
        signals::set_nonblocking(&pipe)?;
        Ok(Self { stream, pipe, is_closed: false })
    }
}

/// The time of a run, which stands still while the run is suspended.
#[derive(Debug)]
struct Clock {
    started: Instant,
    suspended: Duration,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), suspended: Duration::ZERO }
    }

    fn now(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.suspended)
    }
}

/// A run while it is going on.
#[derive(Debug)]
struct Supervision<'a> {
    streams: &'a Streams,
    signals: &'a Signals,
    job_control: JobControl,
    clock: Clock,
    processes: Processes<'a>,
    course: Course,
    /// The pipes that somebody still holds.
    outputs: Vec<Output>,
    buffer: Box<[u8]>,
    tail: Tail,
    last_byte: Duration,
    ended_at: Option<Duration>,
    has_stragglers: bool,
}

impl Supervision<'_> {
    fn turn(&mut self) {
        self.wait_and_read();
        self.obey_job_control();
        loop {
            let signal = self.signals.next_interrupt();
            let sight = self.look(signal);
            match self.course.step(sight) {
                Some(Order::Send(signal)) => {
                    self.processes.signal(signal);
                    self.processes.signal(Signal::SIGCONT);
                }
                Some(Order::Kill) => self.has_stragglers = self.processes.kill(),
                None => {}
            }
            if signal.is_none() {
                return;
            }
        }
    }

    fn look(&mut self, signal: Option<Signal>) -> Sight {
        let status = self.processes.status();
        let now = self.clock.now();
        if status.is_some() {
            self.ended_at.get_or_insert(now);
        }
        Sight {
            now,
            signal,
            shell_ended: status.is_some(),
            group_empty: status.is_some()
                && self.processes.is_group_empty()
                && !self.has_stragglers,
            output_closed: self.outputs.is_empty(),
            last_byte: self.last_byte,
        }
    }

    /// Waits for bytes, signals, a child's end or the next deadline, and relays what has arrived.
    fn wait_and_read(&mut self) {
        let may_wait = self.course.may_wait_for_reader();
        let readiness = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let signals = [self.signals.interrupt_fd(), self.signals.event_fd()];
        let wakes = [self.streams.wake_fd(), self.job_control.wake_fd()];
        let mut fds: Vec<PollFd<'_>> =
            signals.into_iter().chain(wakes.into_iter().flatten()).map(readiness).collect();
        let readable: Vec<usize> = (0..self.outputs.len())
            .filter(|index| self.streams.has_room(self.outputs[*index].stream, may_wait))
            .collect();
        let others = fds.len();
        fds.extend(readable.iter().map(|index| readiness(self.outputs[*index].pipe.as_fd())));
        let wait = self.course.wait(self.clock.now(), self.last_byte);
        let ready = poll(&mut fds, poll_timeout(wait));
        // On EINTR the signal is in its pipe; anything else can't last, and the next turn tells.
        let has_news = |fd: &PollFd<'_>| ready.is_ok() && fd.any().unwrap_or(true);
        let news: Vec<bool> = fds[others..].iter().map(has_news).collect();
        self.streams.take_wakes();
        for (index, _) in readable.into_iter().zip(news).filter(|(_, has_news)| *has_news) {
            self.read(index);
        }
        self.outputs.retain(|output| !output.is_closed);
    }

    fn read(&mut self, index: usize) {
        let Output { stream, pipe, is_closed } = &mut self.outputs[index];
        match pipe.read(&mut self.buffer) {
            Ok(count @ 1..) => {
                let arrived = &self.buffer[..count];
                self.tail.push(*stream, arrived);
                self.streams.push(*stream, arrived);
                self.last_byte = self.clock.now();
            }
            Err(error) if is_passing(&error) => {}
            Ok(0) | Err(_) => *is_closed = true,
        }
    }

    fn obey_job_control(&mut self) {
        let mut is_continued = self.signals.take_events();
        if self.job_control.is_stop_pending() {
            // SIGTSTP would do nothing: the group is orphaned, since its session is its own.
            self.processes.signal(Signal::SIGSTOP);
            let stopped = Instant::now();
            // If it can't stop, the command goes on at once.
            let _ = self.job_control.stop();
            self.clock.suspended += stopped.elapsed();
            is_continued = true;
        }
        if is_continued {
            self.processes.signal(Signal::SIGCONT);
        }
    }

    fn finish(mut self) -> Finished {
        self.processes.settle();
        Finished {
            cause: self.course.cause,
            status: self.processes.status(),
            duration: self.ended_at.unwrap_or_else(|| self.clock.now()),
            tail: self.tail.into_text(),
            has_leftover: self.course.has_leftover,
            is_hurried: self.course.is_hurried,
        }
    }
}

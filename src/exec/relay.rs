//! Writing to the caller's stdout and stderr without ever blocking the loop that reads the command.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::fstat;

use super::signals::{Signals, away_from_signals, news_pipe};
use super::{Stream, poll_timeout};

/// Bytes that may wait for a slow reader before the command is made to wait, too.
const QUEUE: usize = 256 << 10;
/// Bytes that may wait besides once the command is gone: what was in its pipes then is not lost.
const OVERDRAFT: usize = 4 << 20;

/// Enough for a loop that calls write(2).
const STACK: usize = 64 << 10;
/// Once an interrupt has come, a reader has this long to take something of what is left …
const AFTER_INTERRUPT: Duration = Duration::from_millis(100);
/// … and this long to take all of it.
const AFTER_INTERRUPT_TOTAL: Duration = Duration::from_secs(2);

/// The caller's stdout and stderr, each fed by a thread of its own. If both are the same file, there is
/// one for both, and the order stays exact.
#[derive(Debug)]
pub struct Streams {
    stdout: Writer,
    stderr: Option<Writer>,
    /// None if no pipe was to be had: then writing may block, but loses nothing.
    wake: Option<PipeReader>,
}

impl Streams {
    /// Takes over the process's stdout and stderr.
    pub fn open() -> Self {
        let (wake, waker) = news_pipe().ok().unzip();
        let waker = waker.map(Arc::new);
        let writer = |stream| Writer::new(stream, waker.clone());
        let stderr = (!is_one_file()).then(|| writer(Stream::Stderr));
        Self { stdout: writer(Stream::Stdout), stderr, wake }
    }

    /// Whether stdout and stderr are the same file.
    pub fn is_one(&self) -> bool {
        self.stderr.is_none()
    }

    fn writer(&self, stream: Stream) -> &Writer {
        match (stream, &self.stderr) {
            (Stream::Stderr, Some(stderr)) => stderr,
            (Stream::Stdout | Stream::Stderr, _) => &self.stdout,
        }
    }

    /// Queues bytes of the command, unchanged.
    pub fn push(&self, stream: Stream, bytes: &[u8]) {
        self.writer(stream).push(bytes);
    }

    /// Queues whole lines of `cap`'s own: if the last byte before was no newline, one comes first.
    pub fn push_line(&self, stream: Stream, line: &str) {
        self.writer(stream).push_line(line);
    }

    /// Whether more may be read from the command for this stream. If not, [`Streams::wake_fd`] tells
    /// when to ask again.
    pub fn has_room(&self, stream: Stream, may_wait_for_reader: bool) -> bool {
        let limit = if may_wait_for_reader { QUEUE } else { QUEUE + OVERDRAFT };
        let mut state = self.writer(stream).shared.lock();
        let has_room = state.queue.len() < limit;
        state.is_awaited |= !has_room;
        has_room
    }

    /// Readable once a writer that somebody waits for has got on.
    pub fn wake_fd(&self) -> Option<BorrowedFd<'_>> {
        self.wake.as_ref().map(AsFd::as_fd)
    }

    /// Takes what [`Streams::wake_fd`] announced. Tells whether there was anything.
    pub fn take_wakes(&self) -> bool {
        let mut wakes = [0; 64];
        let mut is_woken = false;
        if let Some(mut wake) = self.wake.as_ref() {
            while matches!(wake.read(&mut wakes), Ok(1..)) {
                is_woken = true;
            }
        }
        is_woken
    }

    /// Waits until everything is written, or cannot be, or patience is at its end.
    pub fn flush(&self, patience: &mut Patience<'_>) {
        while !self.is_written() && !patience.is_over() {
            let fds = [self.wake_fd(), patience.interrupt_fd()];
            let fds = fds.into_iter().flatten().map(|fd| PollFd::new(fd, PollFlags::POLLIN));
            let _ = poll(&mut fds.collect::<Vec<_>>(), patience.timeout());
            patience.look(self.take_wakes());
        }
    }

    fn is_written(&self) -> bool {
        let is_written = |writer: &Writer| {
            let mut state = writer.shared.lock();
            let is_written = state.queue.is_empty() && !state.is_writing;
            state.is_awaited |= !is_written;
            is_written
        };
        // Both are asked, so that either wakes.
        self.stderr.as_ref().is_none_or(is_written) & is_written(&self.stdout)
    }

    /// Why what was written to this stream did not arrive, if it did not. A reader that went away is
    /// no failure.
    pub fn failure(&self, stream: Stream) -> Option<Errno> {
        self.writer(stream).shared.lock().failure.filter(|errno| *errno != Errno::EPIPE)
    }
}

/// How long to wait for a reader: as long as it takes, but not much longer once an interrupt has come. A
/// reader that reads gets the last line even then.
#[derive(Debug)]
pub struct Patience<'a> {
    signals: Option<&'a Signals>,
    /// When it ends if nobody gets on.
    until: Option<Instant>,
    /// When it ends in any case.
    at_last: Option<Instant>,
}

impl<'a> Patience<'a> {
    /// Waits until one of these signals comes; without any, for ever. If one came already, this is a hurry.
    pub fn new(signals: Option<&'a Signals>, is_hurried: bool) -> Self {
        let mut patience = Self { signals, until: None, at_last: None };
        if is_hurried {
            patience.hurry_from(Instant::now());
        }
        patience
    }

    /// Once it has come there is nothing more to wait for than time.
    fn interrupt_fd(&self) -> Option<BorrowedFd<'a>> {
        self.signals.filter(|_| self.until.is_none()).map(Signals::interrupt_fd)
    }

    /// Takes an interrupt, if there is one, and notes whether a writer has got on.
    fn look(&mut self, has_got_on: bool) {
        let now = Instant::now();
        if self.signals.is_some_and(|signals| signals.next_interrupt().is_some()) {
            self.hurry_from(now);
        }
        if let (true, Some(until)) = (has_got_on, &mut self.until) {
            *until = now + AFTER_INTERRUPT;
        }
    }

    fn hurry_from(&mut self, now: Instant) {
        self.until.get_or_insert(now + AFTER_INTERRUPT);
        self.at_last.get_or_insert(now + AFTER_INTERRUPT_TOTAL);
    }

    fn is_over(&self) -> bool {
        let now = Instant::now();
        [self.until, self.at_last].into_iter().flatten().any(|end| now >= end)
    }

    fn timeout(&self) -> PollTimeout {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(PollTimeout::NONE, poll_timeout)
    }
}

fn is_one_file() -> bool {
    match (fstat(io::stdout()), fstat(io::stderr())) {
        (Ok(stdout), Ok(stderr)) => {
            (stdout.st_dev, stdout.st_ino) == (stderr.st_dev, stderr.st_ino)
        }
        (Ok(_) | Err(_), _) => false,
    }
}

#[derive(Debug)]
struct Writer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    stream: Stream,
    state: Mutex<State>,
    arrived: Condvar,
    waker: Option<Arc<PipeWriter>>,
}

#[derive(Debug, Default)]
struct State {
    queue: Vec<u8>,
    /// The last byte that was ever queued.
    last: Option<u8>,
    is_started: bool,
    is_writing: bool,
    /// Somebody waits for the queue to get shorter.
    is_awaited: bool,
    failure: Option<Errno>,
}

impl Writer {
    fn new(stream: Stream, waker: Option<Arc<PipeWriter>>) -> Self {
        let shared = Shared { stream, state: Mutex::default(), arrived: Condvar::new(), waker };
        Self { shared: Arc::new(shared) }
    }

    fn push(&self, bytes: &[u8]) {
        self.queue(&mut self.shared.lock(), &[bytes]);
    }

    fn push_line(&self, line: &str) {
        let mut state = self.shared.lock();
        let start = if state.last.is_some_and(|last| last != b'\n') { "\n" } else { "" };
        self.queue(&mut state, &[start.as_bytes(), line.as_bytes(), b"\n"]);
    }

    fn queue(&self, state: &mut State, parts: &[&[u8]]) {
        let Some(last) = parts.last().and_then(|part| part.last()) else { return };
        state.last = Some(*last);
        if state.failure.is_some() {
            return;
        }
        for part in parts {
            state.queue.extend_from_slice(part);
        }
        if !state.is_started && !self.start(state) {
            let queue = std::mem::take(&mut state.queue);
            state.failure = write_all(self.shared.stream, &queue).err();
            return;
        }
        self.shared.arrived.notify_one();
    }

    /// Starts the thread, if there is one to be had and it could tell of its progress.
    fn start(&self, state: &mut State) -> bool {
        let shared = Arc::clone(&self.shared);
        state.is_started = self.shared.waker.is_some()
            && away_from_signals(|| {
                thread::Builder::new().stack_size(STACK).spawn(move || shared.serve()).is_ok()
            });
        state.is_started
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is queued, for ever; the process's end is the thread's.
    fn serve(&self) {
        let mut batch = Vec::new();
        let mut state = self.lock();
        loop {
            state = self
                .arrived
                .wait_while(state, |state| state.queue.is_empty())
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut state.queue, &mut batch);
            state.is_writing = true;
            self.wake(&mut state);
            drop(state);
            let result = write_all(self.stream, &batch);
            batch.clear();
            state = self.lock();
            state.is_writing = false;
            if let Err(errno) = result {
                state.failure = Some(errno);
                state.queue.clear();
            }
            self.wake(&mut state);
        }
    }

    fn wake(&self, state: &mut State) {
        if let (true, Some(mut waker)) =
            (std::mem::take(&mut state.is_awaited), self.waker.as_deref())
        {
            // A full pipe wakes as well; an interrupted write would not.
            let _ = waker.write_all(b"!");
        }
    }
}

/// Writes all of `bytes`, waiting where the descriptor is non-blocking: it is shared with our parent.
fn write_all(stream: Stream, mut bytes: &[u8]) -> Result<(), Errno> {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let fd = match stream {
        Stream::Stdout => stdout.as_fd(),
        Stream::Stderr => stderr.as_fd(),
    };
    while !bytes.is_empty() {
        match nix::unistd::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let _ = poll(&mut [PollFd::new(fd, PollFlags::POLLOUT)], PollTimeout::NONE);
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

//! Signals to `cap` as values that a wait loop sees, never an exit in a handler.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::c_int;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{self, SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal};

/// What asks `cap` to end a run; and what would end `cap` alone, without a verdict, if it were not caught.
const INTERRUPTS: &[Signal] = &[
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
    #[cfg(target_os = "linux")]
    Signal::SIGIO,
    #[cfg(target_os = "linux")]
    Signal::SIGPWR,
];

/// SIGCONT as the handler writes it.
const CONTINUED: u8 = Signal::SIGCONT as u8;

/// Where the handlers write the number of the signal that came; -1 before [`Signals::take_over`].
static INTERRUPT_PIPE: AtomicI32 = AtomicI32::new(-1);
static EVENT_PIPE: AtomicI32 = AtomicI32::new(-1);

/// The signals that `cap` has taken over for this run.
#[derive(Debug)]
pub struct Signals {
    interrupts: PipeReader,
    events: PipeReader,
    /// What the interrupts did before.
    before: Vec<(Signal, SigHandler)>,
}

impl Signals {
    /// Takes over the signals; call it once. Those that came in ignored stay ignored, all that came in
    /// blocked are unblocked, and SIGCHLD is noticed however it came in.
    pub fn take_over() -> io::Result<Self> {
        let (interrupts, interrupt_writer) = news_pipe()?;
        let (events, event_writer) = news_pipe()?;
        // The handlers may run until the process ends, so their ends are never closed.
        INTERRUPT_PIPE.store(interrupt_writer.into_raw_fd(), Ordering::SeqCst);
        EVENT_PIPE.store(event_writer.into_raw_fd(), Ordering::SeqCst);
        let mut before = Vec::new();
        for &interrupt in INTERRUPTS {
            let handler = SigHandler::Handler(on_interrupt);
            before.push((interrupt, install_unless_ignored(interrupt, handler)?));
        }
        install(Signal::SIGCHLD, SigHandler::Handler(on_event))?;
        install(Signal::SIGCONT, SigHandler::Handler(on_event))?;
        // Past a file size limit a write must fail, not kill.
        install(Signal::SIGXFSZ, SigHandler::SigIgn)?;
        signal::sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
        Ok(Self { interrupts, events, before })
    }

    /// Gives the interrupts back: the next one does what it did before. Tells of one that came and was
    /// not taken.
    pub fn give_back(self) -> Option<Signal> {
        for (interrupt, handler) in &self.before {
            // It worked before, with another handler.
            let _ = install(*interrupt, *handler);
        }
        self.next_interrupt()
    }

    /// The next interrupt that came, in order of arrival.
    pub fn next_interrupt(&self) -> Option<Signal> {
        let mut number = [0];
        match (&self.interrupts).read(&mut number) {
            Ok(1) => Signal::try_from(i32::from(number[0])).ok(),
            Ok(_) | Err(_) => None,
        }
    }

    /// Whether an interrupt came that nobody has taken yet.
    pub fn is_interrupted(&self) -> bool {
        let mut fds = [PollFd::new(self.interrupt_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }

    /// Readable while an interrupt waits to be taken.
    pub fn interrupt_fd(&self) -> BorrowedFd<'_> {
        self.interrupts.as_fd()
    }

    /// Readable once a child has changed its state, or a SIGCONT came.
    pub fn event_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }

    /// Takes what [`Signals::event_fd`] announced. Tells whether a SIGCONT was among it.
    pub fn take_events(&self) -> bool {
        let mut is_continued = false;
        let mut numbers = [0; 64];
        while let Ok(count @ 1..) = (&self.events).read(&mut numbers) {
            is_continued |= numbers[..count].contains(&CONTINUED);
        }
        is_continued
    }
}

/// Runs `start` such that a thread started in it never gets a signal. They are for the main thread: on
/// another one, a handler could run after the main thread has looked at what it would have told.
pub fn away_from_signals<T>(start: impl FnOnce() -> T) -> T {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK);
    let started = start();
    if let Ok(before) = before {
        // It is a mask that the kernel itself has told.
        let _ = before.thread_set_mask();
    }
    started
}

/// A signal's name, `SIGKILL`; one without a name by its number.
pub fn signal_name(number: c_int) -> String {
    Signal::try_from(number).map_or_else(|_| format!("SIG{number}"), |signal| signal.to_string())
}

/// The name of the signal that an exit code above 128 tells of, if it is one.
pub fn signal_of_exit_code(code: u8) -> Option<&'static str> {
    let number = i32::from(code).checked_sub(128)?;
    Signal::try_from(number).ok().map(Signal::as_str)
}

/// A pipe for news, both ends non-blocking: whoever tells must never wait, and neither must whoever looks.
pub fn news_pipe() -> io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    set_nonblocking(&reader)?;
    set_nonblocking(&writer)?;
    Ok((reader, writer))
}

/// Makes reads and writes of this end fail with `WouldBlock` instead of waiting.
pub fn set_nonblocking(fd: &impl AsFd) -> io::Result<()> {
    fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(())
}

/// Sets what a signal does unless it came in ignored, and tells what it did before.
fn install_unless_ignored(signal: Signal, handler: SigHandler) -> io::Result<SigHandler> {
    let before = install(signal, handler)?;
    if let SigHandler::SigIgn = before {
        install(signal, SigHandler::SigIgn)?;
    }
    Ok(before)
}

/// Sets what a signal does, and tells what it did before.
#[expect(unsafe_code, reason = "sigaction: the two handlers do nothing but write(2)")]
pub fn install(signal: Signal, handler: SigHandler) -> io::Result<SigHandler> {
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handlers are async-signal-safe; see `note`.
    let before = unsafe { signal::sigaction(signal, &action) }?;
    Ok(before.handler())
}

extern "C" fn on_interrupt(number: c_int) {
    note(&INTERRUPT_PIPE, number);
}

extern "C" fn on_event(number: c_int) {
    note(&EVENT_PIPE, number);
}

/// Writes a signal's number into a pipe. Only async-signal-safe calls, and errno stays as it was.
#[expect(unsafe_code, reason = "a signal handler knows its pipe only by number")]
fn note(pipe: &AtomicI32, number: c_int) {
    let errno = Errno::last_raw();
    let byte = [u8::try_from(number).unwrap_or(0)];
    // SAFETY: the descriptor is never closed once it is stored, and the handlers are installed after.
    let fd = unsafe { BorrowedFd::borrow_raw(pipe.load(Ordering::SeqCst)) };
    // A full pipe holds enough news to wake the loop.
    let _ = nix::unistd::write(fd, &byte);
    Errno::set_raw(errno);
}

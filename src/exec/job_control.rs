//! SIGTSTP to `cap` while a command runs: the command is stopped first, then `cap` itself.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::os::fd::BorrowedFd;

use nix::libc;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, sigprocmask};
#[cfg(target_os = "linux")]
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::signals::install;

/// While it lives, a SIGTSTP stays pending until somebody lets it stop `cap`.
///
/// It is not caught and raised again: raising it would discard a SIGCONT that has just come, and `cap` would
/// stop for ever. A pending one is taken back by SIGCONT itself.
#[derive(Debug)]
pub struct JobControl {
    /// It came in ignored, and stays so.
    is_ignored: bool,
    #[cfg(target_os = "linux")]
    pending: Option<SignalFd>,
}

impl JobControl {
    /// Holds SIGTSTP back, unless it came in ignored.
    pub fn take_over() -> io::Result<Self> {
        if let before @ SigHandler::SigIgn = install(Signal::SIGTSTP, SigHandler::SigDfl)? {
            install(Signal::SIGTSTP, before)?;
            return Ok(Self::new(true));
        }
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&stop()), None)?;
        Ok(Self::new(false))
    }

    #[cfg(target_os = "linux")]
    fn new(is_ignored: bool) -> Self {
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        // Only wakes the loop, which looks from time to time anyway.
        let pending = SignalFd::with_flags(&stop(), flags).ok().filter(|_| !is_ignored);
        Self { is_ignored, pending }
    }

    #[cfg(not(target_os = "linux"))]
    fn new(is_ignored: bool) -> Self {
        Self { is_ignored }
    }

    /// Readable while a SIGTSTP is pending, where the system has such a thing.
    pub fn wake_fd(&self) -> Option<BorrowedFd<'_>> {
        #[cfg(target_os = "linux")]
        return self.pending.as_ref().map(AsFd::as_fd);
        #[cfg(not(target_os = "linux"))]
        return None;
    }

    /// Whether a SIGTSTP is pending.
    #[expect(unsafe_code, reason = "nix has no sigpending")]
    pub fn is_stop_pending(&self) -> bool {
        if self.is_ignored {
            return false;
        }
        let mut pending = *SigSet::empty().as_ref();
        // SAFETY: it writes a signal set, which `from_sigset_t_unchecked` gets only if it did.
        unsafe {
            libc::sigpending(&raw mut pending) == 0
                && SigSet::from_sigset_t_unchecked(pending).contains(Signal::SIGTSTP)
        }
    }

    /// Lets a pending SIGTSTP stop `cap`, and returns when it is continued; at once if it was taken back, or
    /// if the process group is orphaned and nobody could continue it.
    pub fn stop(&self) -> io::Result<()> {
        if self.is_ignored {
            return Ok(());
        }
        sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&stop()), None)?;
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&stop()), None)?;
        Ok(())
    }
}

impl Drop for JobControl {
    fn drop(&mut self) {
        // It can only fail for a set that is none.
        let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&stop()), None);
    }
}

fn stop() -> SigSet {
    SigSet::from(Signal::SIGTSTP)
}

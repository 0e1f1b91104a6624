//! Starting a process that is ours to supervise: a session of its own, nothing of `cap` left in it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::unistd::setsid;

/// Names the envelope file to `cap`; nothing that `cap` starts may take it for its own.
pub const ENVELOPE_FILE_VARIABLE: &str = "DOSSIER_CAP_ENVELOPE_FILE";

/// A command with empty stdin, its own session, default signal dispositions and an empty signal mask.
///
/// A session and not only a process group: in a background group, a process that touches the terminal
/// would be stopped until the timeout; without a terminal, `/dev/tty` fails at once.
#[expect(unsafe_code, reason = "only between fork and exec can a session be made")]
pub fn command(program: &OsStr) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env_remove(ENVELOPE_FILE_VARIABLE);
    // SAFETY: `prepare` calls nothing but async-signal-safe functions.
    unsafe { command.pre_exec(prepare) };
    command
}

fn prepare() -> io::Result<()> {
    reset_dispositions();
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
    setsid()?;
    Ok(())
}

#[expect(unsafe_code, reason = "nix has no name for real-time signals")]
fn reset_dispositions() {
    #[cfg(target_os = "linux")]
    let last = libc::SIGRTMAX();
    #[cfg(not(target_os = "linux"))]
    let last = libc::SIGUSR2;
    for number in 1..=last {
        // SAFETY: signal(2) with SIG_DFL installs no code; where it may not be set, it fails, rightly.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
}

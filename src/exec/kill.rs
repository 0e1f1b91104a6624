//! The processes of a run: signalling their group, finding those that left it, taking their status.

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::Status;
use super::lineage::{Lineage, reap};

/// The shell of a run, and everything that descends from it.
#[derive(Debug)]
pub struct Processes<'a> {
    shell: Pid,
    status: Option<Status>,
    /// Seen without a member: its number may be another's by now, so it is never signalled again.
    is_group_gone: bool,
    lineage: &'a Lineage,
    is_settled: bool,
}

impl<'a> Processes<'a> {
    /// The processes of the shell with this id, which leads its own group.
    pub fn new(shell: Pid, lineage: &'a Lineage) -> Self {
        Self { shell, lineage, status: None, is_group_gone: false, is_settled: false }
    }

    /// Sends `signal` to the whole group.
    pub fn signal(&self, signal: Signal) {
        if !self.is_group_gone {
            // It fails if everybody is gone, or is not ours to signal.
            let _ = killpg(self.shell, signal);
        }
    }

    /// Whether the group has no member left. A zombie counts until it is reaped.
    pub fn is_group_empty(&mut self) -> bool {
        self.is_group_gone |= killpg(self.shell, None) == Err(Errno::ESRCH);
        self.is_group_gone
    }

    /// What the shell returned, once it has ended. Reaps whatever else has ended: orphans are ours.
    pub fn status(&mut self) -> Option<Status> {
        while let Some((pid, status)) = reap() {
            if pid == self.shell {
                self.status = Some(status);
            }
        }
        self.status
    }

    /// Kills what is left of the group, and every descendant that left it. Tells whether there still
    /// was any.
    pub fn kill(&mut self) -> bool {
        self.signal(Signal::SIGKILL);
        let Self { shell, status, lineage, .. } = self;
        let were_any = lineage.kill(|pid, its_status| {
            if pid == *shell {
                *status = Some(its_status);
            }
        });
        were_any || !self.is_group_empty()
    }

    /// Nothing is to be killed any more: the run has ended.
    pub fn settle(&mut self) {
        self.is_settled = true;
    }
}

impl Drop for Processes<'_> {
    /// A panic must not leave the command running.
    fn drop(&mut self) {
        if !self.is_settled {
            self.kill();
        }
    }
}

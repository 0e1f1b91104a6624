//! What descends from `cap` in a run: finding it and ending it, even if it left its group and session.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Status;
use super::proc::{children_of, is_own_proc, now, start_time};

/// How often descendants are looked for, and killed, before something else is done.
const SWEEPS: usize = 100;

/// What descends from `cap` since a moment: every process of one run.
#[derive(Debug)]
pub struct Lineage {
    /// Children that `cap` had before, from whoever became `cap` by `exec`. Theirs are not ours, either.
    foreign: Vec<Pid>,
    /// Whether `/proc` shows this process under its own number. In a PID namespace with another's `/proc`, the
    /// numbers there are not those that kill(2) means.
    is_visible: bool,
    /// The moment, in clock ticks since the machine started: `cap` adopts orphans of `foreign` ones, too.
    since: Option<u64>,
}

impl Lineage {
    /// What will descend from `cap` from now on. Makes `cap` the parent of whatever its descendants leave
    /// behind, so that a daemon that left its group can be found. On Linux only: elsewhere nothing can.
    pub fn begin() -> Self {
        #[cfg(target_os = "linux")]
        // Without it only those that left their group can't be found.
        let _ = nix::sys::prctl::set_child_subreaper(true);
        let is_visible = is_own_proc();
        let foreign = if is_visible { children_of(Pid::this()) } else { Vec::new() };
        Self { foreign, is_visible, since: now() }
    }

    /// Kills every process of the lineage, and passes on the status of each child that has ended. Tells
    /// whether there still was any.
    pub fn kill(&self, mut ended: impl FnMut(Pid, Status)) -> bool {
        // What is killed may just have started more: looking again at once beats most that do so on purpose.
        for _ in 0..SWEEPS {
            let descendants = self.descendants();
            if descendants.is_empty() {
                return false;
            }
            for pid in descendants {
                let _ = kill(pid, Signal::SIGKILL);
            }
            while let Some((pid, status)) = reap() {
                ended(pid, status);
            }
        }
        true
    }

    /// What has ended is among them until its parent has taken its status.
    fn descendants(&self) -> Vec<Pid> {
        if !self.is_visible {
            return Vec::new();
        }
        let mut found = vec![Pid::this()];
        let mut next = 0;
        while let Some(parent) = found.get(next) {
            let children = children_of(*parent).into_iter();
            found.extend(children.filter(|child| !self.is_foreign(*child)));
            next += 1;
        }
        found.split_off(1)
    }

    fn is_foreign(&self, pid: Pid) -> bool {
        let is_older = || Some(start_time(pid)? < self.since?);
        self.foreign.contains(&pid) || is_older().unwrap_or(false)
    }
}

/// Takes the status of some child that has ended.
#[expect(
    unsafe_code,
    reason = "nix's waitpid loses the status of a child that a real-time signal ended"
)]
pub fn reap() -> Option<(Pid, Status)> {
    let mut status = 0;
    // SAFETY: the status is a valid place to write to; with WNOHANG nothing blocks.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
    (pid > 0).then(|| (Pid::from_raw(pid), ExitStatus::from_raw(status).into()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    // Other tests start children as well, so this asks about its own child only.
    #[test]
    fn a_child_from_before_is_foreign_and_one_that_came_later_is_not() {
        let before = now();
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let descends = |foreign, since| {
            Lineage { foreign, is_visible: true, since }.descendants().contains(&pid)
        };
        assert!(descends(vec![], before));
        assert!(!descends(vec![pid], before));
        assert!(!descends(vec![], start_time(pid).map(|start| start + 1)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

//! The processes of a run: signalling their group, finding those that left it, taking their status.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::Status;

/// The shell of a run, and everything that descends from it.
#[derive(Debug)]
pub struct Processes {
    shell: Pid,
    status: Option<Status>,
    /// Seen without a member: its number may be another's by now, so it is never signalled again.
    is_group_gone: bool,
    /// Children that `cap` had before, from whoever called `exec` to become `cap`.
    foreign: Vec<Pid>,
    is_settled: bool,
}

/// Makes `cap` the parent of whatever its descendants leave behind, so that a daemon that left the
/// group can still be found. Linux only: elsewhere nothing can.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // Without it only the sweep of escaped descendants is weaker.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

impl Processes {
    /// The processes of the shell with this id, which leads its own group; `foreign` are the children
    /// that `cap` had before it started the shell.
    pub fn new(shell: Pid, foreign: Vec<Pid>) -> Self {
        Self { shell, status: None, is_group_gone: false, foreign, is_settled: false }
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
    /// was any: killing takes a moment, and what is killed may just have started more.
    pub fn kill(&mut self) -> bool {
        self.signal(Signal::SIGKILL);
        let stragglers = descendants(&self.foreign);
        for pid in &stragglers {
            let _ = kill(*pid, Signal::SIGKILL);
        }
        self.status();
        !self.is_group_empty() || !stragglers.is_empty()
    }

    /// Nothing is to be killed any more: the run has ended.
    pub fn settle(&mut self) {
        self.is_settled = true;
    }
}

impl Drop for Processes {
    /// A panic must not leave the command running.
    fn drop(&mut self) {
        if !self.is_settled {
            self.kill();
        }
    }
}

/// Takes the status of some child that has ended.
#[expect(
    unsafe_code,
    reason = "nix's waitpid loses the status of a child that a real-time signal ended"
)]
fn reap() -> Option<(Pid, Status)> {
    let mut status = 0;
    // SAFETY: the status is a valid place to write to; with WNOHANG nothing blocks.
    let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
    (pid > 0).then(|| (Pid::from_raw(pid), ExitStatus::from_raw(status).into()))
}

/// The children that `cap` has: before it starts any, those of whoever became `cap` by `exec`.
#[cfg(target_os = "linux")]
pub fn children() -> Vec<Pid> {
    let this = Pid::this();
    // A single file, where the kernel has it; else a look at every process.
    match std::fs::read_to_string(format!("/proc/self/task/{this}/children")) {
        Ok(list) => {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect()
        }
        Err(_) => descendants(&[]),
    }
}

/// Only needed where descendants can be found.
#[cfg(not(target_os = "linux"))]
pub fn children() -> Vec<Pid> {
    Vec::new()
}

/// The living descendants of `cap`, less `foreign` ones and theirs.
#[cfg(target_os = "linux")]
fn descendants(foreign: &[Pid]) -> Vec<Pid> {
    let processes = process_table().unwrap_or_default();
    let mut found = vec![Pid::this()];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let is_child =
            |process: &&Process| process.parent == parent && !foreign.contains(&process.pid);
        found.extend(processes.iter().filter(is_child).map(|process| process.pid));
        next += 1;
    }
    let is_living = |pid: &Pid| processes.iter().any(|p| p.pid == *pid && !p.is_zombie);
    found.into_iter().skip(1).filter(is_living).collect()
}

/// Only Linux lets a process adopt and find its descendants.
#[cfg(not(target_os = "linux"))]
fn descendants(_foreign: &[Pid]) -> Vec<Pid> {
    Vec::new()
}

#[cfg(target_os = "linux")]
struct Process {
    pid: Pid,
    parent: Pid,
    is_zombie: bool,
}

#[cfg(target_os = "linux")]
fn process_table() -> io::Result<Vec<Process>> {
    let entries = std::fs::read_dir("/proc")?.flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    Ok(pids
        .filter_map(|pid| parse_stat(pid, &std::fs::read(format!("/proc/{pid}/stat")).ok()?))
        .collect())
}

/// proc(5): `pid (name) state parent …`; the name may hold anything, parentheses and newlines too.
#[cfg(target_os = "linux")]
fn parse_stat(pid: i32, stat: &[u8]) -> Option<Process> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    let parent = Pid::from_raw(fields.next()?.parse().ok()?);
    Some(Process { pid: Pid::from_raw(pid), parent, is_zombie })
}

//! What stays behind after every run: nothing of cap's own.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Before, names_beside};
use crate::builder::plan::Plan;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::text_of;

/// Nothing of cap's own stays behind: no temporary files, and no processes where cap had to end them.
pub fn check(before: &Before, plan: &Plan, envelope: &Value, sandbox: &Sandbox) -> Vec<String> {
    let mut found = Vec::new();
    let log = sandbox.log();
    let places = [
        (plan.envelope_file.path(), &before.beside_envelope),
        (Some(log.as_path()), &before.beside_log),
    ];
    for (path, names) in places {
        let Some(path) = path else { continue };
        // A command that works there leaves what it likes; cap's temporary files are hidden or named after the file.
        // Elsewhere, as in /dev, others come and go.
        if !path.starts_with(sandbox.root()) {
            continue;
        }
        let own = path.file_name().unwrap_or_default();
        let left: Vec<OsString> = names_beside(path)
            .into_iter()
            .filter(|name| name != own && !names.contains(name))
            .collect();
        if !left.is_empty() && path.parent() != Some(plan.directory.as_path()) {
            found.push(format!("left beside {}: {left:?}", path.display()));
        }
    }
    let reason = envelope["reason"].as_str().unwrap_or_default();
    if reason.starts_with("command timed out") || reason.starts_with("interrupted by") {
        let alive = survivors(sandbox);
        if !alive.is_empty() {
            found.push(format!("processes of the run are alive: {alive:?}"));
        }
    }
    found
}

/// The sandbox's processes that are neither gone nor on their way out, once the others are gone.
pub fn survivors(sandbox: &Sandbox) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let alive = sandbox.processes();
        let living: Vec<String> =
            alive.iter().filter(|pid| !is_dying(pid.as_raw())).map(|&pid| describe(pid)).collect();
        if !living.is_empty() || alive.is_empty() || Instant::now() > deadline {
            return living;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process has SIGKILL pending or has begun to exit: the kernel needs a moment to take it away.
fn is_dying(pid: i32) -> bool {
    let status = text_of(format!("/proc/{pid}/status"));
    let is_killed = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigPnd:").or_else(|| line.strip_prefix("ShdPnd:")))
        .any(|set| u64::from_str_radix(set.trim(), 16).is_ok_and(|set| set & (1 << 8) != 0));
    // proc(5): the ninth field of `stat` holds the flags, PF_EXITING is 4.
    let stat = text_of(format!("/proc/{pid}/stat"));
    let flags = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.split(' ').nth(6))
        .and_then(|flags| flags.parse::<u64>().ok());
    is_killed || flags.is_none_or(|flags| flags & 4 != 0)
}

fn describe(pid: nix::unistd::Pid) -> String {
    format!("{pid} {}", text_of(format!("/proc/{pid}/cmdline")).replace('\0', " "))
}

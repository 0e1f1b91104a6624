//! What `/proc` tells of other processes: who started whom, and when.

use nix::unistd::Pid;

/// Whether `/proc` speaks of processes by the numbers that they have here.
#[cfg(target_os = "linux")]
pub fn is_own_proc() -> bool {
    std::fs::read_link("/proc/self")
        .is_ok_and(|name| name.to_str().and_then(parse_pid) == Some(Pid::this()))
}

/// Only Linux has what this reads there.
#[cfg(not(target_os = "linux"))]
pub fn is_own_proc() -> bool {
    false
}

/// proc(5): every thread of a process lists the children that it has, if the kernel keeps such lists.
#[cfg(target_os = "linux")]
pub fn children_of(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().map(|thread| std::fs::read_to_string(thread.path().join("children")));
    let mut children = Vec::new();
    for list in lists {
        match list {
            Ok(list) => children.extend(list.split_whitespace().filter_map(parse_pid)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return children_by_parent(parent);
            }
            // The thread has ended since.
            Err(_) => {}
        }
    }
    children
}

/// Only Linux lets a process adopt, and so find, what its descendants leave behind.
#[cfg(not(target_os = "linux"))]
pub fn children_of(_parent: Pid) -> Vec<Pid> {
    Vec::new()
}

/// The slow way: a look at every process.
#[cfg(target_os = "linux")]
fn children_by_parent(parent: Pid) -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().filter_map(|entry| parse_pid(entry.file_name().to_str()?));
    pids.filter(|pid| stat_field(*pid, PARENT).and_then(|field| parse_pid(&field)) == Some(parent))
        .collect()
}

/// The time since the machine started, in clock ticks, as proc(5) tells it of processes.
#[cfg(target_os = "linux")]
pub fn now() -> Option<u64> {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_BOOTTIME).ok()?;
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    let ticks = u64::try_from(ticks).ok()?;
    let (seconds, nanos) =
        (u64::try_from(time.tv_sec()).ok()?, u64::try_from(time.tv_nsec()).ok()?);
    Some(seconds * ticks + nanos * ticks / 1_000_000_000)
}

/// When a process started, in the ticks of [`now`]; none if it is gone.
#[cfg(target_os = "linux")]
pub fn start_time(pid: Pid) -> Option<u64> {
    stat_field(pid, START_TIME)?.parse().ok()
}

/// Only needed where descendants can be found.
#[cfg(not(target_os = "linux"))]
pub fn now() -> Option<u64> {
    None
}

/// Only needed where descendants can be found.
#[cfg(not(target_os = "linux"))]
pub fn start_time(_pid: Pid) -> Option<u64> {
    None
}

/// Fields of `/proc/PID/stat`, counted from the one behind the name (proc(5) numbers them from 3).
#[cfg(target_os = "linux")]
const PARENT: usize = 4 - 3;
#[cfg(target_os = "linux")]
const START_TIME: usize = 22 - 3;

#[cfg(target_os = "linux")]
fn stat_field(pid: Pid, index: usize) -> Option<String> {
    parse_stat(&std::fs::read(format!("/proc/{pid}/stat")).ok()?, index)
}

/// `pid (name) state parent …`; the name may hold anything, parentheses and newlines too.
#[cfg(target_os = "linux")]
fn parse_stat(stat: &[u8], index: usize) -> Option<String> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?;
    fields.split_ascii_whitespace().nth(index).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().map(Pid::from_raw)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn this_process_is_seen_under_its_own_number() {
        assert!(is_own_proc());
    }

    #[test]
    fn both_ways_find_the_same_children() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        assert!(children_of(Pid::this()).contains(&pid));
        assert!(children_by_parent(Pid::this()).contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_name_may_look_like_the_fields_behind_it() {
        let stat = b"7 (a) S 3 (\xff\n) R 42 7 7";
        assert_eq!(parse_stat(stat, PARENT).as_deref(), Some("42"));
    }
}

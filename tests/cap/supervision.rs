//! Supervision: no command and no signal loses the verdict or leaves a process (contract section 5).

mod foreign;
mod inherited;
mod interrupts;
mod job_control;
mod killed;
mod late_signals;
mod leftovers;
mod load;
mod nested;
mod probes;
#[cfg(target_os = "linux")]
mod second_signals;
#[cfg(target_os = "linux")]
mod shells;
mod streams;
#[cfg(target_os = "linux")]
mod terminal;
mod timeout;

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::builder::verdict::{self, Ran, Running, text_of};
use crate::builder::{Test, quoted};

/// Goes on when the file `go` is there.
const WAIT: &str = "until [ -e go ]; do sleep 0.01; done";
/// Never ends by itself, lets a trap run at once, and no shell has anything to say of a killed `sleep`.
const LOOP: &str = "while :; do sleep 0.1 & wait; done";
/// What asks cap to end a run.
const INTERRUPTS: [Signal; 4] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
const TIMED_OUT: &str = "command timed out after";

/// A command with this budget in milliseconds.
fn within(timeout_ms: u64, command: &str) -> Test {
    Test::new()
        .manifest(&format!(
            "capabilities: {{a: {{command: {}, timeout_ms: {timeout_ms}}}}}\n",
            quoted(command)
        ))
        .run("a")
}

/// A command that assumes version 1 of `tool`, the body of a shell script.
fn assuming(tool: &str, command: &str) -> Test {
    let command = quoted(command);
    Test::new()
        .manifest(&format!(
            "capabilities: {{a: {{command: {command}, assumptions: [{{tool-version: tool>=1}}]}}}}\n"
        ))
        .tool("tool", tool)
        .run("a")
}

/// Waits until something holds after a run has ended.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    verdict::wait_until(what, Instant::now() + Duration::from_secs(30), holds);
}

/// The pid that a command has written into a file of the project, once it is there.
fn pid_in(path: &Path) -> Pid {
    let number = || text_of(path).strip_suffix('\n').and_then(|text| text.parse().ok());
    wait_until("the pid is written", || number().is_some());
    Pid::from_raw(number().unwrap())
}

/// Whether a process is there and no zombie.
fn is_alive(pid: Pid) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// The state of a process as proc(5) names it; none if it is gone.
fn state(pid: Pid) -> Option<char> {
    text_of(format!("/proc/{pid}/status"))
        .lines()
        .find_map(|line| line.strip_prefix("State:")?.trim_start().chars().next())
}

/// Whether a process that the command has left is alive, and it is the only one.
fn left_one(ran: &Ran, pid_file: &str) {
    let pid = pid_in(&ran.sandbox.project().join(pid_file));
    assert!(is_alive(pid), "the background process {pid} must be left alone");
}

/// A signal to cap that may come too late.
fn signal_if_running(running: &Running, signal: Signal) {
    let _ = kill(running.pid(), signal);
}

/// The run's own end may come before a signal or after: what it must keep in both cases is its verdict, in the
/// file, in the row and as the last line.
fn keeps_its_verdict(running: Running) {
    let file = running.plan.envelope_file.path().unwrap().to_owned();
    let Running { process, sandbox, .. } = running;
    let ended = process.end().unwrap();
    let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
    let line = text_of(file);
    assert!(line.starts_with("{\"cap_envelope\":1,"), "the envelope file holds {line:?}");
    assert!(stdout.ends_with(&line), "stdout lacks the envelope, it is {stdout:?}");
    let envelope: serde_json::Value = serde_json::from_str(&line).unwrap();
    let code = match envelope["outcome"].as_str() {
        Some("ok") => 0,
        Some("task-failed") => 1,
        Some("automation-broken") => 2,
        outcome => panic!("the outcome is {outcome:?}"),
    };
    assert_eq!(ended.status.code(), Some(code), "{line}");
    assert_eq!(text_of(sandbox.log()).lines().count(), 1);
}

//! Processes that are no part of the run: those that were there when somebody became cap by `exec`.

use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{TIMED_OUT, WAIT, is_alive, pid_in, wait_until, within};
use crate::builder::Test;
use crate::builder::process::Channel;

/// Runs something that the builder doesn't count as a process of the test.
const UNMARKED: &str = "env -u CAP_TEST_SANDBOX";

/// A process that a test must end itself.
struct Foreign(Pid);

impl Foreign {
    fn of(pid_file: &Path) -> Self {
        Self(pid_in(pid_file))
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = kill(self.0, Signal::SIGKILL);
    }
}

#[test]
fn children_from_before_cap_survive_a_timeout() {
    let before = format!(
        "{UNMARKED} sleep 1000 >/dev/null 2>&1 & echo $! >plain
        {UNMARKED} setsid sh -c 'echo $$ >daemon; exec sleep 1000' >/dev/null 2>&1 &"
    );
    let test = within(200, "setsid sleep 1000 & exec sleep 1000").before(&before);
    let project = test.sandbox.project();
    let running = test.start();
    let theirs = ["plain", "daemon"].map(|name| Foreign::of(&project.join(name)));
    let _ran = running.automation_broken(TIMED_OUT);
    for process in &theirs {
        assert!(is_alive(process.0), "{} was there before the run", process.0);
    }
}

#[test]
fn grandchildren_from_before_cap_survive_although_cap_adopts_them() {
    let parent = format!("sleep 1000 & echo $! >grandchild; {WAIT}");
    let before = format!(
        "{UNMARKED} sh -c '{parent}' >/dev/null 2>&1 & echo $! >parent; until [ -s grandchild ]; do sleep 0.01; done"
    );
    let test = Test::command("echo ready; exec sleep 1000").before(&before).stdout("ready\n");
    let project = test.sandbox.project();
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    let grandchild = Foreign::of(&project.join("grandchild"));
    let parent = pid_in(&project.join("parent"));
    running.sandbox.write("go", "");
    running.wait_until("the parent has ended", || !is_alive(parent));
    running.signal(Signal::SIGTERM);
    let _ran = running.automation_broken("interrupted by SIGTERM");
    assert!(is_alive(grandchild.0), "it was there before the run");
}

#[test]
fn the_end_of_a_child_from_before_is_not_the_commands() {
    let test = Test::command("sleep 0.3; exit 3").before("(exit 9) & sh -c 'sleep 0.1; exit 8' &");
    test.task_failed();
}

#[test]
fn a_process_that_left_the_run_in_peace_survives_a_later_run() {
    let ran =
        Test::command(&format!("{UNMARKED} setsid sleep 1000 >/dev/null 2>&1 & echo $! >pid")).ok();
    let daemon = Foreign::of(&ran.sandbox.project().join("pid"));
    wait_until("the daemon runs", || is_alive(daemon.0));
    let test = ran.again().manifest("capabilities: {a: {command: sleep 1000, timeout_ms: 100}}\n");
    let _ran = test.run("a").automation_broken(TIMED_OUT);
    assert!(is_alive(daemon.0));
}

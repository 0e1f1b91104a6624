//! SIGTSTP stops the group, then the clock, then cap; SIGCONT resumes all three (contract section 5, "Signals").

use std::time::Duration;

use nix::sys::signal::Signal;

use super::{LOOP, WAIT, state, within};
use crate::builder::process::Channel;
use crate::builder::verdict::Running;
use crate::builder::{Test, quoted};

/// A run that has said `ready`.
fn ready(test: Test) -> Running {
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    running
}

fn wait_until_all_are_stopped(running: &Running) {
    // A shell that has just started a child by vfork(2) waits for it in the kernel, which is as good.
    running.wait_until("the whole run is stopped", || {
        running.sandbox.processes().iter().all(|&pid| matches!(state(pid), Some('T' | 'D')))
    });
}

#[test]
fn a_stopped_run_goes_on_where_it_was_and_its_clock_stood_still() {
    let budget = 1500;
    let running =
        ready(within(budget, &format!("echo ready; {WAIT}; echo on")).stdout("ready\non\n"));
    running.signal(Signal::SIGTSTP);
    wait_until_all_are_stopped(&running);
    // Time has to pass for this one: more than the budget.
    std::thread::sleep(Duration::from_millis(budget + 300));
    running.sandbox.write("go", "");
    wait_until_all_are_stopped(&running);
    running.signal(Signal::SIGCONT);
    let ran = running.ok();
    assert!(ran.envelope["duration_ms"].as_u64().unwrap() < budget, "{}", ran.envelope);
}

#[test]
fn the_command_is_stopped_too_when_cap_has_said_something_before() {
    // What cap says first makes it start what writes it.
    let command = quoted(&format!("echo ready; {WAIT}; exit 3"));
    let manifest = format!("capabilities: {{a: {{command: {command}, unknown: 1}}}}\n");
    let test = Test::new().manifest(&manifest).run("a").stdout("ready\n");
    let running = ready(test.stderr_contains("unknown"));
    running.signal(Signal::SIGTSTP);
    wait_until_all_are_stopped(&running);
    running.sandbox.write("go", "");
    running.signal(Signal::SIGCONT);
    running.task_failed();
}

#[test]
fn a_run_can_be_stopped_again_and_again() {
    let running = ready(Test::command(&format!("echo ready; {WAIT}; exit 3")).stdout("ready\n"));
    for _ in 0..3 {
        running.signal(Signal::SIGTSTP);
        wait_until_all_are_stopped(&running);
        running.signal(Signal::SIGCONT);
        running.wait_until("the run goes on", || {
            running.sandbox.processes().iter().all(|&pid| state(pid) != Some('T'))
        });
    }
    running.sandbox.write("go", "");
    running.task_failed();
}

#[test]
fn a_stop_that_is_taken_back_at_once_does_not_last() {
    let command = "echo ready; until [ -e go ]; do echo tick; sleep 0.01; done; exit 3";
    let running = ready(Test::command(command).stdout_contains("tick\n"));
    let ticks = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
    for _ in 0..60 {
        let before = ticks(&running.process.captured(Channel::Stdout));
        running.signal(Signal::SIGTSTP);
        running.signal(Signal::SIGCONT);
        // The command goes on, and cap relays what it says.
        assert!(running.process.wait_for(Channel::Stdout, |bytes| ticks(bytes) > before + 2));
    }
    running.sandbox.write("go", "");
    running.task_failed();
}

#[test]
fn an_interrupt_to_a_stopped_run_ends_it_when_it_goes_on() {
    let trap = "trap 'echo clean; exit 1' TERM";
    let running =
        ready(Test::command(&format!("{trap}; echo ready; {LOOP}")).stdout("ready\nclean\n"));
    running.signal(Signal::SIGTSTP);
    wait_until_all_are_stopped(&running);
    running.signal(Signal::SIGTERM);
    running.signal(Signal::SIGCONT);
    running.automation_broken("interrupted by SIGTERM");
}

#[test]
fn sigcont_to_cap_continues_a_command_that_has_stopped_itself() {
    let running = ready(Test::command("echo ready; kill -STOP $$; echo on").stdout("ready\non\n"));
    running.wait_until("the command is stopped", || {
        running.sandbox.processes().iter().any(|&pid| state(pid) == Some('T'))
    });
    running.signal(Signal::SIGCONT);
    running.ok();
}

#[test]
fn a_cap_that_was_stopped_from_outside_for_long_still_sees_that_the_command_ended_in_time() {
    let running = ready(within(1000, &format!("echo ready; {WAIT}; exit 3")).stdout("ready\n"));
    running.signal(Signal::SIGSTOP);
    running.wait_until("cap is stopped", || state(running.pid()) == Some('T'));
    running.sandbox.write("go", "");
    running.wait_until("the command has ended", || {
        running.sandbox.processes().iter().all(|&pid| pid == running.pid())
    });
    std::thread::sleep(Duration::from_millis(1100));
    running.signal(Signal::SIGCONT);
    running.task_failed();
}

#[test]
fn a_stop_that_came_in_ignored_or_that_nobody_could_take_back_stops_nothing() {
    // In a session of its own cap's group is an orphaned one.
    for before in ["trap '' TSTP", "exec setsid --wait \"$0\" \"$@\""] {
        let command = format!("echo ready; echo $PPID >cap; {WAIT}; exit 3");
        let running = ready(Test::command(&command).before(before).stdout("ready\n"));
        let cap = super::pid_in(&running.sandbox.project().join("cap"));
        for _ in 0..3 {
            nix::sys::signal::kill(cap, Signal::SIGTSTP).unwrap();
        }
        running.sandbox.write("go", "");
        running.task_failed();
    }
}

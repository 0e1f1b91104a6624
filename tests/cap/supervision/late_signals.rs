//! A signal that comes after the shell's status was taken ends the reading of what is left and the wait for a
//! reader, never the outcome (contract section 5, "Signals").

use std::time::Duration;

use nix::sys::signal::Signal;

use super::{INTERRUPTS, is_alive, keeps_its_verdict, pid_in, signal_if_running};
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};

/// The background job says `drained` once cap has taken the shell's status: until then the shell is a zombie.
const DRAINING: &str = "(trap '' INT TERM HUP; while kill -0 $$ 2>/dev/null; do :; done; echo drained; exec sleep 1000) & echo $! >pid";

#[test]
fn a_signal_while_what_is_left_in_the_pipes_is_read_never_changes_the_outcome() {
    for (end, code) in [("exit 0", 0), ("exit 3", 1)] {
        let test = Test::command(&format!("{DRAINING}; {end}")).stdout("drained\n");
        // The reading ends by the signal, or just before it on a machine that is slow.
        let running = test.stderr_contains("").start();
        let pid = running.sandbox.project().join("pid");
        running.wait_for_line(Channel::Stdout, "drained");
        signal_if_running(&running, Signal::SIGINT);
        let ran = if code == 0 { running.ok() } else { running.task_failed() };
        assert!(is_alive(pid_in(&pid)), "nothing is killed");
        drop(ran);
    }
}

#[test]
fn a_signal_just_when_a_command_ends_loses_nothing() {
    for signal in INTERRUPTS {
        for command in ["echo ready", "echo ready; exit 1", "echo ready; exit 2"] {
            let running = Test::command(command).start();
            running.wait_for_line(Channel::Stdout, "ready");
            signal_if_running(&running, signal);
            keeps_its_verdict(running);
        }
    }
}

#[test]
fn one_signal_ends_the_wait_for_a_reader_that_never_reads() {
    // More than two pipes hold, less than what makes the command wait.
    let command = "head -c 200000 /dev/zero; exit 3";
    let test = Test::command(command).stdout_to(Stream::Stalled).stdout_lost();
    let running = test.limit(Duration::from_secs(20)).start();
    let log = running.sandbox.log();
    running.wait_until("the row is there", || log.exists());
    running.signal(Signal::SIGTERM);
    running.wait_for_exit();
    running.task_failed();
}

#[test]
fn one_signal_ends_both_the_reading_of_what_is_left_and_the_wait_for_a_reader() {
    let leftover = "(while kill -0 $$ 2>/dev/null; do :; done; echo drained >&2; exec sleep 1000)";
    let command = format!("head -c 200000 /dev/zero; {leftover} & exit 3");
    let test = Test::command(&command).stdout_to(Stream::Stalled).stdout_lost();
    let test = test.stderr_contains("drained\n").limit(Duration::from_secs(20));
    let running = test.start();
    running.wait_for_line(Channel::Stderr, "drained");
    running.signal(Signal::SIGINT);
    running.wait_for_exit();
    running.task_failed();
}

#[test]
fn a_signal_after_an_interrupt_ends_the_wait_for_a_reader_that_never_reads() {
    let test = Test::command("echo ready >&2; exec yes").stdout_to(Stream::Stalled).stdout_lost();
    let running = test.stderr("ready\n").limit(Duration::from_secs(20)).start();
    running.wait_for_line(Channel::Stderr, "ready");
    running.signal(Signal::SIGINT);
    let log = running.sandbox.log();
    running.wait_until("the row is there", || log.exists());
    signal_if_running(&running, Signal::SIGINT);
    running.wait_for_exit();
    running.automation_broken("interrupted by SIGINT");
}

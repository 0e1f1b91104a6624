//! A system that gives only so many processes, and a process that hears of signals all the time.

use nix::sys::signal::Signal;

use super::Left;
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};

#[test]
fn however_few_processes_there_are_to_give_the_channels_agree() {
    for limit in 1..12 {
        // Processes and threads count by user, and root has no limit.
        let Some(test) = Test::command("exit 1").powerless() else { return };
        let before = format!("ulimit -p {limit} 2>/dev/null || ulimit -u {limit}");
        let left = Left::by(test.before(&before));
        assert_eq!(left.check(&[1, 2]), [""; 0], "{limit} processes");
    }
}

#[test]
fn a_storm_of_signals_that_mean_nothing_loses_no_byte() {
    let test = Test::command("head -c 400000 /dev/zero; echo; echo ready >&2; exit 3");
    let mut running = test.stdout_to(Stream::Stalled).stdout_contains("").stderr("ready\n").start();
    let storm = |running: &crate::builder::verdict::Running| {
        for _ in 0..2000 {
            running.signal(Signal::SIGCONT);
            running.signal(Signal::SIGCHLD);
        }
    };
    storm(&running);
    running.resume(Channel::Stdout);
    running.wait_for_line(Channel::Stderr, "ready");
    let ran = running.task_failed();
    assert_eq!(ran.stdout.find('\n'), Some(400_000));
}

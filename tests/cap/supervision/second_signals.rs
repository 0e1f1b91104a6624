//! Who sends a second signal wants the end now; the same one twice at once is a single wish that came twice.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;

use super::{INTERRUPTS, LOOP};
use crate::builder::Test;
use crate::builder::process::Channel;

#[test]
fn a_second_signal_of_another_kind_kills_at_once() {
    let traps = "trap 'echo first' INT; trap 'echo never' TERM HUP QUIT";
    for second in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
        let running = Test::command(&format!("{traps}; echo ready; {LOOP}"))
            .stdout("ready\nfirst\n")
            .envelope(json!({"signal": "SIGKILL", "output_tail": "ready\nfirst\n"}))
            .start();
        running.wait_for_line(Channel::Stdout, "ready");
        running.signal(Signal::SIGINT);
        running.wait_for_line(Channel::Stdout, "first");
        running.signal(second);
        running.automation_broken("interrupted by SIGINT");
    }
}

#[test]
fn the_same_signal_twice_at_once_counts_once() {
    let runs = INTERRUPTS.map(|signal| {
        let name = &signal.as_str()[3..];
        let trap = format!("trap 'echo caught; sleep 0.5; echo clean; exit 1' {name}");
        let running = Test::command(&format!("{trap}; echo ready; {LOOP}"))
            .stdout("ready\ncaught\nclean\n")
            .envelope(json!({"exit_code": 1, "signal": null}))
            .start();
        running.wait_for_line(Channel::Stdout, "ready");
        running.signal(signal);
        running.signal(signal);
        running
    });
    for run in runs {
        run.automation_broken("interrupted by SIG");
    }
}

/// How long a run takes from the first SIGINT to its end, if the second comes when the command says so.
fn time_with_a_late_second_signal() -> Duration {
    // Two traps in a row would say `caught` twice.
    let trap = "trap 'echo caught; sleep 0.3; echo still here' INT";
    let running = Test::command(&format!("{trap}; echo ready; {LOOP}"))
        .stdout("ready\ncaught\nstill here\n")
        .envelope(json!({"signal": "SIGKILL"}))
        .start();
    running.wait_for_line(Channel::Stdout, "ready");
    let first = Instant::now();
    running.signal(Signal::SIGINT);
    running.wait_for_line(Channel::Stdout, "still here");
    super::signal_if_running(&running, Signal::SIGINT);
    running.automation_broken("interrupted by SIGINT");
    first.elapsed()
}

#[test]
fn the_same_signal_again_after_a_while_kills_before_the_grace_is_over() {
    // A machine may be so slow that the grace is over anyway, but not always.
    let is_early = (0..4).any(|_| time_with_a_late_second_signal() < Duration::from_secs(2));
    assert!(is_early, "the second signal must kill at once");
}

#[test]
fn any_number_of_signals_makes_one_verdict() {
    let running = Test::command(&format!("trap '' INT TERM HUP QUIT; echo ready; {LOOP}"))
        .stdout("ready\n")
        .start();
    running.wait_for_line(Channel::Stdout, "ready");
    for _ in 0..50 {
        for signal in INTERRUPTS {
            super::signal_if_running(&running, signal);
        }
    }
    super::keeps_its_verdict(running);
}

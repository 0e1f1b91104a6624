//! What cap starts before the command is supervised like it: its time, its output, the signals that come meanwhile.

use nix::sys::signal::Signal;
use serde_json::json;

use super::{INTERRUPTS, assuming};
use crate::builder::Test;
use crate::builder::verdict::Running;

/// A run whose probe has begun.
fn probing(test: Test) -> Running {
    let running = test.start();
    let begun = running.sandbox.project().join("begun");
    running.wait_until("the probe has begun", || begun.exists());
    running
}

#[test]
fn an_interrupt_during_a_probe_ends_it_and_the_command_never_runs() {
    for signal in INTERRUPTS {
        let test = assuming("touch begun; exec sleep 1000", "touch ran")
            .envelope(json!({"command": "touch ran", "exit_code": null, "signal": null}));
        let running = probing(test);
        running.signal(signal);
        let ran = running.automation_broken(&format!("interrupted by {signal}"));
        assert!(ran.envelope.get("output_tail").is_none(), "{}", ran.envelope);
        assert!(!ran.sandbox.project().join("ran").exists());
    }
}

#[test]
fn a_deaf_probe_and_its_children_are_gone_after_an_interrupt() {
    let deaf =
        "trap '' TERM INT; (while :; do sleep 1; done) & touch begun; while :; do sleep 1; done";
    let running = probing(assuming(deaf, "true"));
    running.signal(Signal::SIGINT);
    running.automation_broken("interrupted by SIGINT");
}

#[test]
fn what_left_the_group_of_a_probe_is_gone_after_an_interrupt_too() {
    let tool = "setsid sh -c 'touch begun; exec sleep 1000' & sleep 1000";
    let running = probing(assuming(tool, "true"));
    running.signal(Signal::SIGTERM);
    running.automation_broken("interrupted by SIGTERM");
}

#[test]
fn two_signals_during_a_probe_are_one_verdict_with_its_last_line() {
    for (first, second) in [
        (Signal::SIGINT, Signal::SIGTERM),
        (Signal::SIGTERM, Signal::SIGINT),
        (Signal::SIGHUP, Signal::SIGHUP),
    ] {
        let running = probing(assuming("touch begun; exec sleep 1000", "true"));
        running.signal(first);
        super::signal_if_running(&running, second);
        // Which of the two the kernel delivers first is its own affair.
        running.automation_broken("interrupted by SIG");
    }
}

#[test]
fn a_probe_is_started_as_clean_as_a_command() {
    let tool = "env >seen; cut -d' ' -f1,5,6 /proc/$$/stat >session; cat >input; echo 1";
    let test = assuming(tool, "true")
        .stdin("secret\n")
        .env("DOSSIER_CAP_ENVELOPE_FILE", "unused")
        .before("trap '' INT HUP");
    let ran = test.ok();
    let read = |name| crate::builder::verdict::text_of(ran.sandbox.project().join(name));
    assert!(!read("seen").contains("DOSSIER_CAP_ENVELOPE_FILE"), "{}", read("seen"));
    let ids = read("session");
    let ids: Vec<&str> = ids.split_whitespace().collect();
    assert!(ids.len() == 3 && ids.iter().all(|id| *id == ids[0]), "pid, group, session: {ids:?}");
    assert_eq!(read("input"), "");
}

#[test]
fn a_probe_that_leaves_a_process_with_its_output_costs_nothing() {
    let ran = assuming("sleep 1000 & echo 1", "echo ran").stdout("ran\n").ok();
    assert_eq!(ran.sandbox.processes().len(), 1, "what a tool starts is its own affair");
}

//! SIGKILL to cap can't be caught: then there is no verdict, no old one either, and nobody's pipe is held.
//! Any other signal may come before cap can see it, but then nothing of the run has begun.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{WAIT, assuming, wait_until, within};
use crate::builder::Test;
use crate::builder::process::Channel;
use crate::builder::verdict::{Running, text_of};

const OLD: &str = "{\"cap_envelope\":1,\"capability\":\"a\",\"outcome\":\"ok\"}\n";

/// Kills cap; its streams must come to their end although the command goes on.
fn is_killed_without_a_trace(running: Running) {
    running.signal(Signal::SIGKILL);
    let Running { process, sandbox, .. } = running;
    let ended = process.end().unwrap();
    assert_eq!(ended.status.code(), None);
    assert!(!String::from_utf8_lossy(&ended.stdout).contains("cap_envelope"));
    assert!(!sandbox.out().join("envelope.json").exists(), "an old verdict was left");
    assert!(!sandbox.log().exists(), "a row without a verdict was written");
    // Nothing but the streams' end may be waited for above: what was started outlives cap.
    wait_until("something of the run is alive", || !sandbox.processes().is_empty());
}

#[test]
fn no_old_verdict_is_left_and_no_pipe_is_held_while_the_command_runs() {
    for command in ["exec sleep 1000", "sleep 1000 & wait", "setsid sleep 1000 & sleep 1000"] {
        let test = within(60_000, &format!("echo ready; echo ready >&2; {command}"));
        let running = test.file("../../out/envelope.json", OLD).start();
        running.wait_for_line(Channel::Stdout, "ready");
        running.wait_for_line(Channel::Stderr, "ready");
        is_killed_without_a_trace(running);
    }
}

#[test]
fn no_old_verdict_is_left_and_no_pipe_is_held_while_a_probe_runs() {
    let test = assuming("touch begun; exec sleep 1000", "true");
    let running = test.file("../../out/envelope.json", OLD).start();
    let begun = running.sandbox.project().join("begun");
    running.wait_until("the probe has begun", || begun.exists());
    is_killed_without_a_trace(running);
}

#[test]
fn a_signal_while_cap_starts_comes_before_the_run_or_has_its_verdict() {
    for step in 0..40 {
        let running = Test::command("exec sleep 1000").file("../../out/envelope.json", OLD).start();
        let moment = Instant::now() + Duration::from_micros(step * 75);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        running.signal(Signal::SIGTERM);
        let Running { process, sandbox, .. } = running;
        let ended = process.end().unwrap();
        let file = text_of(sandbox.out().join("envelope.json"));
        match ended.status.code() {
            None => assert_eq!(file, OLD, "the run has begun, and its verdict is lost"),
            Some(code) => {
                assert_eq!(code, 2);
                assert!(file.contains("interrupted by SIGTERM"), "{file}");
                assert!(String::from_utf8_lossy(&ended.stdout).ends_with(&file), "{file}");
            }
        }
    }
}

#[test]
fn an_old_verdict_is_gone_before_the_command_can_look() {
    let look = format!("test ! -e ../../out/envelope.json && echo gone; {WAIT}");
    let running =
        Test::command(&look).stdout("gone\n").file("../../out/envelope.json", OLD).start();
    running.wait_for_line(Channel::Stdout, "gone");
    running.sandbox.write("go", "");
    running.ok();
}

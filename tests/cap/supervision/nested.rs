//! A command that runs cap itself: each has its own verdict, and the outer one leaves nothing of the inner.

use nix::sys::signal::Signal;
use serde_json::json;

use super::{LOOP, TIMED_OUT};
use crate::builder::process::Channel;
use crate::builder::{Test, quoted};

/// `outer` runs `inner` with cap, and this is what `inner` does.
fn nested(inner: &str, outer_timeout_ms: u64, inner_timeout_ms: u64) -> Test {
    let outer = quoted(&format!(
        "{} run inner --envelope-file inner.json; code=$?; echo back; exit $code",
        env!("CARGO_BIN_EXE_cap")
    ));
    let inner = quoted(inner);
    // Both append to one log, and the builder looks for one row.
    let test = Test::new().manifest(&format!(
        "capabilities:
            outer: {{command: {outer}, timeout_ms: {outer_timeout_ms}}}
            inner: {{command: {inner}, timeout_ms: {inner_timeout_ms}}}\n"
    ));
    test.home_file("config.json", "{\"auditLog\": false}").no_row().run("outer")
}

#[test]
fn the_inner_verdict_is_output_to_the_outer_one() {
    for (code, outcome) in [(0, "ok"), (3, "task-failed")] {
        let test = nested(&format!("echo hi; exit {code}"), 60_000, 60_000);
        let test = test.stdout_contains(&format!("\"outcome\":\"{outcome}\""));
        let ran = if code == 0 { test.ok() } else { test.task_failed() };
        assert!(ran.stdout.starts_with("hi\n{\"cap_envelope\":1,\"capability\":\"inner\","));
        let inner = crate::builder::verdict::text_of(ran.sandbox.project().join("inner.json"));
        assert!(ran.stdout.contains(&inner), "{inner}");
    }
}

#[test]
fn the_envelope_file_of_the_outer_one_is_not_written_by_the_inner_one() {
    let inner = format!("{} run inner; true", env!("CARGO_BIN_EXE_cap"));
    let test = Test::new().manifest(&format!(
        "capabilities: {{outer: {{command: {}}}, inner: {{command: 'exit 3'}}}}\n",
        quoted(&inner)
    ));
    let test = test.home_file("config.json", "{\"auditLog\": false}").no_row();
    test.cap(["run", "outer"])
        .stdout_contains("\"capability\":\"inner\"")
        .envelope(json!({"capability": "outer"}))
        .ok();
}

#[test]
fn an_inner_timeout_is_a_task_that_exits_2() {
    let test = nested("exec sleep 1000", 60_000, 100).stdout_contains(TIMED_OUT);
    test.envelope(json!({"exit_code": 2})).task_failed();
}

#[test]
fn an_outer_timeout_leaves_nothing_of_the_inner_run() {
    let deaf = format!("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 1000' & {LOOP}");
    let runs = ["exec sleep 1000", &deaf]
        .map(|inner| nested(inner, 900, 60_000).stdout_contains("").start());
    for run in runs {
        run.automation_broken("command timed out after 900ms");
    }
}

#[test]
fn an_interrupt_reaches_the_innermost_command_and_each_has_its_verdict() {
    let inner = format!("trap 'echo clean; exit 1' INT; echo ready; {LOOP}");
    // The shell in the middle waits for the inner run to end, so that both verdicts are seen.
    let test = nested(&inner, 60_000, 60_000).stdout_contains("clean\n{\"cap_envelope\":1,");
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    running.signal(Signal::SIGINT);
    running.automation_broken("interrupted by SIGINT");
}

//! A timeout: one verdict, on time, and no process of the run afterwards (contract section 5, "Timeout").
//! That nothing survives is looked at by every verb of the builder.

use nix::sys::signal::Signal;
use serde_json::json;

use super::{LOOP, TIMED_OUT, WAIT, within};
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};
use crate::builder::verdict::Running;

/// Where a command must get somewhere before its budget passes, on a machine that is busy.
const ENOUGH: u64 = 900;

/// Several at the same time, since each may take the whole grace.
fn all_time_out(commands: &[&str]) {
    let runs: Vec<Running> = commands.iter().map(|command| within(200, command).start()).collect();
    for run in runs {
        run.automation_broken("command timed out after 200ms");
    }
}

#[test]
fn a_command_that_obeys_is_ended_by_sigterm() {
    within(100, "exec sleep 1000")
        .envelope(json!({"exit_code": null, "signal": "SIGTERM", "output_tail": "",
            "reason": "command timed out after 100ms"}))
        .automation_broken(TIMED_OUT);
}

#[test]
fn the_shortest_budget_is_one_too() {
    within(1, "exec sleep 1000").automation_broken("command timed out after 1ms");
}

#[test]
fn a_command_that_ignores_sigterm_is_killed_when_the_grace_is_over() {
    let test = within(ENOUGH, &format!("trap '' TERM; echo deaf; {LOOP}"));
    let ran = test
        .stdout("deaf\n")
        .envelope(json!({"exit_code": null, "signal": "SIGKILL", "output_tail": "deaf\n"}))
        .automation_broken(TIMED_OUT);
    assert!(ran.envelope["duration_ms"].as_u64().unwrap() >= ENOUGH + 2000, "{}", ran.envelope);
}

#[test]
fn a_command_that_exits_0_on_sigterm_has_timed_out() {
    let test = within(ENOUGH, &format!("trap 'echo bye; exit 0' TERM; {LOOP}"));
    test.stdout("bye\n")
        .envelope(json!({"exit_code": 0, "signal": null, "output_tail": "bye\n"}))
        .automation_broken(TIMED_OUT);
}

#[test]
fn whatever_a_command_exits_with_on_sigterm_has_timed_out() {
    let runs = [2, 126, 130].map(|code| {
        let test = within(ENOUGH, &format!("trap 'exit {code}' TERM; {LOOP}"));
        test.envelope(json!({"exit_code": code})).start()
    });
    for run in runs {
        run.automation_broken(TIMED_OUT);
    }
}

#[test]
fn what_a_command_writes_during_its_grace_is_relayed() {
    let command = format!("trap 'echo one; sleep 0.2; echo two >&2; exit 5' TERM; {LOOP}");
    within(ENOUGH, &command)
        .stdout("one\n")
        .stderr("two\n")
        .envelope(json!({"exit_code": 5, "output_tail": "one\ntwo\n"}))
        .automation_broken(TIMED_OUT);
}

#[test]
fn the_grace_lasts_until_the_whole_group_is_gone() {
    let child = format!("(trap 'sleep 0.3; echo child done; exit' TERM; {LOOP}) &");
    within(ENOUGH, &format!("{child} exec sleep 1000"))
        .stdout("child done\n")
        .envelope(json!({"signal": "SIGTERM", "output_tail": "child done\n"}))
        .automation_broken(TIMED_OUT);
}

#[test]
fn deaf_descendants_of_every_kind_are_gone() {
    let deaf = "trap \"\" TERM INT HUP; while :; do sleep 0.1; done";
    all_time_out(&[
        // In the group, with a pipe and without one.
        &format!("sh -c '{deaf}' & exec sleep 1000"),
        &format!("sh -c '{deaf}' >/dev/null 2>&1 & exec sleep 1000"),
        // It left the group, with a pipe and without one.
        &format!("setsid sh -c '{deaf}' & exec sleep 1000"),
        &format!("setsid sh -c '{deaf}' </dev/null >/dev/null 2>&1 & exec sleep 1000"),
        // Forked twice: nobody of the run is its parent any more.
        &format!("(setsid sh -c '({deaf}) & ({deaf}) & wait' >/dev/null 2>&1 &) ; exec sleep 1000"),
        // In a group of its own, but in the session.
        &format!("bash -c 'set -m; sh -c \"$0\" & sleep 1000' '{deaf}'"),
        // Stopped, in the group and outside.
        "sh -c 'kill -STOP $$' & setsid sh -c 'kill -STOP $$' & exec sleep 1000",
    ]);
}

#[test]
fn a_family_that_goes_on_starting_processes_is_gone() {
    let test = within(300, "sh breed.sh & exec sleep 1000")
        .file("breed.sh", "trap '' TERM\nwhile :; do setsid sleep 1000 & sleep 0.01; done\n");
    test.automation_broken(TIMED_OUT);
}

#[test]
fn a_process_that_runs_away_by_forking_is_gone() {
    let test = within(300, "sh hop.sh & exec sleep 1000")
        .file("hop.sh", "trap '' TERM\nsetsid sh hop.sh &\n");
    test.automation_broken(TIMED_OUT);
}

#[test]
fn a_stopped_command_is_continued_so_that_it_can_obey() {
    within(ENOUGH, "trap 'echo bye; exit 4' TERM; kill -STOP $$; exec sleep 1000")
        .stdout("bye\n")
        .envelope(json!({"exit_code": 4}))
        .automation_broken(TIMED_OUT);
}

#[test]
fn a_command_that_has_closed_its_output_is_still_watched() {
    within(200, "exec >&- 2>&-; exec sleep 1000").automation_broken(TIMED_OUT);
    let running = within(60_000, &format!("exec >&- 2>&-; touch closed; {WAIT}; exit 3")).start();
    let closed = running.sandbox.project().join("closed");
    running.wait_until("it has closed its output", || closed.exists());
    running.sandbox.write("go", "");
    running.task_failed();
}

#[test]
fn a_flood_delays_nothing() {
    let null = || Stream::Given(std::fs::File::create("/dev/null").unwrap());
    let flood = "trap '' TERM; yes & yes >&2 & yes";
    let test = within(100, flood).stdout_to(null()).stderr_to(null());
    test.automation_broken(TIMED_OUT);
}

#[test]
fn a_reader_that_never_reads_delays_neither_the_file_nor_the_row() {
    for (stdout, stderr, flood) in [
        (Stream::Stalled, Stream::Captured, "yes"),
        (Stream::Captured, Stream::Stalled, "yes >&2"),
        (Stream::Stalled, Stream::SameAsStdout, "yes & yes >&2"),
    ] {
        let is_stderr = matches!(stderr, Stream::Stalled);
        let test = within(300, flood).stdout_to(stdout).stderr_to(stderr).stdout_contains("");
        let mut running = test.start();
        let (file, log) = (running.sandbox.out().join("envelope.json"), running.sandbox.log());
        running.wait_until("the file and the row are there", || file.exists() && log.exists());
        running.resume(if is_stderr { Channel::Stderr } else { Channel::Stdout });
        running.automation_broken(TIMED_OUT);
    }
}

#[test]
fn an_interrupt_after_the_timeout_is_not_the_reason_but_ends_the_grace() {
    let running = within(ENOUGH, &format!("trap 'echo told' TERM; trap 'echo no' INT; {LOOP}"))
        .stdout("told\n")
        .envelope(json!({"signal": "SIGKILL"}))
        .start();
    running.wait_for_line(Channel::Stdout, "told");
    running.signal(Signal::SIGINT);
    running.automation_broken(TIMED_OUT);
}

#[test]
fn a_timeout_after_the_interrupt_is_not_the_reason() {
    let running = within(1500, &format!("trap 'echo told' INT; echo ready; {LOOP}"))
        .stdout("ready\ntold\n")
        .envelope(json!({"signal": "SIGKILL"}))
        .start();
    running.wait_for_line(Channel::Stdout, "ready");
    running.signal(Signal::SIGINT);
    running.automation_broken("interrupted by SIGINT");
}

#[test]
fn what_ended_in_time_is_no_timeout_although_the_budget_passes_while_its_output_is_read() {
    let test = within(ENOUGH, "(sleep 0.2; while :; do echo tick; sleep 0.1; done) & exit 0");
    test.stdout_contains("tick\n").stderr_contains("background process").ok();
}

#[test]
fn a_command_is_never_said_to_have_taken_less_than_it_took() {
    let manifest = "capabilities: {a: {command: 'sleep 0.1; exit 1', min_duration_ms: 100, timeout_ms: 60000}}\n";
    let runs: Vec<Running> =
        (0..20).map(|_| Test::new().manifest(manifest).run("a").start()).collect();
    for run in runs {
        run.task_failed();
    }
}

#[test]
fn a_timeout_is_in_the_row_with_its_tail() {
    let ran = within(100, "echo begun; exec sleep 1000")
        .stdout("begun\n")
        .row(json!({"reason": "command timed out after 100ms", "output_tail": "begun\n"}))
        .automation_broken(TIMED_OUT);
    assert_eq!(ran.row["outcome"], "automation-broken");
}

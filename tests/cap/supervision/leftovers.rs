//! Background processes that outlive a command which has ended by itself are nobody's to kill, and can't
//! keep the verdict waiting (contract section 5, "Leftovers").

use super::{WAIT, is_alive, left_one, pid_in, wait_until, within};
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};
use crate::builder::verdict::Running;

const WARNING: &str = "a background process still holds the output";

#[test]
fn a_silent_job_that_holds_the_output_is_warned_about_and_left_alone() {
    let runs: Vec<Running> = ["", " 2>/dev/null", " >/dev/null"]
        .into_iter()
        .map(|redirected| format!("sleep 1000{redirected} & echo $! >pid; echo done"))
        .map(|command| Test::command(&command).stdout("done\n"))
        .map(|test| test.stderr_contains(WARNING).stderr_contains("redirect").start())
        .collect();
    for run in runs {
        left_one(&run.ok(), "pid");
    }
}

#[test]
fn a_chatty_job_that_holds_the_output_is_given_up_after_a_while() {
    let runs = ["", " >&2"].map(|to| {
        let job = format!("(while :; do echo tick; sleep 0.05; done{to}) & echo done; exit 1");
        Test::command(&job).stdout_contains("done\n").stderr_contains(WARNING).start()
    });
    for run in runs {
        let ran = run.task_failed();
        let ticks = ran.stdout.matches("tick").count() + ran.stderr.matches("tick").count();
        assert!(ticks > 1, "what it says in the meantime is relayed: {}", ran.stdout);
        let duration = ran.envelope["duration_ms"].as_u64().unwrap();
        assert!(duration < 2000, "the time that it takes is not the command's: {duration}");
    }
}

#[test]
fn what_a_leftover_says_before_it_is_given_up_is_in_the_tail() {
    let test = Test::command("(sleep 0.05; echo late; sleep 1000) & echo early; exit 1");
    let ran = test.stdout("early\nlate\n").stderr_contains(WARNING).task_failed();
    assert_eq!(ran.envelope["output_tail"], "early\nlate\n");
}

#[test]
fn part_of_a_line_of_a_leftover_does_not_run_into_the_envelope() {
    let test = Test::command("(printf part; sleep 1000) & exit 0");
    test.stdout("part\n").stderr_contains(WARNING).ok();
}

#[test]
fn a_job_that_ends_soon_is_read_to_its_end_without_a_warning() {
    Test::command("(sleep 0.05; echo late) & echo early").stdout("early\nlate\n").ok();
    Test::command("(sleep 0.05; exit 3) & exit 0").ok();
}

#[test]
fn a_daemon_with_its_output_redirected_costs_nothing() {
    for start in ["", "setsid ", "nohup "] {
        let test = Test::command(&format!("{start}sleep 1000 >log 2>&1 & echo $! >pid"));
        left_one(&test.ok(), "pid");
    }
}

#[test]
fn a_daemon_of_the_classic_kind_is_left_alone_whatever_the_outcome() {
    let daemon = "(setsid sh -c 'trap \"\" TERM; echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &)";
    for (end, code) in [("true", 0), ("exit 3", 1)] {
        let test =
            Test::command(&format!("{daemon}; until [ -s pid ]; do sleep 0.01; done; {end}"));
        let ran = if code == 0 { test.ok() } else { test.task_failed() };
        left_one(&ran, "pid");
    }
}

#[test]
fn a_leftover_can_go_on_after_its_output_was_closed() {
    let job = format!("(trap '' PIPE; {WAIT}; echo nobody reads; touch went-on) & exit 0");
    let ran = Test::command(&job).stderr_contains(WARNING).ok();
    ran.sandbox.write("go", "");
    let went_on = ran.sandbox.project().join("went-on");
    wait_until("the leftover goes on", || went_on.exists());
}

#[test]
fn the_warning_comes_before_the_envelope() {
    let test = Test::command("sleep 1000 & echo done").stderr_to(Stream::SameAsStdout);
    let ran = test.stdout_contains(WARNING).ok();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "done");
    assert!(lines[lines.len() - 1].starts_with("{\"cap_envelope\""), "{lines:?}");
}

#[test]
fn a_process_substitution_of_bash_is_read_to_its_end() {
    if !std::path::Path::new("/bin/bash").exists() {
        return;
    }
    let test = Test::command("bash -c 'echo one > >(sleep 0.1; tee copy); echo two >&2'");
    let ran = test.stdout("one\n").stderr("two\n").ok();
    assert_eq!(crate::builder::verdict::text_of(ran.sandbox.project().join("copy")), "one\n");
}

#[test]
fn a_leftover_and_a_reader_that_stalls_delay_neither_file_nor_row() {
    let test = within(60_000, "yes & exit 3").stdout_to(Stream::Stalled);
    let mut running = test.stdout_contains("").stderr_contains(WARNING).start();
    let (file, log) = (running.sandbox.out().join("envelope.json"), running.sandbox.log());
    running.wait_until("the file and the row are there", || file.exists() && log.exists());
    running.resume(Channel::Stdout);
    running.task_failed();
}

#[test]
fn a_leftover_of_a_shell_that_was_killed_is_left_alone_too() {
    let test = Test::command("sleep 1000 >/dev/null 2>&1 & echo $! >pid; kill -KILL $$");
    let ran = test.automation_broken("abnormal termination: killed by SIGKILL");
    left_one(&ran, "pid");
}

#[test]
fn orphans_that_end_while_the_command_runs_are_no_leftovers() {
    let command = format!("(sleep 1000 & echo $! >pid) >/dev/null 2>&1; {WAIT}; echo done");
    let running = Test::command(&command).stdout("done\n").start();
    let pid = pid_in(&running.sandbox.project().join("pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    running.wait_until("the orphan is reaped", || super::state(pid).is_none());
    assert!(!is_alive(pid));
    running.sandbox.write("go", "");
    running.ok();
}

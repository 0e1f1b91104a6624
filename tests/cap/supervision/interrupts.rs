//! A signal to cap ends the command, which can clean up, and the run has its verdict (contract section 5, "Signals").

use nix::sys::signal::Signal;
use serde_json::json;

use super::{INTERRUPTS, LOOP};
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};
use crate::builder::verdict::Running;

/// Waits for the line `ready`, then sends a signal.
fn interrupt(test: Test, signal: Signal) -> Running {
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    running.signal(signal);
    running
}

#[test]
fn each_of_four_signals_is_passed_on_and_is_the_reason() {
    for signal in INTERRUPTS {
        let test = Test::command("ulimit -c 0; echo ready; exec sleep 1000").stdout("ready\n");
        let reason = format!("interrupted by {signal}");
        let test = test.envelope(json!({"exit_code": null, "signal": signal.as_str(),
            "reason": reason, "output_tail": "ready\n"}));
        interrupt(test, signal).automation_broken("");
    }
}

#[test]
fn what_would_end_cap_alone_ends_the_run_with_a_verdict() {
    for signal in [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGALRM, Signal::SIGXCPU] {
        let test = Test::command("ulimit -c 0; echo ready; exec sleep 1000").stdout("ready\n");
        let reason = format!("interrupted by {signal}");
        interrupt(test, signal).automation_broken(&reason);
    }
}

#[test]
fn a_command_can_clean_up_and_what_it_then_returns_is_no_verdict() {
    for (signal, code) in INTERRUPTS.into_iter().zip([0, 1, 7, 127]) {
        let name = &signal.as_str()[3..];
        let cleanup =
            format!("trap 'echo cleaning; sleep 0.2; echo clean >&2; exit {code}' {name}");
        let test = Test::command(&format!("{cleanup}; echo ready; {LOOP}"))
            .stdout("ready\ncleaning\n")
            .stderr("clean\n")
            .envelope(json!({"exit_code": code, "signal": null}));
        interrupt(test, signal).automation_broken(&format!("interrupted by {signal}"));
    }
}

#[test]
fn a_stopped_command_is_continued_so_that_the_signal_arrives() {
    let test = Test::command("trap 'echo got it; exit 1' INT; echo ready; kill -STOP $$")
        .stdout("ready\ngot it\n");
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    running.wait_until("the command is stopped", || {
        running.sandbox.processes().iter().any(|&pid| super::state(pid) == Some('T'))
    });
    running.signal(Signal::SIGINT);
    running.automation_broken("interrupted by SIGINT");
}

#[test]
fn background_jobs_that_ignore_the_signal_are_told_to_end_once_the_shell_is_gone() {
    // Shells start them with SIGINT ignored.
    let job = format!("(trap 'echo job done; exit' TERM; echo ready; {LOOP}) & wait");
    let test = Test::command(&job)
        .stdout("ready\njob done\n")
        .envelope(json!({"signal": "SIGINT", "output_tail": "ready\njob done\n"}));
    interrupt(test, Signal::SIGINT).automation_broken("interrupted by SIGINT");
}

#[test]
fn whatever_ignores_every_signal_is_killed_when_the_grace_is_over() {
    let deaf = "trap \"\" TERM INT HUP QUIT; echo ready; while :; do sleep 0.1; done";
    let commands = [
        deaf.to_owned(),
        format!("sh -c '{deaf}' & exec sleep 1000"),
        format!("setsid sh -c '{deaf}' & exec sleep 1000"),
        format!("setsid sh -c '{deaf}' 2>/dev/null | cat & exec sleep 1000"),
        format!("bash -c 'set -m; sh -c \"$0\" & sleep 1000' '{deaf}'"),
        format!("(setsid sh -c '({deaf}) & ({deaf}) & wait' &) ; exec sleep 1000"),
    ];
    let runs: Vec<Running> = commands
        .iter()
        .map(|command| interrupt(Test::command(command).stdout_contains(""), Signal::SIGINT))
        .collect();
    for run in runs {
        run.automation_broken("interrupted by SIGINT");
    }
}

#[test]
fn a_reader_that_never_reads_delays_neither_the_file_nor_the_row() {
    let flood = "echo ready >&2; exec yes";
    let test = Test::command(flood).stdout_to(Stream::Stalled);
    let mut running = test.stdout_contains("").stderr("ready\n").start();
    running.wait_for_line(Channel::Stderr, "ready");
    running.signal(Signal::SIGTERM);
    let (file, log) = (running.sandbox.out().join("envelope.json"), running.sandbox.log());
    running.wait_until("the file and the row are there", || file.exists() && log.exists());
    running.resume(Channel::Stdout);
    running.automation_broken("interrupted by SIGTERM");
}

#[test]
fn a_command_that_signals_its_own_group_or_cap_ends_as_that_says() {
    Test::command("kill 0; sleep 1000")
        .envelope(json!({"signal": "SIGTERM"}))
        .automation_broken("abnormal termination: killed by SIGTERM");
    for signal in INTERRUPTS {
        let name = &signal.as_str()[3..];
        Test::command(&format!("ulimit -c 0; kill -{name} $PPID; exec sleep 1000"))
            .automation_broken(&format!("interrupted by {signal}"));
    }
}

#[test]
fn signals_that_ask_for_nothing_change_nothing() {
    let test = Test::command(&format!("echo ready; {}; exit 3", super::WAIT)).stdout("ready\n");
    let running = test.start();
    running.wait_for_line(Channel::Stdout, "ready");
    for signal in [Signal::SIGCONT, Signal::SIGCHLD, Signal::SIGWINCH, Signal::SIGURG] {
        running.signal(signal);
    }
    running.signal(Signal::SIGPIPE);
    running.sandbox.write("go", "");
    running.task_failed();
}

#[test]
fn a_shell_that_ended_by_a_real_time_signal_has_a_verdict_too() {
    if cfg!(target_os = "linux") {
        Test::command("kill -40 $$; sleep 1000")
            .envelope(json!({"exit_code": null, "signal": "SIG40"}))
            .automation_broken("abnormal termination: killed by SIG40");
    }
}

#[test]
fn an_interrupt_reaches_the_row_with_the_tail() {
    let test = Test::command("echo ready; exec sleep 1000").stdout("ready\n").row(
        json!({"reason": "interrupted by SIGTERM", "signal": "SIGTERM", "output_tail": "ready\n"}),
    );
    interrupt(test, Signal::SIGTERM).automation_broken("");
}

//! Output is live, and who reads it or doesn't changes nothing about the verdict (contract section 5).

use crate::builder::Test;
use crate::builder::process::{Channel, Stream};

/// Goes on when the file `go` is there.
const WAIT: &str = "until [ -e go ]; do sleep 0.01; done";

#[test]
fn a_line_is_seen_while_the_command_still_runs() {
    for (channel, to) in [(Channel::Stdout, ""), (Channel::Stderr, " >&2")] {
        let test = Test::command(&format!("echo ready{to}; {WAIT}; exit 1"));
        let test = match channel {
            Channel::Stdout => test.stdout("ready\n"),
            Channel::Stderr => test.stderr("ready\n"),
        };
        let running = test.start();
        running.wait_for_line(channel, "ready");
        running.sandbox.write("go", "");
        running.task_failed();
    }
}

#[test]
fn part_of_a_line_is_seen_too() {
    let running = Test::command(&format!("printf 'ready? '; {WAIT}")).stdout("ready? \n").start();
    assert!(running.process.wait_for(Channel::Stdout, |bytes| bytes == b"ready? "));
    running.sandbox.write("go", "");
    running.ok();
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    for channel in [Channel::Stdout, Channel::Stderr] {
        let command = format!(
            "echo ready; echo ready >&2; {WAIT}; head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 3"
        );
        let mut running = Test::command(&command).stdout_contains("").stderr_contains("").start();
        running.wait_for_line(channel, "ready");
        running.close(channel);
        running.sandbox.write("go", "");
        running.task_failed();
    }
}

#[test]
fn a_reader_that_is_slow_gets_everything() {
    let test = Test::command("touch started; head -c 3000000 /dev/zero; echo; touch finished")
        .stdout_to(Stream::Stalled);
    let mut running = test.stdout_contains("").start();
    let project = running.sandbox.project();
    running.wait_until("it has started", || project.join("started").exists());
    running.resume(Channel::Stdout);
    let ran = running.ok();
    assert_eq!(ran.stdout.find('\n'), Some(3_000_000));
}

#[test]
fn when_both_streams_are_the_same_file_their_order_is_exact() {
    let lines = |to: &str| format!("echo out $i{to}; echo err $i >&2;");
    let command = format!("i=0; while [ $i -lt 300 ]; do i=$((i+1)); {} done", lines(""));
    let expected: String =
        (1..=300).flat_map(|i| [format!("out {i}\n"), format!("err {i}\n")]).collect();
    Test::command(&command).stderr_to(Stream::SameAsStdout).stdout(&expected).ok();
}

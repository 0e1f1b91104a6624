//! Much at once: output, processes, runs.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use super::{TIMED_OUT, WAIT, within};
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};
use crate::builder::verdict::{Running, text_of};

/// The most memory that cap has ever used, as the command can see; in KiB, 0 where it can't.
const PEAK: &str = "grep VmHWM /proc/$PPID/status >&2";
/// A debug build is larger, and so is the test's machine: what must not grow is what this bounds.
const MOST_KIB: u64 = 24 << 10;

fn peak_of(stderr: &str) -> u64 {
    let line = stderr.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

#[test]
fn memory_stays_flat_while_500_megabytes_go_through_a_pipe() {
    let (mut reader, writer) = io::pipe().unwrap();
    let counter = std::thread::spawn(move || {
        let (mut buffer, mut count, mut last) = (vec![0; 1 << 16], 0_u64, 0);
        loop {
            match reader.read(&mut buffer).unwrap() {
                0 => return (count, last),
                read => (count, last) = (count + read as u64, buffer[read - 1]),
            }
        }
    });
    let command = format!("head -c 500000000 /dev/zero; {PEAK}");
    let writer = File::from(OwnedFd::from(writer));
    let ran = Test::command(&command)
        .stdout_to(Stream::Given(writer))
        .stderr_contains("")
        .limit(std::time::Duration::from_mins(4))
        .ok();
    let line = text_of(ran.sandbox.out().join("envelope.json"));
    // A newline comes before the envelope.
    assert_eq!(counter.join().unwrap(), (500_000_001 + line.len() as u64, b'\n'));
    assert!(peak_of(&ran.stderr) < MOST_KIB, "{}", ran.stderr);
}

#[test]
fn memory_stays_flat_while_a_reader_stalls() {
    let command = format!("(yes & yes 1 & yes 2) & echo ready >&2; {WAIT}; {PEAK}; kill 0");
    let test = Test::command(&command).stdout_to(Stream::Stalled).stdout_contains("");
    let mut running = test.stderr_contains("").start();
    running.wait_for_line(Channel::Stderr, "ready");
    running.sandbox.write("go", "");
    let log = running.sandbox.log();
    running.wait_until("the row is there", || log.exists());
    running.resume(Channel::Stdout);
    let ran = running.automation_broken("abnormal termination: killed by SIGTERM");
    assert!(peak_of(&ran.stderr) < MOST_KIB, "{}", ran.stderr);
}

#[test]
fn both_streams_can_flood_at_once_and_nothing_is_lost() {
    let flood = "head -c 5000000 /dev/zero | tr '\\0' ";
    let command = format!("{flood} o & {flood} e >&2 & wait; exit 3");
    let ran = Test::command(&command).stdout_contains("").stderr_contains("").task_failed();
    let count = |text: &str, letter: char| text.chars().take_while(|c| *c == letter).count();
    assert_eq!((count(&ran.stdout, 'o'), count(&ran.stderr, 'e')), (5_000_000, 5_000_000));
    assert_eq!(ran.stderr.len(), 5_000_000);
}

#[test]
fn five_hundred_orphans_are_reaped_while_the_command_runs() {
    let breed = "i=0; while [ $i -lt 500 ]; do i=$((i+1)); (true &); done";
    let running =
        Test::command(&format!("{breed}; echo bred; {WAIT}; exit 3")).stdout("bred\n").start();
    running.wait_for_line(Channel::Stdout, "bred");
    let children = format!("/proc/{0}/task/{0}/children", running.pid());
    if std::path::Path::new(&children).exists() {
        running.wait_until("the shell is the only child, no zombie is left", || {
            text_of(&children).split_whitespace().count() == 1
        });
    }
    running.sandbox.write("go", "");
    running.task_failed();
}

#[test]
fn five_hundred_children_are_gone_after_a_timeout() {
    let breed =
        "i=0; while [ $i -lt 250 ]; do i=$((i+1)); sleep 1000 & setsid sleep 1000 & done; wait";
    within(1000, breed).automation_broken(TIMED_OUT);
}

#[test]
fn forty_runs_at_once_have_forty_whole_rows_and_forty_verdicts() {
    let test = Test::command("head -c 20000 /dev/zero | tr '\\0' x; exit 3");
    let ran = test.stdout_contains("xxx").task_failed();
    let code = "i=0; while [ $i -lt 40 ]; do i=$((i+1))
        (\"$0\" run test.focused --envelope-file $i.json >/dev/null 2>&1; echo $? >$i.code) & done; wait";
    ran.sandbox.output("sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    let project = ran.sandbox.project();
    for i in 1..=40 {
        assert_eq!(text_of(project.join(format!("{i}.code"))), "1\n");
        let line = text_of(project.join(format!("{i}.json")));
        assert!(line.contains("\"task-failed\"") && line.ends_with("xxx\"}\n"), "{line}");
    }
    let log = text_of(ran.sandbox.log());
    assert_eq!(log.lines().count(), 41);
    for line in log.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["output_tail"].as_str().unwrap().len(), 8192);
    }
}

#[test]
fn a_long_command_runs_whole() {
    let words = "x".repeat(100_000);
    let test = Test::command(&format!("printf %s {words}; exit 3"));
    test.stdout(&format!("{words}\n")).options(["--tail-bytes", "0"]).task_failed();
}

#[test]
fn a_system_that_lets_cap_start_nothing_gets_a_verdict_all_the_same() {
    // Processes count by user, and root has no limit.
    let Some(test) = Test::command("echo never").git_repo().powerless() else { return };
    // git can't be asked, either.
    test.before("ulimit -p 1 2>/dev/null || ulimit -u 1")
        .stderr_contains("the git tree is not known")
        .automation_broken("the command could not be started");
}

#[test]
fn a_system_without_descriptors_to_give_gets_a_verdict_all_the_same() {
    for limit in 5..24 {
        let test = Test::command("echo hi").before(&format!("ulimit -n {limit}"));
        let Running { process, sandbox, .. } = test.envelope_file("envelope").start();
        let ended = process.end().unwrap();
        let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
        let line = stdout.lines().last().unwrap_or_default();
        let envelope: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let expected = match envelope["outcome"].as_str() {
            Some("ok") => 0,
            Some("automation-broken") => 2,
            other => {
                let stderr = String::from_utf8_lossy(&ended.stderr);
                panic!("limit {limit}: {other:?} in {stdout:?}, {stderr:?}, {:?}", ended.status)
            }
        };
        assert_eq!(ended.status.code(), Some(expected), "limit {limit}: {line}");
        let file = std::fs::read_to_string(sandbox.project().join("envelope")).unwrap();
        assert_eq!(file.trim_end(), line, "limit {limit}");
        let log = std::fs::read_to_string(sandbox.log()).unwrap();
        assert_eq!(log.lines().count(), 1, "limit {limit}");
    }
}

//! Whatever cap's own stdout and stderr are, the verdict is the same, and a good reader gets every byte
//! (contract section 5, "Output is live").

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use serde_json::json;

use super::WAIT;
use crate::builder::Test;
use crate::builder::process::{Channel, Stream};
use crate::builder::verdict::text_of;

/// A pipe whose end to write to has these flags.
fn pipe_with(flags: OFlag) -> (PipeReader, File) {
    let (reader, writer) = io::pipe().unwrap();
    let writer = File::from(OwnedFd::from(writer));
    fcntl(&writer, FcntlArg::F_SETFL(flags)).unwrap();
    (reader, writer)
}

fn is_nonblocking(file: &File) -> bool {
    OFlag::from_bits_truncate(fcntl(file, FcntlArg::F_GETFL).unwrap()).contains(OFlag::O_NONBLOCK)
}

fn read_all(mut reader: PipeReader) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

#[test]
fn a_pipe_gets_every_byte_and_stays_blocking_or_not_as_it_was() {
    for flags in [OFlag::O_NONBLOCK, OFlag::empty()] {
        let (reader, writer) = pipe_with(flags);
        let copy = writer.try_clone().unwrap();
        let command = format!("head -c 3000000 /dev/zero; echo; echo ready >&2; {WAIT}; exit 3");
        let test = Test::command(&command).stdout_to(Stream::Given(writer));
        let running = test.stderr("ready\n").start();
        let bytes = read_all(reader);
        running.wait_for_line(Channel::Stderr, "ready");
        assert_eq!(is_nonblocking(&copy), flags == OFlag::O_NONBLOCK, "while it runs");
        running.sandbox.write("go", "");
        let ran = running.task_failed();
        assert_eq!(is_nonblocking(&copy), flags == OFlag::O_NONBLOCK, "afterwards");
        drop(copy);
        let bytes = bytes.join().unwrap();
        let (zeros, line) = bytes.split_at(3_000_001);
        assert!(zeros.ends_with(b"\0\n") && zeros.starts_with(b"\0"));
        assert_eq!(line, text_of(ran.sandbox.out().join("envelope.json")).as_bytes());
    }
}

#[test]
fn a_reader_that_was_gone_before_cap_started_changes_nothing() {
    for code in [0, 3] {
        let (reader, writer) = pipe_with(OFlag::empty());
        drop(reader);
        let command = format!("head -c 1000000 /dev/zero; echo done >&2; exit {code}");
        let test = Test::command(&command).stdout_to(Stream::Given(writer)).stderr("done\n");
        if code == 0 {
            test.ok()
        } else {
            test.task_failed()
        };
    }
}

#[test]
fn a_stderr_without_a_reader_changes_nothing() {
    let (reader, writer) = pipe_with(OFlag::empty());
    drop(reader);
    let test = Test::command("echo out; head -c 1000000 /dev/zero >&2; echo more; exit 3");
    test.stderr_to(Stream::Given(writer)).stdout("out\nmore\n").task_failed();
}

#[test]
fn a_command_never_hears_that_caps_reader_has_gone_away() {
    let command =
        "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo line $i || exit 9; done; echo all >&2";
    let test = Test::command(command).before("exec 3>&1; (\"$0\" \"$@\" | head -n 1 >&3); exit 0");
    // `cap | head -1` in a pipe: the shell's exit code is not cap's, so only ok can be asked for.
    test.stdout_lost().stderr("all\n").ok();
}

#[test]
fn a_full_device_changes_nothing() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let full = || Stream::Given(File::options().write(true).open("/dev/full").unwrap());
    let command = "head -c 1000000 /dev/zero; echo err >&2; exit 3";
    Test::command(command).stdout_to(full()).stderr_contains("err\n").task_failed();
    let test = Test::command("echo out; head -c 1000000 /dev/zero >&2; exit 3");
    test.stderr_to(full()).stdout("out\n").task_failed();
    Test::command(command).stdout_to(full()).stderr_to(full()).task_failed();
    Test::command(command).stdout_to(full()).stderr_to(Stream::SameAsStdout).task_failed();
}

#[test]
fn a_limit_on_the_size_of_files_ends_neither_cap_nor_the_run() {
    // 16 blocks are 8 or 16 KiB; the row and the envelope stay below.
    let command = "head -c 100000 /dev/zero; echo done >&2";
    let test = Test::command(command).before("ulimit -f 16; exec >small");
    let ran = test.stdout_lost().stderr_contains("done\n").ok();
    let size = ran.sandbox.project().join("small").metadata().unwrap().len();
    assert!((1..=16384).contains(&size), "{size}");
}

#[test]
fn a_file_gets_every_byte_and_the_order_is_exact_when_both_streams_are_that_file() {
    let command = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo out $i; echo err $i >&2; done";
    let test = Test::command(command).before("exec >log 2>&1").stdout_lost();
    let ran = test.ok();
    let lines: String =
        (1..=200).flat_map(|i| [format!("out {i}\n"), format!("err {i}\n")]).collect();
    let log = text_of(ran.sandbox.project().join("log"));
    assert_eq!(log, lines + &text_of(ran.sandbox.out().join("envelope.json")));
}

#[test]
fn a_log_that_is_appended_to_keeps_what_was_in_it() {
    let test = Test::command("echo new; exit 3").file("log", "old\n").before("exec >>log");
    let ran = test.stdout_lost().task_failed();
    let log = text_of(ran.sandbox.project().join("log"));
    assert!(log.starts_with("old\nnew\n{\"cap_envelope\":1,"), "{log}");
}

#[test]
fn a_stream_that_stalls_does_not_hold_up_the_other() {
    // More than cap keeps for a reader: the flood stands still when the other stream speaks.
    let flood = "(head -c 300000 /dev/zero; touch half; exec cat /dev/zero)";
    let command = format!(
        "{flood} & until [ -e half ]; do sleep 0.01; done; echo still here >&2; {WAIT}; kill $!; exit 3"
    );
    let test = Test::command(&command).stdout_to(Stream::Stalled).stdout_contains("\0\n");
    let mut running = test.stderr_contains("still here\n").start();
    running.wait_for_line(Channel::Stderr, "still here");
    running.sandbox.write("go", "");
    running.resume(Channel::Stdout);
    running.task_failed();
}

#[test]
fn nothing_is_lost_when_a_command_ends_before_anybody_has_read() {
    let command = "head -c 150000 /dev/zero; echo; head -c 150000 /dev/zero >&2; exit 3";
    let test = Test::command(command).stdout_to(Stream::Stalled).stderr_to(Stream::Stalled);
    let mut running = test.stdout_contains("").start();
    let log = running.sandbox.log();
    running.wait_until("the row is there", || log.exists());
    running.resume(Channel::Stderr);
    running.resume(Channel::Stdout);
    let ran = running.task_failed();
    assert_eq!((ran.stdout.find('{'), ran.stderr.len()), (Some(150_001), 150_000));
}

#[test]
fn a_character_split_between_two_writes_survives_the_other_stream() {
    let wait = |file: &str| format!("until [ -e {file} ]; do sleep 0.01; done");
    let command = format!(
        "printf '\\346\\274'; {}; printf x >&2; {}; printf '\\242\\n'; exit 1",
        wait("one"),
        wait("two")
    );
    let test = Test::command(&command).stdout("漢\n").stderr("x");
    let running = test.envelope(json!({"output_tail": "x漢\n"})).start();
    running.process.wait_for(Channel::Stdout, |bytes| bytes == [0xE6, 0xBC]);
    running.sandbox.write("one", "");
    running.process.wait_for(Channel::Stderr, |bytes| bytes == b"x");
    running.sandbox.write("two", "");
    running.task_failed();
}

#[test]
fn nothing_goes_to_stderr_after_the_envelope() {
    let test = Test::command("sleep 1000 & echo out; echo err >&2; exit 3");
    let ran = test.stderr_to(Stream::SameAsStdout).stdout_contains("out\nerr\n").task_failed();
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_row_or_a_file_that_cannot_be_written_is_told_before_the_envelope() {
    let test = Test::command("echo out").stderr_to(Stream::SameAsStdout);
    let test = test.unwritable_envelope_file("nowhere/envelope.json");
    test.stdout_contains("out\n").ok();
}

//! One channel of the verdict made to fail, before the run or by the command itself: the others stay right.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use serde_json::{Value, json};

use super::Left;
use crate::builder::Test;
use crate::builder::process::Stream;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Running, text_of};

const NO_FILE: &str = "warning: cannot write the envelope file";
const NO_ROW: &str = "warning: this run is not recorded";

/// Runs a command that does this and then ends, in each way that it can by itself. These warnings tell what is
/// missing, and nothing else is wrong.
fn each_end(deed: &str, missing: &[&str], set: impl Fn(Test) -> Test) {
    for code in [0, 1] {
        let left = Left::by(set(Test::command(&format!("{deed}; exit {code}"))));
        assert_eq!(left.check(&[code]), [""; 0], "{deed}");
        assert_eq!(left.stderr.lines().count(), missing.len(), "{deed}: {}", left.stderr);
        for text in missing {
            assert!(left.stderr.contains(text), "{deed}: no {text:?} in {}", left.stderr);
        }
    }
}

#[test]
fn a_disk_without_a_byte_to_give_costs_file_and_row() {
    each_end(":", &[NO_FILE, NO_ROW], |test| test.before("ulimit -f 0"));
}

#[test]
fn a_disk_that_is_full_costs_file_and_row() {
    if !can_mount() {
        return;
    }
    let (out, data) = ("../../out", "../.dossier");
    let cases = [
        (vec![out], &[NO_FILE][..]),
        (vec![data], &[NO_ROW]),
        (vec![out, data], &[NO_FILE, NO_ROW]),
    ];
    for (places, missing) in cases {
        let fill = |place: &&str| {
            format!(
                "rm -rf {place}/* && mkdir -p {place} && mount -t tmpfs -o size=4k none {place} &&
                ! head -c 9000 /dev/zero >{place}/filler 2>/dev/null && "
            )
        };
        // What is mounted there is seen from within only, and gone with it.
        let before = format!(
            "exec unshare -m /bin/sh -c '{} exec \"$0\" \"$@\"' \"$0\" \"$@\"",
            places.iter().map(fill).collect::<String>()
        );
        each_end(":", missing, |test| test.before(&before));
    }
}

/// Whether a full disk can be had; if not, a note says what was skipped.
fn can_mount() -> bool {
    let sandbox = Sandbox::new();
    let mount = "mount -t tmpfs -o size=4k none .";
    let mut unshare = Command::new("unshare");
    unshare.args(["-m", "/bin/sh", "-c", mount]).current_dir(sandbox.project());
    let can = unshare.output().is_ok_and(|output| output.status.success());
    if !can {
        let _ = writeln!(std::io::stderr(), "skipped: nothing may be mounted here");
    }
    can
}

#[test]
fn a_disk_that_fills_while_file_and_row_are_written_leaves_no_half_of_a_file_and_a_log_to_go_on_with()
 {
    // One block is 512 or 1024 bytes.
    let test = Test::command("head -c 3000 /dev/zero | tr '\\0' x; exit 3").before("ulimit -f 1");
    let Running { process, sandbox, .. } = test.envelope_file("../../out/envelope.json").start();
    let ended = process.end().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap());
    assert_eq!(ended.status.code(), Some(1));
    let envelope: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(envelope["outcome"], "task-failed");
    assert!(stderr.contains(NO_FILE) && stderr.contains("the row was cut after"), "{stderr}");
    assert_eq!(std::fs::read_dir(sandbox.out()).unwrap().count(), 0, "half of a file was left");
    let log = text_of(sandbox.log());
    assert!(log.starts_with("{\"timestamp\"") && !log.ends_with('\n'), "{log}");
    // The builder checks that one whole row was added behind it.
    Test::in_sandbox(sandbox).run("test.focused").stdout_contains("xxx\n").task_failed();
}

#[test]
fn a_directory_that_vanishes_during_the_run_costs_what_would_have_been_in_it() {
    let plainly = |test| test;
    each_end("rm -rf ../../out", &[NO_FILE], plainly);
    each_end("rm -rf \"$PWD\"", &[], plainly);
    // That one is made again.
    each_end("rm -rf ../.dossier", &[], |test| test.home_file("x", ""));
    each_end("rm -rf \"$HOME\"", &[NO_ROW], |test| {
        let home = test.sandbox.root().join("other");
        std::fs::create_dir(&home).unwrap();
        test.env("HOME", home)
    });
}

#[test]
fn a_repo_that_vanishes_during_the_run_is_no_clean_tree() {
    for deed in ["rm -rf \"$PWD\"", "rm -rf .git"] {
        let test = Test::command(deed).git_repo().may_change_files().stderr_contains("");
        test.row(json!({"dirty": true})).ok();
    }
}

#[test]
fn a_directory_in_the_way_costs_what_would_have_been_in_its_place() {
    let plainly = |test| test;
    each_end("mkdir ../../out/envelope.json", &[NO_FILE], plainly);
    each_end("mkdir -p ../.dossier/caps.jsonl", &[NO_ROW], plainly);
    each_end(
        "mkdir -p ../../out/envelope.json ../.dossier/caps.jsonl",
        &[NO_FILE, NO_ROW],
        plainly,
    );
    // A file in the way of the directory.
    each_end("echo x >../.dossier", &[NO_ROW], plainly);
}

#[test]
fn rights_that_are_taken_away_during_the_run_cost_what_they_were_for() {
    if Test::new().powerless().is_none() {
        return;
    }
    let powerless = |test: Test| test.home_file("caps.jsonl", "").powerless().unwrap();
    each_end("chmod 500 ../../out", &[NO_FILE], powerless);
    each_end("chmod 0 ../../out", &[NO_FILE], powerless);
    each_end("chmod 0 ../.dossier", &["config.json' is ignored", NO_ROW], powerless);
    each_end("chmod 0 ../.dossier/caps.jsonl", &[NO_ROW], powerless);
    each_end("chmod 500 ../../out; chmod 0 ../.dossier/caps.jsonl", &[NO_FILE, NO_ROW], powerless);
}

#[test]
fn when_every_channel_fails_the_exit_code_still_tells_the_outcome() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let full = || Stream::Given(File::options().write(true).open("/dev/full").unwrap());
    for (command, code) in [("exit 0", 0), ("exit 7", 1), ("exit 127", 2), ("kill -9 $$", 2)] {
        let command = format!("echo out; echo err >&2; {command}");
        let test = Test::command(&command).before("ulimit -f 0");
        let running = test.stdout_to(full()).stderr_to(full()).start();
        let Running { process, sandbox, .. } = running;
        assert_eq!(process.end().unwrap().status.code(), Some(code), "{command}");
        assert_eq!(text_of(sandbox.log()), "");
        assert_eq!(std::fs::read_dir(sandbox.out()).unwrap().count(), 0);
    }
}

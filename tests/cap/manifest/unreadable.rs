//! Files that are no manifest at all, or one that would choke a reader (contract section 2, bad input).

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use nix::sys::stat::Mode;

use crate::builder::Test;
use crate::builder::sandbox::MANIFEST;

/// Neither `cap list` nor `cap run` takes this manifest; both say so with these words and never hang or crash.
fn refused(test: Test, words: &str) {
    let test = test
        .list()
        .stderr_contains("error: manifest invalid: ")
        .stderr_contains(MANIFEST)
        .stderr_contains(words);
    let ran = test.failure(1);
    let ran = ran.again().run("a").stderr_contains(words).automation_broken("manifest invalid: ");
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(reason.contains(words) && reason.contains(MANIFEST), "{reason}");
}

#[test]
fn bytes_that_are_not_utf_8_are_a_fault() {
    refused(Test::new().manifest_bytes(b"capabilities: {}\n# \xff\n"), "UTF-8");
    refused(Test::new().manifest_bytes(b"\xff\xfec\0a\0"), "UTF-8");
}

#[test]
fn a_nul_byte_is_a_fault_with_its_place() {
    refused(Test::new().manifest_bytes(b"capabilities:\n  a: {command: \"x\0y\"}\n"), ":2:");
}

#[test]
fn a_directory_in_the_place_of_the_file_is_a_fault() {
    refused(
        Test::new().given(|sandbox| fs::create_dir_all(sandbox.manifest()).unwrap()),
        "directory",
    );
}

#[test]
fn a_fifo_in_the_place_of_the_file_is_a_fault_and_nobody_waits_for_it() {
    let test = Test::new().file(".dossier/automation/other", "").given(|sandbox| {
        nix::unistd::mkfifo(&sandbox.manifest(), Mode::S_IRWXU).unwrap();
    });
    refused(test, "regular file");
}

#[test]
fn a_device_in_the_place_of_the_file_is_a_fault() {
    let test = Test::new().file(".dossier/automation/other", "");
    refused(
        test.given(|sandbox| symlink("/dev/zero", sandbox.manifest()).unwrap()),
        "regular file",
    );
}

#[test]
fn a_link_that_leads_nowhere_is_a_fault_not_an_absent_manifest() {
    let test = Test::new().file(".dossier/automation/other", "");
    refused(test.given(|sandbox| symlink("nowhere", sandbox.manifest()).unwrap()), "");
}

#[test]
fn an_unreadable_file_is_a_fault() {
    let test = Test::new().manifest("capabilities: {}\n").given(|sandbox| {
        fs::set_permissions(sandbox.manifest(), fs::Permissions::from_mode(0o000)).unwrap();
    });
    let Some(test) = test.powerless() else { return };
    let ran = test
        .list()
        .stderr_contains("error: manifest invalid: ")
        .stderr_contains("ermission denied")
        .failure(1);
    assert!(ran.stdout.is_empty());
}

#[test]
fn an_unreadable_directory_is_a_fault_not_an_absent_manifest() {
    let test = Test::new().manifest("capabilities: {}\n").given(|sandbox| {
        let directory = sandbox.manifest().parent().unwrap().to_owned();
        fs::set_permissions(directory, fs::Permissions::from_mode(0o000)).unwrap();
    });
    let Some(test) = test.powerless() else { return };
    test.run("a").stderr_contains("ermission denied").automation_broken("manifest invalid: ");
}

#[test]
fn aliases_that_make_much_out_of_little_are_a_fault() {
    let mut text = String::from("x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..30 {
        let aliases = format!("*a{}, ", level - 1).repeat(9);
        writeln!(text, "x-{level}: &a{level} [{aliases}]").unwrap();
    }
    text.push_str("capabilities: {}\n");
    refused(Test::new().manifest(&text), "manifest");
}

#[test]
fn nesting_without_an_end_is_a_fault() {
    refused(Test::new().manifest(&"[".repeat(100_000)), "manifest");
    refused(
        Test::new().manifest(&format!(
            "x-a: {}1{}\ncapabilities: {{}}\n",
            "[".repeat(5000),
            "]".repeat(5000)
        )),
        "manifest",
    );
    let mut blocks = String::new();
    for depth in 0..1000 {
        writeln!(blocks, "{}a:", " ".repeat(depth)).unwrap();
    }
    refused(Test::new().manifest(&blocks), "manifest");
}

#[test]
fn a_manifest_of_1_mib_of_anything_needs_bounded_memory() {
    // Found by repeating random pieces: these need the most, up to 200 MB.
    let patterns =
        ["? ", "- - ", "- !x >", "\r\n- ", "a: b\n1e9- , ", "{a: ", "[]\n", "'0\"- !!|'", "&a "];
    for pattern in patterns {
        let head = "capabilities:\n";
        let manifest = head.to_owned() + &pattern.repeat(((1 << 20) - head.len()) / pattern.len());
        let test = Test::new().manifest_bytes(manifest).before("ulimit -v 500000").list();
        test.stderr_contains("error: manifest invalid").failure(1);
    }
}

#[test]
fn a_manifest_with_hundreds_of_faults_reports_them_all() {
    let mut yaml = String::from("capabilities:\n");
    for number in 0..200 {
        writeln!(yaml, "  a{number}: {{command: ''}}").unwrap();
    }
    let test = Test::new().manifest(&yaml);
    let ran = test.list().stderr_contains("error: manifest invalid: ").failure(1);
    assert_eq!(ran.stderr.lines().filter(|line| line.starts_with(MANIFEST)).count(), 200);
}

#[test]
fn text_of_a_manifest_cannot_drive_the_terminal_through_a_fault() {
    let test =
        Test::new().manifest("capabilities:\n  \"\\e[31m\\u009b\\u202e\":\n    command: x\n");
    let ran = test.list().stderr_contains("invalid").failure(1);
    assert!(
        !ran.stderr.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'),
        "{:?}",
        ran.stderr
    );
    let ran = ran
        .again()
        .run("\u{1b}[31m")
        .stderr_contains("invalid")
        .automation_broken("manifest invalid: ");
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(!reason.contains(char::is_control), "{reason:?}");
}

//! A log that is torn, large, somebody else's, or no file.

use std::fs;

use super::{ask, passed};
use crate::git_tree::{append, repo};

#[test]
fn the_newest_row_is_the_last_one_whatever_its_time() {
    let (sandbox, row) = passed();
    let older = row.replace("\"timestamp\":\"2", "\"timestamp\":\"1");
    append(&sandbox, &older);
    ask(sandbox, &["t", "--here"]).stdout(&older).success();
}

#[test]
fn torn_lines_are_skipped_and_rows_behind_them_recovered() {
    for end in [
        "{\"timestamp\":\"20",
        "{\"timestamp\":\"2026\",\"args\":[\"\n",
        "\u{0}\u{1}",
        "\n\n\n",
        "5\n",
    ] {
        let (sandbox, row) = passed();
        append(&sandbox, end);
        let sandbox = ask(sandbox, &["t", "--here"]).stdout(&row).success().sandbox;
        let newer = row.replace("\"duration_ms\":", "\"duration_ms\":1");
        append(&sandbox, &newer);
        ask(sandbox, &["t", "--here"]).stdout(&newer).success();
    }
}

#[test]
fn the_last_row_may_lack_its_newline() {
    let (sandbox, row) = passed();
    fs::write(sandbox.log(), row.trim_end()).unwrap();
    ask(sandbox, &["t", "--here"]).stdout(&row).success();
}

#[test]
fn rows_of_others_are_read_as_they_are() {
    let (sandbox, row) = passed();
    let spaced = row
        .replace("\":", "\": ")
        .replace(",\"", ", \"")
        .replace("\"cwd\"", "\"more\": {}, \"cwd\"");
    fs::write(sandbox.log(), &spaced).unwrap();
    ask(sandbox, &["t", "--here"]).stdout(&spaced).success();
}

#[test]
fn a_row_that_is_dirty_failed_or_incomplete_is_no_match() {
    for (from, to) in [
        ("\"dirty\":false", "\"dirty\":true"),
        ("\"dirty\":false", "\"dirty\":false,\"git_probe\":\"timeout\""),
        ("\"dirty\":false", "\"dirty\":false,\"dirty\":true"),
        (",\"dirty\":false", ""),
        (",\"git_prefix\":\"\"", ""),
        ("\"outcome\":\"ok\"", "\"outcome\":\"task-failed\""),
        ("\"git_tree\":\"", "\"tree\":\""),
        ("\"args_hash\":\"4", "\"args_hash\":\"5"),
        ("\"command_hash\"", "\"hash\""),
    ] {
        let (sandbox, row) = passed();
        let other = row.replace(from, to);
        assert_ne!(row, other);
        fs::write(sandbox.log(), other).unwrap();
        ask(sandbox, &["t", "--here"]).failure(1);
    }
}

#[test]
fn a_log_that_is_no_regular_file_is_an_error_and_nobody_waits() {
    let unreadable = |set: &dyn Fn(&std::path::Path)| {
        let sandbox = repo();
        fs::create_dir(sandbox.home().join(".dossier")).unwrap();
        set(&sandbox.log());
        ask(sandbox, &["t", "--here"]).stderr_contains("caps.jsonl").usage_error_with(2);
    };
    unreadable(&|path| nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap());
    unreadable(&|path| fs::create_dir(path).unwrap());
    unreadable(&|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap());
}

#[test]
fn a_log_that_may_not_be_read_is_an_error() {
    let (sandbox, _) = passed();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o0);
    fs::set_permissions(sandbox.log(), mode).unwrap();
    let Some(test) = ask(sandbox, &["t", "--here"]).powerless() else { return };
    test.stderr_contains("caps.jsonl").usage_error_with(2);
}

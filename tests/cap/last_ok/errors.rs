//! What goes wrong, in its order: usage, auditing off, other errors, no match.

use super::{ask, passed};
use crate::builder::Test;
use crate::git_tree::{MANIFEST, repo};

const OFF: &str = "{\"auditLog\": false}";

#[test]
fn a_usage_error_is_2_since_1_would_say_no() {
    let id = "0".repeat(40);
    for words in [
        &["t"][..],
        &[],
        &["--here"],
        &["t", "--here", "--tree", &id],
        &["t", "--tree"],
        &["t", "--tree", "HEAD"],
        &["t", "--tree", &id[1..]],
        &["t", "--here", "--here"],
        &["t", "--here", "--prefix", "/dir"],
        &["t", "--here", "--prefix", "dir/../.."],
        &["t", "--here", "arg"],
        &["t", "--here", "--unknown"],
    ] {
        let test = ask(repo(), words).home_file("config.json", OFF);
        test.stderr_contains("error: ").usage_error_with(2);
    }
    let elsewhere = ["-C", "nowhere", "last-ok", "t", "--here"];
    let test = Test::in_sandbox(repo()).without_envelope_file().cap(elsewhere);
    test.stderr_contains("nowhere").usage_error_with(2);
}

#[test]
fn with_auditing_off_nobody_can_say() {
    let (sandbox, _) = passed();
    let test = ask(sandbox, &["t", "--here"]).home_file("config.json", OFF);
    test.stderr("note: auditing is off, so nobody can say\n").failure(3);
    // Whatever else is wrong.
    let test = ask(Test::new().manifest("5").sandbox, &["t", "--here"]);
    test.home_file("config.json", OFF).stderr_contains("auditing is off").failure(3);
}

#[test]
fn a_config_that_cannot_be_read_is_warned_about_and_auditing_is_on() {
    let (sandbox, row) = passed();
    let test = ask(sandbox, &["t", "--here"]).home_file("config.json", "{");
    test.stdout(&row).stderr_contains("config.json").success();
}

#[test]
fn an_invalid_manifest_is_an_error_before_a_dirty_tree_is_no_match() {
    let (sandbox, _) = passed();
    sandbox.write(sandbox.manifest(), "capabilities: 5\n");
    ask(sandbox, &["t", "--here"]).stderr_contains("invalid").failure(2);
}

#[test]
fn outside_a_work_tree_the_directory_must_be_told() {
    let outside = || Test::new().manifest(MANIFEST).sandbox;
    let id = "0".repeat(40);
    ask(outside(), &["t", "--here"]).stderr("error: this is no git work tree\n").failure(2);
    ask(outside(), &["t", "--here", "--prefix", ""]).stderr_contains("work tree").failure(2);
    ask(outside(), &["t", "--tree", &id]).stderr_contains("work tree").failure(2);
    ask(outside(), &["t", "--tree", &id, "--prefix", ""]).failure(1);
    ask(outside(), &["t", "--tree", &id]).env("PATH", "").stderr_contains("git").failure(2);
    // An id that is not declared is no match, but that is looked at last.
    ask(outside(), &["u", "--here"]).stderr_contains("work tree").failure(2);
}

#[test]
fn before_the_first_commit_the_directory_is_known_and_nothing_has_passed() {
    let unborn = || {
        let sandbox = Test::new().manifest(MANIFEST).sandbox;
        sandbox.git(["init", "-q"]);
        sandbox
    };
    ask(unborn(), &["t", "--here"]).stderr("note: there is no commit yet\n").failure(1);
    ask(unborn(), &["t", "--tree", &"0".repeat(40)]).failure(1);
}

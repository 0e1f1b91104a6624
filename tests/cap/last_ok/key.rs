//! What a row and a question must have in common.

use serde_json::json;

use super::{ask, passed, tree};
use crate::builder::Test;
use crate::builder::verdict::text_of;
use crate::git_tree::{repo, sh};

#[test]
fn the_directory_is_part_of_the_key() {
    let (sandbox, top) = passed();
    let sandbox = ask(sandbox, &["t", "--here"]).directory("dir").failure(1).sandbox;
    let sandbox = Test::in_sandbox(sandbox).run("t").directory("dir").ok().sandbox;
    let below = text_of(sandbox.log()).lines().last().unwrap().to_owned() + "\n";
    let mut sandbox =
        ask(sandbox, &["t", "--here"]).directory("dir").stdout(&below).success().sandbox;
    for prefix in ["dir", "dir/", "./dir", "dir/."] {
        let words = ["t", "--here", "--prefix", prefix];
        sandbox = ask(sandbox, &words).stdout(&below).success().sandbox;
    }
    let tree = tree(&sandbox);
    for prefix in ["", ".", "./"] {
        let words = ["t", "--tree", &tree, "--prefix", prefix];
        sandbox = ask(sandbox, &words).directory("dir").stdout(&top).success().sandbox;
    }
    let sandbox =
        ask(sandbox, &["t", "--tree", &tree]).directory("dir").stdout(&below).success().sandbox;
    ask(sandbox, &["t", "--here", "--prefix", "di"]).failure(1);
}

#[test]
fn the_args_are_part_of_the_key() {
    let (sandbox, plain) = passed();
    let sandbox = ask(sandbox, &["t", "--here", "--", "x"]).failure(1).sandbox;
    let sandbox = Test::in_sandbox(sandbox).run("t").args(["--x", "y z"]).ok().sandbox;
    let with = text_of(sandbox.log()).lines().last().unwrap().to_owned() + "\n";
    let sandbox =
        ask(sandbox, &["t", "--here", "--", "--x", "y z"]).stdout(&with).success().sandbox;
    let sandbox = ask(sandbox, &["t", "--here"]).stdout(&plain).success().sandbox;
    let sandbox = ask(sandbox, &["t", "--here", "--", "--x", "y", "z"]).failure(1).sandbox;
    ask(sandbox, &["t", "--here", "x"]).stderr_contains("").usage_error_with(2);
}

#[test]
fn the_command_is_part_of_the_key_and_so_is_the_id() {
    let (sandbox, row) = passed();
    // The manifest is not part of this repo's tree, so that only its text differs.
    let manifest = |text: &str| sandbox.write(sandbox.manifest(), text);
    sh(
        &sandbox,
        "git rm -q --cached -r .dossier; echo .dossier >> .gitignore; git add .gitignore; git commit -qm x",
    );
    manifest("capabilities: {t: {command: 'true'}, u: {command: 'true'}}\n");
    let sandbox = Test::in_sandbox(sandbox).run("t").ok().sandbox;
    let row = text_of(sandbox.log()).replace(&row, "");
    let sandbox = ask(sandbox, &["t", "--here"]).stdout(&row).success().sandbox;
    let sandbox = ask(sandbox, &["u", "--here"]).failure(1).sandbox;
    let change = |text: &str| sandbox.write(sandbox.manifest(), text);
    change("capabilities: {t: {command: 'true ', description: other}}\n");
    let sandbox = ask(sandbox, &["t", "--here"]).failure(1).sandbox;
    sandbox.write(sandbox.manifest(), "capabilities: {t: {command: 'true', description: other}}\n");
    ask(sandbox, &["t", "--here"]).stdout(&row).success();
}

#[test]
fn an_id_that_is_shadow_or_not_declared_never_matches() {
    let (sandbox, _) = passed();
    let tree = tree(&sandbox);
    for (text, why) in [
        ("capabilities: {t: {command: 'true', lifecycle: shadow}}\n", "lifecycle=shadow"),
        ("capabilities: {tt: {command: 'true'}}\n", "did you mean 'tt'?"),
        ("capabilities: {other: {command: 'true'}}\n", "'cap list' shows"),
        ("capabilities: {}\n", "no capability 't'"),
    ] {
        let (sandbox, _) = passed();
        sandbox.write(sandbox.manifest(), text);
        ask(sandbox, &["t", "--tree", &tree]).stderr_contains(why).failure(1);
    }
    std::fs::remove_file(sandbox.manifest()).unwrap();
    ask(sandbox, &["t", "--tree", &tree]).stderr_contains("no capability 't'").failure(1);
}

#[test]
fn a_run_that_did_not_pass_is_no_match() {
    let sandbox = repo();
    sandbox.write(sandbox.manifest(), "capabilities: {t: {command: exit 1}}\n");
    sh(&sandbox, "git commit -qam failing");
    let sandbox =
        Test::in_sandbox(sandbox).run("t").row(json!({"dirty": false})).task_failed().sandbox;
    ask(sandbox, &["t", "--here"]).failure(1);
}

#[test]
fn a_later_failure_hides_no_pass_but_is_told() {
    let sandbox = repo();
    let flaky = "capabilities: {t: {command: test ! -e ../broken}}\n";
    sandbox.write(sandbox.manifest(), flaky);
    sh(&sandbox, "git commit -qam flaky");
    let sandbox = Test::in_sandbox(sandbox).run("t").ok().sandbox;
    let row = text_of(sandbox.log());
    sandbox.write("../broken", "");
    let failed = Test::in_sandbox(sandbox).run("t").task_failed();
    let time = failed.row["timestamp"].as_str().unwrap().to_owned();
    let note = format!("note: a later run of the same was task-failed, at {time}\n");
    let sandbox =
        ask(failed.sandbox, &["t", "--here"]).stdout(&row).stderr(&note).success().sandbox;
    std::fs::remove_file(sandbox.home().join("broken")).unwrap();
    let sandbox = Test::in_sandbox(sandbox).run("t").ok().sandbox;
    let last = text_of(sandbox.log()).lines().last().unwrap().to_owned() + "\n";
    ask(sandbox, &["t", "--here"]).stdout(&last).success();
}

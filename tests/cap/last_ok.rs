//! `cap last-ok`: what matches, what it prints, and its exit codes in their order (contract section 10).

mod errors;
mod key;
mod log;

use serde_json::json;

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::text_of;
use crate::git_tree::{repo, sh};

/// A repo whose tree has passed, and the row that says so.
fn passed() -> (Sandbox, String) {
    let sandbox = Test::in_sandbox(repo()).run("t").row(json!({"dirty": false})).ok().sandbox;
    let row = text_of(sandbox.log());
    (sandbox, row)
}

/// `cap last-ok` with these words.
fn ask(sandbox: Sandbox, words: &[&str]) -> Test {
    let words = std::iter::once("last-ok").chain(words.iter().copied());
    Test::in_sandbox(sandbox).without_envelope_file().cap(words)
}

fn tree(sandbox: &Sandbox) -> String {
    sandbox.git(["rev-parse", "HEAD^{tree}"]).trim().to_owned()
}

#[test]
fn a_tree_that_has_passed_is_told_by_its_row() {
    let (sandbox, row) = passed();
    let tree = tree(&sandbox);
    let sandbox = ask(sandbox, &["t", "--here"]).stdout(&row).success().sandbox;
    let sandbox = ask(sandbox, &["t", "--tree", &tree]).stdout(&row).success().sandbox;
    let upper = tree.to_uppercase();
    let sandbox = ask(sandbox, &["--tree", &upper, "t"]).stdout(&row).success().sandbox;
    let words = ["t", "--tree", &tree, "--prefix", "."];
    ask(sandbox, &words).directory("..").stderr_contains("no capability 't'").failure(1);
}

#[test]
fn a_tree_that_has_not_passed_prints_nothing() {
    let (sandbox, _) = passed();
    sh(&sandbox, "echo more >> a; git commit -qam more");
    let sandbox = ask(sandbox, &["t", "--here"]).failure(1).sandbox;
    let none = "0".repeat(40);
    let sandbox = ask(sandbox, &["t", "--tree", &none]).failure(1).sandbox;
    ask(sandbox, &["t", "--tree", &"0".repeat(64)]).failure(1);
}

#[test]
fn the_same_tree_of_another_commit_has_passed() {
    let (sandbox, row) = passed();
    sh(&sandbox, "git commit -q --allow-empty -m again; git checkout -q --detach");
    ask(sandbox, &["t", "--here"]).stdout(&row).success();
}

#[test]
fn without_a_log_there_is_no_match() {
    ask(repo(), &["t", "--here"]).failure(1);
    ask(
        Test::new().manifest(crate::git_tree::MANIFEST).sandbox,
        &["t", "--tree", &"0".repeat(40), "--prefix", ""],
    )
    .failure(1);
}

#[test]
fn it_skips_work_that_is_done() {
    let (sandbox, row) = passed();
    let code = "\"$0\" last-ok t --here || \"$0\" run t";
    let output = sandbox.output("/bin/sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), row);
    sandbox.write("a", "more");
    let output = sandbox.output("/bin/sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    assert!(output.stdout.starts_with(b"{\"cap_envelope\":1,"));
}

#[test]
fn its_help_says_what_the_key_leaves_out() {
    let help = Test::new().without_envelope_file().cap(["last-ok", "--help"]);
    help.stdout_contains("ignored files")
        .stdout_contains("tools")
        .stdout_contains("environment")
        .stdout_contains("the user's own file")
        .success();
}

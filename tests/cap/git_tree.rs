//! The git-tree probe: what a row says of the tree, and that `last-ok --here` agrees (contract section 9). The
//! builder checks after each run that the repo, its index and its objects are what they were.

mod during;
mod edits;
mod failures;
mod index;
mod places;
mod settings;
mod submodules;

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Value, json};

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Ran, text_of};

/// What the probe finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Clean,
    Dirty,
    /// `git_probe` is this.
    Failed(&'static str),
    /// No keys at all, and this exit code of `last-ok --here`.
    Nothing(i32),
}

pub const MANIFEST: &str = "capabilities: {t: {command: 'true'}}\n";

/// A repo with one commit that has files at the top and in `dir/`; `ignored/` is ignored.
pub fn repo() -> Sandbox {
    let test = Test::new()
        .manifest(MANIFEST)
        .file("a", "text\n")
        .file("dir/b", "text\n")
        .file(".gitignore", "ignored/\n")
        .script("script", "#!/bin/sh\n")
        .git_repo();
    test.sandbox
}

/// Runs shell code in the project, where git may use repos by their path.
pub fn sh(sandbox: &Sandbox, code: &str) -> String {
    let set_up =
        "git() { command git -c protocol.file.allow=always -c init.defaultBranch=main \"$@\"; }";
    let output = sandbox.output("/bin/sh", ["-ec", &format!("{set_up}\n{code}")]);
    assert!(output.status.success(), "{code}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Nothing beside the repo.
pub fn plainly(test: Test) -> Test {
    test
}

/// From a directory below the top.
pub fn from_dir(test: Test) -> Test {
    test.directory("dir")
}

/// A fresh repo after this shell code, seen from the top and from below.
pub fn after(code: &str, found: Found) {
    for set in [plainly, from_dir] {
        let sandbox = repo();
        sh(&sandbox, code);
        expect(found, sandbox, set);
    }
}

/// Runs the capability and asks `last-ok --here`, both as `set` says. However the log speaks for the tree, a dirty one
/// is no match.
pub fn expect(found: Found, sandbox: Sandbox, set: impl Fn(Test) -> Test) -> Ran {
    let ran = run(found, set(Test::in_sandbox(sandbox).run("t")));
    let row = ran.row.clone();
    let line = text_of(ran.sandbox.log()).lines().last().unwrap_or_default().to_owned();
    let forged = (found != Found::Clean && row["git_tree"].is_string()).then(|| as_clean(&row));
    let ask = |sandbox, words: &[&str]| {
        set(Test::in_sandbox(sandbox)).without_envelope_file().cap(words.iter().copied())
    };
    let mut sandbox = ran.sandbox;
    if let Some(forged) = forged {
        append(&sandbox, &forged);
        let (tree, prefix) =
            (row["git_tree"].as_str().unwrap(), row["git_prefix"].as_str().unwrap());
        let words = ["last-ok", "t", "--tree", tree, "--prefix", prefix];
        sandbox = ask(sandbox, &words).stdout(&forged).success().sandbox;
    }
    let asked = ask(sandbox, &["last-ok", "t", "--here"]);
    match found {
        Found::Clean => asked.stdout(&format!("{line}\n")).success(),
        Found::Dirty => asked.stderr("note: this work tree is dirty\n").failure(1),
        Found::Failed(_) => asked.stderr_contains("warning: the git tree is not known").failure(1),
        Found::Nothing(code) => asked.stderr_contains("").failure(code),
    }
}

/// Runs the capability and checks the row's git keys.
fn run(found: Found, test: Test) -> Ran {
    let ran = match found {
        Found::Clean => test.row(json!({"dirty": false})).ok(),
        Found::Dirty => test.row(json!({"dirty": true})).ok(),
        Found::Failed(why) => test
            .row(json!({"dirty": true, "git_probe": why}))
            .stderr_contains("warning: the git tree is not known, so it counts as dirty: ")
            .ok(),
        Found::Nothing(_) => test.ok(),
    };
    let has = |key: &str| ran.row.get(key).is_some();
    let keys = ["git_head", "git_tree", "git_prefix", "dirty"].map(has);
    assert_eq!(keys, [!matches!(found, Found::Nothing(_)); 4], "{}", ran.row);
    assert_eq!(has("git_probe"), matches!(found, Found::Failed(_)), "{}", ran.row);
    ran
}

/// The row of the same run, had its tree been clean.
pub fn as_clean(row: &Value) -> String {
    let mut row = row.clone();
    row["dirty"] = json!(false);
    row["outcome"] = json!("ok");
    row.as_object_mut().unwrap().remove("git_probe");
    let timestamp = row.as_object_mut().unwrap().remove("timestamp").unwrap();
    format!("{{\"timestamp\":{timestamp},{}\n", &row.to_string()[1..])
}

pub fn append(sandbox: &Sandbox, line: &str) {
    let mut log = OpenOptions::new().append(true).open(sandbox.log()).unwrap();
    log.write_all(line.as_bytes()).unwrap();
}

#[test]
fn a_row_tells_head_tree_prefix_and_that_nothing_differed() {
    let sandbox = repo();
    let [head, tree] = ["HEAD", "HEAD^{tree}"].map(|name| sandbox.git(["rev-parse", name]));
    for (set, prefix) in [(plainly as fn(Test) -> Test, ""), (from_dir, "dir/")] {
        let sandbox = repo();
        let ran = expect(Found::Clean, sandbox, |test| {
            set(test).row(
                json!({"git_head": head.trim(), "git_tree": tree.trim(), "git_prefix": prefix}),
            )
        });
        let line = text_of(ran.sandbox.log());
        let keys = [
            "\"command_hash\":",
            "\"git_head\":",
            "\"git_tree\":",
            "\"git_prefix\":",
            "\"dirty\":",
        ];
        let places = keys.map(|key| line.find(key).unwrap());
        assert!(places.is_sorted(), "{line}");
    }
}

#[test]
fn every_outcome_tells_its_tree() {
    let manifest = "
        capabilities:
          t: {command: exit 1}
          shadow: {command: 'true', lifecycle: shadow}
          unmet: {command: 'true', assumptions: [{file-exists: nowhere}]}
        ";
    let test = || Test::new().manifest(manifest).git_repo();
    let clean = json!({"dirty": false, "git_prefix": ""});
    test().run("t").row(clean.clone()).task_failed();
    test().run("shadow").row(clean.clone()).unavailable("lifecycle=shadow");
    test().run("unmet").row(clean.clone()).automation_broken("assumption failed");
    test().run("other").row(clean.clone()).unavailable("other");
    let invalid = test().given(|sandbox| {
        sandbox.write(sandbox.manifest(), "5\n");
        sh(sandbox, "git commit -qam invalid");
    });
    invalid.run("t").row(clean).stderr_contains("invalid").automation_broken("manifest invalid");
}

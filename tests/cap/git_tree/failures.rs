//! A probe that fails: the run counts as dirty, and its verdict is what it would have been.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Found, expect, from_dir, plainly, repo, sh};
use crate::builder::invariants::leftovers::survivors;
use crate::builder::{Test, stranger};

#[test]
fn without_git_there_are_no_keys() {
    expect(Found::Nothing(2), repo(), |test| test.env("PATH", "/nowhere"));
    expect(Found::Nothing(2), repo(), |test| test.env_remove("PATH"));
}

#[test]
fn a_git_that_the_repo_brings_along_is_not_asked() {
    let fake = "#!/bin/sh\ntouch asked\n";
    for path in [".:/usr/bin:/bin", ":/usr/bin:/bin", "tools:dir/../tools:/usr/bin:/bin"] {
        let sandbox = repo();
        sandbox.write_executable("git", fake);
        sandbox.write_executable("tools/git", fake);
        sh(&sandbox, "git add -A; git commit -qm fake; echo more >> a");
        expect(Found::Dirty, sandbox, |test| test.env("PATH", path));
    }
}

#[test]
fn the_git_that_was_found_first_is_asked_to_the_end() {
    let manifest = "capabilities: {t: {command: cp ../lying ../../tools/git; echo more >> a}}\n";
    let sandbox = repo();
    sandbox.write(sandbox.manifest(), manifest);
    sandbox.write_executable("../lying", "#!/bin/sh\nexit 0\n");
    sh(&sandbox, "git commit -qam lying");
    Test::in_sandbox(sandbox).run("t").may_change_files().row(json!({"dirty": true})).ok();
}

#[test]
fn a_directory_that_git_cannot_enter_is_an_error() {
    let Some(uid) = stranger() else { return };
    for set in [plainly, from_dir] {
        let sandbox = repo();
        sh(&sandbox, "mkdir -m 0 closed");
        expect(Found::Failed("error"), sandbox, |test| set(test).with_user(uid));
    }
}

#[test]
fn a_repo_of_somebody_else_is_an_error() {
    let Some(uid) = stranger() else { return };
    let sandbox = repo();
    sh(&sandbox, &format!("chown -R {uid} .git . && chown 0 ."));
    sh(&sandbox, &format!("chown {uid} .git ."));
    let ran = Test::in_sandbox(sandbox)
        .run("t")
        .row(json!({"dirty": true, "git_probe": "error", "git_head": null, "git_tree": null, "git_prefix": null}))
        .stderr_contains("dubious ownership")
        .ok();
    let asked = ran.again().without_envelope_file().cap(["last-ok", "t", "--here"]);
    asked.stderr_contains("dubious ownership").failure(1);
}

#[test]
fn a_lock_that_somebody_holds_is_no_obstacle() {
    for lock in ["index.lock", "HEAD.lock", "packed-refs.lock", "refs/heads/main.lock"] {
        let sandbox = repo();
        sh(&sandbox, &format!("touch .git/{lock}"));
        expect(Found::Clean, sandbox, plainly);
    }
}

#[test]
fn a_warning_of_git_is_an_error() {
    let sandbox = repo();
    sh(
        &sandbox,
        "git config core.attributesFile /dev/null; git config filter.loud.clean 'echo loud >&2; cat'",
    );
    sh(&sandbox, "echo '* filter=loud' > .git/info/attributes; touch a");
    expect(Found::Failed("error"), sandbox, plainly);
}

#[test]
fn a_filter_past_the_budget_is_killed_with_all_that_it_started() {
    let sandbox = repo();
    sh(&sandbox, "git config filter.slow.clean 'sleep 600 & sleep 600'");
    sh(&sandbox, "echo '* filter=slow' > .git/info/attributes; touch -d 2020-01-01 a");
    let started = Instant::now();
    let ran = Test::in_sandbox(sandbox)
        .run("t")
        .row(json!({"dirty": true, "git_probe": "timeout", "git_prefix": ""}))
        .stderr("warning: the git tree is not known, so it counts as dirty: git took too long\n")
        .ok();
    assert!(started.elapsed() >= Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(survivors(&ran.sandbox), [""; 0]);
}

//! What happens to the tree while the command runs, and what ends the second probe.

use nix::sys::signal::Signal;
use serde_json::json;

use super::{MANIFEST, repo, sh};
use crate::builder::invariants::leftovers::survivors;
use crate::builder::process::Channel;
use crate::builder::{Test, quoted};

/// A committed repo in which this command runs.
fn running(command: &str) -> Test {
    let sandbox = repo();
    let manifest =
        format!("capabilities: {{t: {{command: {}, timeout_ms: 60000}}}}\n", quoted(command));
    sandbox.write(sandbox.manifest(), manifest);
    sh(&sandbox, "git commit -qam command");
    Test::in_sandbox(sandbox).run("t").may_change_files()
}

fn dirty(command: &str) {
    let ran = running(command).row(json!({"dirty": true})).ok();
    assert!(ran.row.get("git_probe").is_none(), "{}", ran.row);
}

#[test]
fn a_command_that_leaves_the_tree_alone_is_clean() {
    for command in
        ["true", "mkdir ignored; echo x > ignored/y", "echo more >> a; git checkout -q a"]
    {
        running(command).row(json!({"dirty": false})).ok();
    }
}

#[test]
fn a_command_that_changes_the_tree_is_dirty() {
    for command in [
        "echo more >> a",
        "echo x > dir/new",
        "chmod +x a",
        "git rm -q --cached a",
        "git update-index --assume-unchanged a",
        "rm -rf .git",
    ] {
        dirty(command);
    }
}

#[test]
fn a_head_that_moves_is_dirty_even_if_it_moves_back() {
    let commit = "git commit -q --allow-empty -m x";
    for command in [
        commit,
        "git checkout -q -b other",
        "git checkout -q --detach",
        &format!("{commit}; git reset -q --soft HEAD^"),
        &format!("git checkout -q --detach; {commit}; git checkout -q main"),
        &format!(
            "git config core.logAllRefUpdates false; rm -r .git/logs; {commit}; git reset -q --soft HEAD^"
        ),
        "git checkout -q --detach; git checkout -q main",
        "head=$(git rev-parse HEAD); git update-ref refs/heads/main \"$(git commit-tree -m x HEAD^{tree})\"; git update-ref refs/heads/main $head",
        "git pack-refs --all",
    ] {
        dirty(command);
    }
}

#[test]
fn a_head_that_moves_in_a_submodule_is_dirty_even_if_it_moves_back() {
    let test = running("cd lib; git commit -q --allow-empty -m x; git reset -q --soft HEAD^");
    sh(
        &test.sandbox,
        "git init -q ../lib; cd ../lib; echo x > l; git add l; git commit -qm lib; cd ../project
        git submodule --quiet add ../lib lib; git commit -qm lib",
    );
    test.row(json!({"dirty": true})).ok();
}

#[test]
fn a_head_at_a_ref_of_the_work_trees_own_is_dirty_if_it_moves_and_comes_back() {
    let command =
        "head=$(git rev-parse HEAD); git update-ref refs/worktree/own HEAD^; git reset -q --hard
        git update-ref refs/worktree/own $head; git reset -q --hard";
    let test = running(command);
    sh(
        &test.sandbox,
        "git config core.logAllRefUpdates false; git worktree add -q --detach ../linked
        cd ../linked; git update-ref refs/worktree/own HEAD; git symbolic-ref HEAD refs/worktree/own
        rm -rf ../project/.git/worktrees/linked/logs",
    );
    let linked = test.sandbox.home().join("linked");
    test.directory(linked).row(json!({"dirty": true})).ok();
}

#[test]
fn a_run_of_a_dirty_tree_that_ends_clean_is_dirty() {
    let test = running("git checkout -q a");
    sh(&test.sandbox, "echo more >> a");
    test.row(json!({"dirty": true})).ok();
}

#[test]
fn a_timeout_is_dirty_without_a_second_probe() {
    let sandbox = repo();
    sandbox.write(sandbox.manifest(), "capabilities: {t: {command: sleep 600, timeout_ms: 50}}\n");
    sh(&sandbox, "git commit -qam command");
    let ran = Test::in_sandbox(sandbox)
        .run("t")
        .row(json!({"dirty": true}))
        .automation_broken("command timed out after 50ms");
    assert!(ran.row.get("git_probe").is_none(), "{}", ran.row);
}

#[test]
fn an_interrupt_of_the_command_is_dirty() {
    let running =
        running("echo ready; exec sleep 600").stdout("ready\n").row(json!({"dirty": true})).start();
    running.wait_for_line(Channel::Stdout, "ready");
    running.signal(Signal::SIGTERM);
    running.automation_broken("interrupted by SIGTERM");
}

/// A repo whose first probe hangs, and tells so.
fn hanging(sandbox: &crate::builder::sandbox::Sandbox) {
    sh(sandbox, "git config filter.slow.clean 'touch ../hangs; exec sleep 600'");
    sh(sandbox, "echo '* filter=slow' > .git/info/attributes; touch -d 2020-01-01 a");
}

#[test]
fn an_interrupt_during_the_first_probe_ends_it_before_anything_runs() {
    let test = Test::in_sandbox(repo()).run("t").given(hanging);
    let running = test.row(json!({"dirty": true})).envelope(json!({"command": "true"})).start();
    let hangs = running.sandbox.home().join("hangs");
    running.wait_until("the filter runs", || hangs.exists());
    running.signal(Signal::SIGTERM);
    let ran = running.automation_broken("interrupted by SIGTERM");
    assert!(ran.row.get("git_probe").is_none(), "{}", ran.row);
    assert_eq!(survivors(&ran.sandbox), [""; 0]);
}

#[test]
fn an_interrupt_during_the_second_probe_ends_it_but_not_the_verdict() {
    let hang = "git config filter.slow.clean 'touch ../hangs; exec sleep 600'
        echo '* filter=slow' > .git/info/attributes; touch -d 2020-01-01 a";
    let running = running(hang).row(json!({"dirty": true})).start();
    let hangs = running.sandbox.home().join("hangs");
    running.wait_until("the filter runs", || hangs.exists());
    running.signal(Signal::SIGTERM);
    let ran = running.ok();
    assert!(ran.row.get("git_probe").is_none(), "{}", ran.row);
    assert_eq!(survivors(&ran.sandbox), [""; 0]);
}

#[test]
fn an_interrupt_while_last_ok_asks_git_ends_both() {
    let sandbox = repo();
    sandbox.write(sandbox.manifest(), MANIFEST);
    hanging(&sandbox);
    let running =
        Test::in_sandbox(sandbox).without_envelope_file().cap(["last-ok", "t", "--here"]).start();
    let hangs = running.sandbox.home().join("hangs");
    running.wait_until("the filter runs", || hangs.exists());
    running.signal(Signal::SIGTERM);
    let sandbox = running.sandbox;
    let ended = running.process.end().unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&ended.status);
    assert_eq!(signal, Some(Signal::SIGTERM as i32));
    assert_eq!(survivors(&sandbox), [""; 0]);
}

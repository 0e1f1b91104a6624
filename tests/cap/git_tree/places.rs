//! Where a run may be: outside a repo, in one of many kinds, in a directory that it says nothing about.

use std::io::Write;

use serde_json::json;

use super::{Found, MANIFEST, after, expect, plainly, repo, sh};
use crate::builder::Test;
use crate::builder::sandbox::Sandbox;

fn bare_project() -> Sandbox {
    Test::new().manifest(MANIFEST).sandbox
}

#[test]
fn outside_a_repo_there_are_no_keys() {
    expect(Found::Nothing(2), bare_project(), plainly);
}

#[test]
fn without_a_commit_there_are_no_keys() {
    let unborn = |code: &str| {
        let sandbox = bare_project();
        sh(&sandbox, &format!("git init -q; {code}"));
        expect(Found::Nothing(1), sandbox, plainly);
    };
    unborn("");
    unborn("git add -A");
    unborn("echo x > HEAD");
    unborn("echo x > HEAD; echo x > 'HEAD^{tree}'");
    unborn("git checkout -q -b topic/x");
}

#[test]
fn in_a_bare_repo_and_inside_git_there_are_no_keys() {
    let sandbox = bare_project();
    sh(&sandbox, "git init -q --bare bare.git");
    expect(Found::Nothing(2), sandbox, |test| test.directory("bare.git"));
    expect(Found::Nothing(2), repo(), |test| test.directory(".git"));
    expect(Found::Nothing(2), repo(), |test| test.directory(".git/refs"));
}

#[test]
fn a_git_directory_of_another_name_inside_its_own_work_tree_is_inside_it() {
    let code =
        "mv .git meta; git() { command git --git-dir=meta \"$@\"; }; git config core.bare false
        git config core.worktree \"$PWD\"; git worktree prune";
    let sandbox = repo();
    sh(&sandbox, code);
    // No tracked file is in it, so that the tree says nothing of it; but a tree there is.
    let run = expect(Found::Dirty, sandbox, |test| test.directory("meta"));
    let sandbox = run.sandbox;
    // Beside it nobody could find it.
    expect(Found::Nothing(2), sandbox, plainly);
}

#[test]
fn where_no_repo_can_be_or_no_row_is_written_git_is_not_asked() {
    const OFF: &str = "{\"auditLog\": false}";
    let is_asked = |set: fn(Test) -> Test| {
        let test =
            Test::new().manifest(MANIFEST).tool("git", "echo >>../../asked; exit 1").run("t");
        set(test).stderr_contains("").ok().sandbox.root().join("asked").exists()
    };
    assert!(!is_asked(plainly));
    assert!(is_asked(|test| test.file(".git", "x")));
    assert!(is_asked(|test| test.file("../HEAD", "x")));
    assert!(!is_asked(|test| test.file(".git", "x").home_file("config.json", OFF).no_row()));
}

#[test]
fn a_detached_head_and_a_file_of_its_name_are_fine() {
    after("git checkout -q --detach", Found::Clean);
    after("git checkout -q --detach; echo more >> a", Found::Dirty);
    after("echo x > HEAD; git add HEAD; git commit -qm head", Found::Clean);
    after("git checkout -q -b refs/heads/x; git branch x", Found::Clean);
}

#[test]
fn a_linked_work_tree_is_a_work_tree() {
    let linked = |code: &str, found| {
        let sandbox = repo();
        sh(&sandbox, &format!("git worktree add -q ../linked; cd ../linked; {code}"));
        expect(found, sandbox, |test| test.directory("../linked"));
    };
    linked("", Found::Clean);
    linked("echo more >> a", Found::Dirty);
    linked("echo more >> ../project/a", Found::Clean);
}

#[test]
fn a_directory_of_which_the_tree_holds_nothing_is_dirty() {
    let untold = |directory: &str, code: &str, found| {
        let sandbox = repo();
        sh(&sandbox, &format!("mkdir -p {directory}; cd {directory}; {code}"));
        expect(found, sandbox, |test| test.directory(directory));
    };
    untold("ignored/project", "echo x > y", Found::Dirty);
    untold("ignored", "", Found::Dirty);
    untold("empty", "", Found::Dirty);
    untold("di", "", Found::Dirty);
    untold("dir/build", "", Found::Dirty);
    // A repo of its own speaks for itself.
    let own =
        "git init -q; cp -r \"$OLDPWD/.dossier\" .; echo x > y; git add -A; git commit -qm own";
    untold("ignored/project", own, Found::Clean);
    untold("ignored/project", &format!("{own}; echo more >> y"), Found::Dirty);
    // One that is broken leaves the outer repo, which holds nothing of it.
    untold("ignored/project", "mkdir .git", Found::Dirty);
    untold("ignored/project", "echo broken > .git", Found::Failed("error"));
    untold("ignored/project", "echo 'gitdir: /nowhere' > .git", Found::Failed("error"));
}

#[test]
fn a_branch_that_is_broken_is_an_error() {
    after("echo broken > .git/refs/heads/main", Found::Failed("error"));
    let missing = "0123456789012345678901234567890123456789";
    after(&format!("echo {missing} > .git/refs/heads/main"), Found::Failed("error"));
}

#[test]
fn odd_directories_are_told_as_they_are() {
    for name in ["new\nline", "qu\"ote' ", "ü", "true", "\n"] {
        let directory = |test: Test| test.directory(format!("odd {name}"));
        for (code, found) in [("", Found::Clean), ("echo more >> a", Found::Dirty)] {
            let sandbox = repo();
            sandbox.write(format!("odd {name}/f"), "x");
            sh(&sandbox, &format!("git add -A; git commit -qm odd; {code}"));
            let prefix = json!({"git_prefix": format!("odd {name}/")});
            let ran = expect(found, sandbox, |test| directory(test).row(prefix.clone()));
            assert_eq!(ran.envelope, serde_json::Value::Null);
        }
    }
}

#[test]
fn a_directory_that_is_not_utf8_or_a_repo_at_a_newline_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"odd \xff");
    let sandbox = repo();
    sandbox.write(std::path::Path::new(name).join("f"), "x");
    sh(&sandbox, "git add -A; git commit -qm odd");
    expect(Found::Failed("error"), sandbox, |test| test.directory(name));
    let sandbox = repo();
    sh(&sandbox, "git clone -q . \"$(printf '../new\\nline')\"");
    expect(Found::Failed("error"), sandbox, |test| test.directory("../new\nline"));
}

/// A repo of another kind, if this git knows it.
fn repo_of_kind(option: &str) -> Option<Sandbox> {
    let sandbox = bare_project();
    let made = sandbox.output("git", ["init", "-q", "-b", "main", option]);
    if !made.status.success() {
        let _ = writeln!(std::io::stderr(), "skipped: this git knows no {option}");
        return None;
    }
    sh(&sandbox, "mkdir dir; echo text > a; echo text > dir/b; git add -A; git commit -qm start");
    Some(sandbox)
}

#[test]
fn repos_of_every_kind_are_probed() {
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        for (code, found) in [
            ("", Found::Clean),
            ("echo more >> a", Found::Dirty),
            ("echo x > new", Found::Dirty),
            ("git update-index --skip-worktree a", Found::Dirty),
            ("git replace HEAD \"$(git commit-tree -m x HEAD^{tree})\"", Found::Dirty),
        ] {
            let Some(sandbox) = repo_of_kind(option) else { continue };
            sh(&sandbox, code);
            expect(found, sandbox, |test| test.directory("dir"));
        }
    }
}

#[test]
fn head_that_moves_in_a_reftable_is_seen() {
    let Some(sandbox) = repo_of_kind("--ref-format=reftable") else { return };
    let back = "git commit -q --allow-empty -m x && git reset -q --soft HEAD^";
    sandbox.write(sandbox.manifest(), format!("capabilities: {{t: {{command: {back}}}}}\n"));
    sh(&sandbox, "git commit -qam moves");
    Test::in_sandbox(sandbox).run("t").may_change_files().row(json!({"dirty": true})).ok();
}

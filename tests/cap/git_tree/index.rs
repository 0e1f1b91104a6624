//! What the index may hide, and objects that stand for others.

use super::{Found, after, expect, plainly, repo, sh};
use crate::builder::Test;

#[test]
fn a_flagged_entry_is_dirty_even_if_its_file_is_not() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        after(&format!("git update-index {flag} dir/b"), Found::Dirty);
        after(&format!("git update-index {flag} a; echo more >> a"), Found::Dirty);
    }
    after("git config core.ignoreStat true; git rm -q --cached a; git add a", Found::Dirty);
}

#[test]
fn a_sparse_checkout_is_dirty() {
    let make = "mkdir far; echo x > far/c; git add -A; git commit -qm far";
    for option in ["--no-sparse-index", "--sparse-index"] {
        let sparse = format!("{make}; git sparse-checkout set --cone {option} dir .dossier");
        after(&sparse, Found::Dirty);
        after(&format!("{sparse}; git sparse-checkout disable"), Found::Clean);
    }
}

#[test]
fn a_split_index_is_an_index() {
    for (code, found) in [
        ("true", Found::Clean),
        ("echo more >> a", Found::Dirty),
        ("git update-index --assume-unchanged a", Found::Dirty),
    ] {
        let sandbox = repo();
        sh(&sandbox, &format!("git update-index --split-index; {code}"));
        // git itself keeps the shared index young whenever it reads it.
        expect(found, sandbox, Test::may_change_files);
    }
}

#[test]
fn an_index_of_another_version_is_an_index() {
    after("git update-index --index-version 4", Found::Clean);
    after("git update-index --index-version 4; git update-index --skip-worktree a", Found::Dirty);
}

#[test]
fn a_lost_index_is_dirty() {
    after("rm .git/index", Found::Dirty);
    after("echo broken > .git/index", Found::Failed("error"));
}

#[test]
fn replaced_objects_are_dirty() {
    after(
        "echo more >> a; git commit -qam more; git replace HEAD HEAD^; git reset -q --hard",
        Found::Dirty,
    );
    after(
        "git replace -f \"$(git rev-parse HEAD:a)\" \"$(echo x | git hash-object -w --stdin)\"",
        Found::Dirty,
    );
}

#[test]
fn the_empty_tree_is_dirty() {
    let sandbox = Test::new().manifest(super::MANIFEST).sandbox;
    sh(&sandbox, "git init -q; echo '*' > .git/info/exclude; git commit -q --allow-empty -m empty");
    expect(Found::Dirty, sandbox, plainly);
}

#[test]
fn a_merge_in_progress_is_dirty() {
    let branches = "git checkout -qb other; echo other > a; git commit -qam other
        git checkout -q main; echo mine > dir/b; git commit -qam mine";
    after(&format!("{branches}; git merge -q --no-commit --no-ff other >/dev/null"), Found::Dirty);
    let conflict = "git checkout -qb other; echo other > a; git commit -qam other
        git checkout -q main; echo mine > a; git commit -qam mine; ! git merge -q other >/dev/null";
    after(conflict, Found::Dirty);
    after(&format!("{conflict}; git merge --abort"), Found::Clean);
}

#[test]
fn a_missing_object_is_an_error_and_nothing_is_fetched_for_it() {
    let sandbox = repo();
    sh(&sandbox, "rm -f \".git/objects/$(git rev-parse 'HEAD^{tree}' | sed 's,^..,&/,')\"");
    expect(Found::Failed("error"), sandbox, plainly);
}

#[test]
fn a_commit_graph_that_names_another_tree_is_not_believed() {
    let sandbox = repo();
    let tree = |name: &str| sandbox.git(["rev-parse", name]).trim().to_owned();
    let committed = tree("HEAD^{tree}");
    sh(&sandbox, "git commit-graph write --reachable 2>/dev/null; echo other > a; git add a");
    let staged = sandbox.git(["write-tree"]).trim().to_owned();
    let bytes = |id: &str| -> Vec<u8> {
        (0..id.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap())
            .collect()
    };
    let path = sandbox.project().join(".git/objects/info/commit-graph");
    let mut graph = std::fs::read(&path).unwrap();
    let at = memchr::memmem::find(&graph, &bytes(&committed)).unwrap();
    graph[at..at + 20].copy_from_slice(&bytes(&staged));
    std::fs::remove_file(&path).unwrap();
    sandbox.write(&path, graph);
    expect(Found::Dirty, sandbox, plainly);
}

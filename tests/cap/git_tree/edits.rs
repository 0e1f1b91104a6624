//! Edits of every kind, wherever in the repo, staged or not.

use super::{Found, after, expect, plainly, repo, sh};

#[test]
fn a_repo_as_committed_is_clean() {
    after("", Found::Clean);
    after("git commit -q --allow-empty -m again", Found::Clean);
    after("mkdir ignored && echo x > ignored/y", Found::Clean);
    after("mkdir empty", Found::Clean);
    after("touch a dir/b", Found::Clean);
}

#[test]
fn an_edit_anywhere_is_dirty_from_everywhere() {
    for file in ["a", "dir/b", "script"] {
        after(&format!("echo more >> {file}"), Found::Dirty);
        after(&format!("echo more >> {file}; git add -A"), Found::Dirty);
        after(&format!("rm {file}"), Found::Dirty);
        after(&format!("git rm -q {file}"), Found::Dirty);
        after(&format!("git rm -q --cached {file}"), Found::Dirty);
        after(&format!("rm {file}; mkdir {file}"), Found::Dirty);
        after(&format!("mv {file} ignored-not; ln -s ignored-not {file}"), Found::Dirty);
    }
}

#[test]
fn an_edit_that_is_staged_and_undone_on_disk_is_dirty() {
    after("echo more >> a; git add a; git show HEAD:a > a", Found::Dirty);
}

#[test]
fn an_untracked_file_is_dirty() {
    for file in ["new", "dir/new", "other/new", ".hidden"] {
        let make = format!("mkdir -p other; echo x > {file}");
        after(&make, Found::Dirty);
        after(&format!("{make}; git add -N {file}"), Found::Dirty);
        after(&format!("{make}; git add {file}"), Found::Dirty);
    }
    after("git init -q inner", Found::Dirty);
}

#[test]
fn an_edit_of_what_is_tracked_although_ignored_is_dirty() {
    let tracked = "mkdir ignored; echo x > ignored/y; git add -f ignored/y; git commit -qm more";
    after(tracked, Found::Clean);
    after(&format!("{tracked}; echo z > ignored/y"), Found::Dirty);
}

#[test]
fn a_change_of_mode_or_type_is_dirty() {
    after("chmod +x a", Found::Dirty);
    after("chmod -x script", Found::Dirty);
    after("git update-index --chmod=+x dir/b", Found::Dirty);
    after("ln -sf dir/b a", Found::Dirty);
}

#[test]
fn odd_names_hide_nothing() {
    let names = ["new\\nline", "qu\\042ote", "tab\\t", "not utf-8 \\377", "ü", "# x"];
    for name in names {
        let path = format!("\"$(printf '{name}')\"");
        after(&format!("echo x > {path}; git add -A; git commit -qm odd"), Found::Clean);
        after(&format!("echo x > {path}"), Found::Dirty);
        after(
            &format!("echo x > {path}; git add -A; git commit -qm odd; echo y > {path}"),
            Found::Dirty,
        );
    }
}

#[test]
fn an_edit_that_only_the_change_time_tells_of_is_dirty() {
    let sandbox = repo();
    // Older than the index, or git would compare the content anyway.
    sh(&sandbox, "touch -d 2020-01-01 a && git update-index --refresh >/dev/null");
    // Within one second git can't tell; so says docs/git-tree.md.
    sh(&sandbox, "now=$(date +%s); while [ \"$(date +%s)\" = \"$now\" ]; do :; done");
    sh(&sandbox, "git config core.trustctime false; printf 'tekst' | head -c 4 > a; echo >> a");
    sh(&sandbox, "touch -d 2020-01-01 a; test -z \"$(git status --porcelain)\"");
    expect(Found::Dirty, sandbox, plainly);
}

#[test]
fn another_file_of_the_same_size_and_time_is_dirty() {
    let sandbox = repo();
    sh(&sandbox, "touch -d 2020-01-01 a && git update-index --refresh >/dev/null");
    sh(&sandbox, "git config core.checkStat minimal; echo TEXT > ignored-not; mv ignored-not a");
    sh(&sandbox, "touch -d 2020-01-01 a; test -z \"$(git status --porcelain)\"");
    expect(Found::Dirty, sandbox, plainly);
}

//! A submodule is clean at its recorded commit, and by the same rules as the repo around it, at any depth.

use super::{Found, expect, from_dir, plainly, repo, sh};

/// A repo with the submodule `lib`, which has the submodule `deep`; then this shell code.
fn after(code: &str, found: Found) {
    for set in [plainly, from_dir] {
        let sandbox = repo();
        sh(
            &sandbox,
            "git init -q ../deep; cd ../deep; echo x > d; git add d; git commit -qm deep
            git init -q ../lib; cd ../lib; echo x > l; git add l
            git submodule --quiet add ../deep deep; git commit -qm lib",
        );
        sh(
            &sandbox,
            "git submodule --quiet add ../lib lib; git submodule --quiet update --init --recursive
            git commit -qm submodules",
        );
        sh(&sandbox, code);
        expect(found, sandbox, set);
    }
}

#[test]
fn submodules_at_their_commits_are_clean() {
    after("", Found::Clean);
    after("cd lib; git checkout -q -b topic", Found::Clean);
    after("git submodule --quiet absorbgitdirs", Found::Clean);
}

#[test]
fn an_edit_in_a_submodule_is_dirty_at_any_depth() {
    for directory in ["lib", "lib/deep"] {
        after(
            &format!(
                "cd {directory}; echo more >> $(ls | head -n 1)/../l 2>/dev/null || echo more >> d"
            ),
            Found::Dirty,
        );
        after(&format!("cd {directory}; echo x > new"), Found::Dirty);
        after(&format!("cd {directory}; echo x > new; git add new"), Found::Dirty);
        after(&format!("cd {directory}; git rm -q --cached -r ."), Found::Dirty);
    }
}

#[test]
fn a_submodule_at_another_commit_is_dirty() {
    for directory in ["lib", "lib/deep"] {
        after(&format!("cd {directory}; git commit -q --allow-empty -m more"), Found::Dirty);
    }
    after("cd lib; git commit -q --allow-empty -m more; cd ..; git add lib", Found::Dirty);
}

#[test]
fn a_submodule_that_is_absent_or_has_no_repo_is_dirty() {
    for directory in ["lib", "lib/deep"] {
        after(&format!("rm -rf {directory}"), Found::Dirty);
        after(&format!("rm -rf {directory}; mkdir {directory}"), Found::Dirty);
        after(&format!("rm -rf {directory}/.git"), Found::Dirty);
        after(&format!("rm -rf {directory}/.git; mkdir {directory}/.git"), Found::Dirty);
    }
    after("git submodule --quiet deinit -f lib", Found::Dirty);
}

#[test]
fn a_broken_submodule_is_no_clean_one() {
    after("echo 'gitdir: /nowhere/at/all' > lib/.git", Found::Failed("error"));
    after("echo broken > lib/deep/.git", Found::Failed("error"));
}

#[test]
fn flags_inside_a_submodule_are_dirty() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        after(&format!("cd lib; git update-index {flag} l; echo more >> l"), Found::Dirty);
        after(&format!("cd lib/deep; git update-index {flag} d"), Found::Dirty);
    }
    after("git update-index --assume-unchanged lib; echo more >> lib/l", Found::Dirty);
}

#[test]
fn a_sparse_submodule_is_dirty() {
    after("cd lib; git sparse-checkout set --no-cone '/*' '!l'", Found::Dirty);
}

#[test]
fn replaced_objects_in_a_submodule_are_dirty() {
    after(
        "cd lib; git replace \"$(git rev-parse HEAD:l)\" \"$(echo y | git hash-object -w --stdin)\"",
        Found::Dirty,
    );
}

#[test]
fn no_setting_hides_what_is_in_a_submodule() {
    let hidden = |code: &str| {
        after(&format!("{code}; test -z \"$(git status --porcelain)\""), Found::Dirty);
    };
    for code in ["echo more >> lib/l", "echo x > lib/new", "echo more >> lib/deep/d"] {
        hidden(&format!("git config submodule.lib.ignore all; {code}"));
        hidden(&format!("git config diff.ignoreSubmodules all; {code}"));
        hidden(&format!(
            "git config -f .gitmodules submodule.lib.ignore all; git commit -qam ignore; {code}"
        ));
        hidden(&format!(
            "cd lib; git config -f .gitmodules submodule.deep.ignore all; git commit -qam ignore
            cd ..; git commit -qam ignore; git config submodule.lib.ignore dirty; {code}"
        ));
    }
    hidden("git -C lib config status.showUntrackedFiles no; echo x > lib/new");
    hidden("git -C lib config core.fileMode false; chmod +x lib/l");
}

#[test]
fn untracked_files_that_the_user_hides_everywhere_are_seen() {
    for path in ["lib/new", "lib/deep/new"] {
        after(
            &format!(
                "printf '[status]\\n showUntrackedFiles = no\\n' > ../.gitconfig; echo x > {path}"
            ),
            Found::Dirty,
        );
    }
}

#[test]
fn a_submodule_whose_work_tree_is_elsewhere_is_dirty() {
    let elsewhere = "cp -r lib ../elsewhere; rm -rf ../elsewhere/.git ../elsewhere/deep/.git";
    after(
        &format!(
            "{elsewhere}; git -C lib config core.worktree \"$PWD/../elsewhere\"; echo more >> lib/l"
        ),
        Found::Dirty,
    );
}

#[test]
fn a_repo_that_was_added_as_it_is_counts_as_a_submodule() {
    let embedded = "git init -q inner; cd inner; echo x > i; git add i; git commit -qm inner; cd ..
        git add inner 2>/dev/null; git commit -qm inner";
    after(embedded, Found::Clean);
    after(&format!("{embedded}; echo more >> inner/i"), Found::Dirty);
}

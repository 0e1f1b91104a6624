//! Settings and environment that hide a difference from `git status`, but not from the probe.

use super::{Found, after, expect, plainly, repo, sh};
use crate::builder::Test;

/// Shell code after which `git status` of the user sees nothing.
fn hidden(code: &str) {
    after(&format!("{code}; test -z \"$(git status --porcelain)\""), Found::Dirty);
}

#[test]
fn no_setting_of_the_repo_hides_a_difference() {
    hidden("git config status.showUntrackedFiles no; echo x > new");
    hidden("git config core.fileMode false; chmod +x a");
    hidden(
        "ln -s a link; git add link; git commit -qm link; git config core.symlinks false; rm link; printf a > link",
    );
    after("git config core.ignoreCase true; mv a A", Found::Dirty);
    after("git config status.branch true; git config status.showStash true", Found::Clean);
    after("git config color.ui always; git config column.ui always", Found::Clean);
    after("git config status.short true; git config status.relativePaths false", Found::Clean);
}

#[test]
fn no_setting_of_the_user_hides_a_difference() {
    for (setting, code) in [
        ("[status]\n showUntrackedFiles = no\n", "echo x > new"),
        ("[core]\n fileMode = false\n", "git config --unset core.fileMode; chmod +x a"),
    ] {
        let sandbox = repo();
        sandbox.write("../.gitconfig", setting);
        sh(&sandbox, code);
        expect(Found::Dirty, sandbox, plainly);
    }
}

#[test]
fn a_stale_untracked_cache_is_not_believed() {
    hidden(
        "git config core.untrackedCache true
        git config core.trustctime false
        git config core.checkStat minimal
        touch -d 2020-01-01 dir .
        git update-index --untracked-cache; git status >/dev/null; git status >/dev/null
        echo x > dir/new; touch -d 2020-01-01 dir .",
    );
}

#[test]
fn a_lying_fsmonitor_is_not_asked() {
    hidden(
        "printf '#!/bin/sh\\nprintf \"token\\\\0\"\\n' > .git/lie; chmod +x .git/lie
        git config core.fsmonitor .git/lie; git config core.fsmonitorHookVersion 2
        git update-index --fsmonitor; git status >/dev/null; git status >/dev/null
        echo more >> a",
    );
}

#[test]
fn nothing_of_the_callers_environment_counts() {
    let set_up = |sandbox: &crate::builder::sandbox::Sandbox| {
        sh(sandbox, "git clone -q . ../other; cp .git/index ../index");
    };
    let root = |test: &Test| test.sandbox.home().display().to_string();
    let settings: [fn(Test, String) -> Test; 8] = [
        |test, home| test.env("GIT_DIR", format!("{home}/other/.git")),
        |test, home| test.env("GIT_WORK_TREE", format!("{home}/other")),
        |test, home| {
            test.env("GIT_DIR", format!("{home}/other/.git"))
                .env("GIT_WORK_TREE", format!("{home}/other"))
        },
        |test, home| test.env("GIT_INDEX_FILE", format!("{home}/index")),
        |test, _| test.env("GIT_LITERAL_PATHSPECS", "1"),
        |test, home| test.env("GIT_CEILING_DIRECTORIES", format!("{home}/project")),
        |test, home| test.env("GIT_TRACE2_EVENT", format!("{home}/project/trace")),
        |test, _| {
            test.env("GIT_CONFIG_COUNT", "1")
                .env("GIT_CONFIG_KEY_0", "status.showUntrackedFiles")
                .env("GIT_CONFIG_VALUE_0", "no")
        },
    ];
    for setting in settings {
        let set = |test: Test| {
            let home = root(&test);
            setting(test, home).directory("dir")
        };
        let sandbox = repo();
        set_up(&sandbox);
        expect(Found::Clean, sandbox, set);
        for code in ["echo x > new", "echo more >> a"] {
            let sandbox = repo();
            set_up(&sandbox);
            sh(&sandbox, code);
            expect(Found::Dirty, sandbox, set);
        }
    }
}

#[test]
fn no_hook_runs_and_no_trace_is_written() {
    let sandbox = repo();
    sandbox.write("../.gitconfig", "[trace2]\n eventTarget = /nowhere/at/all\n normalTarget = 1\n");
    sh(
        &sandbox,
        "for hook in post-index-change fsmonitor-watchman reference-transaction; do
            printf '#!/bin/sh\\necho ran >> \"$0.ran\"\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
        done
        touch a",
    );
    expect(Found::Clean, sandbox, plainly);
}

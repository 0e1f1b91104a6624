//! The name `ai-dossier`: `ai-dossier cap run …` is `cap run …` (contract section 13).

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::builder::Test;

/// The same test with cap under the other name.
fn named(test: Test) -> Test {
    let program = test.sandbox.root().join("ai-dossier");
    symlink(env!("CARGO_BIN_EXE_cap"), &program).unwrap();
    test.program(program)
}

#[test]
fn every_subcommand_is_served_behind_the_word_cap() {
    let run = ["cap", "run", "test.focused", "--", "cap", "a b"];
    let ran = named(Test::command("printf '%s\\n'")).cap(run).stdout("cap\na b\n").ok();
    assert_eq!(ran.row["args"], json!(["cap", "a b"]));
    named(Test::command("exit 1")).cap(["cap", "run", "test.focused"]).task_failed();
    named(Test::command("x")).cap(["cap", "run", "cap"]).unavailable("'cap'");
    named(Test::command("x")).cap(["cap", "list"]).stdout_contains("test.focused").success();
    named(Test::new()).cap(["cap", "config"]).stdout("{}\n").success();
    let words = ["cap", "last-ok", "x", "--tree", &"0".repeat(40), "--prefix", ""];
    named(Test::new()).without_envelope_file().cap(words).stderr_contains("note: ").failure(1);
}

#[test]
fn options_before_the_subcommand_work_as_ever() {
    let test = Test::new().file("deep/.dossier/automation/manifest.yaml", "capabilities: {}\n");
    let words = ["cap", "-C", "deep", "list"];
    named(test).cap(words).stdout_contains("no capabilities").success();
}

#[test]
fn help_and_usage_show_the_name_as_typed() {
    let help = |words: &[&str], usage: &str| {
        named(Test::new()).cap(words.iter().copied()).stdout_contains(usage).success();
    };
    help(&["cap", "--help"], "Usage: ai-dossier cap [OPTIONS] <COMMAND>");
    help(&["cap", "run", "--help"], "Usage: ai-dossier cap run [OPTIONS] <ID>");
    help(&["cap", "help", "last-ok"], "Usage: ai-dossier cap last-ok ");
    help(
        &["cap", "help", "last-ok"],
        ":\n  ai-dossier cap last-ok test.focused --here || ai-dossier cap run ",
    );
    help(&["cap", "completions", "--help"], "eval \"$(ai-dossier cap completions bash)\"");
    help(&["cap", "--version"], "cap ");
    let test = named(Test::new()).cap(["cap", "run"]);
    test.stderr_contains("'ai-dossier cap list' shows the ids").usage_error();
    let test = named(Test::new()).cap(["cap", "list", "x"]);
    test.stderr_contains("'ai-dossier cap list --help'").usage_error();
    named(Test::new()).cap(["cap"]).stderr_contains("Usage: ai-dossier cap").failure(1);
    let test = Test::new().cap(["run"]);
    test.stderr_contains("'cap list' shows the ids").usage_error();
    help(&["cap", "--help"], "'ai-dossier cap list' shows");
}

#[test]
fn usage_errors_have_the_same_exit_codes() {
    let wrong = |words: &[&str], code: i32| {
        let test = named(Test::command("touch ran")).cap(words.iter().copied());
        let ran = test.stderr_contains("error: ").usage_error_with(code);
        assert!(!ran.sandbox.project().join("ran").exists());
    };
    wrong(&["cap", "run", "test.focused", "--no-such-option"], 1);
    wrong(&["cap", "-C", "nowhere", "run", "test.focused"], 1);
    wrong(&["cap", "cap", "run", "test.focused"], 1);
    wrong(&["cap", "last-ok"], 2);
    wrong(&["cap", "-C", "nowhere", "last-ok"], 2);
    wrong(&["cap", "last-ok", "x", "--tree", "HEAD"], 2);
}

#[test]
fn a_usage_error_removes_an_old_envelope_under_this_name_too() {
    let old = "{\"cap_envelope\":1,\"outcome\":\"ok\"}\n";
    for words in [
        &["cap", "run", "x", "--envelope-file", "old", "--no-such-option"][..],
        &["cap", "-C", ".", "run", "--envelope-file=old"],
        // Whoever forgets a word must not find an old verdict.
        &["run", "x", "--envelope-file", "old"],
    ] {
        let test = named(Test::new()).file("old", old).without_envelope_file();
        let ran = test.cap(words.iter().copied()).stderr_contains("error: ").usage_error();
        assert!(!ran.sandbox.project().join("old").exists(), "{words:?}");
    }
}

#[test]
fn any_other_word_is_an_error_that_says_who_this_is() {
    let wrong = |words: &[&str], typed: &str| {
        let test = named(Test::command("touch ran")).cap(words.iter().copied());
        let ran = test
            .stderr(&format!(
                "error: cannot do '{typed}': this is cap, not the whole of ai-dossier\n\
                 help: only 'ai-dossier cap …' is served: try 'ai-dossier cap --help'\n"
            ))
            .usage_error();
        assert!(!ran.sandbox.project().join("ran").exists());
    };
    wrong(&[], "ai-dossier");
    wrong(&["verify", "x"], "ai-dossier verify");
    wrong(&["run", "test.focused"], "ai-dossier run");
    wrong(&["--version"], "ai-dossier --version");
    wrong(&["\u{1b}[31m"], "ai-dossier \\u{1b}[31m");
}

#[test]
fn under_a_name_of_its_own_the_word_is_no_subcommand() {
    Test::command("x").cap(["cap", "run", "test.focused"]).stderr_contains("error: ").usage_error();
}

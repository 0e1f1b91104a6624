//! Args of a run: each arrives as exactly one word, or the run says that it can't (contract section 5).

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::builder::Test;
use crate::builder::verdict::Ran;

/// Shows its args, each on a line of its own between angle brackets.
const SHOW: &str = "for word; do printf '<%s>\\n' \"$word\"; done";

fn showing(command: &str) -> Test {
    Test::command(command).tool("show", SHOW)
}

fn shown<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().flat_map(|word| ["<", word.as_ref(), ">\n"]).collect()
}

/// The shells of this machine, each under the name `sh`, since some behave differently under their own.
fn shells(ran: &Ran) -> Vec<PathBuf> {
    let found = ["dash", "bash", "busybox", "ksh", "mksh", "yash"].into_iter().filter_map(|name| {
        let real =
            ["/bin", "/usr/bin", "/usr/local/bin"].map(|directory| Path::new(directory).join(name));
        let real = real.into_iter().find(|path| path.exists())?;
        let directory = ran.sandbox.root().join("shells").join(name);
        std::fs::create_dir_all(&directory).unwrap();
        symlink(real, directory.join("sh")).unwrap();
        Some(directory.join("sh"))
    });
    found.collect()
}

/// The line that cap built means the same under every shell there is.
fn same_under_every_shell(ran: &Ran, expected: &str) {
    let line = ran.envelope["command"].as_str().unwrap();
    for shell in shells(ran) {
        let output = Command::new(&shell)
            .args(["-c", line])
            .current_dir(ran.sandbox.project())
            .env_clear()
            .envs(ran.sandbox.environment())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(stdout, expected, "{} -c {line:?}", shell.display());
    }
}

const DIFFICULT: [&str; 30] = [
    "",
    " ",
    "a b",
    "'",
    "\"",
    "''",
    "a'b\"c",
    "$HOME",
    "$(echo x)",
    "`echo x`",
    ";",
    "&& echo x",
    "|",
    ">file",
    "#",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "{1..3}",
    "~",
    "~root",
    "!x",
    "\\",
    "a\\",
    "line\nline\n",
    "\t\r\u{1b}",
    "=x",
    "ünï© 漢字 🎉",
    "a=b",
];

#[test]
fn each_arg_arrives_as_one_word_whatever_is_in_it() {
    for word in DIFFICULT {
        let expected = shown(&[word]);
        let ran = showing("show").file("file-for-the-star", "").args([word]).stdout(&expected).ok();
        same_under_every_shell(&ran, &expected);
    }
}

#[test]
fn many_args_arrive_in_their_order() {
    let words = [&DIFFICULT[..], &["-x", "--", "--envelope-file", "-"]].concat();
    let ran = showing("show first")
        .args(words.clone())
        .stdout(&shown(&[&["first"], &words[..]].concat()))
        .ok();
    same_under_every_shell(&ran, &shown(&[&["first"], &words[..]].concat()));
}

#[test]
fn any_text_arrives_as_it_was_given() {
    // No NUL can be in an arg, and no more than a few hundred bytes are needed to hold every kind of trouble.
    let word = prop_oneof![
        any::<String>(),
        "[ -~]{0,12}",
        "[{}!,.~$`'\"\\\\*?#=&;|<>()\\[\\] \n\t^%-]{0,8}",
        "[\u{80}-\u{ff}\u{2028}]{0,4}",
    ];
    let word = word.prop_map(|text| text.replace('\0', ""));
    let words = prop::collection::vec(word, 1..12);
    let config = ProptestConfig {
        cases: 48,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(&words, |words| {
            let expected = shown(&words);
            let ran = showing("show").args(words).stdout_contains("").ok();
            let end = ran.stdout.rfind("{\"cap_envelope\"").unwrap();
            prop_assert_eq!(&ran.stdout[..end], &expected);
            same_under_every_shell(&ran, &expected);
            Ok(())
        })
        .unwrap();
}

#[test]
fn an_arg_is_appended_behind_a_space_and_trailing_white_space_is_cut() {
    let test = Test::command("echo run --silent \n\t\n").args(["--grep", "auth"]);
    test.stdout("run --silent --grep auth\n")
        .envelope(json!({"command": "echo run --silent --grep auth"}))
        .ok();
}

#[test]
fn without_args_the_command_is_exactly_as_written() {
    for command in
        ["echo x ", "echo x\n", "echo x # note", "echo x;", "cat <<E\nx\nE", "echo x &&\n true"]
    {
        Test::command(command).stdout("x\n").envelope(json!({"command": command})).ok();
    }
}

#[test]
fn args_can_be_appended_to_any_command_that_ends_in_words() {
    let commands = [
        "set -e\nshow",
        "FOO=bar show",
        "true && show",
        "false || show",
        "true; show",
        "true | show",
        "# a comment in another line\nshow",
        "cat <<E >/dev/null\n#\nE\nshow",
        "! ! show",
        "exec show",
        "true &\nshow",
    ];
    for command in commands {
        let expected = shown(&["a b", "c"]);
        let ran = showing(command).args(["a b", "c"]).stdout(&expected);
        // Some shells know no second `!`.
        if !command.starts_with('!') {
            same_under_every_shell(&ran.ok(), &expected);
        }
    }
    let quoted = [
        ("show \"a # b\" '#'", "<a # b>\n<#>\n"),
        ("show a\\#b", "<a#b>\n"),
        ("show $(echo \\))", "<)>\n"),
    ];
    for (command, before) in quoted {
        showing(command).args(["x"]).stdout(&format!("{before}<x>\n")).ok();
    }
}

#[test]
fn args_that_would_be_lost_or_misread_are_refused_before_anything_runs() {
    let commands = [
        "touch ran # a comment",
        "touch ran; # fast",
        "cat <<E > ran\nx\nE",
        "touch ran; cat <<'E'\nx\nE\n",
        "touch ran \\",
        "touch ran &",
        "touch ran;",
        "touch ran |",
        "touch ran &&",
        "touch ran ||",
        "touch ran ;\n\n",
        "(touch ran)",
        "{ touch ran; }",
        "if true; then touch ran; fi",
        "while false; do touch ran; done",
        "f() { touch ran; }",
        "case x in x) touch ran;; esac",
        "touch ran 'unterminated",
        "touch ran \"$(",
        "touch ran )",
        "echo `touch ran",
        "alias t='touch ran #'\nt",
        "if",
    ];
    for command in commands {
        let test = Test::command(command).args(["x"]);
        let ran = test
            .envelope(json!({"command": command, "exit_code": null}))
            .automation_broken("args can't be appended");
        assert!(!ran.sandbox.project().join("ran").exists(), "{command:?}");
    }
}

#[test]
fn a_hint_of_how_args_are_refused_changes_nothing_for_runs_without_args() {
    for command in ["(echo x)", "{ echo x; }", "echo x # note", "if true; then echo x; fi"] {
        Test::command(command).stdout("x\n").ok();
    }
}

#[test]
fn words_behind_the_id_are_args_without_a_separator_too() {
    let run = |words: &[&str]| showing("show").cap(words.iter().copied());
    let all = |words: &[&str]| json!({"args": words});
    run(&["run", "test.focused", "a", "b c"]).stdout("<a>\n<b c>\n").row(all(&["a", "b c"])).ok();
    run(&["run", "test.focused", "a", "--", "-b"])
        .stdout("<a>\n<-b>\n")
        .row(all(&["a", "-b"]))
        .ok();
    run(&["run", "test.focused", "--", "a", "--", "b"])
        .stdout("<a>\n<-->\n<b>\n")
        .row(all(&["a", "--", "b"]))
        .ok();
    run(&["run", "test.focused", "--", "--"]).stdout("<-->\n").row(all(&["--"])).ok();
    run(&["run", "test.focused", "--"]).row(all(&[])).ok();
    run(&["run", "test.focused", ""]).stdout("<>\n").row(all(&[""])).ok();
}

#[test]
fn options_count_anywhere_before_the_first_separator_and_nowhere_behind() {
    let test = showing("show; exit 1").cap(["run", "--tail-bytes", "3", "test.focused"]);
    test.stdout("").envelope(json!({"output_tail": ""})).task_failed();
    let test = showing("show").cap([
        "run",
        "test.focused",
        "a",
        "--tail-bytes",
        "3",
        "b",
        "--",
        "--tail-bytes",
        "x",
    ]);
    test.stdout("<a>\n<b>\n<--tail-bytes>\n<x>\n").ok();
    let test = showing("show").cap(["run", "test.focused", "--", "--help", "--version", "-C", "/"]);
    test.stdout("<--help>\n<--version>\n<-C>\n</>\n").ok();
}

#[test]
fn white_space_that_is_none_to_the_shell_is_not_cut() {
    for end in ["\u{a0}", "\u{3000}", "\u{2003}"] {
        let command = format!("show x{end}");
        let ran = showing(&command).args(["y"]).stdout(&format!("<x{end}>\n<y>\n")).ok();
        assert_eq!(ran.envelope["command"], format!("{command} y"));
    }
}

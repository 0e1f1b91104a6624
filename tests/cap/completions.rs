//! Completions: what the shells' scripts are told, and that nothing else is ever taken for their question.

mod shells;

use std::fs;
use std::os::unix::fs::{lchown, symlink};

use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::text_of;
use crate::builder::{Test, stranger};

const MANIFEST: &str = r#"
    capabilities:
      test.full: {command: "x", description: "all: of \"them\""}
      test.focused:
        command: x
        description: |

          the first line
          and another
      test.shadow: {command: x, lifecycle: shadow}
      build.run: {command: x}
    "#;

/// What fish, which shows most, is told to offer for the last of these words.
fn ask(test: Test, words: &[&str]) -> Test {
    ask_as("fish", test, words)
}

fn ask_as(shell: &str, test: Test, words: &[&str]) -> Test {
    let test = test.env("_CAP_COMPLETE", shell).env("_CLAP_IFS", "\n");
    let test = test.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
    test.without_envelope_file().cap(["--"].iter().chain(words).copied())
}

fn declared() -> Test {
    Test::new().manifest(MANIFEST)
}

/// cap under another name.
fn link(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    let path = sandbox.tools().join(name);
    symlink(env!("CARGO_BIN_EXE_cap"), &path).unwrap();
    path
}

#[test]
fn ids_are_offered_in_the_manifests_order_with_their_descriptions() {
    let all = "test.full\tall: of \"them\"\ntest.focused\tthe first line\nbuild.run\n";
    for command in ["run", "last-ok"] {
        ask(declared(), &["cap", command, ""]).stdout(all).success();
        let two = all.replace("build.run\n", "");
        ask(declared(), &["cap", command, "test."]).stdout(&two).success();
        ask(declared(), &["cap", command, "nothing"]).success();
    }
}

#[test]
fn each_shell_is_told_in_its_own_form() {
    let words = ["cap", "run", "test.f"];
    let plain = "test.full\ntest.focused";
    ask_as("bash", declared(), &words).stdout(plain).success();
    ask_as("elvish", declared(), &words).stdout(plain).success();
    let zsh = "test.full:all: of \"them\"\ntest.focused:the first line";
    ask_as("zsh", declared(), &words).stdout(zsh).success();
}

#[test]
fn an_exported_variable_never_keeps_a_run_from_running() {
    for variable in ["_CAP_COMPLETE", "COMPLETE"] {
        for shell in ["bash", "zsh", "fish"] {
            Test::command("echo ran").env(variable, shell).stdout("ran\n").ok();
            Test::command("exit 1").env(variable, shell).args(["x"]).task_failed();
            Test::command("exit 1").env(variable, shell).cap(["run", "test.focused"]).task_failed();
        }
    }
}

#[test]
fn what_is_no_question_of_a_script_is_a_usage_error() {
    let words = ["--", "run", "test.focused"];
    Test::command("x").cap(words).stderr_contains("error: ").usage_error();
    for value in ["", "0", "1", "tcsh", "bash ", "bash", "fish"] {
        let test = Test::command("x").env("_CAP_COMPLETE", value).cap(words);
        test.stderr_contains("error: ").usage_error();
    }
    let test = Test::command("x").env("_CAP_COMPLETE", "bash");
    test.cap(["-C", ".", "--", "run"]).stderr_contains("error: ").usage_error();
}

#[test]
fn a_question_that_makes_no_sense_is_answered_in_silence() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ask = |index: &str, words: &[&str]| {
            ask_as(shell, declared(), &["cap"])
                .env("_CLAP_COMPLETE_INDEX", index)
                .cap(["--"].iter().chain(words).copied())
        };
        ask("0", &[]).success();
        ask("0", &["cap", "nothing", "of", "this"]).success();
        for index in ["99", "-1", "x", ""] {
            ask(index, &["cap", "run", "x", "--", ""]).stdout_contains("").success();
        }
    }
}

#[test]
fn it_looks_where_the_options_lead() {
    let lists = |test: Test, words: &[&str]| ask(test, words).stdout("build.run\n").success();
    let away = |directory: &str| {
        let test = Test::new().directory("away");
        test.file(
            format!("{directory}/.dossier/automation/manifest.yaml"),
            crate::builder::dedent(MANIFEST),
        )
    };
    lists(away("x"), &["cap", "-C", "../x", "run", "b"]);
    lists(away("x"), &["cap", "-C..", "-C", "x", "run", "b"]);
    lists(away("x y"), &["cap", "-C", "../x y", "last-ok", "b"]);
    lists(away("x y"), &["cap", "-C", "'../x y'", "run", "b"]);
    lists(away("x y"), &["cap", "-C", "../x\\ y", "run", "b"]);
    lists(away("x"), &["cap", "-C", "~/project/x", "run", "b"]);
    ask(away("x"), &["cap", "-C", "../nowhere", "run", "b"]).success();
    ask(declared(), &["cap", "run", "-C", "..", "b"]).success();
    // The word that is being typed leads nowhere yet.
    ask(away("x"), &["cap", "-C", "../"]).stdout_contains("../x/\n").success();
}

#[test]
fn without_a_manifest_to_trust_no_id_is_offered_and_nothing_said() {
    let silent = |test: Test| ask(test, &["cap", "run", "t"]).success();
    silent(Test::new());
    silent(Test::new().manifest("capabilities: {test: 5, test.x: {command: x}}\n"));
    silent(Test::new().manifest_bytes(b"\xff"));
    silent(Test::new().file(".dossier/automation/manifest.yaml/x", ""));
    silent(declared().before("mkdir gone && cd gone && rmdir ../gone"));
    if let Some(uid) = stranger() {
        let test = declared();
        lchown(test.sandbox.manifest(), Some(uid), None).unwrap();
        silent(test);
    }
}

#[test]
fn a_description_cannot_drive_the_terminal_or_the_script() {
    let yaml =
        r#"capabilities: {a: {command: x, description: "\e[31m\tred\u009b\u202e:\\x\r\u2028y"}}"#;
    let shown = "\\u{1b}[31m\\tred\\u{9b}\\u{202e}:\\x\\r\\u{2028}y";
    let ran = ask(Test::new().manifest(yaml), &["cap", "run", ""]).stdout_contains(shown).success();
    assert_eq!(ran.stdout, format!("a\t{shown}\n"));
    let test = ask_as("zsh", Test::new().manifest(yaml), &["cap", "run", ""]);
    test.stdout(&format!("a:{}", shown.replace('\\', "\\\\"))).success();
}

#[test]
fn options_are_offered_to_who_begins_one_and_where_there_is_nothing_else() {
    let test = ask(declared(), &["cap", "run", "test.full", "--"]);
    let ran = test.stdout_contains("--envelope-file\t").stdout_contains("--tail-bytes\t").success();
    assert!(!ran.stdout.contains("build.run"), "{}", ran.stdout);
    ask(declared(), &["cap", "list", ""]).stdout_contains("--json\t").success();
    ask(declared(), &["cap", "last-ok", "--h"]).stdout_contains("--here\t").success();
    let ran = ask(declared(), &["cap", ""]).stdout_contains("run\t").success();
    assert!(!ran.stdout.contains("--help"), "{}", ran.stdout);
    ask(declared(), &["cap", "config", ""]).stdout("auditLog\n").success();
    ask(declared(), &["cap", "config", "auditLog", ""]).stdout("true\nfalse\n").success();
    ask(declared(), &["cap", "completions", "ba"]).stdout("bash\n").success();
}

#[test]
fn args_are_files_which_bash_completes_by_itself() {
    let test = || declared().file("deep er/file", "");
    let words = ["cap", "run", "build.run", "--", "deep"];
    ask(test(), &words).stdout("deep er/\n").success();
    ask_as("bash", test(), &words).success();
}

#[test]
fn a_question_touches_no_envelope() {
    let old = "{\"cap_envelope\":1,\"outcome\":\"ok\"}\n";
    let test = declared().file("old", old).file("older", old);
    let test = ask(test, &["cap", "run", "build.run", "--envelope-file", "old", "--t"]);
    let test = test.env("DOSSIER_CAP_ENVELOPE_FILE", "older");
    let ran = test.stdout_contains("--tail-bytes").success();
    for name in ["old", "older"] {
        assert_eq!(text_of(ran.sandbox.project().join(name)), old);
    }
}

#[test]
fn a_shell_that_hears_nothing_is_no_crash() {
    let test = ask(declared(), &["cap", "run", ""]).before("exec >&-");
    test.stdout_lost().success();
}

#[test]
fn the_other_name_is_completed_as_well() {
    let ask = |words: &[&str]| {
        let test = ask(declared(), words);
        let program = link(&test.sandbox, "ai-dossier");
        test.program(program)
    };
    ask(&["ai-dossier", ""]).stdout_contains("cap\t").success();
    ask(&["ai-dossier", "cap", "run", "b"]).stdout("build.run\n").success();
    ask(&["/x/ai-dossier", "cap", "-C", ".", "run", "b"]).stdout("build.run\n").success();
    ask(&["ai-dossier", "run", "b"]).success();
}

#[test]
fn there_is_a_script_for_five_shells() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        for (name, words) in
            [("cap", vec!["completions"]), ("ai-dossier", vec!["cap", "completions"])]
        {
            let test = Test::new();
            let program = link(&test.sandbox, name);
            let words = words.into_iter().chain([shell]);
            let test = test.program(program).without_envelope_file().cap(words);
            let ran = test.stdout_contains(name).success();
            assert_eq!(ran.stdout.contains("_CAP_COMPLETE"), shell != "powershell", "{shell}");
            assert!(!ran.stdout.contains("Invoke-Expression"), "it would run what is being typed");
        }
    }
    let test = Test::new().cap(["completions", "powershell"]).stdout_contains("--envelope-file");
    test.stdout_contains("--here").stdout_contains("'last-ok'").success();
    for words in [&["completions", "tcsh"][..], &["completions"], &["completions", "bash", "x"]] {
        Test::new().cap(words.iter().copied()).stderr_contains("error: ").usage_error();
    }
}

#[test]
fn a_script_calls_the_program_that_printed_it() {
    let test = Test::new().given(|sandbox| fs::create_dir(sandbox.project().join("b'in")).unwrap());
    let program = link(&test.sandbox, "cap");
    let plain = program.display().to_string();
    let test = test.program(program).cap(["-C", "/", "completions", "bash"]);
    let ran = test.stdout_contains(&format!("\"{plain}\" --")).success();
    // Not every script could quote such a path.
    let strange = ran.sandbox.project().join("b'in/cap");
    symlink(env!("CARGO_BIN_EXE_cap"), &strange).unwrap();
    ran.again()
        .program(strange)
        .cap(["completions", "bash"])
        .stdout_contains("\"cap\" --")
        .success();
}

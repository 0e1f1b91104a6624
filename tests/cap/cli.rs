//! The command line: help, version, usage errors, exit codes (contract section 13).

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::builder::Test;

#[test]
fn help_and_version_exit_0() {
    for words in [&["--help"][..], &["-h"], &["run", "--help"], &["list", "--help"], &["help"]] {
        let ran = Test::new().cap(words.iter().copied()).stdout_contains("Usage: cap").success();
        assert!(!ran.stdout.contains('\u{1b}'), "nobody watches");
    }
    let version = format!("cap {}\n", env!("CARGO_PKG_VERSION"));
    Test::new().cap(["--version"]).stdout(&version).success();
    Test::new().cap(["-V"]).stdout(&version).success();
}

#[test]
fn help_names_the_commands_and_the_options() {
    Test::new()
        .cap(["--help"])
        .stdout_contains("run")
        .stdout_contains("list")
        .stdout_contains("-C")
        .success();
    let test = Test::new().cap(["run", "--help"]);
    test.stdout_contains("--envelope-file")
        .stdout_contains("--tail-bytes")
        .stdout_contains("DOSSIER_CAP_ENVELOPE_FILE")
        .success();
}

#[test]
fn no_argument_is_help_on_stderr_and_exit_1() {
    Test::new().cap([""; 0]).stderr_contains("Usage: cap").failure(1);
}

#[test]
fn help_on_a_closed_stdout_is_no_crash() {
    Test::new()
        .cap(["--help"])
        .before("exec >&-")
        .stdout_lost()
        .stderr_lacks("panick")
        .stderr_contains("")
        .success();
}

#[test]
fn a_usage_error_carries_no_control_character_from_the_command_line() {
    let wrong: [&[&str]; 3] = [
        &["run", "a", "--bad\u{1b}[31m"],
        &["run\u{202e}"],
        &["run", "a", "--tail-bytes", "\u{9b}x"],
    ];
    for words in wrong {
        let ran = Test::new().cap(words.iter().copied()).stderr_contains("\\u{").usage_error();
        assert!(!ran.stderr.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{}", ran.stderr);
    }
}

#[test]
fn a_usage_error_exits_1_with_a_message_and_runs_nothing() {
    let wrong: &[&[&str]] = &[
        &["no-such-command"],
        &["--no-such-option"],
        &["run"],
        &["run", "test.focused", "--no-such-option"],
        &["run", "test.focused", "--tail-bytes"],
        &["run", "test.focused", "--tail-bytes", "x"],
        &["run", "test.focused", "--tail-bytes", ""],
        &["run", "test.focused", "--tail-bytes", "-1"],
        &["run", "test.focused", "--tail-bytes", "1.5"],
        &["run", "test.focused", "--tail-bytes", "67108865"],
        &["run", "test.focused", "--tail-bytes", "99999999999999999999999"],
        &["run", "test.focused", "--tail-bytes", "1", "--tail-bytes", "2"],
        &["run", "test.focused", "--envelope-file"],
        &["list", "extra"],
        &["list", "--no-such-option"],
        &["-C"],
        &["-C", "nowhere", "run", "test.focused"],
        &["-C", "file", "list"],
    ];
    for words in wrong {
        let test = Test::command("touch ran")
            .file("file", "")
            .cap(words.iter().copied())
            .stderr_contains("error: ");
        let ran = test.usage_error();
        assert!(!ran.sandbox.project().join("ran").exists(), "{words:?}");
        // One style: what is wrong on the first line, the way on behind it.
        let mut lines = ran.stderr.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("error: ")), "{}", ran.stderr);
        assert!(lines.all(|line| line.starts_with("help: ")), "{}", ran.stderr);
    }
}

#[test]
fn the_bounds_of_tail_bytes_are_allowed() {
    for bytes in ["0", "67108864"] {
        Test::command("true").options(["--tail-bytes", bytes]).ok();
    }
}

#[test]
fn a_flag_for_the_capability_is_explained_with_the_line_to_type() {
    let wrong = ["run", "test.focused", "one", "--tail-bytes", "5", "--grep", "a b"];
    let ran = Test::command("printf '<%s>'").cap(wrong).stderr(
        "error: unexpected argument '--grep' found\n\
         help: cap run test.focused --tail-bytes 5 -- one --grep 'a b'\n",
    );
    // It is the line that works.
    let right = ["run", "test.focused", "--tail-bytes", "5", "--", "one", "--grep", "a b"];
    ran.usage_error().again().cap(right).stdout("<one><--grep><a b>\n").ok();
}

#[test]
fn an_arg_that_is_not_utf_8_is_a_usage_error_before_anything_runs() {
    let bytes = || OsString::from_vec(b"\xff".to_vec());
    let lines: [Vec<OsString>; 3] = [
        vec!["run".into(), "test.focused".into(), "--".into(), bytes()],
        vec!["run".into(), "test.focused".into(), bytes()],
        vec!["run".into(), bytes()],
    ];
    for words in lines {
        let ran = Test::command("touch ran").cap(words).stderr_contains("UTF-8").usage_error();
        assert!(!ran.sandbox.project().join("ran").exists());
    }
    Test::new().cap([bytes()]).stderr_contains("error: ").usage_error();
}

#[test]
fn run_is_as_if_started_in_the_directory_of_c() {
    let test = Test::new()
        .file("deep/.dossier/automation/manifest.yaml", "capabilities: {a: {command: pwd -P}}\n");
    let deep = test.sandbox.project().join("deep").display().to_string();
    let ran = test.cap(["-C", "deep", "list", "--json"]).stdout_contains(&deep).success();
    // The row says where it ran, which the builder takes for the directory of the test.
    let test = ran.again().directory("deep").cap(["-C", ".", "run", "a"]);
    let ran = test.stdout(&format!("{deep}\n")).row(json!({"cwd": deep})).ok();
    let test = ran.again().before(":").without_envelope_file().cap([
        "-C",
        "deep",
        "run",
        "a",
        "--envelope-file",
        "here",
    ]);
    let ran = test.stdout(&format!("{deep}\n")).row(json!({"cwd": deep})).ok();
    assert!(
        ran.sandbox.project().join("deep/here").exists(),
        "a relative path counts from there too"
    );
}

#[test]
fn a_message_about_a_strange_word_cannot_drive_the_terminal() {
    for words in [
        vec!["\u{1b}[31m"],
        vec!["run", "--\u{1b}[31m"],
        vec!["list", "\u{1b}[31m"],
        vec!["-C", "\u{1b}[31m", "list"],
    ] {
        let ran = Test::new().cap(words).stderr_contains("error: ").usage_error();
        assert!(!ran.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.stderr);
    }
}

#[test]
fn a_message_has_no_colour_when_nobody_watches() {
    let ran = Test::new().cap(["run"]).stderr_contains("error: ").usage_error();
    assert!(!ran.stderr.contains('\u{1b}'));
}

#[test]
fn a_list_that_cannot_be_written_is_an_error_and_one_that_nobody_reads_is_none() {
    if std::path::Path::new("/dev/full").exists() {
        let test = Test::command("x").list().before("exec > /dev/full");
        test.stdout_lost().stderr_contains("error: ").failure(1);
    }
    Test::command("x").list().before("exec > /dev/null").success();
}

#[test]
fn a_current_directory_that_is_gone_is_an_error_of_list() {
    Test::command("x")
        .list()
        .before("mkdir gone && cd gone && rmdir ../gone")
        .stderr_contains("error: ")
        .failure(1);
}

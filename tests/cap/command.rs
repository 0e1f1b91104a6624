//! What the command gets: its shell, its text, its streams, its environment, its directory (contract section 5).

use std::fs;
use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::builder::Test;

#[test]
fn a_command_has_no_stdin_even_if_cap_has() {
    Test::command("cat; read line || echo end").stdin("secret\n").stdout("end\n").ok();
}

#[test]
fn the_environment_is_passed_on() {
    Test::command("echo $DOSSIER_BATCH_BASE $OTHER")
        .env("DOSSIER_BATCH_BASE", "main")
        .env("OTHER", "x")
        .stdout("main x\n")
        .ok();
}

#[test]
fn the_shell_is_bin_sh_whatever_shell_says() {
    Test::command("echo $0").env("SHELL", "/bin/false").stdout("/bin/sh\n").ok();
}

#[test]
fn stdout_and_stderr_are_pipes_that_can_be_opened_again() {
    if cfg!(target_os = "linux") {
        Test::command("echo both | tee /dev/stderr").stdout("both\n").stderr("both\n").ok();
    }
}

#[test]
fn the_command_is_not_quoted_or_split_by_cap() {
    Test::command("for x in 1 2\ndo\n  echo \"$x  $x\"\ndone").stdout("1  1\n2  2\n").ok();
}

#[test]
fn a_run_directory_whose_name_is_not_utf_8_is_one_all_the_same() {
    let name = std::ffi::OsString::from_vec(b"strange-\xff".to_vec());
    let test = Test::command("cat here").directory(&name).stdout("found\n");
    fs::write(test.sandbox.project().join(&name).join("here"), "found\n").unwrap();
    let ran = test.ok();
    assert!(ran.row["cwd"].as_str().unwrap().ends_with("strange-\u{fffd}"), "{}", ran.row);
}

#[test]
fn a_command_that_begins_with_a_dash_is_no_option_of_the_shell() {
    Test::command("-n").stderr_contains("-n").automation_broken("command not found (exit 127)");
    Test::command("-x").args(["y"]).stderr_contains("-x").automation_broken("(exit 127)");
}

#[test]
fn the_exit_code_of_the_last_command_counts() {
    Test::command("false; true").ok();
    Test::command("true; exit 7").envelope(json!({"exit_code": 7})).task_failed();
}

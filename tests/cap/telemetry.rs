//! The telemetry log: one row a run, and never a verdict lost for it (contract section 8).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode;
use serde_json::json;

use crate::builder::invariants::row::sha256;
use crate::builder::json::parse;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Ran, text_of};
use crate::builder::{Test, stranger};

const NO_ARGS: &str = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_row_has_these_keys_in_this_order() {
    let test = Test::command("echo hi").stdout("hi\n");
    let directory = test.sandbox.project();
    let ran = test.ok();
    let row = text_of(ran.sandbox.log());
    let (timestamp, duration) =
        (ran.row["timestamp"].as_str().unwrap(), ran.row["duration_ms"].as_u64().unwrap());
    let expected = format!(
        "{{\"timestamp\":\"{timestamp}\",\"capability\":\"test.focused\",\"outcome\":\"ok\",\"exit_code\":0,\"duration_ms\":{duration},\"reason\":null,\"signal\":null,\"cwd\":{:?},\"args\":[],\"args_hash\":\"{NO_ARGS}\",\"command_hash\":\"{}\"}}\n",
        directory.display().to_string(),
        sha256(b"echo hi")
    );
    assert_eq!(row, expected);
}

#[test]
fn every_outcome_has_its_row() {
    Test::command("exit 1")
        .row(json!({"outcome": "task-failed", "exit_code": 1, "output_tail": ""}))
        .task_failed();
    Test::command("exit 127")
        .row(json!({"outcome": "automation-broken", "exit_code": 127}))
        .automation_broken("not found");
    Test::new()
        .run("x")
        .row(json!({"outcome": "capability-unavailable", "exit_code": null}))
        .unavailable("'x'");
    let invalid = Test::new().manifest("5\n").run("x").stderr_contains("");
    let ran = invalid
        .row(json!({"outcome": "automation-broken", "args_hash": NO_ARGS}))
        .automation_broken("manifest invalid: ");
    assert!(ran.row.get("command_hash").is_none(), "no entry was found: {}", ran.row);
}

#[test]
fn the_hash_of_the_args_is_that_of_their_compact_json() {
    let hash_of = |args: &[&str], json: &str| {
        let test = Test::command("true").args(args.iter().copied());
        test.row(json!({"args": args, "args_hash": sha256(json.as_bytes())})).ok();
    };
    hash_of(&["a"], r#"["a"]"#);
    hash_of(&["a b", "", "--"], r#"["a b","","--"]"#);
    hash_of(&["ü\"\\\n\u{1b}"], "[\"ü\\\"\\\\\\n\\u001b\"]");
    hash_of(&["\u{2028}\u{85}/"], "[\"\u{2028}\u{85}/\"]");
}

#[test]
fn the_hash_of_the_command_is_that_of_the_manifests_text_whatever_the_args() {
    let text = "
        capabilities:
          a:
            command: |
              echo 'x'
        ";
    let hash = json!({"command_hash": sha256(b"echo 'x'\n")});
    Test::new().manifest(text).run("a").stdout("x\n").row(hash.clone()).ok();
    Test::new().manifest(text).run("a").args(["y"]).stdout("x y\n").row(hash.clone()).ok();
    let shadow = "capabilities: {a: {command: \"echo 'x'\\n\", lifecycle: shadow}}\n";
    Test::new().manifest(shadow).run("a").row(hash.clone()).unavailable("lifecycle=shadow");
    let assuming =
        "capabilities: {a: {command: \"echo 'x'\\n\", assumptions: [{file-exists: y}]}}\n";
    Test::new().manifest(assuming).run("a").row(hash).automation_broken("assumption failed");
}

#[test]
fn line_separators_are_escaped_in_a_row_too() {
    let ran =
        Test::command("echo \u{2028}; exit 1").stdout("\u{2028}\n").args([""; 0]).task_failed();
    assert!(text_of(ran.sandbox.log()).contains("\\u2028"));
    let ran = Test::command("true").args(["\u{2028}"]).ok();
    assert_eq!(text_of(ran.sandbox.log()).lines().count(), 1);
}

#[test]
fn directory_and_file_are_for_their_owner_alone() {
    let ran = Test::command("true").before("umask 0").ok();
    assert_eq!(mode(ran.sandbox.home().join(".dossier")), 0o700);
    assert_eq!(mode(ran.sandbox.log()), 0o600);
}

#[test]
fn a_umask_that_takes_the_owners_own_rights_costs_no_row() {
    let Some(test) = Test::command("true").powerless() else { return };
    let ran = test.before("umask 0277").ok();
    assert_eq!(mode(ran.sandbox.home().join(".dossier")), 0o700);
    assert_eq!(mode(ran.sandbox.log()), 0o600);
    let _ran = ran.again().before("umask 0277").run("test.focused").ok();
}

#[test]
fn a_log_that_is_open_to_others_is_tightened() {
    let test = Test::command("true").home_file("caps.jsonl", "").given(|sandbox| {
        fs::set_permissions(sandbox.log(), fs::Permissions::from_mode(0o666)).unwrap();
    });
    assert_eq!(mode(test.ok().sandbox.log()), 0o600);
}

#[test]
fn a_torn_last_line_is_ended_before_the_row() {
    let ran = Test::command("true").home_file("caps.jsonl", "{\"timestamp\":\"20").ok();
    assert_eq!(text_of(ran.sandbox.log()).lines().count(), 2);
    let ran = Test::command("true").home_file("caps.jsonl", "{}\n").ok();
    assert_eq!(text_of(ran.sandbox.log()).lines().count(), 2);
}

#[test]
fn rows_of_runs_at_the_same_time_never_mix() {
    let sandbox = Sandbox::new();
    sandbox.write(
        sandbox.manifest(),
        "capabilities: {a: {command: 'head -c 9000 /dev/zero; exit 1'}}\n",
    );
    let code = "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4; do \"$0\" run a & done; wait; done >/dev/null";
    let output = sandbox.output("sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    assert!(output.status.success());
    let log = text_of(sandbox.log());
    assert_eq!(log.lines().count(), 40);
    for line in log.lines() {
        assert_eq!(parse(line).unwrap().value["outcome"], "task-failed");
    }
}

/// Nothing of the verdict changes, and one warning says that there is no row.
fn without_a_row(test: Test) -> Ran {
    let ran = test.no_row().stdout("ran\n").stderr_contains("warning: ").ok();
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran
}

fn ran() -> Test {
    Test::command("echo ran")
}

#[test]
fn a_log_that_is_no_regular_file_is_left_alone_and_nobody_waits() {
    let test = ran().home_file("x", "").given(|sandbox| {
        nix::unistd::mkfifo(&sandbox.log(), Mode::S_IRWXU).unwrap();
    });
    without_a_row(test);
    without_a_row(ran().home_file("caps.jsonl/x", ""));
    for device in ["/dev/null", "/dev/full", "/dev/zero"] {
        without_a_row(
            ran().home_file("x", "").given(|sandbox| symlink(device, sandbox.log()).unwrap()),
        );
    }
}

#[test]
fn a_home_that_is_not_there_or_no_directory_costs_only_the_row() {
    without_a_row(ran().file("../.dossier", "a file"));
    without_a_row(ran().env("HOME", "/dev/null"));
    without_a_row(ran().env("HOME", "/dev/null/nowhere"));
}

#[test]
fn a_home_that_is_read_only_costs_only_the_row() {
    let paths: [fn(&Sandbox) -> PathBuf; 2] =
        [Sandbox::home, |sandbox| sandbox.home().join(".dossier")];
    for path in paths {
        let test = ran().home_file("x", "").given(|sandbox| {
            if path(sandbox) == sandbox.home() {
                fs::remove_dir_all(sandbox.home().join(".dossier")).unwrap();
            }
            fs::set_permissions(path(sandbox), fs::Permissions::from_mode(0o500)).unwrap();
        });
        let Some(test) = test.powerless() else { return };
        without_a_row(test);
    }
}

#[test]
fn a_disk_that_is_full_costs_only_the_row() {
    let test = ran().without_envelope_file().before("trap '' XFSZ; ulimit -f 0");
    without_a_row(test);
}

#[test]
fn nobody_has_a_home_costs_only_the_row() {
    let Some(uid) = stranger() else { return };
    without_a_row(ran().with_user(uid).env_remove("HOME"));
    without_a_row(ran().with_user(uid).env("HOME", ""));
}

#[test]
fn auditing_is_off_only_for_the_boolean_false() {
    let ran_quietly = ran()
        .home_file("config.json", "{\"auditLog\": false, \"other\": [1]}")
        .no_row()
        .stdout("ran\n")
        .ok();
    assert!(!ran_quietly.sandbox.log().exists());
    for config in [
        "{}",
        "{\"auditLog\": true}",
        "{\"auditLog\": \"false\"}",
        "{\"auditLog\": 0}",
        "{\"auditLog\": null}",
    ] {
        ran().home_file("config.json", config).stdout("ran\n").ok();
    }
}

#[test]
fn a_config_that_cannot_be_read_is_warned_about_and_auditing_is_on() {
    let warned = |test: Test| {
        let ran =
            test.stdout("ran\n").stderr_contains("warning: ").stderr_contains("config.json").ok();
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    };
    for config in ["", "{", "[]", "false", "{\"auditLog\": false", "\u{fffd}"] {
        warned(ran().home_file("config.json", config));
    }
    warned(ran().home_file("config.json", b"{\"auditLog\": \"\xff\"}"));
    warned(ran().home_file("config.json/x", ""));
    warned(ran().home_file("x", "").given(|sandbox| {
        nix::unistd::mkfifo(&sandbox.home().join(".dossier/config.json"), Mode::S_IRWXU).unwrap();
    }));
}

#[test]
fn the_first_runs_of_an_account_are_all_recorded() {
    let sandbox = Test::command("true").sandbox;
    let code = "for n in 1 2 3 4 5 6; do \"$0\" run test.focused & done; wait";
    let output = sandbox.output("/bin/sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    assert!(output.stderr.is_empty(), "{output:?}");
    assert_eq!(text_of(sandbox.log()).lines().count(), 6);
}

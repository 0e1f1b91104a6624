//! The envelope file: whole or not at all, and nothing else is ever destroyed (contract section 7).

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;

use nix::sys::stat::Mode;
use serde_json::json;

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::{Ran, text_of};

const OLD: &str = "{\"cap_envelope\":1,\"capability\":\"old\",\"outcome\":\"ok\"}\n";

#[test]
fn the_file_is_for_its_owner_alone() {
    let ran = Test::command("true").before("umask 0").ok();
    let mode = fs::metadata(ran.sandbox.out().join("envelope.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn a_relative_path_counts_from_the_run_directory() {
    let test = Test::command("true")
        .directory("deep")
        .options(["--envelope-file", "here.json"])
        .without_envelope_file();
    let ran = test.ok();
    assert!(
        text_of(ran.sandbox.project().join("deep/here.json")).starts_with("{\"cap_envelope\":1,")
    );
}

#[test]
fn an_old_envelope_or_an_empty_file_is_replaced() {
    for old in [OLD, "", "{\"cap_envelope\":2,\"torn"] {
        Test::command("true").file("envelope", old).envelope_file("envelope").ok();
    }
}

#[test]
fn an_old_envelope_is_gone_before_the_command_starts() {
    let test = Test::command("test ! -e envelope && echo gone").file("envelope", OLD);
    test.envelope_file("envelope").stdout("gone\n").ok();
}

#[test]
fn the_file_is_never_seen_in_part() {
    let test = Test::command("ls -A ../../out").stdout("");
    let ran = test.ok();
    let ran = ran.again().run("test.focused").stdout("").ok();
    assert_eq!(fs::read_dir(ran.sandbox.out()).unwrap().count(), 1);
}

#[test]
fn a_symlink_is_replaced_not_followed() {
    for target in ["precious", "nowhere", "/dev/null"] {
        let test = Test::command("true").file("precious", OLD).envelope_file("link");
        let ran =
            test.given(|sandbox| symlink(target, sandbox.project().join("link")).unwrap()).ok();
        let project = ran.sandbox.project();
        assert!(project.join("link").symlink_metadata().unwrap().is_file());
        assert_eq!(text_of(project.join("precious")), OLD);
        assert!(!project.join("nowhere").exists());
    }
}

/// The outcome is what it would be anyway, and stderr has one line about the file.
fn cannot_be_written(test: Test) -> Ran {
    let ran = test.stderr_contains("warning: ").ok();
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    ran
}

#[test]
fn a_file_that_is_no_envelope_is_never_touched() {
    for content in ["precious\n", "{}", "{ \"cap_envelope\":1}", " ", "\n", "{\"cap_envelope\""] {
        let ran = cannot_be_written(
            Test::command("true").file("mine", content).unwritable_envelope_file("mine"),
        );
        assert_eq!(text_of(ran.sandbox.project().join("mine")), content);
    }
}

#[test]
fn a_failed_task_stays_failed_when_the_file_cannot_be_written() {
    let test = Test::command("exit 1").file("mine", "x").unwritable_envelope_file("mine");
    test.stderr_contains("warning: ").stderr_contains("mine").task_failed();
}

#[test]
fn a_directory_is_not_writable_as_a_file() {
    let ran = cannot_be_written(
        Test::command("true").file("directory/x", "").unwritable_envelope_file("directory"),
    );
    assert!(ran.sandbox.project().join("directory/x").exists());
}

#[test]
fn a_fifo_is_not_touched_and_nobody_waits_for_it() {
    let test = Test::command("true").unwritable_envelope_file("fifo").given(|sandbox| {
        nix::unistd::mkfifo(&sandbox.project().join("fifo"), Mode::S_IRWXU).unwrap();
    });
    let ran = cannot_be_written(test);
    assert!(ran.sandbox.project().join("fifo").symlink_metadata().unwrap().file_type().is_fifo());
}

/// A name that nothing has, not even what an earlier test with a fault left.
fn new_name(sandbox: &Sandbox) -> String {
    sandbox.root().file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_device_is_not_touched() {
    // Not as root: a cap with a fault would harm the whole machine.
    if let Some(test) = Test::command("true").unwritable_envelope_file("/dev/null").powerless() {
        cannot_be_written(test);
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
    for directory in ["/dev", "/proc", "/../dev", "/dev/../dev"] {
        let test = Test::command("true");
        let path = Path::new(directory).join(new_name(&test.sandbox));
        cannot_be_written(test.unwritable_envelope_file(&path));
        assert!(!path.exists());
    }
}

#[test]
fn a_link_into_a_device_directory_changes_nothing_about_that() {
    let test = Test::command("true");
    let name = new_name(&test.sandbox);
    symlink("/dev", test.sandbox.project().join("link")).unwrap();
    cannot_be_written(test.unwritable_envelope_file(Path::new("link").join(&name)));
    assert!(!Path::new("/dev").join(name).exists());
}

#[test]
fn a_directory_that_is_missing_or_closed_is_not_writable() {
    cannot_be_written(Test::command("true").unwritable_envelope_file("nowhere/envelope"));
    let test = Test::command("true")
        .directory("closed")
        .directory("")
        .unwritable_envelope_file("closed/envelope");
    let test = test.given(|sandbox| {
        fs::set_permissions(sandbox.project().join("closed"), fs::Permissions::from_mode(0o500))
            .unwrap();
    });
    let Some(test) = test.powerless() else { return };
    cannot_be_written(test);
}

#[test]
fn a_command_that_makes_the_path_foreign_during_the_run_is_not_overwritten() {
    let test = Test::command("echo mine > envelope").unwritable_envelope_file("envelope");
    let ran = cannot_be_written(test);
    assert_eq!(text_of(ran.sandbox.project().join("envelope")), "mine\n");
}

#[test]
fn every_outcome_is_written() {
    Test::command("true").ok();
    Test::command("exit 1").task_failed();
    Test::command("exit 127").automation_broken("");
    Test::new().run("x").unavailable("'x'");
    Test::new()
        .manifest("5\n")
        .run("x")
        .stderr_contains("")
        .automation_broken("manifest invalid: ");
}

#[test]
fn the_environment_names_the_file_too_and_the_command_does_not_see_it() {
    let shown = "echo \"[${DOSSIER_CAP_ENVELOPE_FILE-unset}]\"";
    Test::command(shown).cap(["run", "test.focused"]).stdout("[unset]\n").ok();
}

#[test]
fn an_option_counts_before_the_environment() {
    let test =
        Test::command("true").file("other", "mine").env("DOSSIER_CAP_ENVELOPE_FILE", "other");
    let ran = test.ok();
    assert_eq!(text_of(ran.sandbox.project().join("other")), "mine");
}

#[test]
fn an_empty_value_in_the_environment_is_none() {
    Test::command("true").env("DOSSIER_CAP_ENVELOPE_FILE", "").without_envelope_file().ok();
}

#[test]
fn without_a_file_the_last_line_is_all_there_is() {
    let ran = Test::command("ls -A").without_envelope_file().stdout(".dossier\n").ok();
    assert_eq!(fs::read_dir(ran.sandbox.out()).unwrap().count(), 0);
}

#[test]
fn a_usage_error_removes_an_old_envelope() {
    let wrong = [vec!["--tail-bytes", "many"], vec!["--no-such-option"], vec!["--tail-bytes"]];
    for options in wrong {
        let test = Test::command("true").file("envelope", OLD).envelope_file("envelope");
        test.options(options.clone()).stderr_contains("").usage_error();
        let words = [&["run", "test.focused"], &options[..]].concat();
        let test = Test::command("true").file("envelope", OLD).envelope_file("envelope");
        test.cap(words).stderr_contains("").usage_error();
    }
    for words in [&["run"][..], &["--", "run", "test.focused"], &["--no-such-option", "run", "x"]] {
        let test = Test::command("true").file("envelope", OLD).envelope_file("envelope");
        test.cap(words.iter().copied()).stderr_contains("").usage_error();
    }
    let test = Test::command("true").file("envelope", OLD).envelope_file("envelope");
    test.cap(["run", "x", "--tail-bytes=x", "--envelope-file=envelope"])
        .stderr_contains("")
        .usage_error();
}

#[test]
fn asking_for_help_removes_an_old_envelope_since_nothing_runs() {
    for help in ["-h", "--help"] {
        let test = Test::command("true").file("envelope", OLD).envelope_file("envelope");
        let words = ["run", "test.focused", help];
        let ran = test.cap(words).stdout_contains("Usage: cap run").success();
        assert!(!ran.sandbox.project().join("envelope").exists());
    }
}

#[test]
fn an_empty_path_is_no_path() {
    for options in [&["--envelope-file="][..], &["--envelope-file", ""]] {
        Test::command("true").without_envelope_file().options(options.iter().copied()).ok();
    }
}

#[test]
fn a_usage_error_removes_nothing_else() {
    let test = Test::command("true").file("mine", "precious").unwritable_envelope_file("mine");
    let ran = test.options(["--tail-bytes", "many"]).stderr_contains("").usage_error();
    assert_eq!(text_of(ran.sandbox.project().join("mine")), "precious");
    // Behind the separator it is an arg of the capability, not a path.
    let test = Test::command("true").file("mine", OLD).without_envelope_file();
    let ran = test
        .cap(["run", "--tail-bytes", "x", "a", "--", "--envelope-file", "mine"])
        .stderr_contains("")
        .usage_error();
    assert_eq!(text_of(ran.sandbox.project().join("mine")), OLD);
}

#[test]
fn other_commands_leave_an_old_envelope_alone() {
    let test = Test::command("true").file("envelope", OLD).envelope_file("envelope").list();
    let ran = test.stdout_contains("test.focused").success();
    assert_eq!(text_of(ran.sandbox.project().join("envelope")), OLD);
    // The word is another command's here.
    let test = ran.again().without_envelope_file().env("DOSSIER_CAP_ENVELOPE_FILE", "envelope");
    let test = test.cap(["last-ok", "run", "--no-such-option"]);
    let ran = test.stderr_contains("").usage_error_with(2);
    assert_eq!(text_of(ran.sandbox.project().join("envelope")), OLD);
}

#[test]
fn a_path_that_is_not_utf_8_is_a_path_all_the_same() {
    use std::os::unix::ffi::OsStringExt;
    let name = std::ffi::OsString::from_vec(b"envelope-\xff".to_vec());
    Test::command("true").envelope_file(name).envelope(json!({"outcome": "ok"})).ok();
}

#[test]
fn a_usage_error_removes_the_envelope_of_the_directory_that_was_asked_for() {
    let words = ["-C", "deep", "run", "x", "--tail-bytes", "many", "--envelope-file", "envelope"];
    let test = Test::command("true").file("deep/envelope", OLD).file("envelope", OLD);
    let ran = test.without_envelope_file().cap(words).stderr_contains("").usage_error();
    let project = ran.sandbox.project();
    assert_eq!(text_of(project.join("envelope")), OLD, "another one");
    assert!(!project.join("deep/envelope").exists());
}

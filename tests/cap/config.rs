//! `cap config`: the user's settings shown and set, and nobody else's lost (contract section 12).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use nix::sys::stat::Mode;

use crate::builder::Test;
use crate::builder::sandbox::Sandbox;
use crate::builder::verdict::text_of;

/// `cap config` with these words.
fn config(test: Test, words: &[&str]) -> Test {
    test.without_envelope_file().cap(std::iter::once("config").chain(words.iter().copied()))
}

fn with_file(content: impl AsRef<[u8]>) -> Test {
    Test::new().home_file("config.json", content)
}

fn directory(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".dossier")
}

fn file(sandbox: &Sandbox) -> PathBuf {
    directory(sandbox).join("config.json")
}

fn mode(path: PathBuf) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The file is what it was, and nothing is left beside it.
fn is_as_it_was(sandbox: &Sandbox, before: &str) {
    assert_eq!(text_of(file(sandbox)), before);
    assert_eq!(fs::read_dir(directory(sandbox)).unwrap().count(), 1);
}

#[test]
fn without_a_key_it_prints_the_whole_file_in_its_own_order() {
    let test = with_file("\u{feff}{\"z\":1,\"auditLog\":false,\"a\":{\"b\":[]}}");
    let shown = "{\n  \"z\": 1,\n  \"auditLog\": false,\n  \"a\": {\n    \"b\": []\n  }\n}\n";
    let ran = config(test, &[]).stdout(shown).success();
    fs::remove_file(file(&ran.sandbox)).unwrap();
    let ran = config(ran.again(), &[]).stdout("{}\n").success();
    fs::remove_dir(directory(&ran.sandbox)).unwrap();
    let ran = config(ran.again(), &[]).stdout("{}\n").success();
    assert!(!directory(&ran.sandbox).exists(), "who only asks makes nothing");
}

#[test]
fn with_a_key_it_prints_the_value_as_json() {
    let content = "{\"auditLog\": \"false\", \"n\": 1.0, \"null\": null, \"list\": [1]}";
    for (key, value) in
        [("auditLog", "\"false\""), ("n", "1.0"), ("null", "null"), ("list", "[\n  1\n]")]
    {
        config(with_file(content), &[key]).stdout(&format!("{value}\n")).success();
    }
}

#[test]
fn a_key_that_is_not_set_exits_1_with_nothing_on_stdout() {
    let ask = |key, note: &str| {
        config(with_file("{\"editor\": 1}"), &[key]).stderr(note).failure(1);
        config(Test::new(), &[key]).stderr_contains("is not set").failure(1);
    };
    ask("auditLog", "note: 'auditLog' is not set, so runs are recorded\n");
    ask("auditlog", "note: 'auditlog' is not set: did you mean 'auditLog'?\n");
    ask("editr", "note: 'editr' is not set: did you mean 'editor'?\n");
    ask("x\u{1b}[31m", "note: 'x\\u{1b}[31m' is not set\n");
}

#[test]
fn a_setting_is_heard_by_the_next_run() {
    let ran = config(Test::command("true"), &["auditLog", "false"]).success();
    let ran = ran.again().run("test.focused").no_row().ok();
    let ran = config(ran.again(), &["auditLog"]).stdout("false\n").success();
    let ran = config(ran.again(), &["auditLog", "true"]).success();
    let ran = config(ran.again(), &["auditLog"]).stdout("true\n").success();
    ran.again().run("test.focused").ok();
}

#[test]
fn every_other_key_stays_byte_for_byte() {
    let before =
        "{\n\t\"z\": 12345678901234567890123,\n\t\"auditLog\" : \"yes\",\n\t\"a\": \"\\u00e9\"\n}";
    let ran = config(with_file(before), &["auditLog", "false"]).success();
    is_as_it_was(&ran.sandbox, &before.replace("\"yes\"", "false"));
    let ran = config(with_file("{\"a\": 1}\n"), &["auditLog", "true"]).success();
    is_as_it_was(&ran.sandbox, "{\"auditLog\": true,\"a\": 1}\n");
}

#[test]
fn file_and_directory_are_made_for_their_owner_alone() {
    let test = config(Test::new(), &["auditLog", "false"]);
    let ran = test.before("umask 0").success();
    assert_eq!(text_of(file(&ran.sandbox)), "{\n  \"auditLog\": false\n}\n");
    assert_eq!(mode(file(&ran.sandbox)), 0o600);
    assert_eq!(mode(directory(&ran.sandbox)), 0o700);
}

#[test]
fn a_file_that_is_there_keeps_its_mode() {
    for kept in [0o644, 0o440] {
        let test = with_file("{}").given(|sandbox| {
            fs::set_permissions(file(sandbox), fs::Permissions::from_mode(kept)).unwrap();
        });
        let ran = config(test, &["auditLog", "false"]).before("umask 077").success();
        assert_eq!(mode(file(&ran.sandbox)), kept);
    }
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let test = Test::new().file("dotfiles/deep.json", "{\"a\": 1}").home_file("x", "");
    let test = test.given(|sandbox| {
        symlink("deep.json", sandbox.project().join("dotfiles/link.json")).unwrap();
        symlink("../project/dotfiles/link.json", file(sandbox)).unwrap();
    });
    let ran = config(test, &["auditLog", "false"]).success();
    let target = ran.sandbox.project().join("dotfiles/deep.json");
    assert_eq!(text_of(&target), "{\"auditLog\": false,\"a\": 1}");
    assert!(!target.is_symlink() && file(&ran.sandbox).is_symlink());
    assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 2);
    fs::remove_file(target).unwrap();
    let test = config(ran.again(), &["auditLog", "true"]);
    let ran = test.stderr_contains("error: ").stderr_contains("links to").failure(2);
    assert!(file(&ran.sandbox).is_symlink());
}

#[test]
fn what_cannot_be_read_is_never_overwritten() {
    let contents: [&[u8]; 8] = [
        b"",
        b"[]",
        b"false",
        b"{\"a\": 1",
        b"{\"a\": 1,}",
        b"// mine\n{}",
        b"{\"a\": 1e999}",
        b"{\"a\": \"\xff\"}",
    ];
    for content in contents {
        for words in [&[][..], &["auditLog"], &["auditLog", "false"]] {
            let test = config(with_file(content), words).stderr_contains("config.json': ");
            let ran = test.stderr_contains("error: ").failure(2);
            assert_eq!(fs::read(file(&ran.sandbox)).unwrap(), content);
            assert_eq!(fs::read_dir(directory(&ran.sandbox)).unwrap().count(), 1);
        }
    }
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    let test = config(with_file(&large), &["auditLog", "false"]);
    let ran = test.stderr_contains("larger than 1048576 bytes").failure(2);
    is_as_it_was(&ran.sandbox, &large);
}

#[test]
fn what_is_no_file_is_an_error_at_once() {
    for words in [&[][..], &["auditLog", "false"]] {
        let fifo = Test::new().home_file("x", "").given(|sandbox| {
            nix::unistd::mkfifo(&file(sandbox), Mode::S_IRWXU).unwrap();
        });
        config(fifo, words).stderr_contains("not a regular file but a fifo").failure(2);
        let directory = Test::new().home_file("config.json/x", "");
        config(directory, words).stderr_contains("not a regular file but a directory").failure(2);
    }
    let test = Test::new().file("../.dossier", "a file");
    config(test, &["auditLog", "false"]).stderr_contains("error: ").failure(2);
    let test = Test::new().env("HOME", "/nowhere/at/all");
    config(test, &["auditLog", "false"]).stderr_contains("error: ").failure(2);
}

#[test]
fn where_nothing_can_be_written_the_file_stays_as_it_was() {
    let test = with_file("{\"a\": 1}").given(|sandbox| {
        fs::set_permissions(directory(sandbox), fs::Permissions::from_mode(0o500)).unwrap();
    });
    let Some(test) = config(test, &["auditLog", "false"]).powerless() else { return };
    let ran = test.stderr_contains("cannot write: ").failure(2);
    is_as_it_was(&ran.sandbox, "{\"a\": 1}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let test = config(with_file("{\"a\": 1}"), &["auditLog", "false"]);
    let test = test.before("trap '' XFSZ; ulimit -f 0");
    let ran = test.stderr_contains("cannot write: ").failure(2);
    is_as_it_was(&ran.sandbox, "{\"a\": 1}");
}

#[test]
fn two_at_once_leave_a_whole_file() {
    let test = config(with_file("{\"a\": 1}"), &["auditLog", "false"]);
    let code = "for n in 1 2 3 4 5 6; do \"$0\" config auditLog true & done; wait";
    let ran = test.success();
    let output = ran.sandbox.output("/bin/sh", ["-c", code, env!("CARGO_BIN_EXE_cap")]);
    assert!(output.stderr.is_empty(), "{output:?}");
    is_as_it_was(&ran.sandbox, "{\"auditLog\": true,\"a\": 1}");
}

#[test]
fn only_what_is_a_setting_can_be_set() {
    for (words, error) in [
        (["auditlog", "false"], "'auditlog', which is no setting of cap: did you mean 'auditLog'?"),
        (["color", "never"], "cannot set 'color', which is no setting of cap\n"),
        (["auditLog", "off"], "'auditLog' is true or false, not 'off'\n"),
        (["auditLog", "False"], "not 'False': did you mean 'false'?\n"),
        (["auditLog", ""], "not ''\n"),
        (["auditLog", "\u{1b}[31m"], "not '\\u{1b}[31m'\n"),
    ] {
        let test = config(with_file("{}"), &words).stderr_contains(error);
        let test = test.stderr_contains("\nhelp: 'cap config --help' tells the settings\n");
        is_as_it_was(&test.usage_error().sandbox, "{}");
    }
    let test = config(with_file("{}"), &["auditLog", "false", "x"]).stderr_contains("error: ");
    is_as_it_was(&test.usage_error().sandbox, "{}");
}

#[test]
fn a_value_cannot_drive_the_terminal() {
    let test = with_file("{\"\u{202e}\": \"\u{9b}31m\u{7f}\"}");
    config(test, &[]).stdout("{\n  \"\\u202e\": \"\\u009b31m\\u007f\"\n}\n").success();
}

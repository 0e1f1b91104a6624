//! `cap list`, for people and for programs (contract section 4).

use std::fs;

use crate::builder::json::parse;
use crate::builder::sandbox::MANIFEST;
use crate::builder::{Test, quoted};

const TWO: &str = "
    capabilities:
      test.focused:
        command: cargo test
        description: Fast, targeted tests
      b:
        command: 'true'
        lifecycle: shadow
    ";

#[test]
fn the_table_has_the_manifests_path_above_and_one_aligned_row_each() {
    let test = Test::new().manifest(TWO);
    let ran = test.list().stdout_contains(MANIFEST).success();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].contains(MANIFEST), "{}", ran.stdout);
    let row = |words: &[&str]| {
        let line =
            lines.iter().find(|line| line.split_whitespace().next() == words.first().copied());
        let line = line.unwrap_or_else(|| panic!("no row {words:?} in {}", ran.stdout));
        let mut from = 0;
        let column = |word: &&str| {
            from += line[from..].find(word).unwrap_or_else(|| panic!("{word:?} isn't in {line:?}"));
            from
        };
        words.iter().map(column).collect::<Vec<usize>>()
    };
    let first = row(&["test.focused", "active", "cargo test", "Fast, targeted tests"]);
    assert_eq!(row(&["b", "shadow", "true"]), first[..3]);
}

#[test]
fn a_long_command_is_shown_whole_when_nobody_watches() {
    let command = format!("echo {}", "x".repeat(5000));
    let test = Test::new().manifest(&format!("capabilities: {{a: {{command: {command}}}}}\n"));
    test.env("COLUMNS", "40").list().stdout_contains(&command).success();
}

#[test]
fn no_manifest_is_none_and_fine() {
    let test = Test::new().list().stdout_contains("(none)");
    let ran = test.stderr("help: 'cap init' writes one from what this project shows\n").success();
    ran.again()
        .cap(["list", "--json"])
        .stdout("{\"manifest\":null,\"capabilities\":[]}\n")
        .success();
}

#[test]
fn a_manifest_without_entries_says_so() {
    let test = Test::new().manifest("capabilities: {}\n");
    let ran = test.list().stdout_contains(MANIFEST).success();
    assert!(!ran.stdout.contains("(none)"), "there is a manifest: {}", ran.stdout);
    let path = ran.sandbox.manifest().display().to_string();
    let json = format!("{{\"manifest\":{},\"capabilities\":[]}}\n", quoted(&path));
    ran.again().cap(["list", "--json"]).stdout(&json).success();
}

#[test]
fn json_is_one_line_with_the_manifest_and_four_keys_first() {
    let test = Test::new().manifest(TWO).cap(["list", "--json"]);
    let path = test.sandbox.manifest().display().to_string();
    let start = format!(
        "{{\"manifest\":{},\"capabilities\":[{{\"id\":\"test.focused\",\"lifecycle\":\"active\",\"command\":\"cargo test\",\"description\":\"Fast, targeted tests\",",
        quoted(&path)
    );
    let ran = test
        .stdout_contains(&start)
        .stdout_contains(
            "{\"id\":\"b\",\"lifecycle\":\"shadow\",\"command\":\"true\",\"description\":null,",
        )
        .success();
    assert!(ran.stdout.starts_with(&start));
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(parse(ran.stdout.trim_end()).unwrap().keys, ["manifest", "capabilities"]);
}

#[test]
fn json_has_the_entrys_numbers_and_assumptions() {
    let text = "
        capabilities:
          a:
            command: x
            timeout_ms: 5
            min_duration_ms: 6
            timeout_prone: true
            assumptions:
              - file-exists: Cargo.toml
              - tool-version: cargo >= 1.95
          b:
            command: x
        ";
    let ran = Test::new().manifest(text).cap(["list", "--json"]).stdout_contains("").success();
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let [a, b] = &listed["capabilities"].as_array().unwrap()[..] else { panic!("{}", ran.stdout) };
    assert_eq!(
        (&a["timeout_ms"], &a["min_duration_ms"], &a["timeout_prone"]),
        (&5.into(), &6.into(), &true.into())
    );
    assert_eq!(
        (&b["timeout_ms"], &b["min_duration_ms"], &b["timeout_prone"]),
        (&300_000.into(), &0.into(), &false.into())
    );
    assert_eq!(b["assumptions"], serde_json::json!([]));
    let assumptions = a["assumptions"].as_array().unwrap();
    assert_eq!(assumptions.len(), 2, "{}", ran.stdout);
    assert!(assumptions[1].to_string().contains("cargo >= 1.95"), "{}", ran.stdout);
}

#[test]
fn an_invalid_manifest_prints_nothing_on_stdout() {
    let ran = Test::new()
        .manifest("capabilities: 5\n")
        .list()
        .stderr_contains("error: manifest invalid: ")
        .failure(1);
    ran.again().cap(["list", "--json"]).stderr_contains("error: manifest invalid: ").failure(1);
}

#[test]
fn control_characters_are_shown_escaped_in_the_table() {
    let text = "
        capabilities:
          a:
            command: |
              echo one
              echo two
            description: \"\\e[31mred\\e[0m \\u009b \\u0085 \\u202e back\\r\\x07\"
        ";
    let ran = Test::new()
        .manifest(text)
        .list()
        .stdout_contains("echo one\\necho two")
        .stdout_contains("[31mred")
        .success();
    let is_bad = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!ran.stdout.contains(is_bad), "{:?}", ran.stdout);
}

#[test]
fn json_keeps_control_characters_as_json_does() {
    let text = "capabilities: {a: {command: x, description: \"\\e[31m\\u2028\\u0085\\n\"}}\n";
    let ran =
        Test::new().manifest(text).cap(["list", "--json"]).stdout_contains("\\u001b[31m").success();
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(listed["capabilities"][0]["description"], "\u{1b}[31m\u{2028}\u{85}\n");
    assert!(!ran.stdout.contains(['\u{2028}', '\u{85}']));
}

#[test]
fn a_path_cannot_drive_the_terminal_either() {
    let name = "evil\u{1b}[31m";
    let test = Test::new().file(
        format!("{name}/.dossier/automation/manifest.yaml"),
        "capabilities: {a: {command: x}}\n",
    );
    let below = format!("{name}/deep");
    let ran = test.directory(&below).list().stdout_contains("evil\\u{1b}[31m").success();
    assert!(!ran.stdout.contains('\u{1b}'));
    fs::write(ran.sandbox.project().join(name).join(".dossier/automation/manifest.yaml"), "5\n")
        .unwrap();
    let ran = ran.again().directory(&below).list().stderr_contains("evil\\u{1b}[31m").failure(1);
    assert!(!ran.stderr.contains('\u{1b}'));
}

#[test]
fn listing_runs_nothing_and_checks_no_assumption() {
    let yaml = "
        capabilities:
          a:
            command: touch ran
            assumptions: [{file-exists: nowhere}, {tool-version: probe>=1}]
        ";
    let test = Test::new().manifest(yaml).tool("probe", "touch probed; echo 1.0");
    let ran = test.list().stdout_contains("touch ran").success();
    for trace in ["ran", "probed"] {
        assert!(!ran.sandbox.project().join(trace).exists());
    }
}

#[test]
fn a_warning_shows_the_line_that_it_is_about() {
    let test = Test::new().manifest("capabilities: {}\ngate: none\n").list().stdout_contains("");
    let message = format!("{MANIFEST}:2:1: warning: unknown key 'gate': did you mean 'gates'?");
    test.stderr(&format!("{message}\n 2 | gate: none\n   | ^\n")).success();
}

#[test]
fn a_misspelt_command_is_pointed_at() {
    let test = Test::new().manifest("capabilities:\n  a:\n    comand: x\n").list();
    let message = "'a' requires a non-empty 'command': did you mean 'command' by 'comand'?";
    test.stderr_contains(&format!("{MANIFEST}:3:5: {message}")).failure(1);
}

#[test]
fn a_misspelt_key_is_named_beside_the_faults() {
    let test = Test::new().manifest("capabilities: {a: {timout_ms: 5}}\n").list();
    let test = test.stderr_contains("requires a non-empty 'command'");
    test.stderr_contains("warning: unknown key 'timout_ms'").failure(1);
}

#[test]
fn json_carries_nothing_that_could_drive_a_terminal() {
    let manifest = "capabilities: {a: {command: \"\\u009b2J\\x7f\"}}\n";
    let test = Test::new().manifest(manifest).cap(["list", "--json"]);
    test.stdout_contains("\"command\":\"\\u009b2J\\u007f\"").success();
}

//! Manifests that are valid, and what they mean (contract section 2).

mod faults;
mod unreadable;

use std::fmt::Write;

use serde_json::json;

use crate::builder::Test;
use crate::builder::sandbox::MANIFEST;

/// The ids that `cap list --json` shows.
fn ids(manifest: &str) -> Vec<String> {
    let ran = Test::new().manifest(manifest).cap(["list", "--json"]).stdout_contains("").success();
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let entries = listed["capabilities"].as_array().unwrap();
    entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// A valid manifest with one more line in its only entry, and what `cap list --json` then shows of it.
fn entry_with(line: &str) -> serde_json::Value {
    let text = format!("capabilities:\n  a:\n    command: x\n    {line}\n");
    let ran = Test::new().manifest(&text).cap(["list", "--json"]).stdout_contains("").success();
    let listed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    listed["capabilities"][0].clone()
}

#[test]
fn a_manifest_without_content_is_valid_and_has_no_capabilities() {
    for text in
        ["", "# only\n# comments\n", "null\n", "~\n", "---\n", "\u{feff}", "capabilities: {}\n"]
    {
        assert_eq!(ids(text), [""; 0], "{text:?}");
        Test::new().manifest(text).run("test.focused").unavailable("test.focused");
    }
}

#[test]
fn version_1_may_be_written_1_and_1_0_or_left_out() {
    for version in ["", "version: 1\n", "version: 1.0\n", "version: 1e0\n"] {
        assert_eq!(
            ids(&format!("{version}capabilities: {{a: {{command: x}}}}\n")),
            ["a"],
            "{version}"
        );
    }
}

#[test]
fn ids_are_the_text_of_their_keys_in_the_order_of_the_file() {
    let written = ["test.focused", "a", "10", "a-.b", "1.10", "0x10", "true", "null", "1e3", "0"];
    let mut text = String::from("capabilities:\n");
    for id in written {
        writeln!(text, "  {id}: {{command: echo {id}}}").unwrap();
    }
    assert_eq!(ids(&text), written);
    for id in written {
        Test::new().manifest(&text).run(id).stdout(&format!("{id}\n")).ok();
    }
}

#[test]
fn a_quoted_id_is_the_same_as_a_plain_one() {
    assert_eq!(ids("capabilities: {\"1.10\": {command: x}, 'b': {command: x}}\n"), ["1.10", "b"]);
}

#[test]
fn every_key_of_an_entry_can_be_given() {
    let text = "
        version: 1
        gates: none-declared-on-purpose
        capabilities:
          test.focused:
            command: echo it ran
            lifecycle: active
            description: Fast tests
            timeout_ms: 60000
            min_duration_ms: 0
            timeout_prone: true
            assumptions:
              - file-exists: here
        ";
    Test::new().manifest(text).file("here", "").run("test.focused").stdout("it ran\n").ok();
}

#[test]
fn whole_numbers_may_be_written_in_any_way_yaml_has() {
    let ways = [
        ("3e5", 300_000),
        ("300000.0", 300_000),
        ("1", 1),
        ("9007199254740991", 9_007_199_254_740_991_u64),
        ("0x10", 16),
    ];
    for (written, value) in ways {
        assert_eq!(
            entry_with(&format!("timeout_ms: {written}"))["timeout_ms"],
            json!(value),
            "{written}"
        );
    }
    assert_eq!(entry_with("min_duration_ms: 0")["min_duration_ms"], json!(0));
}

#[test]
fn yaml_1_2_has_no_booleans_but_true_and_false() {
    for word in ["yes", "no", "on", "off", "y"] {
        assert_eq!(entry_with(&format!("description: {word}"))["description"], json!(word));
    }
}

#[test]
fn crlf_and_a_byte_order_mark_change_nothing() {
    let text =
        "\u{feff}version: 1\r\ncapabilities:\r\n  test.focused:\r\n    command: echo one\r\n";
    Test::new()
        .manifest(text)
        .run("test.focused")
        .stdout("one\n")
        .envelope(json!({"command": "echo one"}))
        .ok();
}

#[test]
fn anchors_and_aliases_work() {
    let text = "
        capabilities:
          a: &all
            command: echo shared
          b: *all
          c:
            command: &line echo line
          d:
            command: *line
        ";
    Test::new().manifest(text).run("b").stdout("shared\n").ok();
    Test::new().manifest(text).run("d").stdout("line\n").ok();
}

#[test]
fn a_command_may_have_many_lines_and_is_run_as_written() {
    let text = "
        capabilities:
          folded:
            command: >
              echo
              one
          literal:
            command: |
              echo one
              echo two
        ";
    Test::new()
        .manifest(text)
        .run("folded")
        .stdout("one\n")
        .envelope(json!({"command": "echo one\n"}))
        .ok();
    Test::new()
        .manifest(text)
        .run("literal")
        .stdout("one\ntwo\n")
        .envelope(json!({"command": "echo one\necho two\n"}))
        .ok();
}

#[test]
fn an_unknown_key_is_warned_about_with_its_place_and_the_nearest_known_one() {
    let yaml = "
        versoin: 1
        owner: me
        x-top: 1
        capabilities:
          test.focused:
            command: echo ran
            timout_ms: 5
            x-note: fine
        ";
    for verb in ["list", "run"] {
        let test = Test::new().manifest(yaml);
        let test = test
            .stderr_contains(&format!("{MANIFEST}:1:1: warning: unknown key 'versoin'"))
            .stderr_contains("did you mean 'version'?")
            .stderr_contains(&format!("{MANIFEST}:2:1: warning: unknown key 'owner'"))
            .stderr_contains(&format!("{MANIFEST}:7:5: warning: unknown key 'timout_ms'"))
            .stderr_contains("did you mean 'timeout_ms'?")
            .stderr_lacks("x-");
        let ran = match verb {
            "list" => test.list().stdout_contains("test.focused").success(),
            _ => test.run("test.focused").stdout("ran\n").ok(),
        };
        assert_eq!(ran.stderr.matches("warning:").count(), 3, "one for each: {}", ran.stderr);
        let owner = ran.stderr.lines().find(|line| line.contains("'owner'")).unwrap();
        assert!(!owner.contains("did you mean"), "nothing is near: {owner}");
    }
}

#[test]
fn a_manifest_of_1_mib_is_read_and_a_larger_one_is_not() {
    let start = "capabilities: {a: {command: echo ran}}\n#";
    let text = format!("{start}{}", "x".repeat((1 << 20) - start.len()));
    Test::new().manifest(&text).run("a").stdout("ran\n").ok();
    let larger = format!("{text}x");
    Test::new()
        .manifest(&larger)
        .run("a")
        .stderr_contains("error: manifest invalid: ")
        .automation_broken("manifest invalid: ");
}

//! Faults in a manifest: all are reported, each with its place and its words (contract section 2).

use crate::builder::Test;
use crate::builder::sandbox::MANIFEST;

/// A fault: its line, its column, words of its message.
type Fault<'a> = (usize, usize, &'a str);

/// Both `cap list` and `cap run` report exactly these faults.
fn invalid(yaml: &str, faults: &[Fault]) {
    let test = Test::new().manifest(yaml);
    let test = test.list().stderr_contains("error: manifest invalid: ");
    let ran = test.failure(1);
    let reported: Vec<&str> =
        ran.stderr.lines().filter(|line| line.starts_with(MANIFEST)).collect();
    assert_eq!(reported.len(), faults.len(), "{yaml}\n{}", ran.stderr);
    for ((line, column, words), reported) in faults.iter().zip(reported) {
        let place = format!("{MANIFEST}:{line}:{column}: ");
        assert!(reported.starts_with(&place), "{place} in {yaml}\n{}", ran.stderr);
        assert!(reported.contains(words), "{words:?} in {yaml}\n{}", ran.stderr);
    }
    let (line, column, words) = faults[0];
    let reported = ran.stderr.clone();
    let test = ran.again().run("a").stderr(&reported);
    let ran = test.automation_broken(&format!("manifest invalid: {MANIFEST}:{line}:{column}: "));
    let reason = ran.envelope["reason"].as_str().unwrap();
    assert!(reason.contains(words), "{words:?} in {reason}");
    assert_eq!(reason.contains("more fault"), faults.len() > 1, "{reason}");
}

/// A fault in the fourth line, which belongs to the entry `a`.
fn invalid_field(line: &str, column: usize, words: &str) {
    invalid(&format!("capabilities:\n  a:\n    command: x\n    {line}\n"), &[(4, column, words)]);
}

#[test]
fn a_version_other_than_the_number_1_is_unsupported() {
    for version in ["2", "\"1\"", "null", "1.5", "true"] {
        let text = format!("version: {version}\ncapabilities: {{a: {{command: x}}}}\n");
        invalid(&text, &[(1, 10, "unsupported manifest version")]);
    }
}

#[test]
fn capabilities_must_be_a_mapping_and_there() {
    for value in ["null", "text", "1"] {
        invalid(&format!("capabilities: {value}\n"), &[(1, 15, "'capabilities'")]);
    }
    invalid("version: 1\n", &[(1, 1, "'capabilities'")]);
    invalid(
        "version: 1\ncapabilties: {a: {command: x}}\n",
        &[(2, 1, "did you mean 'capabilities' by 'capabilties'?")],
    );
    for document in ["text\n", "5\n"] {
        invalid(document, &[(1, 1, "'capabilities'")]);
    }
}

#[test]
fn gates_can_only_be_declared_undeclared() {
    for value in ["none", "null", "true"] {
        invalid(
            &format!("gates: {value}\ncapabilities: {{}}\n"),
            &[(1, 8, "none-declared-on-purpose")],
        );
    }
}

#[test]
fn an_id_is_dotted_lower_case_words() {
    for id in
        ["Test", ".a", "a.", "a..b", "-a", "a.-b", "a_b", "\"\"", "\"a b\"", "ä", "a/b", "\"a\\n\""]
    {
        invalid(&format!("capabilities:\n  {id}:\n    command: x\n"), &[(2, 3, "invalid")]);
    }
}

#[test]
fn an_entry_requires_a_command() {
    let words = "requires a non-empty 'command'";
    for entry in ["text", "5", "true"] {
        invalid(&format!("capabilities:\n  a: {entry}\n"), &[(2, 6, words)]);
    }
    for command in ["null", "''", "\" \\t\\n\"", "5", "true"] {
        invalid(&format!("capabilities:\n  a:\n    command: {command}\n"), &[(3, 14, words)]);
    }
    invalid("capabilities:\n  a:\n", &[(2, 3, words)]);
    invalid("capabilities:\n  a:\n    description: x\n", &[(2, 3, words)]);
}

#[test]
fn a_command_holds_no_nul() {
    invalid("capabilities:\n  a:\n    command: \"x\\0y\"\n", &[(3, 14, "NUL")]);
}

#[test]
fn the_other_keys_of_an_entry_have_their_types() {
    for value in ["shdow", "Active", "null", "1"] {
        invalid_field(&format!("lifecycle: {value}"), 16, "'lifecycle'");
    }
    for value in ["null", "5", "true"] {
        invalid_field(&format!("description: {value}"), 18, "'description'");
    }
    for value in
        ["0", "-1", "1.5", "\"5\"", "9007199254740992", "1e400", ".inf", ".nan", "null", "true"]
    {
        invalid_field(&format!("timeout_ms: {value}"), 17, "'timeout_ms'");
    }
    for value in ["-1", "0.5", "9007199254740992", "null"] {
        invalid_field(&format!("min_duration_ms: {value}"), 22, "'min_duration_ms'");
    }
    for value in ["yes", "1", "null", "\"true\""] {
        invalid_field(&format!("timeout_prone: {value}"), 20, "'timeout_prone'");
    }
    for value in ["null", "text", "5"] {
        invalid_field(&format!("assumptions: {value}"), 18, "'assumptions'");
    }
}

#[test]
fn an_assumption_is_one_known_kind_with_a_text() {
    let item = |item: &str, column: usize, words: &str| {
        let text = format!(
            "capabilities:\n  a:\n    command: x\n    assumptions:\n      - file-exists: x\n      - {item}\n"
        );
        invalid(&text, &[(6, column, words)]);
    };
    item("file-exist: x", 9, "unknown probe kind");
    item("Tool-Version: x", 9, "unknown probe kind");
    item("text", 9, "assumption");
    item("null", 9, "assumption");
    item("{file-exists: x, tool-version: y}", 10, "assumption");
    item("file-exists: 5", 22, "'file-exists'");
    item("file-exists: null", 22, "'file-exists'");
    item("file-exists: ''", 22, "'file-exists'");
    item("tool-version: 5", 23, "'tool-version'");
}

#[test]
fn a_list_is_shown_where_its_first_item_is_and_a_mapping_where_its_first_key_is() {
    let document = "- a\n";
    invalid(document, &[(1, 3, "'capabilities'")]);
    invalid("capabilities: [a]\n", &[(1, 16, "'capabilities'")]);
    invalid_field("lifecycle: [shadow]", 17, "'lifecycle'");
    invalid_field("timeout_ms: {a: 5}", 18, "'timeout_ms'");
    invalid_field("assumptions: [[x]]", 20, "assumption");
    invalid_field("assumptions: [file-exists: [x]]", 33, "'file-exists'");
}

#[test]
fn what_is_empty_is_shown_where_its_key_is() {
    invalid("gates: []\ncapabilities: {}\n", &[(1, 1, "none-declared-on-purpose")]);
    invalid_field("description: {}", 5, "'description'");
    invalid_field("assumptions: [{}]", 5, "assumption");
}

#[test]
fn a_fault_has_its_place_however_many_there_are() {
    // Close to 1 MiB of them: each would take a reading of the whole text if it was looked for by itself.
    let faults = 80_000;
    let entries = (0..faults).map(|n| format!("  a{n}: 5\n")).collect::<Vec<_>>().concat();
    let test = Test::new().manifest(&format!("capabilities:\n{entries}")).list();
    let ran = test.stderr_contains("error: manifest invalid: 80000 faults").failure(1);
    for n in [0, 1000, faults - 1] {
        let column = format!("  a{n}: 5").len();
        assert!(ran.stderr.contains(&format!("{MANIFEST}:{}:{column}: 'a{n}' requires", n + 2)));
    }
}

#[test]
fn a_version_requirement_that_means_nothing_is_caught_when_written() {
    let wrong = [
        "node",
        "node>=",
        "node>=x",
        "node>=*",
        "node^20",
        "node~>20",
        ">=20",
        "node>=20.x.1",
        "node>20.x",
        "node<=20.*",
        "node>=1.2.3.4.5",
        "node>=20<22",
        "node>=20,,<22",
        "node>=20,",
        "node=>20",
        "node!=20",
        "node >= ",
        "no de>=20",
        "node>=-1",
        "node>=20-rc",
        "node>=vv20",
        "node===20",
        "node>=20 22",
        "",
    ];
    for text in wrong {
        invalid(
            &format!(
                "capabilities:\n  a:\n    command: x\n    assumptions: [{{tool-version: \"{text}\"}}]\n"
            ),
            &[(4, 34, "tool-version")],
        );
    }
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_file_with_their_entries() {
    let text = "
        version: 3
        gates: some
        capabilities:
          a:
            command: ''
            timeout_ms: soon
          B:
            command: x
            lifecycle: gone
            assumptions:
              - file-exist: x
              - tool-version: node>=
        ";
    let faults: [Fault; 8] = [
        (1, 10, "unsupported manifest version"),
        (2, 8, "'gates'"),
        (5, 14, "'a' requires a non-empty 'command'"),
        (6, 17, "'a'"),
        (7, 3, "'B'"),
        (9, 16, "'B'"),
        (11, 9, "unknown probe kind 'file-exist'"),
        (12, 23, "'B'"),
    ];
    invalid(text, &faults);
}

#[test]
fn the_offending_line_is_shown_with_a_caret() {
    let test = Test::new().manifest("capabilities:\n  a:\n    command: x\n    timeout_ms: soon\n");
    let ran = test.list().stderr_contains("timeout_ms: soon\n").failure(1);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let at = lines.iter().position(|line| line.ends_with("timeout_ms: soon")).unwrap();
    let caret = lines[at + 1].find('^').unwrap();
    assert!(lines[at][caret..].starts_with("soon"), "{}", ran.stderr);
}

#[test]
fn the_caret_stands_below_the_place_behind_wide_characters_too() {
    let test = Test::new().manifest("capabilities: {a: {description: 漢字, command: ''}}\n");
    let line = " 1 | capabilities: {a: {description: 漢字, command: ''}}\n";
    let caret = format!("   | {:47}^\n", "");
    test.list().stderr_contains(&format!("{line}{caret}")).failure(1);
}

#[test]
fn a_text_that_ends_too_early_is_shown_at_its_end() {
    let test = Test::new().manifest("capabilities:\n  a: {command: \"x\n").list();
    test.stderr_contains(&format!("{MANIFEST}:3:1: "))
        .stderr_contains("\n 3 | \n   | ^\n")
        .failure(1);
}

#[test]
fn one_bad_entry_makes_the_manifest_invalid_for_every_id() {
    let text = "capabilities:\n  good: {command: touch ran}\n  bad: {command: ''}\n";
    for id in ["good", "bad", "neither"] {
        let ran = Test::new()
            .manifest(text)
            .run(id)
            .stderr_contains(":3:18: ")
            .automation_broken("manifest invalid: ");
        assert!(!ran.sandbox.project().join("ran").exists());
        assert!(ran.envelope["command"].is_null());
    }
}

#[test]
fn what_stops_the_reader_is_one_fault_at_its_place() {
    let one = |text: &str, place: &str, words: &str| {
        let test = Test::new().manifest(text);
        let ran = test
            .list()
            .stderr_contains(&format!("{MANIFEST}{place}"))
            .stderr_contains(words)
            .failure(1);
        assert_eq!(
            ran.stderr.lines().filter(|line| line.starts_with(MANIFEST)).count(),
            1,
            "{}",
            ran.stderr
        );
        ran.again().run("a").stderr_contains(words).automation_broken(words);
    };
    one("capabilities:\n  a:\n    command: x\n   b: y\n", ":4:", "manifest invalid");
    one("capabilities: {a: {command: x}\n", ":", "manifest invalid");
    one("capabilities:\n  a: *nowhere\n", ":2:6: ", "manifest invalid");
    one("capabilities:\n  a: {command: x}\n  a: {command: y}\n", ":3:3: ", "duplicate");
    one("capabilities:\n  10: {command: x}\n  \"10\": {command: y}\n", ":3:3: ", "duplicate");
    one("capabilities: {}\ncapabilities: {}\n", ":2:1: ", "duplicate");
    one("capabilities:\n  a:\n    command: x\n    command: y\n", ":4:5: ", "duplicate");
    one("capabilities: {}\n---\ncapabilities: {}\n", ":", "document");
    one("capabilities:\n  ? [a]\n  : {command: x}\n", ":", "manifest invalid");
}

#[test]
fn a_place_counts_characters_whatever_is_before_it() {
    invalid("\u{feff}version: 2\ncapabilities: {}\n", &[(1, 10, "unsupported manifest version")]);
    invalid("capabilities:\r\n  a:\r\n    command: ''\r\n", &[(3, 14, "non-empty 'command'")]);
    invalid(
        "capabilities: {a: {description: é漢🎉, command: ''}}\n",
        &[(1, 47, "non-empty 'command'")],
    );
    invalid("# é\n\n\ncapabilities:\n  ä: {command: x}\n", &[(5, 3, "invalid")]);
}

#[test]
fn a_value_with_a_tag_of_its_own_is_a_fault() {
    invalid_field("description: !secret x", 18, "'description'");
}

#[test]
fn a_duplicate_key_is_a_fault_below_unknown_keys_too() {
    let test = Test::new().manifest("x-note:\n  a: 1\n  a: 2\ncapabilities: {}\n");
    test.list().stderr_contains(":3:3: ").stderr_contains("duplicate").failure(1);
}

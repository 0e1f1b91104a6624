//! Tests of finding a version in what a tool prints.

use super::*;
use proptest::prelude::*;

fn find(tool: &str, stdout: &str) -> Option<String> {
    find_version(tool, stdout.as_bytes(), b"").map(|version| version.to_string())
}

#[test]
fn real_tools_print_the_version_that_people_say_they_have() {
    let rows = include_str!("../../../tests/tool-versions.tsv")
        .lines()
        .filter(|row| !row.starts_with('#'));
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [tool, arguments, _, stdout, stderr, version] = columns[..] else { panic!("{row}") };
        let text = |json| serde_json::from_str::<String>(json).expect("a JSON string");
        let found = find_version(tool, text(stdout).as_bytes(), text(stderr).as_bytes());
        assert_eq!(
            found.map_or("none".to_owned(), |version| version.to_string()),
            version,
            "{row}"
        );
        if arguments != "--version" {
            assert_eq!(
                other_arguments(tool).map(|words| words.join(" ")).as_deref(),
                Some(arguments)
            );
        }
    }
}

#[test]
fn a_number_inside_a_word_is_no_version() {
    for text in ["bzip2", "sha256sum", "x86", "é5.1", "a.5", "..5", "go1.22", "dev5.1", "v", ""] {
        assert_eq!(find("tool", text), None, "{text:?}");
    }
}

#[test]
fn a_number_may_stand_by_itself_or_behind_a_v_or_the_tool_s_own_name() {
    for text in
        ["1.2", "v1.2", "(1.2)", "other_1.2p1", "tool1.2", "TOOLv1.2", "\u{1f980}1.2", "1.2."]
    {
        assert_eq!(find("tool", text).as_deref(), Some("1.2"), "{text:?}");
        assert_eq!(find("./bin/Tool", text).as_deref(), Some("1.2"), "{text:?}");
    }
    assert_eq!(find("tool", "newtool1.2"), None);
    assert_eq!(find("bin/", "x1.2"), None);
}

#[test]
fn a_dot_counts_more_than_the_tool_s_own_name_and_both_more_than_the_order() {
    assert_eq!(find("tool", "lib 1.2, tool 3.4").as_deref(), Some("3.4"));
    assert_eq!(find("tool", "lib 1.2, tool 3").as_deref(), Some("1.2"));
    assert_eq!(find("tool", "7 of 9, tool 3").as_deref(), Some("3"));
    assert_eq!(find("tool", "lib 1.2, lib 3.4").as_deref(), Some("1.2"));
    assert_eq!(find("tool", "lib 1.2\ntool\n3.4").as_deref(), Some("1.2"));
    assert_eq!(
        find("tool", "toolbox 1.2, mytool 3.4, TOOL, Version: v5.6").as_deref(),
        Some("5.6")
    );
    assert_eq!(find("g++", "lib 1.2, g++ (3.4)").as_deref(), Some("3.4"));
}

#[test]
fn apple_s_tools_print_their_own_version_after_the_word_version() {
    let clang = "Apple clang version 15.0.0 (clang-1500.3.9.4)\n";
    assert_eq!(find("clang", clang).as_deref(), Some("15.0.0"));
    let swift = "swift-driver version: 1.87.3 Apple Swift version 5.9.2 (swiftlang-5.9.2.2.56)\n";
    assert_eq!(find("swift", swift).as_deref(), Some("5.9.2"));
}

#[test]
fn stdout_counts_before_stderr() {
    let found =
        |stdout, stderr| find_version("tool", stdout, stderr).map(|found| found.to_string());
    assert_eq!(found(b"7", b"tool 1.2").as_deref(), Some("7"));
    assert_eq!(found(b"no number", b"tool 1.2").as_deref(), Some("1.2"));
}

#[test]
fn escapes_and_broken_characters_do_not_hide_a_version() {
    for output in [
        &b"\x1b[1mtool\x1b[0m \x1b[38;5;12m1.2\x1b[m"[..],
        b"\x1b]0;title 9.9\x07tool 1.2",
        b"\x1b]8;;https://example.org/9.9\x1b\\tool 1.2\x1b]8;;\x1b\\",
        b"\xff\xc3\x1b[1m1.2",
        b"\xf0\x9f1.2\x00",
        b"1.2\x1b[",
    ] {
        let found = find_version("tool", output, b"").map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some("1.2"), "{}", output.escape_ascii());
    }
}

#[test]
fn at_most_four_numbers_count_and_none_that_is_too_large() {
    assert_eq!(find("tool", "1.2.3.4.5").as_deref(), Some("1.2.3.4"));
    assert_eq!(find("tool", "99999999999999999999.1 then 2").as_deref(), Some("2"));
}

#[test]
fn a_tool_s_other_arguments_are_known_by_its_own_name() {
    assert_eq!(other_arguments("/usr/local/go/bin/go"), Some(&["version"][..]));
    assert_eq!(other_arguments("kubectl"), Some(&["version", "--client"][..]));
    assert_eq!(other_arguments("node"), None);
}

proptest! {
    #[test]
    fn any_bytes_are_searched_without_a_panic(
        tool in "[A-Za-z0-9._/+-]{1,4}",
        stdout in any::<Vec<u8>>(),
        stderr in "(\u{1b}[\\[\\]P]?|[0-9.vé\u{9b}\u{1f720}\n]){0,20}",
    ) {
        let _ = find_version(&tool, &stdout, stderr.as_bytes());
    }

    #[test]
    fn the_first_version_after_the_tool_s_name_is_found_wherever_it_stands(
        before in "([a-s ]{0,9} [0-9]{1,3}(\\.[0-9]{1,3}){0,4}[,\n]){0,5}",
        separator in "([ /_(,-]{1,3}(version:? )?)?v?",
        version in "[1-9][0-9]{0,3}(\\.[1-9][0-9]{0,3}){1,3}",
        after in "([ a-z,;()+_é-][ -~]{0,20})?",
    ) {
        let text = format!("{before}tool{separator}{version}{after}");
        prop_assert_eq!(find("tool", &text), Some(version));
    }

    #[test]
    fn what_is_found_stands_in_the_output_as_it_is_and_escapes_round_it_change_nothing(
        words in prop::collection::vec(
            "(tool|lib|v|x86_64|version|sha256|[1-9][0-9]{0,2}(\\.[1-9][0-9]{0,2}){0,4})", 0..8,
        ),
        separators in prop::collection::vec("[ /:,(\n-]", 8),
    ) {
        let text: String = words.iter().zip(&separators).flat_map(|(word, end)| [word, end.as_str()]).collect();
        let found = find("tool", &text);
        match &found {
            Some(version) => prop_assert!(text.contains(version.as_str()), "{version} in {text:?}"),
            // Only words that hold no number of their own.
            None => prop_assert!(words.iter().all(|word| !word.starts_with(|c: char| c.is_ascii_digit())), "{text:?}"),
        }
        let bold: String = words
            .iter()
            .zip(&separators)
            .flat_map(|(word, end)| ["\x1b[1m", word, "\x1b[0m", end])
            .collect();
        prop_assert_eq!(find("tool", &bold), found);
    }
}

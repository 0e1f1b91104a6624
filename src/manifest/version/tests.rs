//! Tests of the comparison grammar.

use super::*;
use proptest::prelude::*;

fn requirement(text: &str) -> Requirement {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn version(word: &str) -> Version {
    word.parse().unwrap_or_else(|error| panic!("{word:?}: {error}"))
}

fn comparisons(text: &str) -> Vec<String> {
    requirement(text).comparisons.iter().map(Comparison::to_string).collect()
}

fn accepts(text: &str, found: &str) -> bool {
    requirement(text).check(&version(found)).is_ok()
}

#[test]
fn white_space_and_commas_separate_comparisons() {
    for text in [
        "node>=20 <22",
        "node >= 20 < 22",
        "node>=20,<22",
        "node>=20 , <22",
        " node >=20,\t<22\n",
        "node\n>=v20\n<22",
    ] {
        assert_eq!(requirement(text).tool, "node");
        assert_eq!(comparisons(text), [">=20", "<22"], "{text:?}");
        assert_eq!(requirement(text).to_string(), text);
    }
}

#[test]
fn a_tool_may_hold_digits_dots_signs_and_slashes() {
    for tool in
        ["python3", "g++", "x86_64-gcc-12", "lua5.4", "./bin/tool", "/opt/a.b/c", "20", "-x"]
    {
        assert_eq!(requirement(&format!("{tool}==3.11.x")).tool, tool);
    }
}

#[test]
fn a_wildcard_matches_anything_with_equal() {
    for text in ["node==20.x", "node=20.x", "node = v20.*"] {
        assert_eq!(comparisons(text), ["==20.x"]);
        assert!(accepts(text, "20") && accepts(text, "20.20.2"));
        assert!(!accepts(text, "19.9") && !accepts(text, "21") && !accepts(text, "2"));
    }
    assert!(accepts("node==1.0.x", "1") && !accepts("node==1.1.x", "1"));
}

#[test]
fn a_wildcard_is_dropped_for_at_least_and_below() {
    assert_eq!(comparisons("node>=20.x <22.1.*"), [">=20", "<22.1"]);
}

#[test]
fn numbers_are_compared_as_numbers_and_a_missing_one_is_zero() {
    assert!(version("1.10") > version("1.9"));
    assert!(version("1.2") == version("1.2.0.0"));
    assert!(version("v1.02.3") == version("1.2.3"));
    assert!(accepts("node>20", "20.0.0.1") && !accepts("node>20", "20.0"));
    assert!(accepts("node<=20", "20.0") && !accepts("node<=20", "20.1"));
    assert!(accepts(&format!("node={}", u64::MAX), "18446744073709551615.0"));
}

#[test]
fn the_first_comparison_that_fails_is_told() {
    let requirement = requirement("node>=20 <22 <21");
    assert_eq!(requirement.check(&version("20.1")), Ok(()));
    assert_eq!(requirement.check(&version("23")), Err(&requirement.comparisons[1]));
}

#[test]
fn an_exact_version_that_is_too_narrow_gets_a_hint() {
    let hint = |text, found| requirement(text).comparisons[0].hint(&version(found));
    assert_eq!(hint("node==20", "20.20.2").as_deref(), Some("==20.x accepts any 20"));
    assert_eq!(hint("node=20.1", "20.1.2").as_deref(), Some("==20.1.x accepts any 20.1"));
    for (text, found) in [("node==20", "21"), ("node==20", "20.0"), ("node==1.2.3.4", "1.2.3.5")] {
        assert_eq!(hint(text, found), None);
    }
    assert_eq!(hint("node<=20", "20.1"), None);
}

const TOOL: &str = "write its name before the comparison, like 'node>=20'";
const NAME: &str = "only letters, digits and any of '._/+-' may be in its name";
const COMPARISON: &str = "write one after the tool and after each comma, like 'node>=20, <22'";
const OPERATOR: &str = "write one of >= > <= < = ==";
const NUMBERS: &str = "write 1 to 4 numbers joined by dots";
const VERSION: &str = "write 1 to 4 numbers joined by dots, or like '20.x'";
const LARGEST: &str = "a number is at most 18446744073709551615";
const WILDCARD: &str = "'x' and '*' go with '=', '>=' and '<' only";

#[test]
fn every_fault_says_what_is_wrong_and_what_would_be_right() {
    for (text, wrong, right) in [
        ("", "no tool", TOOL),
        (" \n", "no tool", TOOL),
        (">=20", "no tool", TOOL),
        (",node>=20", "no tool", TOOL),
        ("node@20", "'node@20' is not a tool", NAME),
        ("nöde>=20", "'nöde' is not a tool", NAME),
        ("node\u{a0}>=20", "'node\\u{a0}' is not a tool", NAME),
        ("node", "no comparison", COMPARISON),
        ("node,>=20", "no comparison", COMPARISON),
        ("node>=20,", "no comparison", COMPARISON),
        ("node>=20,,<22", "no comparison", COMPARISON),
        ("node 20", "'20' is not an operator", OPERATOR),
        ("node>=20 || >=22", "'||' is not an operator", OPERATOR),
        ("node^20", "'^' is not an operator", OPERATOR),
        ("node~>3.1", "'~>' is not an operator", OPERATOR),
        ("node=>20", "'=>' is not an operator", OPERATOR),
        ("node!=20.x", "'!=' is not an operator", OPERATOR),
        ("node>=", "no version after '>='", NUMBERS),
        ("node > = 20", "no version after '>'", NUMBERS),
        ("node>=,<22", "no version after '>='", NUMBERS),
        ("node>=x", "'x' is not a version", VERSION),
        ("node>=v", "'v' is not a version", VERSION),
        ("node>=V20", "'V20' is not a version", VERSION),
        ("node==20.X", "'20.X' is not a version", VERSION),
        ("node==20.x.x", "'20.x.x' is not a version", VERSION),
        ("node==20.x.1", "'20.x.1' is not a version", VERSION),
        ("node==1.2.3.4.x", "'1.2.3.4.x' is not a version", VERSION),
        ("node>=1.2.3.4.5", "'1.2.3.4.5' is not a version", VERSION),
        ("node>=20.", "'20.' is not a version", VERSION),
        ("node>=.5", "'.5' is not a version", VERSION),
        ("node>=+5", "'+5' is not a version", VERSION),
        ("node>=20-rc1", "'20-rc1' is not a version", VERSION),
        ("node>=２０", "'２０' is not a version", VERSION),
        ("node>=18446744073709551616", "'18446744073709551616' is too large", LARGEST),
        ("node>20.x", "'20.x' can't follow '>'", WILDCARD),
        ("node<=20.*", "'20.*' can't follow '<='", WILDCARD),
        ("node>=20<22", "no space or comma before '<22'", "write one between two comparisons"),
    ] {
        let error = text.parse::<Requirement>().expect_err(text);
        assert_eq!(error.to_string(), format!("{wrong}: {right}"), "{text:?}");
    }
}

#[test]
fn a_version_that_was_found_has_no_wildcard() {
    assert!("20.x".parse::<Version>().is_err());
}

fn any_version() -> impl Strategy<Value = (Vec<u64>, Version)> {
    let number = prop_oneof![0..3_u64, any::<u64>()];
    proptest::collection::vec(number, 1..=4).prop_map(|numbers| {
        let text = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
        assert_eq!(version(&text).to_string(), text);
        let mut padded = numbers;
        padded.resize(4, 0);
        (padded, version(&text))
    })
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        let _ = text.parse::<Requirement>();
        let _ = text.parse::<Version>();
    }

    #[test]
    fn any_text_made_of_the_grammar_s_pieces_reads_the_same_twice(
        text in "[ab]?( ?(==|>=|>|<=|<|=|[,~v.x*0-9 ])){0,9}",
    ) {
        if let Ok(read) = text.parse::<Requirement>() {
            prop_assert_eq!(&requirement(&read.to_string()), &read);
            let joined = comparisons(&text).join(",");
            let again = requirement(&format!("{}{joined}", read.tool));
            prop_assert_eq!(again.comparisons, read.comparisons);
        }
    }

    #[test]
    fn versions_are_ordered_like_lists_of_four_numbers(
        (a, x) in any_version(),
        (b, y) in any_version(),
    ) {
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x.partial_cmp(&y), Some(a.cmp(&b)));
        prop_assert_eq!(x == y, a == b);
    }

    #[test]
    fn operators_that_are_opposites_part_all_versions(
        (_, x) in any_version(),
        (_, y) in any_version(),
    ) {
        let holds = |symbol: &str| requirement(&format!("t{symbol}{x}")).check(&y).is_ok();
        prop_assert!(holds(">=") != holds("<"));
        prop_assert!(holds(">") != holds("<="));
        prop_assert_eq!(holds("="), holds(">=") && holds("<="));
    }
}

//! Tests of the YAML reader: values, keys, places, and the limits that keep it from hanging.

use proptest::prelude::*;

use super::super::places::{Places, Step};
use super::*;

fn string(text: &str) -> Node {
    Node::String(text.to_owned())
}

fn value_of(scalar: &str) -> Node {
    let root = parse(&format!("k: {scalar}")).unwrap();
    let Node::Mapping(mut entries) = root else { panic!("{root:?}") };
    entries.pop().unwrap().1
}

#[test]
fn scalars_have_the_types_of_yaml_1_2() {
    for text in ["yes", "no", "on", "off", "y", "2001-01-01", "1_000", "'true'", "!!str 5"] {
        assert!(matches!(value_of(text), Node::String(_)), "{text}");
    }
    assert_eq!(value_of("3e5"), Node::Number(300_000.0));
    assert_eq!(value_of("0x1F"), Node::Number(31.0));
    assert_eq!(value_of("18446744073709551616"), Node::Number(18_446_744_073_709_551_616.0));
    assert_eq!(value_of("true"), Node::Bool(true));
    assert_eq!(value_of("~"), Node::Null);
    assert_eq!(value_of("!env X"), Node::Tagged);
    assert_eq!(value_of("!env [a, b]"), Node::Tagged);
    assert_eq!(value_of("!env {a: b}"), Node::Tagged);
}

#[test]
fn what_follows_a_tagged_value_is_still_read() {
    let expected = Node::List(vec![Node::Tagged, string("b")]);
    assert_eq!(value_of("[!env {a: [x]}, b]"), expected);
}

#[test]
fn keys_are_their_text_as_written() {
    let Node::Mapping(entries) = parse("1.10: a\n0x10: b\ntrue: c\n~: d\n\"q\": e").unwrap() else {
        panic!("no mapping")
    };
    let keys: Vec<_> = entries.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["1.10", "0x10", "true", "~", "q"]);
}

#[test]
fn a_duplicate_key_is_a_fault_at_the_second_one() {
    let fault = parse("10: a\nb: 2\n\"10\": c").unwrap_err();
    assert_eq!(fault.message, "duplicate key '10'");
    assert_eq!(fault.place, Some(Place { line: 3, column: 1 }));
}

#[test]
fn no_document_is_null() {
    for text in ["", "# only\n", "null", "---\n", "\n\n"] {
        assert_eq!(parse(text).unwrap(), Node::Null, "{text:?}");
    }
}

#[test]
fn an_alias_is_what_its_anchor_is() {
    let Node::Mapping(entries) = parse("a: &x [1]\nb: *x").unwrap() else { panic!("no mapping") };
    assert_eq!(entries[0].1, entries[1].1);
}

#[test]
fn a_control_character_is_a_fault_at_its_place() {
    let fault = parse("a: b\nc: \u{0}").unwrap_err();
    assert_eq!(fault.place, Some(Place { line: 2, column: 4 }));
    assert!(fault.message.contains("U+0000"));
}

#[test]
fn a_line_break_of_yaml_1_1_is_never_taken_for_one() {
    for (raw, escaped) in [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")]
    {
        let fault = parse(&format!("a: b\nc: \"d {raw}e\"")).unwrap_err();
        assert_eq!(fault.place, Some(Place { line: 2, column: 7 }));
        assert!(fault.message.contains(escaped), "{}", fault.message);
        assert_eq!(value_of(&format!("\"d {escaped}e\"")), string(&format!("d {raw}e")));
    }
}

#[test]
fn aliases_cannot_make_much_out_of_little() {
    let levels = (1..40).map(|n| format!("a{n}: &a{n} [*a{m}, *a{m}, *a{m}]\n", m = n - 1));
    let doubling = "a0: &a0 [x, x, x, x]\n".to_owned() + &levels.collect::<Vec<_>>().concat();
    assert!(parse(&doubling).is_err());
    let long = format!("a: &a {}\nb: [{}]", "x".repeat(500_000), "*a,".repeat(100_000));
    assert!(parse(&long).unwrap_err().message.contains("too large"));
}

#[test]
fn what_would_take_the_reader_minutes_is_refused() {
    for pattern in ["{a: ", "[? ", "[", "{", "? ", "- ", "[[],", "{\"a\": [", "a: {b: [c, "] {
        assert!(parse(&pattern.repeat((1 << 20) / pattern.len())).is_err(), "{pattern}");
    }
}

#[test]
fn a_large_honest_text_is_read() {
    let entry = "command: 'for f in [a-z]*; do test -f \"${f}\" && { echo \"{$f}\"; }; done'";
    let lines = (0..4000).map(|n| format!("c{n}: {{{entry}, x: [1, 2]}}\n"));
    let text = lines.collect::<Vec<_>>().concat();
    assert!(matches!(parse(&text), Ok(Node::Mapping(entries)) if entries.len() == 4000));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_mutation_of_a_manifest_makes_the_reader_panic(
        at in 0_usize..200, insert in "[\\[\\]{}&*!|>'\"%@,:?#\\- \\n\\ta-c0-9]{0,6}", cut in 0_usize..9,
    ) {
        let mut text: Vec<char> = concat!(
            "version: 1\ncapabilities:\n  test.focused: &f\n    command: |\n      npm test -- \"$x\"\n",
            "    assumptions: [{file-exists: a}, tool-version: node>=20]\n  b: *f\n"
        ).chars().collect();
        let at = at.min(text.len());
        text.splice(at..(at + cut).min(text.len()), insert.chars());
        let text: String = text.into_iter().collect();
        if let Ok(Node::Mapping(entries)) = parse(&text) {
            for index in 0..entries.len() {
                prop_assert!(Places::of(&text).at(&[Step::Key(index)]).is_some());
            }
        }
    }
}

//! `docs/manifest.schema.json` says what the code checks: the same keys, limits, defaults and grammars.

use proptest::prelude::*;
use regex_lite::Regex;
use serde_json::{Value, json};

use super::check::{
    DEFAULT_TIMEOUT_MS, ENTRY_KEYS, GATES_OPT_OUT, MAX_WHOLE, PROBE_KINDS, TOP_KEYS, check, is_id,
};
use super::version::Requirement;
use super::{Capability, Lifecycle};

const DOCS: &str =
    concat!(include_str!("../../docs/manifest.md"), include_str!("../../docs/agents.md"));

fn schema() -> Value {
    serde_json::from_str(include_str!("../../docs/manifest.schema.json")).unwrap()
}

/// The properties at a place, each with its name.
fn properties<'a>(schema: &'a Value, place: &str) -> Vec<(&'a str, &'a Value)> {
    let properties = schema.pointer(&format!("{place}/properties")).unwrap().as_object().unwrap();
    properties.iter().map(|(name, property)| (name.as_str(), property)).collect()
}

fn names<'a>(schema: &'a Value, place: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> =
        properties(schema, place).into_iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names
}

fn sorted(names: &[&'static str]) -> Vec<&'static str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

fn pattern(place: &str) -> Regex {
    Regex::new(schema().pointer(&format!("{place}/pattern")).unwrap().as_str().unwrap()).unwrap()
}

const ENTRY: &str = "/definitions/entry";
const ASSUMPTION: &str = "/definitions/assumption";
const CAPABILITIES: &str = "/properties/capabilities";

#[test]
fn it_has_the_keys_that_the_code_knows() {
    let schema = schema();
    assert_eq!(names(&schema, ""), sorted(&TOP_KEYS));
    assert_eq!(names(&schema, ENTRY), sorted(&ENTRY_KEYS));
    assert_eq!(names(&schema, ASSUMPTION), sorted(&PROBE_KINDS));
}

#[test]
fn it_describes_every_key_and_so_do_the_docs() {
    let schema = schema();
    for place in ["", ENTRY, ASSUMPTION, CAPABILITIES] {
        for (name, property) in properties(&schema, place) {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(!description.trim().is_empty(), "{name} has no description");
            let is_there =
                DOCS.contains(&format!("`{name}`")) || DOCS.contains(&format!("`{name}: "));
            assert!(is_there, "neither docs/manifest.md nor docs/agents.md has {name}");
        }
    }
}

#[test]
fn its_defaults_are_what_an_entry_without_the_key_has() {
    let checked = check("capabilities: {a: {command: x}}\n").unwrap();
    let Capability {
        lifecycle,
        assumptions,
        description,
        timeout_ms,
        min_duration_ms,
        timeout_prone,
        ..
    } = &checked.manifest.capabilities[0];
    assert_eq!((*lifecycle, assumptions.len(), description), (Lifecycle::Active, 0, &None));
    assert_eq!(*timeout_ms, DEFAULT_TIMEOUT_MS);
    let expected = json!({
        "lifecycle": "active", "assumptions": [], "timeout_ms": timeout_ms,
        "min_duration_ms": min_duration_ms, "timeout_prone": timeout_prone,
    });
    let schema = schema();
    let defaults = properties(&schema, ENTRY).into_iter();
    let defaults =
        defaults.filter_map(|(name, it)| Some((name.to_owned(), it.get("default")?.clone())));
    assert_eq!(Value::Object(defaults.collect()), expected);
    for row in [
        "`timeout_ms` | whole number from 1 |",
        "default 300000",
        "default `active`",
        "default `false`",
    ] {
        assert!(DOCS.contains(row), "docs/manifest.md lacks {row}");
    }
}

#[test]
fn its_limits_are_those_of_the_code() {
    let schema = schema();
    assert_eq!(schema["properties"]["gates"]["const"], GATES_OPT_OUT);
    for (key, least) in [("timeout_ms", 1), ("min_duration_ms", 0)] {
        let property = &schema["definitions"]["entry"]["properties"][key];
        assert_eq!(
            (&property["minimum"], &property["maximum"]),
            (&json!(least), &json!(MAX_WHOLE))
        );
    }
}

proptest! {
    #[test]
    fn its_ids_are_those_of_the_code(text in "([a-z0-9.-]|[A-Z_ é\n]){0,6}") {
        let pattern = pattern(&format!("{CAPABILITIES}/propertyNames"));
        prop_assert_eq!(pattern.is_match(&text), is_id(&text));
    }

    #[test]
    fn its_tool_versions_are_those_of_the_code(
        text in " ?[ab]?( ?(==|>=|>|<=|<|=|v?[1-9](\\.[1-9x*]){0,4}|[,~v.x*0-9 \n\t])){0,9}",
    ) {
        let pattern = pattern(&format!("{ASSUMPTION}/properties/tool-version"));
        prop_assert_eq!(pattern.is_match(&text), text.parse::<Requirement>().is_ok());
    }
}

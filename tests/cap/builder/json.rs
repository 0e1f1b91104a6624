//! Reads the JSON lines that cap writes, keeping the order of their keys, and compares them with what is expected.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// A JSON object with its keys in the order they were written, repeated ones too.
pub struct Object {
    pub keys: Vec<String>,
    pub value: Value,
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut keys = Vec::new();
                let mut members = serde_json::Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    keys.push(key.clone());
                    members.insert(key, value);
                }
                Ok(Object { keys, value: Value::Object(members) })
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// One line of JSON, without its newline.
pub fn parse(line: &str) -> Result<Object, String> {
    serde_json::from_str(line).map_err(|error| format!("is no JSON object: {error}\n  {line}"))
}

/// Where `actual` lacks or contradicts something in `expected`; keys that `expected` doesn't name may be anything.
pub fn mismatches(name: &str, expected: &Value, actual: &Value) -> Vec<String> {
    match (expected, actual) {
        (Value::Object(wanted), Value::Object(found)) => wanted
            .iter()
            .flat_map(|(key, value)| match found.get(key) {
                Some(member) => mismatches(&format!("{name}.{key}"), value, member),
                None => vec![format!("{name} has no {key}, expected {value}")],
            })
            .collect(),
        _ if expected == actual => Vec::new(),
        _ => vec![format!("{name} differs\n  expected {expected}\n  actual   {actual}")],
    }
}

#[test]
fn a_subset_matches_and_anything_else_is_named() {
    let actual = serde_json::json!({"a": 1, "b": {"c": [1, 2], "d": null}});
    assert!(mismatches("it", &serde_json::json!({"b": {"c": [1, 2]}}), &actual).is_empty());
    let found = mismatches("it", &serde_json::json!({"a": 2, "b": {"d": 1, "e": null}}), &actual);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().any(|mismatch| mismatch.starts_with("it.b has no e")), "{found:?}");
}

#[test]
fn keys_keep_the_order_of_the_text() {
    assert_eq!(parse(r#"{"b": 1, "a": 2, "b": 3}"#).unwrap().keys, ["b", "a", "b"]);
}

//! As much of JSON Schema (draft 7) as the manifest's schema uses. Any other keyword fails the test: it would be
//! passed over in silence.

use regex_lite::Regex;
use serde_json::Value;

/// Whether a value satisfies a schema; references are looked up in `root`.
pub fn is_valid(root: &Value, schema: &Value, value: &Value) -> bool {
    if let Some(is_open) = schema.as_bool() {
        return is_open;
    }
    let keywords = schema.as_object().unwrap();
    keywords.iter().all(|(keyword, rule)| satisfies(root, schema, keyword, rule, value))
}

/// Whether a value satisfies one keyword; one that is about another type says nothing.
fn satisfies(root: &Value, schema: &Value, keyword: &str, rule: &Value, value: &Value) -> bool {
    let object = value.as_object();
    match keyword {
        "$schema" | "title" | "description" | "default" | "definitions" => true,
        "$ref" => {
            let place = rule.as_str().unwrap().strip_prefix('#').unwrap();
            is_valid(root, root.pointer(place).unwrap(), value)
        }
        "allOf" => rule.as_array().unwrap().iter().all(|schema| is_valid(root, schema, value)),
        "type" => match rule.as_array() {
            Some(types) => types.iter().any(|name| is_of_type(value, name)),
            None => is_of_type(value, rule),
        },
        "const" => is_equal(rule, value),
        "enum" => rule.as_array().unwrap().iter().any(|allowed| is_equal(allowed, value)),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| pattern(rule).is_match(text)),
        "items" => {
            value.as_array().is_none_or(|items| items.iter().all(|item| is_valid(root, rule, item)))
        }
        "required" => object.is_none_or(|object| {
            rule.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
        }),
        "minProperties" => object.is_none_or(|it| it.len() as u64 >= rule.as_u64().unwrap()),
        "maxProperties" => object.is_none_or(|it| it.len() as u64 <= rule.as_u64().unwrap()),
        "propertyNames" => object.is_none_or(|object| {
            object.keys().all(|key| is_valid(root, rule, &Value::from(key.as_str())))
        }),
        "properties" => object.is_none_or(|object| {
            object.iter().all(|(key, value)| {
                rule.get(key).is_none_or(|schema| is_valid(root, schema, value))
            })
        }),
        "additionalProperties" => object.is_none_or(|object| {
            let others = object.iter().filter(|(key, _)| schema["properties"].get(key).is_none());
            others.into_iter().all(|(_, value)| is_valid(root, rule, value))
        }),
        other => panic!("the schema uses '{other}', which this test does not know"),
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("the schema uses the type '{other}', which this test does not know"),
    }
}

/// 1 and 1.0 are one number.
fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
}

fn pattern(rule: &Value) -> Regex {
    Regex::new(rule.as_str().unwrap()).unwrap()
}

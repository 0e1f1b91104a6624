//! What holds for every envelope (contract section 7).

use serde_json::Value;

use crate::builder::json::{Object, mismatches};
use crate::builder::plan::{Plan, When};

const ENVELOPE_KEYS: [&str; 8] = [
    "cap_envelope",
    "capability",
    "outcome",
    "command",
    "exit_code",
    "signal",
    "duration_ms",
    "reason",
];

/// All that is wrong with an envelope and the line that holds it.
pub fn check(envelope: &Object, line: &str, plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    let value = &envelope.value;
    let outcome = value["outcome"].as_str().unwrap_or_default();
    let reason = value["reason"].as_str().unwrap_or_default();
    let has_ended = !value["exit_code"].is_null() || !value["signal"].is_null();
    let is_interrupted = reason.starts_with("interrupted by");
    let is_started = has_ended || is_interrupted || reason.starts_with("command timed out after");
    let mut keys = ENVELOPE_KEYS.to_vec();
    // An interrupt may come before the command was started.
    if outcome != "ok" && is_started && !(is_interrupted && value["output_tail"].is_null()) {
        keys.push("output_tail");
    }
    if envelope.keys != keys {
        found.push(format!("the envelope's keys are {:?}, expected {keys:?}", envelope.keys));
    }
    let is_valid = [
        ("cap_envelope", value["cap_envelope"] == 1),
        ("capability", value["capability"].is_string()),
        ("command", value["command"].is_string() || value["command"].is_null() && !is_started),
        (
            "exit_code",
            value["exit_code"]
                .as_i64()
                .map_or(value["exit_code"].is_null(), |code| (0..=255).contains(&code)),
        ),
        (
            "signal",
            value["signal"]
                .as_str()
                .map_or(value["signal"].is_null(), |name| name.starts_with("SIG")),
        ),
        (
            "signal and exit_code together",
            value["exit_code"].is_null() || value["signal"].is_null(),
        ),
        ("duration_ms", value["duration_ms"].is_u64()),
        ("exit_code of ok", outcome != "ok" || value["exit_code"] == 0),
        (
            "exit_code of task-failed",
            outcome != "task-failed" || value["exit_code"].as_i64().is_some_and(|code| code > 0),
        ),
        (
            "spelling (U+0085, U+2028 and U+2029 are escaped)",
            !line.contains(['\u{85}', '\u{2028}', '\u{2029}']),
        ),
        ("spelling (compact)", line.starts_with(r#"{"cap_envelope":1,"capability":"#)),
    ];
    found.extend(
        is_valid
            .iter()
            .filter(|(_, is_valid)| !is_valid)
            .map(|(what, _)| format!("the envelope's {what} is wrong: {line}")),
    );
    if let When::Run { id, options, .. } = &plan.when {
        found.extend(mismatches(
            "envelope.capability",
            &Value::from(id.as_str()),
            &value["capability"],
        ));
        let is_default =
            !options.iter().any(|option| option.to_string_lossy().contains("--tail-bytes"));
        if is_default && value["output_tail"].as_str().is_some_and(|tail| tail.len() > 8192) {
            found.push("output_tail is longer than 8192 bytes".to_owned());
        }
    }
    found
}

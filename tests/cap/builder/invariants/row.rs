//! What holds for every telemetry row (contract section 8).

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Before, log};
use crate::builder::expected::Expected;
use crate::builder::json::{self, mismatches};
use crate::builder::plan::{Plan, When};
use crate::builder::sandbox::Sandbox;

const ROW_KEYS: [&str; 10] = [
    "timestamp",
    "capability",
    "outcome",
    "exit_code",
    "duration_ms",
    "reason",
    "signal",
    "cwd",
    "args",
    "args_hash",
];
const GIT_KEYS: [&str; 4] = ["git_head", "git_tree", "git_prefix", "dirty"];
/// The keys that envelope and row have in common, `output_tail` aside.
const SHARED_KEYS: [&str; 6] =
    ["capability", "outcome", "exit_code", "duration_ms", "reason", "signal"];

/// The row that was added, and all that is wrong with it.
pub fn check(
    before: &Before,
    plan: &Plan,
    expected: &Expected,
    sandbox: &Sandbox,
    envelope: &Value,
) -> (Value, Vec<String>) {
    let after = log(sandbox);
    let Some(added) = after.strip_prefix(before.log.as_slice()) else {
        return (Value::Null, vec!["what was in the telemetry log has changed".to_owned()]);
    };
    if !expected.is_row_written {
        let found = if added.is_empty() {
            Vec::new()
        } else {
            vec![format!("a row was written: {added:?}")]
        };
        return (Value::Null, found);
    }
    let added = String::from_utf8_lossy(added);
    let is_torn = before.log.last().is_some_and(|&byte| byte != b'\n');
    let line = if is_torn { added.strip_prefix('\n') } else { Some(&*added) };
    let Some(line) = line
        .and_then(|line| line.strip_suffix('\n'))
        .filter(|line| !line.is_empty() && !line.contains('\n'))
    else {
        return (
            Value::Null,
            vec![format!("not one whole row was added to the telemetry log, but {added:?}")],
        );
    };
    let row = match json::parse(line) {
        Ok(row) => row,
        Err(error) => return (Value::Null, vec![format!("the row {error}")]),
    };
    let mut found = Vec::new();
    let mut keys = ROW_KEYS.to_vec();
    let has = |key: &str| row.value.get(key).is_some();
    keys.extend(has("command_hash").then_some("command_hash"));
    keys.extend(GIT_KEYS.iter().filter(|_| has("git_tree")));
    keys.extend(has("git_probe").then_some("git_probe"));
    keys.extend(envelope.get("output_tail").map(|_| "output_tail"));
    if row.keys != keys {
        found.push(format!("the row's keys are {:?}, expected {keys:?}", row.keys));
    }
    for key in SHARED_KEYS.iter().chain(envelope.get("output_tail").map(|_| &"output_tail")) {
        found.extend(mismatches(
            &format!("row.{key} (as in the envelope)"),
            &envelope[key],
            &row.value[key],
        ));
    }
    if !is_timestamp(row.value["timestamp"].as_str().unwrap_or_default()) {
        found.push(format!("row.timestamp is wrong: {}", row.value["timestamp"]));
    }
    if plan.before.is_none() {
        let directory = before.directory.to_string_lossy();
        found.extend(mismatches("row.cwd", &Value::from(directory), &row.value["cwd"]));
    }
    if let When::Run { args, .. } = &plan.when {
        found.extend(mismatches("row.args", &Value::from(args.clone()), &row.value["args"]));
    }
    let hash = sha256(row.value["args"].to_string().as_bytes());
    found.extend(mismatches("row.args_hash", &Value::from(hash), &row.value["args_hash"]));
    if has("command_hash") == envelope["command"].is_null() {
        found.push("the row has a command_hash if and only if an entry was found".to_owned());
    }
    found.extend(mismatches("row", &expected.row, &row.value));
    (row.value, found)
}

/// `2026-08-29T15:00:00.000Z`
fn is_timestamp(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|character| if character.is_ascii_digit() { '0' } else { character })
        .collect();
    shape == "0000-00-00T00:00:00.000Z"
}

/// In hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut hex = String::new();
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").unwrap();
    }
    hex
}

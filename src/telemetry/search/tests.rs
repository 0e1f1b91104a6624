//! The search against a reader that does it the plain way, on logs of whole, torn and glued rows.

use std::io::Write;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::recorded::rows_of_line;
use super::*;

const TREE: &str = "8b72aae3fa2e20008146a59dbe34da24c43e726a";
const OTHER_TREE: &str = "587be6b4c3f93f93c489c0111bba5596147a26cb";

fn key() -> Key {
    let [capability, tree, prefix, args_hash, command_hash] =
        ["t", TREE, "", "a", "c"].map(str::to_owned);
    Key { capability, tree, prefix, args_hash, command_hash }
}

fn row(number: usize) -> Value {
    json!({"timestamp": format!("{number}"), "capability": "t", "outcome": "ok", "args_hash": "a",
        "command_hash": "c", "git_head": OTHER_TREE, "git_tree": TREE, "git_prefix": "",
        "dirty": false})
}

/// A row that says something else in one place. `timestamp` must stay first, so this is text.
fn row_with(number: usize, name: &str, value: &Value) -> String {
    let mut other = row(number);
    other[name] = value.clone();
    text(&other)
}

fn text(row: &Value) -> String {
    let mut rest = row.as_object().unwrap().clone();
    let timestamp = rest.remove("timestamp").unwrap();
    let rest = Value::from(rest).to_string();
    format!("{{\"timestamp\":{timestamp},{}", &rest[1..])
}

fn log_of(bytes: &[u8]) -> File {
    let mut log = tempfile::tempfile().unwrap();
    log.write_all(bytes).unwrap();
    log
}

fn search(bytes: &[u8]) -> Option<Pass> {
    newest_pass(&log_of(bytes), &key()).unwrap()
}

fn pass(number: usize) -> Pass {
    Pass { row: text(&row(number)), later: None }
}

/// All rows that hold the text, last first: every line is read.
fn plain_rows(bytes: &[u8], text: &str) -> Vec<Vec<u8>> {
    let holds = |row: &&[u8]| memchr::memmem::find(row, text.as_bytes()).is_some();
    let lines = bytes.split(|byte| *byte == b'\n');
    let rows = lines.flat_map(rows_of_line).filter(holds);
    let mut rows: Vec<Vec<u8>> = rows.map(<[u8]>::to_vec).collect();
    rows.reverse();
    rows
}

fn rows_in_blocks(bytes: &[u8], text: &str, block: u64) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    let visit = &mut |row: &[u8]| {
        rows.push(row.to_vec());
        ControlFlow::<()>::Continue(())
    };
    backwards::rows_with(&log_of(bytes), text.as_bytes(), block, visit).unwrap();
    rows
}

#[test]
fn the_newest_is_the_last_in_the_log() {
    let [first, second] = [1, 2].map(|number| text(&row(number)));
    assert_eq!(search(format!("{second}\n{first}\n").as_bytes()), Some(pass(1)));
    assert_eq!(search(first.as_bytes()), Some(pass(1)));
    assert_eq!(search(format!("{second}{first}{second}").as_bytes()), Some(pass(2)));
    assert_eq!(search(b""), None);
}

#[test]
fn a_row_must_say_all_of_it() {
    let differing = [
        ("capability", json!("u")),
        ("outcome", json!("task-failed")),
        ("dirty", json!(true)),
        ("dirty", json!("false")),
        ("dirty", json!(null)),
        ("git_probe", json!("timeout")),
        ("git_tree", json!(OTHER_TREE)),
        ("git_tree", json!(TREE.to_uppercase())),
        ("git_prefix", json!("x/")),
        ("git_prefix", json!(null)),
        ("args_hash", json!("b")),
        ("command_hash", json!("d")),
        ("command_hash", json!([])),
    ];
    for (name, value) in differing {
        let line = row_with(1, name, &value);
        assert_eq!(search(format!("{line}\n{TREE}\n").as_bytes()), None, "{line}");
        // The same key twice: nobody knows which one counts.
        let twice = line.replace("{\"timestamp\"", "{\"dirty\":false,\"timestamp\"");
        assert_eq!(search(twice.as_bytes()), None, "{twice}");
    }
    let keys = row(1).as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for name in keys.iter().filter(|name| !["git_head", "timestamp"].contains(&name.as_str())) {
        let mut other = row(1);
        other.as_object_mut().unwrap().remove(name);
        assert_eq!(search(text(&other).as_bytes()), None, "{other}");
    }
}

#[test]
fn a_later_failure_of_the_same_key_is_told_and_hides_nothing() {
    let lines = [
        text(&row(1)),
        row_with(2, "outcome", &json!("task-failed")),
        row_with(3, "outcome", &json!("automation-broken")),
        row_with(4, "outcome", &json!("capability-unavailable")),
        row_with(5, "git_prefix", &json!("x/")),
    ];
    let later = Later { outcome: "automation-broken".to_owned(), timestamp: "3".to_owned() };
    let expected = Pass { row: text(&row(1)), later: Some(later) };
    assert_eq!(search(lines.join("\n").as_bytes()), Some(expected));
}

#[test]
fn a_row_beside_a_line_of_any_length_is_found() {
    let torn = format!("{{\"timestamp\":\"1\",\"x\":\"{TREE}{}", "y".repeat(5 << 20));
    let row = text(&row(1));
    for log in [format!("{torn}{row}\n"), format!("{torn}\n{row}\n{torn}")] {
        assert_eq!(search(log.as_bytes()), Some(pass(1)));
    }
}

/// A piece of a log: a row that may be torn and may lack its newline, or bytes of any kind.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let tree = prop_oneof![Just(TREE), Just(OTHER_TREE), Just("")];
    let row = (tree, "[ -~\\n{}\"\\\\é]{0,40}", any::<bool>()).prop_map(|(tree, args, flag)| {
        let value = json!({"timestamp": 1, "a": [args, tree], "x": {"timestamp": flag}});
        format!("{}\n", text(&value)).into_bytes()
    });
    let torn = (row.clone(), any::<prop::sample::Index>()).prop_map(|(mut row, at)| {
        row.truncate(at.index(row.len()));
        row
    });
    let bytes = prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'{'), any::<u8>()], 0..9);
    prop_oneof![4 => row, 3 => torn, 1 => Just(TREE.into()), 1 => bytes]
}

/// A row that tells of the key, or of another in one place.
fn verdict_row() -> impl Strategy<Value = Vec<u8>> {
    let differing = prop_oneof![
        6 => Just(("outcome", json!("ok"))),
        3 => Just(("outcome", json!("task-failed"))),
        1 => Just(("outcome", json!("capability-unavailable"))),
        1 => Just(("dirty", json!(true))),
        1 => Just(("git_probe", json!("error"))),
        1 => Just(("git_tree", json!(OTHER_TREE))),
        1 => Just(("command_hash", json!("d"))),
        1 => Just(("args_hash", json!(TREE))),
    ];
    let row = (differing, 0_usize..1000)
        .prop_map(|((name, value), number)| row_with(number, name, &value));
    (row, 0_usize..200, 0..6).prop_map(|(row, cut, kind)| {
        let mut row = row.into_bytes();
        match kind {
            // The next one is glued behind it.
            0 => {}
            1 => row.truncate(cut),
            _ => row.push(b'\n'),
        }
        row
    })
}

/// What is whole of a line: each object that begins like a row and that some JSON text from there on is.
fn naive_rows(line: &[u8]) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut start = 0;
    while start < line.len() {
        let is_start = line[start..].starts_with(b"{\"timestamp\":");
        let mut ends = (start + 1..=line.len()).filter(|_| is_start);
        let row = ends.find_map(|end| Some((serde_json::from_slice(&line[start..end]).ok()?, end)));
        match row {
            Some((row, end)) => {
                rows.push(row);
                start = end;
            }
            None => start += 1,
        }
    }
    rows
}

/// From the first line to the last, all in memory.
fn naive_pass(bytes: &[u8]) -> Option<(Value, Option<String>)> {
    let mut found: Option<(Value, Option<String>)> = None;
    for row in bytes.split(|byte| *byte == b'\n').flat_map(naive_rows) {
        let key = [
            ("capability", "t"),
            ("git_tree", TREE),
            ("git_prefix", ""),
            ("args_hash", "a"),
            ("command_hash", "c"),
        ];
        if row["dirty"] != json!(false)
            || row.get("git_probe").is_some()
            || key.iter().any(|(name, value)| row[*name] != json!(value))
        {
            continue;
        }
        match (row["outcome"].as_str(), &mut found) {
            (Some("ok"), _) => found = Some((row, None)),
            (Some("capability-unavailable"), _) | (_, None) => {}
            (_, Some((_, later))) => *later = row["timestamp"].as_str().map(str::to_owned),
        }
    }
    found
}

proptest! {
    #[test]
    fn a_torn_log_says_what_a_naive_reader_of_all_of_it_finds(
        rows in prop::collection::vec(verdict_row(), 0..10),
    ) {
        let bytes = rows.concat();
        let found = search(&bytes).map(|Pass { row, later }| {
            (serde_json::from_str::<Value>(&row).unwrap(), later.map(|later| later.timestamp))
        });
        prop_assert_eq!(found, naive_pass(&bytes));
    }

    #[test]
    fn blocks_of_any_size_find_what_a_plain_reader_finds(
        pieces in prop::collection::vec(piece(), 0..12),
        block in 1_u64..300,
    ) {
        let bytes = pieces.concat();
        prop_assert_eq!(rows_in_blocks(&bytes, TREE, block), plain_rows(&bytes, TREE));
    }
}

//! What a row of the log says: read from lines that may be torn, glued together, or somebody else's.

use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Key, Later};
use crate::outcome::Outcome;

/// What every row begins with (contract section 8); inside a string its quotes would be escaped.
const START: &[u8] = b"{\"timestamp\":";

/// The keys of a row that matter for whether it has verified something.
#[derive(Debug, Deserialize)]
pub struct Recorded {
    timestamp: String,
    capability: String,
    outcome: String,
    args_hash: String,
    command_hash: String,
    git_tree: String,
    git_prefix: String,
    dirty: bool,
    git_probe: Option<IgnoredAny>,
}

impl Recorded {
    /// Reads a row; none if a key is missing, is there twice, or is not what it must be.
    pub fn parse(row: &str) -> Option<Self> {
        serde_json::from_str(row).ok()
    }

    /// Whether it tells of a clean run of this key, whatever came of it.
    pub fn is_of(&self, key: &Key) -> bool {
        !self.dirty
            && self.git_probe.is_none()
            && self.git_tree == key.tree
            && self.git_prefix == key.prefix
            && self.capability == key.capability
            && self.args_hash == key.args_hash
            && self.command_hash == key.command_hash
    }

    /// Whether the run was `ok`.
    pub fn has_passed(&self) -> bool {
        self.outcome == Outcome::Ok.name()
    }

    /// This run as one that came later; none if nothing ran.
    pub fn into_later(self) -> Option<Later> {
        let has_run = self.outcome != Outcome::CapabilityUnavailable.name();
        has_run.then_some(Later { outcome: self.outcome, timestamp: self.timestamp })
    }
}

/// The rows of one line, first to last. A whole line is one row. In any other, rows were written behind
/// one whose writer did not get to its end: each that is whole is recovered.
pub fn rows_of_line(line: &[u8]) -> Vec<&[u8]> {
    if serde_json::from_slice::<IgnoredAny>(line).is_ok() {
        return vec![line.trim_ascii()];
    }
    let mut rows = Vec::new();
    let mut rest = line;
    while let Some(start) = memmem::find(rest, START) {
        rest = &rest[start..];
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        let length = match values.next() {
            Some(Ok(_)) => {
                rows.push(&rest[..values.byte_offset()]);
                values.byte_offset()
            }
            Some(Err(_)) | None => START.len(),
        };
        rest = &rest[length..];
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(line: &str) -> Vec<&str> {
        let rows = rows_of_line(line.as_bytes()).into_iter();
        rows.map(|row| std::str::from_utf8(row).unwrap()).collect()
    }

    #[test]
    fn a_row_behind_a_torn_one_is_recovered() {
        let row = r#"{"timestamp":"2026","x":{"timestamp":1}}"#;
        assert_eq!(rows(row), [row]);
        for torn in [r#"{"timestamp":"20"#, r#"{"timestamp":"#, "{", r#"{"timestamp":"1","a":[1,"#]
        {
            assert_eq!(rows(&format!("{torn}{row}")), [row], "{torn}");
            assert_eq!(rows(&format!("{torn}{row}{row}{torn}")), [row, row], "{torn}");
        }
        assert_eq!(rows(""), [""; 0]);
        assert_eq!(rows(r#"{"timestamp":"20"#), [""; 0]);
    }
}

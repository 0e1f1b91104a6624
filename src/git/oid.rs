//! An object's id, and nothing that only looks like one.

use std::fmt;

/// The tree without an entry: the same in every repo, so it tells nothing.
const EMPTY_TREES: [&str; 2] = [
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
];

/// The id of a commit or a tree: 40 or 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Oid(String);

impl Oid {
    /// Reads an id that stands alone.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_id = matches!(text.len(), 40 | 64) && text.iter().all(is_digit);
        let text = std::str::from_utf8(text).ok().filter(|_| is_id)?;
        Some(Self(text.to_owned()))
    }

    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is that of the tree without an entry.
    pub fn is_empty_tree(&self) -> bool {
        EMPTY_TREES.contains(&self.as_str())
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_40_or_64_digits_in_lower_case_and_nothing_else() {
        for length in [40, 64] {
            assert!(Oid::parse("a1".repeat(length / 2).as_bytes()).is_some());
            assert!(Oid::parse("A1".repeat(length / 2).as_bytes()).is_none());
            assert!(Oid::parse(format!("{}\n", "a".repeat(length - 1)).as_bytes()).is_none());
        }
        for text in ["", "HEAD", "g", &"a".repeat(39), &"a".repeat(41), &"a".repeat(63)] {
            assert!(Oid::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}

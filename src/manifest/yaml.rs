//! YAML text as a tree with keys as written, within bounded time and memory, and where its nodes stand.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::Deserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::fault::{Fault, Place};

/// What all nodes together may hold, in bytes: aliases can make much out of little.
const SIZE_LIMIT: usize = 8 << 20;

/// The reader's time is the depth of flow collections times the tokens inside them, a second for about
/// 10^9. Counting brackets tells the depth of an honest text …
const FLOW_WORK_LIMIT: u64 = 1_000_000_000;
/// … and in one that hides its closing brackets in strings it can't be worse than this.
const WORST_FLOW_WORK_LIMIT: u64 = 10_000_000_000;

/// A value of a YAML document.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Nothing: `null`, `~`, or no value at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; exact for whole numbers up to 2^53.
    Number(f64),
    /// A string.
    String(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the file's order, its keys as written.
    Mapping(Vec<(String, Node)>),
    /// A value with a tag of its own, such as `!env X`.
    Tagged,
}

impl Node {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// The entries of a mapping, in the file's order.
    pub fn as_mapping(&self) -> Option<&[(String, Node)]> {
        if let Self::Mapping(entries) = self { Some(entries) } else { None }
    }

    /// The value of a mapping's key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_mapping()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// A whole number up to 2^53.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the guard lets only whole numbers pass that fit"
    )]
    pub fn as_whole(&self) -> Option<u64> {
        match self {
            Self::Number(number)
                if number.fract() == 0.0 && (0.0..=2_f64.powi(53)).contains(number) =>
            {
                Some(*number as u64)
            }
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::String(_)
            | Self::List(_)
            | Self::Mapping(_)
            | Self::Tagged => None,
        }
    }

    /// What it is, for a message about what was found instead.
    pub fn described(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => format!("the number {number}"),
            Self::String(text) if text.chars().count() > 60 => "a long string".to_owned(),
            Self::String(text) => format!("the string '{text}'"),
            Self::List(_) => "a list".to_owned(),
            Self::Mapping(_) => "a mapping".to_owned(),
            Self::Tagged => "a value with a tag".to_owned(),
        }
    }
}

/// Reads one document. What stops the reader (syntax, a duplicate key, depth, size) is one fault.
pub fn parse(text: &str) -> Result<Node, Fault> {
    check_characters(text)?;
    check_flow_work(text)?;
    let room = Cell::new(SIZE_LIMIT);
    serde_yaml::Deserializer::from_str(text)
        .deserialize_any(Build { room: &room })
        .map_err(|error| to_fault(&error))
}

fn place(error: &serde_yaml::Error) -> Option<Place> {
    error.location().map(|location| Place { line: location.line(), column: location.column() })
}

fn to_fault(error: &serde_yaml::Error) -> Fault {
    let place = place(error);
    let mut message = error.to_string();
    if let Some(Place { line, column }) = place {
        message = message.replacen(&format!(" at line {line} column {column}"), "", 1);
    } else if message.contains("more than one document") {
        message = String::from("more than one YAML document");
    }
    Fault { place, message }
}

/// YAML allows few control characters, and the reader tells no place for the others. It still breaks lines
/// where only YAML 1.1 did, and would change a command in silence.
fn check_characters(text: &str) -> Result<(), Fault> {
    let is_break = |c: char| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let Some((offset, found)) = text.char_indices().find(|(_, c)| is_break(*c) || is_control(*c))
    else {
        return Ok(());
    };
    let code = u32::from(found);
    let message = if is_break(found) {
        format!("U+{code:04X} as itself: write \"\\u{code:04x}\" in double quotes")
    } else {
        format!("control character U+{code:04X} is not allowed in YAML")
    };
    Err(Fault { place: Some(Place::of_offset(text, offset)), message })
}

fn check_flow_work(text: &str) -> Result<(), Fault> {
    let (mut opened, mut depth, mut indicators, mut work) = (0_u64, 0_u64, 0_u64, 0_u64);
    for byte in text.bytes().filter(|byte| b",:?[]{}\n".contains(byte)) {
        match byte {
            b'[' | b'{' => (opened, depth) = (opened + 1, depth + 1),
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        indicators += 1;
        work += depth;
    }
    if work <= FLOW_WORK_LIMIT && opened * indicators <= WORST_FLOW_WORK_LIMIT {
        return Ok(());
    }
    Err(Fault {
        place: None,
        message: "too many flow collections ('[…]', '{…}') to be read in good time: \
                  write them as indented blocks"
            .to_owned(),
    })
}

/// Builds a [`Node`] while there is room.
#[derive(Clone, Copy)]
struct Build<'a> {
    room: &'a Cell<usize>,
}

impl Build<'_> {
    fn take<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        let cost = bytes + size_of::<Node>();
        let left = self.room.get().checked_sub(cost);
        self.room.set(left.ok_or_else(|| E::custom("aliases make this too large"))?);
        Ok(())
    }

    fn scalar<E: serde::de::Error>(self, node: Node) -> Result<Node, E> {
        self.take(0)?;
        Ok(node)
    }
}

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a number too large to be exact is too large anyway"
)]
impl<'de> Visitor<'de> for Build<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Node, E> {
        self.scalar(Node::Null)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Node, E> {
        self.scalar(Node::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Node, E> {
        self.scalar(Node::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Node, E> {
        self.scalar(Node::Number(value as f64))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Node, E> {
        self.scalar(Node::Number(value as f64))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Node, E> {
        self.scalar(Node::Number(value as f64))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        self.scalar(Node::Number(value as f64))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node, E> {
        self.scalar(Node::Number(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Node, E> {
        self.take(value.len())?;
        Ok(Node::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        self.take(0)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        self.take(0)?;
        let (mut mapping, mut keys) = (Vec::new(), HashSet::new());
        while let Some(key) = entries.next_key_seed(Key { before: &keys })? {
            self.take::<A::Error>(2 * key.len())?;
            keys.insert(key.clone());
            mapping.push((key, entries.next_value_seed(self)?));
        }
        Ok(Node::Mapping(mapping))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Node, A::Error> {
        let (_, content) = tagged.variant::<IgnoredAny>()?;
        content.newtype_variant::<IgnoredAny>()?;
        self.scalar(Node::Tagged)
    }
}

/// Reads a key's text as written, and stops at one that was there before.
struct Key<'a> {
    before: &'a HashSet<String>,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain word as a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<String, E> {
        if self.before.contains(key) {
            return Err(E::custom(format!("duplicate key '{key}'")));
        }
        Ok(key.to_owned())
    }
}

#[cfg(test)]
mod tests;

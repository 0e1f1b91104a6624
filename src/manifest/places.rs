//! Where the nodes of a YAML document stand: a second reading, only for a text that has faults.

use std::fmt;

use serde::Deserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::fault::Place;

/// One step on the way from the document's root to a node, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The n-th key of a mapping itself.
    Key(usize),
    /// The value of the n-th key of a mapping.
    Value(usize),
    /// The n-th item of a list.
    Item(usize),
}

/// The places of a document's nodes, in its own shape.
#[derive(Debug)]
pub enum Places {
    /// A scalar's own place, if the reader tells it.
    Scalar(Option<Place>),
    /// Those of a list's items.
    List(Vec<Places>),
    /// Those of a mapping's keys and values.
    Mapping(Vec<(Places, Places)>),
}

impl Places {
    /// Reads the places in a text that [`super::yaml::parse`] accepts; none in any other.
    pub fn of(text: &str) -> Self {
        Look.deserialize(serde_yaml::Deserializer::from_str(text)).unwrap_or(Self::Scalar(None))
    }

    /// Where the node (or key) at `path` stands. A mapping is where its first key is, a list where its first
    /// item is, and what has no place of its own is where the key or list is that it belongs to.
    pub fn at(&self, path: &[Step]) -> Option<Place> {
        let Some((step, rest)) = path.split_first() else { return self.own() };
        match (self, step) {
            (Self::Mapping(entries), Step::Key(index)) => entries.get(*index)?.0.own(),
            (Self::Mapping(entries), Step::Value(index)) => {
                let (key, value) = entries.get(*index)?;
                value.at(rest).or_else(|| key.own())
            }
            (Self::List(items), Step::Item(index)) => items.get(*index)?.at(rest),
            (Self::Scalar(_) | Self::List(_) | Self::Mapping(_), _) => None,
        }
    }

    fn own(&self) -> Option<Place> {
        match self {
            Self::Scalar(place) => *place,
            Self::List(items) => items.first()?.own(),
            Self::Mapping(entries) => entries.first()?.0.own(),
        }
    }
}

/// Reads the places of one node. It accepts lists and mappings only: the error that a scalar is instead
/// carries the scalar's place, and the reader goes on behind it.
#[derive(Clone, Copy)]
struct Look;

impl<'de> DeserializeSeed<'de> for Look {
    type Value = Places;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Places, D::Error> {
        Ok(deserializer
            .deserialize_any(self)
            .unwrap_or_else(|error| Places::Scalar(place_in(&error.to_string()))))
    }
}

impl<'de> Visitor<'de> for Look {
    type Value = Places;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Places, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Places::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Places, A::Error> {
        let mut mapping = Vec::new();
        while let Some(key) = entries.next_key_seed(self)? {
            mapping.push((key, entries.next_value_seed(self)?));
        }
        Ok(Places::Mapping(mapping))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Places, A::Error> {
        let (_, content) = tagged.variant::<IgnoredAny>()?;
        content.newtype_variant_seed(self)
    }
}

/// The place at the end of an error's text: there is no other way to it where the error's type is not known.
/// The first character of all has no mention.
fn place_in(error: &str) -> Option<Place> {
    let Some((_, place)) = error.rsplit_once(" at line ") else {
        return Some(Place { line: 1, column: 1 });
    };
    let (line, column) = place.split_once(" column ")?;
    Some(Place { line: line.parse().ok()?, column: column.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Item, Key, Value};

    fn at(text: &str, path: &[Step]) -> Option<(usize, usize)> {
        Places::of(text).at(path).map(|place| (place.line, place.column))
    }

    #[test]
    fn each_node_and_key_has_its_place() {
        let text =
            "top:\n  - one\n  - {k: v}\n  - |\n    block\nnext: !t x\nlast: &a\n  in: 7\nno: ~\n";
        assert_eq!(at(text, &[Key(0)]), Some((1, 1)));
        assert_eq!(at(text, &[Value(0), Item(1), Key(0)]), Some((3, 6)));
        assert_eq!(at(text, &[Value(0), Item(1), Value(0)]), Some((3, 9)));
        assert_eq!(at(text, &[Value(0), Item(2)]), Some((4, 5)));
        assert_eq!(at(text, &[Value(1)]), Some((6, 7)));
        assert_eq!(at(text, &[Key(2)]), Some((7, 1)));
        assert_eq!(at(text, &[Value(2), Value(0)]), Some((8, 7)));
        assert_eq!(at(text, &[Value(3)]), Some((9, 5)));
        assert_eq!(at(text, &[Value(9)]), None);
    }

    #[test]
    fn a_list_is_where_its_first_item_is_and_a_mapping_where_its_first_key_is() {
        let text = "a: [b, c]\nd: {e: f}\ng:\n- h\n";
        assert_eq!(at(text, &[Value(0)]), Some((1, 5)));
        assert_eq!(at(text, &[Value(1)]), Some((2, 5)));
        assert_eq!(at(text, &[Value(2)]), Some((4, 3)));
        assert_eq!(at(text, &[]), Some((1, 1)));
    }

    #[test]
    fn what_is_empty_is_where_its_key_is() {
        let text = "a: []\nb:\n  c: {}\n";
        assert_eq!(at(text, &[Value(0)]), Some((1, 1)));
        assert_eq!(at(text, &[Value(1), Value(0)]), Some((3, 3)));
    }

    #[test]
    fn a_text_that_speaks_of_places_does_not_mislead() {
        let text = "a: x at line 7 column 8\nb: ' at line 9 column 9'\n";
        assert_eq!(at(text, &[Value(0)]), Some((1, 4)));
        assert_eq!(at(text, &[Value(1)]), Some((2, 4)));
    }
}

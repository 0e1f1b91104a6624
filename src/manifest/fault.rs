//! A fault or a warning in a manifest, and how it is shown: place, message, the line with a caret.

use std::fmt;
use std::path::Path;

use crate::text::{printable, printable_path};

/// How much of the offending line is shown on each side of the place, in characters.
const BEFORE: usize = 60;
const AFTER: usize = 40;

/// A place in a text: line and column, both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl Place {
    /// The place of the byte at `offset`, which must be at a character's start.
    pub fn of_offset(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// Something wrong in a manifest, or worth a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, if it has a place in the text.
    pub place: Option<Place>,
    /// What is wrong, with the entry it is in.
    pub message: String,
}

/// What is wrong with one manifest: at least one fault.
#[derive(Debug)]
pub struct Invalid {
    /// The faults, in the file's order.
    pub faults: Vec<Fault>,
    /// The text that the places refer to, as far as it could be read.
    pub text: String,
}

impl Invalid {
    /// A manifest with one fault that has no place in its text.
    pub fn as_a_whole(message: String) -> Self {
        Self { faults: vec![Fault { place: None, message }], text: String::new() }
    }

    /// The faults on one line, for a reason: the first, and how many more there are.
    pub fn summary(&self, path: &Path) -> String {
        let first = self.faults.first().map(|fault| fault.headline(path)).unwrap_or_default();
        match self.faults.len() {
            0 | 1 => first,
            2 => format!("{first} (and 1 more fault)"),
            many => format!("{first} (and {} more faults)", many - 1),
        }
    }
}

impl Fault {
    /// `path:line:column: message`.
    pub fn headline(&self, path: &Path) -> String {
        format!("{}: {}", self.position(path), printable(&self.message))
    }

    /// `path:line:column`, or the path alone.
    pub fn position(&self, path: &Path) -> String {
        let path = printable_path(path);
        match self.place {
            Some(Place { line, column }) => format!("{path}:{line}:{column}"),
            None => path,
        }
    }

    /// The line of `text` that the fault is in, with a caret below the place; nothing without a place.
    pub fn excerpt<'a>(&self, text: &'a str) -> Option<Excerpt<'a>> {
        let place = self.place?;
        let line = text.lines().nth(place.line - 1)?;
        Some(Excerpt { place, line })
    }
}

/// One source line with a caret below it.
#[derive(Debug)]
pub struct Excerpt<'a> {
    place: Place,
    line: &'a str,
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.place.column - 1;
        let skipped = column.saturating_sub(BEFORE);
        let before: String = self.line.chars().skip(skipped).take(column - skipped).collect();
        let mut rest = self.line.chars().skip(column);
        let after: String = rest.by_ref().take(AFTER).collect();
        let (before, after) = (printable(&before), printable(&after));
        let (head, tail) =
            (if skipped > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
        let number = self.place.line.to_string();
        let indent = head.chars().count() + before.chars().count();
        writeln!(f, " {number} | {head}{before}{after}{tail}")?;
        write!(f, " {:width$} | {:indent$}^", "", "", width = number.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, line: usize, column: usize) -> String {
        let fault = Fault { place: Some(Place { line, column }), message: String::new() };
        fault.excerpt(text).unwrap().to_string()
    }

    #[test]
    fn the_caret_stands_below_the_place() {
        assert_eq!(excerpt("a: 1\nbé: x\r\n", 2, 5), " 2 | bé: x\n   |     ^");
        assert_eq!(excerpt("a\n\n", 2, 1), " 2 | \n   | ^");
    }

    #[test]
    fn an_escaped_character_before_the_place_moves_the_caret() {
        assert_eq!(excerpt("\u{7f}x", 1, 2), " 1 | \\u{7f}x\n   |       ^");
    }

    #[test]
    fn of_a_long_line_only_what_is_round_the_place_is_shown() {
        let line = format!("{}!{}", "a".repeat(5000), "b".repeat(5000));
        let shown = excerpt(&line, 1, 5001);
        let expected = format!(" 1 | …{}!{}…", "a".repeat(BEFORE), "b".repeat(AFTER - 1));
        assert_eq!(shown.lines().next(), Some(expected.as_str()));
        assert_eq!(shown.lines().nth(1).unwrap().chars().count(), 5 + 1 + BEFORE + 1);
    }

    #[test]
    fn a_place_counts_lines_and_characters_from_1() {
        assert_eq!(Place::of_offset("ab\ncé!", 6), Place { line: 2, column: 3 });
        assert_eq!(Place::of_offset("", 0), Place { line: 1, column: 1 });
    }
}

//! A fault or a warning in a manifest, and how it is shown: place, message, the line with a caret.

use std::path::Path;

use crate::text::{columns, printable, printable_path};

/// How much of the offending line is shown, in columns: with its number, a terminal of 80 has room for it.
const WIDTH: usize = 70;
/// How much of that is before the place, or more if less is behind it.
const BEFORE: usize = 44;

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
    /// What is worth a warning besides, such as a misspelt key behind a fault.
    pub warnings: Vec<Fault>,
    /// The text that the places refer to, as far as it could be read.
    pub text: String,
}

impl Invalid {
    /// A manifest with one fault that has no place in its text.
    pub fn as_a_whole(message: String) -> Self {
        Self::at(None, message, String::new())
    }

    /// A manifest with one fault, and its text.
    pub fn at(place: Option<Place>, message: String, text: String) -> Self {
        Self { faults: vec![Fault { place, message }], warnings: Vec::new(), text }
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
}

/// The lines that faults are in. It goes on in the text from one fault to the next, so all faults of a text in
/// its order cost no more than reading it once.
#[derive(Debug)]
pub struct Excerpts<'a> {
    text: &'a str,
    /// Where the last place was, and its offset.
    at: Place,
    offset: usize,
    /// The offset of its line.
    line: usize,
}

impl<'a> Excerpts<'a> {
    /// Of the text that the faults' places refer to.
    pub fn of(text: &'a str) -> Self {
        Self { text, at: Place { line: 1, column: 1 }, offset: 0, line: 0 }
    }

    /// The line that the fault is in with a caret below the place; nothing without a place.
    pub fn excerpt(&mut self, fault: &Fault) -> Option<String> {
        self.go_to(fault.place?)?;
        let (before, after) = (&self.text[self.line..self.offset], &self.text[self.offset..]);
        let wanted = columns(&printable(&after[..end_of_first(after, WIDTH)]));
        let start = start_of_last(before, BEFORE.max(WIDTH.saturating_sub(wanted)));
        let head = format!("{}{}", if start > 0 { "…" } else { "" }, printable(&before[start..]));
        let end = end_of_first(after, WIDTH.saturating_sub(columns(&head)));
        let is_whole = after[end..].is_empty() || after[end..].starts_with(['\n', '\r']);
        let tail = format!("{}{}", printable(&after[..end]), if is_whole { "" } else { "…" });
        let number = self.at.line.to_string();
        let (margin, indent) = (number.len(), columns(&head));
        Some(format!(" {number} | {head}{tail}\n {:margin$} | {:indent$}^", "", ""))
    }

    /// None if the text has no such place.
    fn go_to(&mut self, place: Place) -> Option<()> {
        if place < self.at {
            *self = Self::of(self.text);
        }
        while self.at.line < place.line {
            self.line = self.offset + self.text[self.offset..].find('\n')? + 1;
            self.offset = self.line;
            self.at = Place { line: self.at.line + 1, column: 1 };
        }
        while self.at.column < place.column {
            let next = self.text[self.offset..].chars().next().filter(|c| *c != '\n')?;
            self.offset += next.len_utf8();
            self.at.column += 1;
        }
        Some(())
    }
}

/// Where the last characters of a line begin that take this many columns.
fn start_of_last(line: &str, most: usize) -> usize {
    let mut taken = 0;
    let mut characters = line.char_indices().rev();
    let left_out = characters.find(|(_, character)| {
        taken += shown_columns(*character);
        taken > most
    });
    left_out.map_or(0, |(at, character)| at + character.len_utf8())
}

/// Where the first characters end that take this many columns, or the line.
fn end_of_first(text: &str, most: usize) -> usize {
    let mut taken = 0;
    let left_out = text.char_indices().find(|(_, character)| {
        taken += shown_columns(*character);
        taken > most || matches!(character, '\n' | '\r')
    });
    left_out.map_or(text.len(), |(at, _)| at)
}

fn shown_columns(character: char) -> usize {
    columns(&printable(character.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: usize, column: usize) -> Fault {
        Fault { place: Some(Place { line, column }), message: String::new() }
    }

    fn excerpt(text: &str, line: usize, column: usize) -> String {
        Excerpts::of(text).excerpt(&fault(line, column)).unwrap()
    }

    #[test]
    fn the_caret_stands_below_the_place() {
        assert_eq!(excerpt("a: 1\nbé: x\r\n", 2, 5), " 2 | bé: x\n   |     ^");
        assert_eq!(excerpt("a\n\n", 2, 1), " 2 | \n   | ^");
    }

    #[test]
    fn the_caret_stands_below_the_place_whatever_columns_the_characters_before_it_take() {
        assert_eq!(excerpt("漢字: x", 1, 5), " 1 | 漢字: x\n   |       ^");
        assert_eq!(excerpt("e\u{301}: x", 1, 5), " 1 | e\u{301}: x\n   |    ^");
        assert_eq!(excerpt("\u{7f}x", 1, 2), " 1 | \\u{7f}x\n   |       ^");
    }

    #[test]
    fn of_a_long_line_only_what_is_round_the_place_is_shown() {
        let line = format!("{}!{}", "a".repeat(5000), "b".repeat(5000));
        let shown = excerpt(&line, 1, 5001);
        let after = "b".repeat(WIDTH - BEFORE - 2);
        let expected = format!(" 1 | …{}!{after}…", "a".repeat(BEFORE));
        assert_eq!(shown.lines().next(), Some(expected.as_str()));
        assert_eq!(shown.lines().nth(1).unwrap().chars().count(), 5 + 1 + BEFORE + 1);
        let line = format!("{}!bb", "a".repeat(WIDTH - 3));
        assert_eq!(excerpt(&line, 1, WIDTH - 2).lines().next().unwrap(), format!(" 1 | {line}"));
        let line = format!("!{}", "漢".repeat(5000));
        assert!(columns(excerpt(&line, 1, 1).lines().next().unwrap()) <= 80);
    }

    #[test]
    fn faults_may_come_in_any_order_and_places_may_be_at_the_end_or_nowhere() {
        let text = "one\ntwo three\n";
        let mut excerpts = Excerpts::of(text);
        for (line, column) in [(2, 5), (2, 9), (2, 10), (1, 1), (3, 1), (1, 4), (2, 1)] {
            let shown = excerpts.excerpt(&fault(line, column));
            assert_eq!(shown, Some(excerpt(text, line, column)), "{line}:{column}");
        }
        for (line, column) in [(1, 5), (3, 2), (4, 1)] {
            assert_eq!(excerpts.excerpt(&fault(line, column)), None, "{line}:{column}");
            assert_eq!(excerpts.excerpt(&fault(1, 1)), Some(excerpt(text, 1, 1)));
        }
    }

    #[test]
    fn a_place_counts_lines_and_characters_from_1() {
        assert_eq!(Place::of_offset("ab\ncé!", 6), Place { line: 2, column: 3 });
        assert_eq!(Place::of_offset("", 0), Place { line: 1, column: 1 });
    }
}

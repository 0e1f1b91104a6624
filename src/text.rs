//! What more than one place needs to show text: safe for a terminal, its columns, nearest word, JSON.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use unicode_width::UnicodeWidthChar as _;

/// `text` with every character escaped that could drive a terminal, break the line or reorder it
/// (contract section 4).
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_unprintable(character) {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// A path as [`printable`] text; bytes that are not UTF-8 become U+FFFD.
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

fn is_unprintable(character: char) -> bool {
    // Besides C0, DEL and C1: line and paragraph separators, and what changes the writing direction.
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200E}' | '\u{200F}' | '\u{061C}')
        || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// How many columns printable text takes in a terminal: wide characters two, combining ones none. Where
/// terminals differ it is the most.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(character: char) -> usize {
    // It makes an emoji out of the character before it, which some terminals then show wide.
    if character == '\u{FE0F}' { 1 } else { character.width().unwrap_or_default() }
}

/// The longest beginning of printable text that takes no more than this many columns.
pub fn beginning(text: &str, most: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, character)| {
        taken += columns_of(*character);
        taken > most
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// The candidate that `word` was most likely meant to be, if one is near enough to be worth a hint.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    // Quadratic in its length: no such word is a typing error.
    if length > 200 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= (length.max(candidate.chars().count()) / 3).max(1)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The question that hints at the first candidate that `word` begins (`test` at `test.focused`), or at a near one.
pub fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<String> {
    let is_telling = word.chars().count() >= 3;
    let is_begun = |candidate: &&str| is_telling && candidate.starts_with(word);
    let mut begun = candidates.clone().into_iter().filter(is_begun);
    let meant = begun.next().or_else(|| nearest(word, candidates))?;
    Some(format!("did you mean '{}'?", printable(meant)))
}

/// `value` as one line of JSON, without a newline at its end. U+0085, U+2028 and U+2029 are escaped,
/// since some line readers split at them (contract section 7).
#[expect(clippy::expect_used, reason = "strings, numbers and lists of them always serialise")]
pub fn json_line(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("plain data");
    // Besides those, what could drive a terminal: DEL and C1. JSON itself escapes the others.
    let is_escaped = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}');
    if !json.contains(is_escaped) {
        return json;
    }
    // These characters can only stand inside JSON strings, where an escape means the same.
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_escaped(c) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// `value` as indented JSON for people, without a newline at its end: what could drive a terminal is escaped.
#[expect(clippy::expect_used, reason = "JSON always serialises")]
pub fn json_pretty(value: &serde_json::Value) -> String {
    let json = serde_json::to_string_pretty(value).expect("plain data");
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && is_unprintable(character) {
            // Such a character can only stand inside a JSON string, where an escape means the same.
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_characters_are_shown_escaped() {
        assert_eq!(printable("\u{1b}[31mred\n\u{9b}x"), "\\u{1b}[31mred\\n\\u{9b}x");
        assert_eq!(printable("naïve \\ {a,b} 'q' 漢"), "naïve \\ {a,b} 'q' 漢");
        assert_eq!(printable("a\u{202e}b\u{2028}"), "a\\u{202e}b\\u{2028}");
    }

    #[test]
    fn characters_take_the_columns_that_a_terminal_gives_them() {
        for (text, taken) in [
            ("", 0),
            ("abc…", 4),
            ("漢字", 4),
            ("e\u{301}\u{302}", 1),
            ("🦀", 2),
            ("❤\u{fe0f}", 2),
            ("👨\u{200d}👩\u{200d}👧", 6),
        ] {
            assert_eq!(columns(text), taken, "{text}");
        }
        assert_eq!(beginning("漢字", 3), "漢");
        assert_eq!(beginning("e\u{301}e\u{301}", 1), "e\u{301}");
        assert_eq!(beginning("abc", 3), "abc");
        assert_eq!(beginning("漢", 1), "");
    }

    #[test]
    fn the_nearest_word_is_a_typing_error_away() {
        let known = ["command", "timeout_ms", "timeout_prone"];
        assert_eq!(nearest("timout_ms", known), Some("timeout_ms"));
        assert_eq!(nearest("comand", known), Some("command"));
        assert_eq!(nearest("owner", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("ab", ["ba"]), Some("ba"));
    }

    #[test]
    fn the_beginning_of_a_word_hints_at_it() {
        let known = ["test.focused", "test.full", "tests"];
        let hint = |word| did_you_mean(word, known);
        assert_eq!(hint("test").as_deref(), Some("did you mean 'test.focused'?"));
        assert_eq!(hint("test.fo").as_deref(), Some("did you mean 'test.focused'?"));
        assert_eq!(hint("test.fll").as_deref(), Some("did you mean 'test.full'?"));
        assert_eq!(hint("te"), None);
        assert_eq!(hint("focused"), None);
    }

    proptest! {
        #[test]
        fn printable_text_cannot_drive_a_terminal_and_is_left_alone_if_it_never_could(
            text in "(\\PC|[\\x00-\u{a0}\u{61c}\u{200b}-\u{2070}\u{feff}]){0,20}",
        ) {
            let shown = printable(&text);
            // Unicode's control characters, line breaks and Bidi_Control; and the mark that is no text.
            let drives = |c: char| c.is_control()
                || "\u{2028}\u{2029}\u{61c}\u{200e}\u{200f}\u{feff}".contains(c)
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c);
            prop_assert!(!shown.contains(drives), "{shown:?}");
            prop_assert_eq!(shown == text, !text.contains(drives));
            prop_assert_eq!(printable(&shown), shown.as_ref());
        }

        #[test]
        fn a_json_line_is_one_line_to_every_reader(text in any::<String>()) {
            let line = json_line(&text);
            let breaks = ['\u{2028}', '\u{2029}'];
            prop_assert!(!line.contains(breaks));
            prop_assert!(!line.contains(char::is_control));
            prop_assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }

        #[test]
        fn pretty_json_is_printable_and_says_the_same(text in any::<String>()) {
            let value = serde_json::json!({text.clone(): [text]});
            let json = json_pretty(&value);
            prop_assert!(!json.lines().any(|line| line.contains(is_unprintable)));
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
        }
    }
}

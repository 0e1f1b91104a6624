//! The table of `cap list`: whole for a pipe or a file, cut to fit a terminal.

use std::borrow::Cow;
use std::iter::repeat_n;

use crate::text::{beginning, columns};

/// Id, lifecycle, command and description of one entry, printable; or their heads.
pub type Cells = [String; 4];

/// Between two columns.
const GAP: usize = 2;
/// With fewer columns than this, a command or a description tells nothing: it is left out.
const LEAST: usize = 7;
/// What each of them gets before a very long id takes it.
const ENOUGH: usize = 12;
/// Up to here an id is whole, whatever becomes of the rest.
const WHOLE_ID: usize = 32;

/// A line for each row, in a terminal of this many columns; as wide as need be without one.
pub fn table(rows: &[Cells], terminal: Option<usize>) -> String {
    let width = |at: usize| rows.iter().map(|row| columns(&row[at])).max().unwrap_or_default();
    let widths = [0, 1, 2, 3].map(width);
    let widths = terminal.map_or(widths, |terminal| fitted(widths, terminal));
    rows.iter().map(|row| line(row, widths) + "\n").collect::<Vec<_>>().concat()
}

/// What each gets of a terminal, 0 if it is left out. Ids are what people come for, so the others are cut
/// first; but one very long id doesn't take it all.
fn fitted([id, lifecycle, command, description]: [usize; 4], terminal: usize) -> [usize; 4] {
    let others = lifecycle + 2 * ENOUGH + 3 * GAP;
    let id = id.min(WHOLE_ID.max(terminal.saturating_sub(others))).min(terminal);
    let Some(rest) = (terminal - id).checked_sub(GAP + lifecycle) else {
        return [id, 0, 0, 0];
    };
    let Some(one) = rest.checked_sub(GAP).filter(|it| *it >= LEAST) else {
        return [id, lifecycle, 0, 0];
    };
    let Some(both) = one.checked_sub(GAP).filter(|it| *it >= 2 * LEAST) else {
        return [id, lifecycle, command.min(one), 0];
    };
    // Half of it, or what the other doesn't need.
    let command = command.min((both / 2).max(both.saturating_sub(description)));
    [id, lifecycle, command, description.min(both - command)]
}

fn line(row: &Cells, widths: [usize; 4]) -> String {
    let mut line = String::new();
    let mut space = 0;
    for (cell, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
        let shown = cut(cell, width);
        line.extend(repeat_n(' ', space));
        line += &shown;
        space = width - columns(&shown) + GAP;
    }
    line.truncate(line.trim_end().len());
    line
}

fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if columns(text) <= width {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", beginning(text, width - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[[&str; 4]]) -> Vec<Cells> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    }

    #[test]
    fn columns_are_aligned_by_what_characters_take() {
        let rows =
            rows(&[["A", "B", "C", "D"], ["漢字", "e\u{301}", "ccc", "d"], ["a", "", "", ""]]);
        assert_eq!(table(&rows, None), "A     B  C    D\n漢字  e\u{301}  ccc  d\na\n");
    }

    #[test]
    fn a_long_text_is_whole_or_cut_to_fit() {
        let rows = rows(&[["a", "active", &"x".repeat(100_000), &"y".repeat(100_000)]]);
        assert_eq!(table(&rows, None).len(), 200_000 + "a  active    \n".len());
        assert_eq!(table(&rows, Some(31)), "a  active  xxxxxxxx…  yyyyyyyy…\n");
        assert_eq!(table(&rows, Some(19)), "a  active  xxxxxxx…\n");
        assert_eq!(table(&rows, Some(9)), "a  active\n");
        assert_eq!(table(&rows, Some(1)), "a\n");
    }

    #[test]
    fn a_wide_character_is_never_cut_in_half() {
        let rows = rows(&[["a", "active", "漢字漢字漢字", "d"]]);
        assert_eq!(table(&rows, Some(18)), "a  active  漢字漢…\n");
        assert_eq!(table(&rows, Some(19)), "a  active  漢字漢…\n");
        assert_eq!(table(&rows, Some(20)), "a  active  漢字漢字…\n");
    }

    #[test]
    fn ids_are_cut_last() {
        for terminal in 0..200 {
            for id in [1, 20, 32, 50, 200] {
                let widths = [id, 9, 60, 60];
                let [ids, lifecycle, command, description] = fitted(widths, terminal);
                let shown = [ids, lifecycle, command, description].into_iter().filter(|it| *it > 0);
                let gaps = GAP * shown.clone().count().saturating_sub(1);
                assert!(shown.sum::<usize>() + gaps <= terminal, "{id} in {terminal}");
                assert!(ids == id.min(terminal) || id > WHOLE_ID, "{id} in {terminal}");
                assert!(ids == id || description <= ENOUGH, "{id} in {terminal}");
                assert!([0, 9].contains(&lifecycle), "{id} in {terminal}");
            }
        }
    }

    #[test]
    fn commands_and_descriptions_share_what_is_left() {
        assert_eq!(fitted([12, 9, 60, 60], 80), [12, 9, 26, 27]);
        assert_eq!(fitted([12, 9, 10, 60], 80), [12, 9, 10, 43]);
        assert_eq!(fitted([12, 9, 60, 11], 80), [12, 9, 42, 11]);
        assert_eq!(fitted([12, 9, 20, 20], 80), [12, 9, 20, 20]);
    }
}

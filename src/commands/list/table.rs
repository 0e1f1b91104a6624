//! The table of `cap list`: whole for a pipe or a file, cut to fit a terminal.

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use unicode_width::UnicodeWidthStr as _;

/// One entry, or the head.
pub type Cells = [String; 4];

/// A row for each, one line each, as wide as they need.
pub fn whole(rows: &[Cells]) -> String {
    // Columns, not characters: wide ones take two, combining ones none.
    let width =
        |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or_default();
    let widths = [0, 1, 2].map(width);
    let line = |row: &Cells| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line += cell;
            line.extend(std::iter::repeat_n(' ', width - cell.width() + 1));
        }
        line + &row[3]
    };
    lines(rows.iter().map(line))
}

/// A row for each, one line each, in a terminal of this many columns.
pub fn fitted(rows: &[Cells], columns: u16) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_truncation_indicator("…");
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    for row in rows {
        let mut row = Row::from(row.each_ref().map(|cell| Cell::new(beginning(cell, columns))));
        row.max_height(1);
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    // Ids are what people come for: they are cut last, but leave half of the width to the others.
    let longest = rows.iter().map(|row| row[0].len() + 1).max().unwrap_or_default();
    if let Some(ids) = table.column_mut(0) {
        let least = u16::try_from(longest).unwrap_or(u16::MAX).min(columns / 2);
        ids.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
    lines(table.lines())
}

/// As much of a text as can show: the table would look at all of it.
fn beginning(text: &str, columns: u16) -> &str {
    // A combining character takes no column: a few for each that does.
    let most = usize::from(columns) * 4;
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| format!("{}\n", line.trim_end())).collect::<Vec<_>>().concat()
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
        assert_eq!(whole(&rows), "A    B C   D\n漢字 e\u{301} ccc d\na\n");
    }

    #[test]
    fn a_long_text_is_whole_or_cut_to_fit() {
        let rows = rows(&[["a", "active", &"x".repeat(100_000), &"y".repeat(100_000)]]);
        assert_eq!(whole(&rows).len(), 200_000 + "a active  \n".len());
        assert!(fitted(&rows, 40).trim_end().chars().count() <= 40);
        assert_eq!(fitted(&rows, 40).lines().count(), 1);
    }
}

//! Columns that line up.

use unicode_width::UnicodeWidthStr;

use crate::output::{Output, Tone};

/// Rows of cells, printed in columns as wide as their widest cell.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<(Tone, String)>>,
}

impl Table {
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = (Tone, String)>) {
        self.rows.push(cells.into_iter().map(|(tone, text)| (tone, one_line(&text))).collect());
    }

    pub(crate) fn render(&self, output: Output) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|(_, text)| text.width())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let last = row.iter().rposition(|(_, cell)| !cell.is_empty()).map_or(0, |index| index + 1);
            for (column, (tone, cell)) in row.iter().take(last).enumerate() {
                text.push_str(&output.paint(*tone, cell));
                if column + 1 < last {
                    text.push_str(&" ".repeat(widths[column] - cell.width() + 2));
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Text that cannot break a line or disturb the terminal.
pub(crate) fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Text that cannot disturb the terminal.
pub(crate) fn printable(text: &str) -> String {
    let disturbs = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if disturbs(c) { '\u{fffd}' } else { c }).collect()
}

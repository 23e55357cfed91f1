//! Lines and texts on a grid of characters. Lines that meet become one sign.

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

#[derive(Debug)]
pub(super) struct Canvas {
    lines: Vec<Vec<u8>>,
    texts: Vec<Vec<(usize, String)>>,
}

impl Canvas {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { lines: vec![vec![0; columns]; rows], texts: vec![Vec::new(); rows] }
    }

    pub(super) fn horizontal(&mut self, row: usize, from: usize, to: usize) {
        for column in from.min(to)..from.max(to) {
            self.mark(row, column, RIGHT);
            self.mark(row, column + 1, LEFT);
        }
    }

    pub(super) fn vertical(&mut self, column: usize, from: usize, to: usize) {
        for row in from.min(to)..from.max(to) {
            self.mark(row, column, DOWN);
            self.mark(row + 1, column, UP);
        }
    }

    pub(super) fn frame(&mut self, top: usize, rows: usize, columns: usize) {
        let (bottom, right) = (top + rows - 1, columns - 1);
        self.horizontal(top, 0, right);
        self.horizontal(bottom, 0, right);
        self.vertical(0, top, bottom);
        self.vertical(right, top, bottom);
    }

    /// Writes over whatever line is there.
    pub(super) fn text(&mut self, row: usize, column: usize, text: impl Into<String>) {
        if let Some(texts) = self.texts.get_mut(row) {
            texts.push((column, text.into()));
        }
    }

    /// The whole drawing, without spaces at the ends of lines.
    pub(super) fn finish(mut self) -> String {
        let mut drawing = String::new();
        for (line, texts) in self.lines.iter().zip(&mut self.texts) {
            texts.sort_by_key(|(column, _)| *column);
            drawing.push_str(row(line, texts).trim_end());
            drawing.push('\n');
        }
        let end = drawing.trim_end().len();
        drawing.truncate(end);
        drawing.push('\n');
        drawing
    }

    fn mark(&mut self, row: usize, column: usize, way: u8) {
        if let Some(cell) = self.lines.get_mut(row).and_then(|line| line.get_mut(column)) {
            *cell |= way;
        }
    }
}

/// A row as text. A text takes as many columns as a terminal gives it.
fn row(line: &[u8], texts: &[(usize, String)]) -> String {
    use unicode_width::UnicodeWidthStr;
    let mut shown = String::new();
    let mut column = 0;
    for (start, text) in texts {
        // What two lines write at the same place is the same arrow.
        if *start < column {
            continue;
        }
        while column < *start {
            shown.push(sign(line.get(column).copied().unwrap_or(0)));
            column += 1;
        }
        shown.push_str(text);
        column += text.width();
    }
    shown.extend(line.iter().skip(column).map(|&cell| sign(cell)));
    shown
}

fn sign(cell: u8) -> char {
    // Indexed by the four ways: up, down, left and right.
    const SIGNS: [char; 16] =
        [' ', '╵', '╷', '│', '╴', '┘', '┐', '┤', '╶', '└', '┌', '├', '─', '┴', '┬', '┼'];
    SIGNS[usize::from(cell & 15)]
}

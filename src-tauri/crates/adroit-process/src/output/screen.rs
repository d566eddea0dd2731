//! The last lines of a terminal, without its width.
//!
//! Lines are as long as the program wrote them (a model reads better without
//! wrapping). As many lines as the terminal has rows can still be changed by
//! cursor movement; a line that leaves the top is final and goes to the sink.

use std::collections::VecDeque;

use super::bounded::BoundedText;
use super::escape::{Parameters, Sequence};

/// A line longer than this is handed on in pieces, so that a program that
/// never breaks its line stays bounded.
const MAX_LINE: usize = 64 * 1024;

#[derive(Debug, Default)]
struct Line {
    text: String,
    /// Characters in `text`: columns, double-width characters counted once.
    columns: usize,
    /// Something was overwritten or erased, so that blanks at its end mean
    /// nothing.
    edited: bool,
}

impl Line {
    fn offset(&self, column: usize) -> usize {
        if self.columns == self.text.len() {
            return column.min(self.text.len());
        }
        self.text
            .char_indices()
            .nth(column)
            .map_or(self.text.len(), |(offset, _)| offset)
    }

    fn write(&mut self, column: usize, text: &str, columns: usize) {
        if column > self.columns {
            let gap = column - self.columns;
            self.text.extend(std::iter::repeat_n(' ', gap));
            self.columns = column;
        }
        if column == self.columns {
            self.text.push_str(text);
        } else {
            let range = self.offset(column)..self.offset(column + columns);
            self.text.replace_range(range, text);
            self.edited = true;
        }
        self.columns = self.columns.max(column + columns);
    }

    fn truncate(&mut self, column: usize) {
        if column < self.columns {
            self.text.truncate(self.offset(column));
            self.columns = column;
            self.edited = true;
        }
    }

    fn erase(&mut self, from: usize, to: usize) {
        let to = to.min(self.columns);
        if from < to {
            self.write(from, &" ".repeat(to - from), to - from);
        }
    }

    fn delete(&mut self, column: usize, count: usize) {
        let range = self.offset(column)..self.offset(column + count);
        self.columns -= self.text[range.clone()].chars().count();
        self.text.replace_range(range, "");
        self.edited = true;
    }

    fn insert(&mut self, column: usize, count: usize) {
        if column < self.columns {
            let at = self.offset(column);
            let count = count.min(MAX_LINE.saturating_sub(self.columns));
            self.text.insert_str(at, &" ".repeat(count));
            self.columns += count;
            self.edited = true;
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.columns = 0;
        self.edited = true;
    }

    /// The visible text with a line break, for the sink.
    fn ended(&mut self) -> &str {
        let length = self.visible().len();
        self.text.truncate(length);
        self.text.push('\n');
        &self.text
    }

    fn visible(&self) -> &str {
        if self.edited {
            self.text.trim_end_matches(' ')
        } else {
            &self.text
        }
    }
}

/// See the module's head.
#[derive(Debug)]
pub(crate) struct LineScreen {
    lines: VecDeque<Line>,
    rows: usize,
    row: usize,
    column: usize,
    saved: (usize, usize),
}

impl LineScreen {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            lines: VecDeque::from([Line::default()]),
            rows: rows.max(1),
            row: 0,
            column: 0,
            saved: (0, 0),
        }
    }

    /// `row` always names a line; this keeps it so even if that were broken.
    fn line(&mut self) -> &mut Line {
        while self.lines.len() <= self.row {
            self.lines.push_back(Line::default());
        }
        &mut self.lines[self.row]
    }

    pub(crate) fn write_any(&mut self, text: &str, sink: &mut BoundedText) {
        self.write(text, text.chars().count(), sink);
    }

    /// Writes text of a known number of characters at the cursor.
    pub(crate) fn write(&mut self, text: &str, columns: usize, sink: &mut BoundedText) {
        let column = self.column;
        let line = self.line();
        line.write(column, text, columns);
        self.column = column + columns;
        if self.lines[self.row].text.len() > MAX_LINE {
            self.hand_on_long_line(sink);
        }
    }

    fn hand_on_long_line(&mut self, sink: &mut BoundedText) {
        if self.row + 1 < self.lines.len() {
            // A line above others cannot be handed on in pieces.
            let line = self.line();
            let limit = line.text.floor_char_boundary(MAX_LINE);
            line.text.truncate(limit);
            line.columns = line.text.chars().count();
            return;
        }
        while self.lines.len() > 1 {
            self.commit_first(sink);
        }
        let line = self.line();
        sink.push(&line.text);
        *line = Line::default();
        self.column = 0;
    }

    fn commit_first(&mut self, sink: &mut BoundedText) {
        if let Some(mut line) = self.lines.pop_front() {
            sink.push(line.ended());
            self.row = self.row.saturating_sub(1);
        }
    }

    pub(crate) fn line_feed(&mut self, sink: &mut BoundedText) {
        self.row += 1;
        self.column = 0;
        if self.row < self.lines.len() {
            return;
        }
        if self.lines.len() < self.rows {
            self.lines.push_back(Line::default());
        } else if let Some(mut line) = self.lines.pop_front() {
            sink.push(line.ended());
            // The buffer is used again: no allocation per line of a flood.
            line.clear();
            line.edited = false;
            self.lines.push_back(line);
            self.row -= 1;
        }
    }

    pub(crate) fn carriage_return(&mut self) {
        self.column = 0;
    }

    pub(crate) fn backspace(&mut self) {
        self.column = self.column.saturating_sub(1);
    }

    pub(crate) fn tab(&mut self, sink: &mut BoundedText) {
        if self.column >= self.line().columns {
            self.write("\t", 1, sink);
        } else {
            self.column = (self.column / 8 + 1) * 8;
        }
    }

    pub(crate) fn apply(&mut self, sequence: &Sequence, sink: &mut BoundedText) {
        match sequence {
            Sequence::Control {
                private: false,
                parameters,
                command,
            } => self.control(*command, parameters, sink),
            Sequence::Control { .. } => {}
            Sequence::Index | Sequence::NextLine => self.line_feed(sink),
            Sequence::ReverseIndex => self.reverse_index(),
            Sequence::SaveCursor => self.saved = (self.row, self.column),
            Sequence::RestoreCursor => self.move_to(self.saved.0, self.saved.1),
            Sequence::Reset => {
                self.move_to(0, 0);
                self.erase_display(2);
            }
        }
    }

    fn control(&mut self, command: u8, parameters: &Parameters, sink: &mut BoundedText) {
        let count = parameters.count(0);
        match command {
            b'A' => self.row = self.row.saturating_sub(count),
            b'B' | b'e' => self.move_to(self.row + count, self.column),
            b'C' | b'a' => self.column = (self.column + count).min(MAX_LINE),
            b'D' => self.column = self.column.saturating_sub(count),
            b'E' => self.move_to(self.row + count, 0),
            b'F' => self.move_to(self.row.saturating_sub(count), 0),
            b'G' | b'`' => self.column = count - 1,
            b'd' => self.move_to(count - 1, self.column),
            b'H' | b'f' => self.move_to(count - 1, parameters.count(1) - 1),
            b'J' => self.erase_display(parameters.number(0)),
            b'K' => self.erase_line(parameters.number(0)),
            b'L' => self.insert_lines(count),
            b'M' => self.delete_lines(count),
            b'P' => {
                let column = self.column;
                self.line().delete(column, count);
            }
            b'@' => {
                let column = self.column;
                self.line().insert(column, count);
            }
            b'X' => {
                let column = self.column;
                self.line().erase(column, column + count);
            }
            b'S' => {
                for _ in 0..count.min(self.lines.len()) {
                    self.commit_first(sink);
                }
                self.line();
            }
            b's' => self.saved = (self.row, self.column),
            b'u' => self.move_to(self.saved.0, self.saved.1),
            // Colours, modes, reports, margins: nothing that is text.
            _ => {}
        }
    }

    fn move_to(&mut self, row: usize, column: usize) {
        self.row = row.min(self.rows - 1);
        self.column = column;
        self.line();
    }

    fn reverse_index(&mut self) {
        if self.row > 0 {
            self.row -= 1;
        } else {
            self.insert_lines(1);
        }
    }

    fn insert_lines(&mut self, count: usize) {
        for _ in 0..count.min(self.rows) {
            self.lines.insert(self.row, Line::default());
        }
        self.lines.truncate(self.rows);
    }

    fn delete_lines(&mut self, count: usize) {
        let end = (self.row + count).min(self.lines.len());
        self.lines.drain(self.row..end);
        self.line().edited = true;
    }

    fn erase_display(&mut self, which: usize) {
        let (row, column) = (self.row, self.column);
        match which {
            0 => {
                self.line().truncate(column);
                self.lines.truncate(row + 1);
            }
            1 => {
                self.lines.iter_mut().take(row).for_each(Line::clear);
                self.line().erase(0, column + 1);
            }
            2 => {
                self.lines.truncate(row + 1);
                self.lines.iter_mut().for_each(Line::clear);
            }
            // 3 erases what scrolled out; the model keeps that.
            _ => {}
        }
    }

    fn erase_line(&mut self, which: usize) {
        let column = self.column;
        let line = self.line();
        match which {
            0 => line.truncate(column),
            1 => line.erase(0, column + 1),
            _ => line.clear(),
        }
    }

    /// Puts the cursor at the start of a line of its own at the end.
    pub(crate) fn start_new_line(&mut self, sink: &mut BoundedText) {
        self.row = self.lines.len() - 1;
        if self.line().columns > 0 {
            self.line_feed(sink);
        }
        self.column = 0;
    }

    /// The last lines that hold something, up to `count`.
    pub(crate) fn last_lines(&self, count: usize) -> String {
        let lines: Vec<&str> = self
            .lines
            .iter()
            .rev()
            .map(Line::visible)
            .skip_while(|line| line.is_empty())
            .take(count)
            .collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// Everything that is left, as [`LineScreen::commit_all`] would hand it on.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(Line::visible).collect();
        lines[..self.meaningful()].join("\n")
    }

    /// Hands on everything that is left. What comes afterwards goes on where
    /// this ended.
    pub(crate) fn commit_all(&mut self, sink: &mut BoundedText) {
        self.lines.truncate(self.meaningful());
        while self.lines.len() > 1 {
            self.commit_first(sink);
        }
        if let Some(line) = self.lines.front_mut() {
            sink.push(line.visible());
            *line = Line::default();
        }
        self.row = 0;
        self.column = 0;
    }

    /// The number of lines without those at the end that only a cursor
    /// movement or an erasure made.
    fn meaningful(&self) -> usize {
        let blank = |line: &&Line| line.edited && line.visible().is_empty();
        let blanks = self.lines.iter().rev().take_while(blank).count();
        (self.lines.len() - blanks).max(1).min(self.lines.len())
    }
}

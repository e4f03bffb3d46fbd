//! Tables by hand: columns are as wide as their cells, and the widest give way when the terminal is narrow.
//!
//! A crate would bring borders, wrapping and styles that nothing here uses.

use super::Screen;
use super::escape::one_line;
use super::width::{cut, width};

/// Narrower columns say nothing.
const LEAST: usize = 6;
const GAP: usize = 2;

#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Table {
        Table { rows: vec![headings.iter().map(|heading| heading.to_string()).collect()] }
    }

    /// A row. Cells may be texts of others.
    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        debug_assert_eq!(cells.len(), self.rows[0].len());
        self.rows.push(cells.into_iter().map(one_line).collect());
    }

    pub(crate) fn show(&self, screen: &Screen) -> String {
        let widths = self.widths(screen.columns);
        let mut lines = self.rows.iter().map(|row| line(row, &widths));
        let heading = lines.next().unwrap_or_default();
        let mut text = screen.paint.dim(&heading);
        lines.for_each(|line| {
            text.push('\n');
            text.push_str(&line);
        });
        text
    }

    fn widths(&self, columns: Option<usize>) -> Vec<usize> {
        let count = self.rows[0].len();
        let widest = |column: usize| self.rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
        let mut widths: Vec<usize> = (0..count).map(widest).collect();
        let room = columns.unwrap_or(usize::MAX).saturating_sub(GAP * (count - 1));
        while widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(widest) if *widest > LEAST => *widest -= 1,
                _ => break,
            }
        }
        widths
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (cell, room) in row.iter().zip(widths) {
        let cell = cut(cell, *room);
        let padding = room - width(&cell).min(*room) + GAP;
        text.push_str(&cell);
        text.push_str(&" ".repeat(padding));
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people() -> Table {
        let mut table = Table::new(&["NAME", "SAYS"]);
        table.row(["anna", "hello\x1b[31m"]);
        table.row(["bob", "a rather long sentence that goes on"]);
        table
    }

    #[test]
    fn cli_5_columns_line_up_and_hold_nothing_raw() {
        let shown = people().show(&Screen::plain(None));
        assert_eq!(shown, "NAME  SAYS\nanna  hello\\x1b[31m\nbob   a rather long sentence that goes on");
    }

    #[test]
    fn cli_5_a_table_fits_the_terminal() {
        let shown = people().show(&Screen::plain(Some(20)));
        assert_eq!(shown, "NAME  SAYS\nanna  hello\\x1b[31m\nbob   a rather long…");
        assert!(shown.lines().all(|line| width(line) <= 20));
    }
}

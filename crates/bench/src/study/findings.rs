//! What a study found: rows of words and numbers, remarks, and figures.

use std::collections::BTreeMap;

use gflowcausal_report::Figure;
use serde::{Deserialize, Serialize};

use crate::cells::{csv_table, markdown_table};
use gflowcausal_report::aligned;

/// A word or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Cell {
    /// A number in full; three digits of it are shown.
    Number(f64),
    /// A word; empty where there is nothing to say.
    Text(String),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value) } else { Self::Text(String::new()) }
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Number(count as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Text(String::new()), Into::into)
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Number(value) => significant(*value),
            Self::Text(text) => text.clone(),
        }
    }

    /// With every digit.
    fn in_full(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A cell for the text or number of each argument.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { vec![$($crate::study::findings::Cell::from($value)),*] };
}
pub(super) use cells;

/// Three digits that say something; whole numbers whole.
pub(super) fn significant(value: f64) -> String {
    let size = value.abs();
    if value == value.trunc() && size < 1e6 {
        return format!("{value:.0}");
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.digits$}")
}

/// The table of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) suite: String,
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What there is to say about it.
    pub(crate) notes: Vec<String>,
    /// Its figures, by the name of their files.
    #[serde(default)]
    pub(crate) figures: Vec<String>,
}

/// All that comes out of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) findings: Findings,
    /// By the name of their files.
    pub(crate) figures: BTreeMap<String, Figure>,
}

impl Outcome {
    /// Nothing found yet, under these columns.
    pub(super) fn new(columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { findings: Findings { columns, ..Findings::default() }, figures: BTreeMap::new() }
    }

    /// A table of names and one number each.
    #[cfg(test)]
    pub(crate) fn of_numbers(columns: &[&str], rows: &[(&str, f64)]) -> Self {
        let mut outcome = Self::new(columns);
        rows.iter().for_each(|&(name, value)| outcome.row(cells![name, value]));
        outcome
    }

    /// Whether every row has a cell in every column.
    pub(super) fn is_whole(&self) -> bool {
        let columns = self.findings.columns.len();
        columns > 0 && self.findings.rows.iter().all(|row| row.len() == columns)
    }

    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        self.findings.rows.push(cells);
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.findings.notes.push(note.into());
    }
}

impl Findings {
    /// For the terminal.
    pub(crate) fn text(&self) -> String {
        let header = self.header();
        let rows = self.cells(Cell::text);
        let is_number = |&column: &usize| self.rows.iter().any(|row| matches!(row[column], Cell::Number(_)));
        let right: Vec<usize> = (0..header.len()).filter(is_number).collect();
        let notes: String = self.notes.iter().map(|note| format!("  {note}\n")).collect();
        format!("{}: {}\n{}{notes}", self.suite, self.title, aligned(&header, &rows, &right))
    }

    /// For documents.
    pub(crate) fn markdown(&self) -> String {
        let table = markdown_table(&self.header(), &self.cells(Cell::text));
        let notes: String = self.notes.iter().map(|note| format!("\n{note}\n")).collect();
        format!("### {}: {}\n\n{table}{notes}\n", self.suite, self.title)
    }

    /// All rows with numbers in full.
    pub(crate) fn csv(&self) -> String {
        csv_table(&self.header(), self.cells(Cell::in_full))
    }

    /// The header, and the rows as they are shown.
    pub(crate) fn shown(&self) -> (Vec<&str>, Vec<Vec<String>>) {
        (self.header(), self.cells(Cell::text))
    }

    /// The number in `column` of the first row that has `word` as a cell.
    pub(crate) fn number(&self, word: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|name| name == column)?;
        let has = |row: &&Vec<Cell>| row.iter().any(|cell| matches!(cell, Cell::Text(text) if text == word));
        match self.rows.iter().find(has)?[at] {
            Cell::Number(value) => Some(value),
            Cell::Text(_) => None,
        }
    }

    fn header(&self) -> Vec<&str> {
        self.columns.iter().map(String::as_str).collect()
    }

    fn cells(&self, show: fn(&Cell) -> String) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().map(show).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_three_digits_and_kept_in_full() {
        let shown = [1000.0, 0.012_345, 1234.5, 0.5, 1e-7, -2.345_6].map(significant);
        assert_eq!(shown, ["1000", "0.0123", "1234", "0.500", "1.0e-7", "-2.35"]);
        let mut outcome = Outcome::new(&["walk", "ms"]);
        outcome.row(cells!["a, b", 0.012_345]);
        outcome.row(cells!["none", None::<f64>]);
        assert_eq!(outcome.findings.csv(), "walk,ms\n\"a, b\",0.012345\nnone,\n");
        assert!(outcome.findings.markdown().contains("| a, b | 0.0123 |"));
    }

    #[test]
    fn an_outcome_survives_being_written_and_read() {
        let mut outcome = Outcome::new(&["a", "b"]);
        outcome.row(cells!["x", f64::NAN]);
        outcome.note("remark");
        let text = serde_json::to_string(&outcome).expect("it can be written");
        assert_eq!(serde_json::from_str::<Outcome>(&text).expect("and read"), outcome);
    }
}

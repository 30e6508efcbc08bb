//! The dialect of a text file, detected from its first rows: delimiter, line ends, decimal mark.

use crate::read::csv::rows::{Cell, Rows};
use crate::read::options::{Delimiter, ReadOptions};

/// How many rows are inspected to find the separator.
const SAMPLE: usize = 100;

/// How cells are written in one file.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub(super) delimiter: Delimiter,
    pub(super) newline: u8,
    pub(super) decimal_comma: bool,
    /// Whether rows may end in empty cells that belong to no column.
    pub(super) trailing_delimiters: bool,
    /// Texts that stand for a gap.
    pub(super) missing_words: Vec<String>,
    /// Numbers that stand for a gap.
    pub(super) missing_numbers: Vec<f64>,
}

impl Dialect {
    /// Finds out from `head`, whole rows from the beginning of the file.
    pub(super) fn detect(head: &[u8], options: &ReadOptions) -> Self {
        let newline = if !head.contains(&b'\n') && head.contains(&b'\r') { b'\r' } else { b'\n' };
        let tokens = options.missing_tokens.iter().map(|token| token.trim().to_owned());
        let mut dialect = Self {
            delimiter: Delimiter::COMMA,
            newline,
            decimal_comma: false,
            trailing_delimiters: false,
            missing_words: tokens.clone().collect(),
            missing_numbers: tokens.filter_map(|token| fast_float2::parse(token).ok()).collect(),
        };
        dialect.delimiter = options.delimiter.unwrap_or_else(|| find_delimiter(&dialect, head));
        dialect.decimal_comma = dialect.delimiter != Delimiter::COMMA && has_decimal_commas(&dialect, head);
        dialect
    }

    /// The same, but for the separator.
    fn with_delimiter(&self, delimiter: Delimiter) -> Self {
        Self { delimiter, ..self.clone() }
    }
}

/// The first candidate that cuts every row into the same number of cells, more than one; if there is none, the one
/// that cuts the first row into most.
fn find_delimiter(dialect: &Dialect, head: &[u8]) -> Delimiter {
    let counts = Delimiter::CANDIDATES
        .map(|candidate| (candidate, cell_counts(&dialect.with_delimiter(candidate), head)));
    let fits = |counts: &[usize]| counts.iter().all(|&count| count > 1 && count == counts[0]);
    let fitting = counts.iter().find(|(_, counts)| !counts.is_empty() && fits(counts));
    let most = || counts.iter().rev().max_by_key(|(_, counts)| counts.first().copied().unwrap_or(0));
    let several = |found: &&(Delimiter, Vec<usize>)| found.1.first().is_some_and(|&count| count > 1);
    fitting.or_else(|| most().filter(several)).map_or(Delimiter::COMMA, |&(delimiter, _)| delimiter)
}

fn cell_counts(dialect: &Dialect, head: &[u8]) -> Vec<usize> {
    let mut rows = Rows::new(head, dialect);
    let mut counts = Vec::new();
    while counts.len() < SAMPLE && rows.advance() {
        counts.push(rows.skip_cells());
    }
    counts
}

/// Whether numbers such as `1,5` occur, and none such as `1.5`.
fn has_decimal_commas(dialect: &Dialect, head: &[u8]) -> bool {
    let dialect = Dialect { decimal_comma: true, ..dialect.clone() };
    let mut rows = Rows::new(head, &dialect);
    let (mut commas, mut points) = (false, false);
    for _ in 0..SAMPLE {
        if !rows.advance() {
            break;
        }
        while let Some(cell) = rows.cell() {
            if let Cell::Number { text, .. } = cell {
                commas |= text.contains(&b',');
                points |= text.contains(&b'.');
            }
        }
    }
    commas && !points
}

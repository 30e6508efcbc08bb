//! Rows and cells of a block of text, at the speed of the number parser.
//!
//! Advice for those who change this: [`Rows::cell`] first tries to read a number right where it stands, without
//! looking for the end of the cell. Nearly all cells of a large file are settled there; everything else (quotes,
//! blanks, gaps, text) may be slow.

use memchr::{memchr, memchr2, memchr3};

use crate::read::csv::dialect::Dialect;

const QUOTE: u8 = b'"';

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'a> {
    /// A number and how it is written.
    Number { value: f64, text: &'a [u8] },
    /// Nothing, or a word that stands for nothing.
    Missing,
    /// Anything else, without quotes and the blanks around it.
    Text(&'a [u8]),
}

/// Goes through a block of whole rows.
pub(super) struct Rows<'a> {
    bytes: &'a [u8],
    dialect: &'a Dialect,
    at: usize,
    row_ended: bool,
    /// The cell without its quotes.
    unquoted: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(bytes: &'a [u8], dialect: &'a Dialect) -> Self {
        Self { bytes, dialect, at: 0, row_ended: true, unquoted: Vec::new() }
    }

    /// Where the next row begins, once the current one has ended.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes to the next row that is not blank; false at the end.
    pub(super) fn advance(&mut self) -> bool {
        debug_assert!(self.row_ended, "the cells of a row are read or skipped before the next");
        while self.at < self.bytes.len() {
            let end = self.skip_return(self.skip_blanks(self.at));
            if self.bytes.get(end).is_some_and(|&byte| byte != self.dialect.newline) {
                self.row_ended = false;
                return true;
            }
            self.at = self.bytes.len().min(end + 1);
        }
        false
    }

    /// The next cell of the row, or nothing when it has ended.
    #[inline]
    pub(super) fn cell(&mut self) -> Option<Cell<'_>> {
        if self.row_ended {
            return None;
        }
        let start = self.skip_blanks(self.at);
        if let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(&self.bytes[start..])
            && let Some(end) = self.end_at(start + length)
        {
            self.go_to(end);
            return Some(number_or_gap(value, &self.bytes[start..start + length], self.dialect));
        }
        Some(self.slow_cell(start))
    }

    /// Goes to the end of the row and says how many cells were left.
    pub(super) fn skip_cells(&mut self) -> usize {
        let mut count = 0;
        while !self.row_ended {
            self.skip_cell();
            count += 1;
        }
        count
    }

    /// Goes to the end of the row and says how many cells were left that belong to no column.
    pub(super) fn excess(&mut self) -> usize {
        if self.dialect.trailing_delimiters { self.filled_cells().0 } else { self.skip_cells() }
    }

    /// Goes to the end of the row; says how many cells were left without the empty ones at the end, and with them.
    pub(super) fn filled_cells(&mut self) -> (usize, usize) {
        let (mut filled, mut count) = (0, 0);
        while let Some(cell) = self.text_cell() {
            let is_empty = cell.is_empty();
            count += 1;
            if !is_empty {
                filled = count;
            }
        }
        (filled, count)
    }

    fn skip_cell(&mut self) {
        let start = self.skip_blanks(self.at);
        self.go_to(self.end_after(start).1);
    }

    /// A cell that is no plain number.
    #[cold]
    fn slow_cell(&mut self, start: usize) -> Cell<'_> {
        let dialect = self.dialect;
        classify(self.read_text(start), dialect)
    }

    /// The text of the next cell, whatever it stands for, or nothing when the row has ended.
    pub(super) fn text_cell(&mut self) -> Option<&[u8]> {
        (!self.row_ended).then(|| self.read_text(self.skip_blanks(self.at)))
    }

    fn read_text(&mut self, start: usize) -> &[u8] {
        let (stop, end) = self.end_after(start);
        self.go_to(end);
        let raw = self.bytes[start..stop].trim_ascii();
        if raw.first() != Some(&QUOTE) {
            return raw;
        }
        unquote(raw, &mut self.unquoted);
        self.unquoted.trim_ascii()
    }

    fn go_to(&mut self, end: End) {
        match end {
            End::Cell(next) => self.at = next,
            End::Row(next) => {
                self.at = next;
                self.row_ended = true;
            }
        }
    }

    /// If a cell can end at `stop`, what comes behind it.
    #[inline]
    fn end_at(&self, stop: usize) -> Option<End> {
        match self.bytes.get(stop) {
            None => Some(End::Row(stop)),
            Some(&byte) if byte == self.dialect.newline => Some(End::Row(stop + 1)),
            Some(&byte) if byte == self.dialect.delimiter.byte() && byte != b' ' => Some(End::Cell(stop + 1)),
            Some(&byte) if byte == b'\r' || self.is_blank(byte) => self.end_behind_blanks(stop),
            Some(_) => None,
        }
    }

    fn end_behind_blanks(&self, stop: usize) -> Option<End> {
        let next = self.skip_blanks(stop);
        let line_end = self.skip_return(next);
        match self.bytes.get(line_end) {
            None => Some(End::Row(line_end)),
            Some(&byte) if byte == self.dialect.newline => Some(End::Row(line_end + 1)),
            Some(_) if self.dialect.delimiter.is_blank() && next > stop => Some(End::Cell(next)),
            Some(&byte) if byte == self.dialect.delimiter.byte() && byte != b' ' => Some(End::Cell(next + 1)),
            Some(_) => None,
        }
    }

    /// Where the cell that begins at `start` stops, and what comes behind it.
    fn end_after(&self, start: usize) -> (usize, End) {
        let mut from = start;
        if self.bytes.get(start) == Some(&QUOTE) {
            from = closing_quote(self.bytes, start + 1).map_or(self.bytes.len(), |quote| quote + 1);
        }
        let stop = from + self.stop_in(&self.bytes[from..]);
        (stop, self.end_at(stop).expect("a cell ends at a delimiter, a line end or the end of the block"))
    }

    /// The first delimiter or line end.
    fn stop_in(&self, rest: &[u8]) -> usize {
        let (delimiter, newline) = (self.dialect.delimiter, self.dialect.newline);
        let stop = if delimiter.is_blank() {
            memchr3(b' ', b'\t', newline, rest)
        } else {
            memchr2(delimiter.byte(), newline, rest)
        };
        stop.unwrap_or(rest.len())
    }

    #[inline]
    fn skip_blanks(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|&byte| self.is_blank(byte)) {
            at += 1;
        }
        at
    }

    /// Blanks around a cell are no part of it.
    #[inline]
    fn is_blank(&self, byte: u8) -> bool {
        byte == b' ' || (byte == b'\t' && self.dialect.delimiter.byte() != b'\t')
    }

    /// Behind the carriage return of a line end, if there is one at `at`.
    fn skip_return(&self, at: usize) -> usize {
        let is_return = self.dialect.newline == b'\n' && self.bytes.get(at) == Some(&b'\r');
        let ends_line = is_return && self.bytes.get(at + 1).is_none_or(|&byte| byte == b'\n');
        at + usize::from(ends_line)
    }
}

/// What comes behind a cell: where to go on, in the same row or in the next.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Cell(usize),
    Row(usize),
}

/// Behind the first line end of `bytes` that is not inside quotes, if there is one.
pub(super) fn row_end(bytes: &[u8], dialect: &Dialect) -> Option<usize> {
    let line = memchr(dialect.newline, bytes)?;
    if memchr(QUOTE, &bytes[..line]).is_none() {
        return Some(line + 1);
    }
    let mut rows = Rows::new(bytes, dialect);
    loop {
        let start = rows.skip_blanks(rows.at);
        match rows.end_after(start) {
            // The block ends before it is clear whether the cell does.
            (stop, _) if stop == bytes.len() => return None,
            (_, End::Row(next)) => return (bytes[next - 1] == dialect.newline).then_some(next),
            (_, End::Cell(next)) => rows.at = next,
        }
    }
}

/// The quote that closes a cell whose text begins at `from`; two quotes in a row stand for one.
fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + memchr(QUOTE, &bytes[from..])?;
        if bytes.get(quote + 1) != Some(&QUOTE) {
            return Some(quote);
        }
        from = quote + 2;
    }
}

/// The text of a quoted cell; whatever stands behind the closing quote is part of it.
fn unquote(raw: &[u8], text: &mut Vec<u8>) {
    let close = closing_quote(raw, 1).unwrap_or(raw.len());
    text.clear();
    let mut quoted = &raw[1..close];
    while let Some(quote) = memchr(QUOTE, quoted) {
        text.extend_from_slice(&quoted[..=quote]);
        quoted = &quoted[quote + 2..];
    }
    text.extend_from_slice(quoted);
    text.extend_from_slice(raw.get(close + 1..).unwrap_or_default());
}

#[inline]
fn number_or_gap<'t>(value: f64, text: &'t [u8], dialect: &Dialect) -> Cell<'t> {
    let gap = value.is_nan() || dialect.missing_numbers.contains(&value);
    if gap { Cell::Missing } else { Cell::Number { value, text } }
}

/// What the text of a cell stands for.
pub(super) fn classify<'t>(text: &'t [u8], dialect: &Dialect) -> Cell<'t> {
    if text.is_empty() || dialect.missing_words.iter().any(|word| word.as_bytes() == text) {
        return Cell::Missing;
    }
    match fast_float2::parse(text).ok().or_else(|| decimal_comma(text, dialect)) {
        Some(value) => number_or_gap(value, text, dialect),
        None => Cell::Text(text),
    }
}

/// The number with a comma for its point, where the file is written so.
fn decimal_comma(text: &[u8], dialect: &Dialect) -> Option<f64> {
    if !dialect.decimal_comma || !text.contains(&b',') {
        return None;
    }
    let pointed: Vec<u8> = text.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    fast_float2::parse(pointed).ok()
}

//! Splits a text into rows of cells.

use std::borrow::Cow;

use super::plain_name;
use crate::FormatError;
use crate::cursor::Cursor;

pub(super) type Row<'a> = Vec<Cow<'a, str>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Char(char),
    /// Any number of blanks, as `numpy.savetxt` and R's `write.table` leave them.
    Blanks,
}

/// The one of comma, semicolon and tab that the first line has most of, outside quotes.
pub(super) fn delimiter(text: &str) -> Delimiter {
    let line = text.trim_start_matches(['\n', '\r']).lines().next().unwrap_or("");
    let outside: String = line.split('"').step_by(2).collect();
    let count = |delimiter: char| outside.matches(delimiter).count();
    let most = [';', '\t', ','].into_iter().max_by_key(|&delimiter| count(delimiter));
    most.filter(|&delimiter| count(delimiter) > 0).map_or(Delimiter::Blanks, Delimiter::Char)
}

/// The rows that are not blank.
pub(super) fn rows(text: &str, delimiter: Delimiter) -> Result<Vec<Row<'_>>, FormatError> {
    let mut cursor = Cursor::new(text);
    let mut rows = Vec::new();
    while cursor.peek().is_some() {
        let row = row(&mut cursor, delimiter)?;
        if row.len() > 1 || row.iter().any(|cell| !cell.is_empty()) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// One row, up to the end of its line. Blanks around a cell count only inside quotes.
fn row<'a>(cursor: &mut Cursor<'a>, delimiter: Delimiter) -> Result<Row<'a>, FormatError> {
    let mut row = Vec::new();
    let blank = |c: char| c != '\n' && c != '\r' && c.is_whitespace() && delimiter != Delimiter::Char(c);
    let ends = |c: char| c == '\n' || c == '\r' || delimiter == Delimiter::Char(c);
    loop {
        cursor.take_while(blank);
        if delimiter == Delimiter::Blanks && cursor.peek().is_none_or(ends) && !row.is_empty() {
            // Blanks at the end of a line part nothing.
        } else if cursor.eat("\"") {
            row.push(plain(quoted(cursor)?));
        } else {
            let cell = cursor.take_while(|c| !ends(c) && (delimiter != Delimiter::Blanks || !blank(c)));
            row.push(plain_name(cell.trim_end()).into());
        }
        cursor.take_while(blank);
        match cursor.peek() {
            None => return Ok(row),
            Some('\n' | '\r') => {
                _ = cursor.eat("\r\n") || cursor.bump().is_some();
                return Ok(row);
            }
            Some(c) if delimiter == Delimiter::Char(c) => _ = cursor.bump(),
            Some(_) if delimiter == Delimiter::Blanks => {}
            Some(_) => return Err(cursor.expected("the end of the cell after its closing quote")),
        }
    }
}

fn plain(cell: Cow<'_, str>) -> Cow<'_, str> {
    match cell {
        Cow::Borrowed(text) => plain_name(text).into(),
        Cow::Owned(text) => plain_name(&text).to_owned().into(),
    }
}

/// The rest of a cell in quotes; two quotes stand for one.
fn quoted<'a>(cursor: &mut Cursor<'a>) -> Result<Cow<'a, str>, FormatError> {
    let mut cell = Cow::Borrowed(cursor.take_until("\"")?);
    while cursor.eat("\"") {
        let part = cursor.take_until("\"")?;
        cell.to_mut().push('"');
        cell.to_mut().push_str(part);
    }
    Ok(cell)
}

//! What a table of cells is: a matrix with names on some of its sides, a list of edges, or neither.

use std::borrow::Cow;

use super::edges::EdgeColumns;
use super::rows::Row;
use super::{COLUMN_TO_ROW, ROW_TO_COLUMN, parse};

/// What a table is, going by its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Names on two sides, and a corner that is empty or states the orientation.
    Cornered,
    /// Names on two sides.
    Labelled,
    Header,
    Bare,
    Edges,
    Unclear,
}

impl Shape {
    pub(super) fn of(rows: &[Row<'_>]) -> Self {
        let (height, width) = (rows.len(), rows[0].len());
        let is_number = |cell: &Cow<'_, str>| parse(cell).is_some();
        let below = |skip: usize, width: usize| {
            rows[1..].iter().all(|row| row.len() == width && row[skip..].iter().all(is_number))
        };
        let corner = rows[0][0].as_ref();
        if corner == ROW_TO_COLUMN || corner == COLUMN_TO_ROW {
            Self::Cornered
        } else if height == width && rows[0].iter().all(is_number) && below(0, width) {
            Self::Bare
        } else if height == width + 1
            && below(0, width)
            && (!rows[0].iter().all(is_number) || has_zero_diagonal(rows, 1, 0))
        {
            Self::Header
        } else if height == width && height > 1 && below(1, width) && corner.is_empty() {
            Self::Cornered
        } else if height == width && height > 1 && below(1, width) && labels_fit(rows) {
            Self::Labelled
        } else if height == width + 1 && below(1, width + 1) {
            // R leaves the corner out.
            Self::Labelled
        } else if matches!(width, 2 | 3) && rows.iter().all(|row| is_plain_edge(row, width)) {
            Self::Edges
        } else {
            Self::Unclear
        }
    }

    /// Whether a table whose header names a cause and an effect is a matrix all the same: variables may be called
    /// parent and child. A list of edges seldom has other columns, and then no zeros down its diagonal.
    pub(super) fn is_matrix_over(self, columns: &EdgeColumns, rows: &[Row<'_>]) -> bool {
        let (top, left) = match self {
            Self::Cornered if !rows[0][0].is_empty() => return true,
            Self::Cornered | Self::Labelled if is_cornerless(rows) || named_alike(rows) => return true,
            Self::Cornered | Self::Labelled => (1, 1),
            Self::Header => (1, 0),
            Self::Bare | Self::Edges | Self::Unclear => return false,
        };
        columns.others > left && has_zero_diagonal(rows, top, left)
    }
}

/// Whether the matrix below `top` rows and right of `left` columns lets nothing cause itself.
fn has_zero_diagonal(rows: &[Row<'_>], top: usize, left: usize) -> bool {
    (0..rows.len() - top).all(|at| parse(&rows[top + at][left + at]) == Some(0.0))
}

/// Whether the rows are called as the columns are, or numbered.
fn labels_fit(rows: &[Row<'_>]) -> bool {
    named_alike(rows) || is_numbered(&rows[1..].iter().map(|row| row[0].as_ref()))
}

/// Whether each row is called as one of the columns.
fn named_alike(rows: &[Row<'_>]) -> bool {
    let names = &rows[0][usize::from(!is_cornerless(rows))..];
    rows[1..].iter().all(|row| names.contains(&row[0]))
}

/// Whether the header lacks a cell above the names of the rows, as R writes it.
pub(super) fn is_cornerless(rows: &[Row<'_>]) -> bool {
    rows.get(1).is_some_and(|row| row.len() == rows[0].len() + 1)
}

/// Whether labels are the numbers that data frames give to rows.
pub(super) fn is_numbered<'a>(labels: &(impl Iterator<Item = &'a str> + Clone)) -> bool {
    [0, 1]
        .into_iter()
        .any(|start| labels.clone().enumerate().all(|(row, label)| label == (row + start).to_string()))
}

fn is_plain_edge(row: &Row<'_>, width: usize) -> bool {
    row.len() == width
        && row[..2].iter().any(|cell| parse(cell).is_none())
        && row.get(2).is_none_or(|weight| parse(weight).is_some())
}

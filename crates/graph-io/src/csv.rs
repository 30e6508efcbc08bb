//! Graphs as tables: a matrix with names on two sides, on one or on none, or a list of edges.

mod edges;
mod rows;
mod shape;

use std::borrow::Cow;

use gflowcausal_graph::{GraphError, NamedGraph};

use self::edges::{EdgeColumns, read_edge_list, read_edges, write_edges};
use self::rows::{Delimiter, Row, delimiter, rows};
use self::shape::{Shape, is_cornerless, is_numbered};
use crate::builder::Builder;
use crate::format::{FormatReader, Registration};
use crate::{Format, FormatError, Orientation, ReadOptions, WriteError, attribute, matrix};

/// The corner of a matrix that states its orientation.
const ROW_TO_COLUMN: &str = "from\\to";
const COLUMN_TO_ROW: &str = "to\\from";

/// Detected last, where no other format claims a file.
pub(crate) const MATRIX: Registration = Registration {
    extensions: &["csv", "tsv"],
    read: FormatReader::Text { detects: |_| false, read },
    write: Some(|named| Ok(write_matrix(named)?.into_bytes())),
};

pub(crate) const EDGE_LIST: Registration = Registration {
    extensions: &[],
    read: FormatReader::Text { detects: |_| false, read: read_edge_list },
    write: Some(|named| Ok(write_edges(named).into_bytes())),
};

fn read(text: &str, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let rows = rows(text, delimiter(text))?;
    let Some(first) = rows.first() else { return Err(FormatError::Empty) };
    let shape = Shape::of(&rows);
    match EdgeColumns::of(first) {
        Some(columns) if !shape.is_matrix_over(&columns, &rows) => {
            return read_edges(&rows, 1, &columns, options);
        }
        _ => {}
    }
    match shape {
        Shape::Cornered | Shape::Labelled => read_named(&rows, options),
        Shape::Header => {
            let names = first.iter().map(ToString::to_string).collect();
            matrix::to_graph(names, &numbers(&rows[1..], 1, 0)?, options.orientation)
        }
        Shape::Bare => {
            let names = matrix::names(options.names.as_deref(), rows.len())?;
            matrix::to_graph(names, &numbers(&rows, 0, 0)?, options.orientation)
        }
        Shape::Edges => read_edges(&rows, 0, &EdgeColumns::plain(first.len()), options),
        Shape::Unclear => Err(unclear(&rows)),
    }
}

/// Whether a text could be a table: parted cells in its first line, or a matrix parted by blanks.
pub(crate) fn looks_like(text: &str) -> bool {
    let matrix = |rows: &[Row<'_>]| !matches!(Shape::of(rows), Shape::Edges | Shape::Unclear);
    delimiter(text) != Delimiter::Blanks
        || rows(text, Delimiter::Blanks).is_ok_and(|rows| !rows.is_empty() && matrix(&rows))
}

/// Says why a table is none of the shapes: the first row or cell that does not fit a matrix.
fn unclear(rows: &[Row<'_>]) -> FormatError {
    if let Err(ragged) = check_width(rows, 0, rows[0].len()) {
        return ragged;
    }
    let top = usize::from(rows[0].iter().skip(1).all(|cell| parse(cell).is_none()));
    let below = &rows[top..];
    let left = usize::from(
        rows[0].len() > 1 && !below.is_empty() && below.iter().all(|row| parse(&row[0]).is_none()),
    );
    let (height, width) = (below.len(), rows[0].len() - left);
    match numbers(below, top, left) {
        Err(error) => error,
        Ok(_) if height == width => FormatError::RowNames {
            rows: below.iter().map(|row| row[0].to_string()).collect(),
            columns: rows[0][left..].iter().map(ToString::to_string).collect(),
        },
        Ok(_) if top == 0 && left == 0 && height > width && matches!(width, 2 | 3) => {
            FormatError::EdgesWithoutNames { rows: height, columns: width }
        }
        Ok(_) => FormatError::NotSquare { rows: height, columns: width },
    }
}

/// Refuses the first row from `top` on that is longer or shorter than `expected`.
fn check_width(rows: &[Row<'_>], top: usize, expected: usize) -> Result<(), FormatError> {
    match (top..rows.len()).find(|&row| rows[row].len() != expected) {
        Some(at) => Err(FormatError::Ragged { row: at + 1, cells: rows[at].len(), expected }),
        None => Ok(()),
    }
}

/// The cells from column `left` on as numbers, row by row; `top` rows stand above them.
fn numbers(rows: &[Row<'_>], top: usize, left: usize) -> Result<Vec<f64>, FormatError> {
    let cells = rows.iter().enumerate().flat_map(|(row, cells)| {
        cells.iter().enumerate().skip(left).map(move |(column, cell)| (top + row + 1, column + 1, cell))
    });
    cells
        .map(|(row, column, cell)| {
            parse(cell).ok_or_else(|| FormatError::NotANumber { row, column, text: cell.to_string() })
        })
        .collect()
}

fn parse(cell: &str) -> Option<f64> {
    let number = || cell.parse().ok().filter(|value: &f64| value.is_finite());
    attribute::truth(cell).map(f64::from).or_else(number)
}

/// A matrix with names on both sides; the rows may come in another order than the columns.
fn read_named(rows: &[Row<'_>], options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let cornerless = is_cornerless(rows);
    let corner = if cornerless { None } else { rows[0].first() };
    let width = rows[0].len() + usize::from(cornerless);
    check_width(rows, usize::from(cornerless), width)?;
    if rows.len() != width {
        return Err(FormatError::NotSquare { rows: rows.len() - 1, columns: width - 1 });
    }
    let names: Vec<String> =
        rows[0][usize::from(corner.is_some())..].iter().map(ToString::to_string).collect();
    let orientation = match corner.map(AsRef::as_ref) {
        Some(ROW_TO_COLUMN) => Orientation::RowToColumn,
        Some(COLUMN_TO_ROW) => Orientation::ColumnToRow,
        _ => options.orientation,
    };
    let labels: Vec<&str> = rows[1..].iter().map(|row| row[0].as_ref()).collect();
    let values = numbers(&rows[1..], 1, 1)?;
    let nodes = names.len();
    let mut ordered = vec![0.0; values.len()];
    for (row, place) in row_places(&labels, &names)?.into_iter().enumerate() {
        ordered[place * nodes..][..nodes].copy_from_slice(&values[row * nodes..][..nodes]);
    }
    matrix::to_graph(names, &ordered, orientation)
}

/// Which variable each row belongs to. Row numbers, as data frames have them, mean the order of the columns.
fn row_places(labels: &[&str], names: &[String]) -> Result<Vec<usize>, FormatError> {
    let same = labels.iter().all(|label| names.iter().any(|name| name == label));
    if !same && is_numbered(&labels.iter().copied()) {
        return Ok((0..names.len()).collect());
    }
    let mut builder = Builder::default();
    names.iter().try_for_each(|name| builder.declare(name).map(|_| ()))?;
    let mut seen = vec![false; names.len()];
    let mut place = |label: &&str| {
        let node = builder.find(label)?;
        (!std::mem::replace(&mut seen[node], true)).then_some(node)
    };
    let places: Option<Vec<usize>> = labels.iter().map(&mut place).collect();
    places.ok_or_else(|| row_names_differ(labels, names).into())
}

fn row_names_differ(labels: &[&str], names: &[String]) -> GraphError {
    let missing: Vec<String> =
        names.iter().filter(|name| !labels.contains(&name.as_str())).cloned().collect();
    let unknown = labels.iter().filter(|label| !names.iter().any(|name| name == *label));
    let unknown: Vec<String> = unknown.map(ToString::to_string).collect();
    match labels.iter().enumerate().find(|(at, label)| labels[..*at].contains(label)) {
        Some((_, twice)) if unknown.is_empty() => GraphError::DuplicateName((*twice).to_owned()),
        _ => GraphError::Names { missing, unknown },
    }
}

/// The matrix with named rows and columns; its corner says that rows cause columns.
fn write_matrix(named: &NamedGraph) -> Result<String, WriteError> {
    let values = matrix::from_graph(named, Format::Csv)?;
    let names: Vec<String> = named.names().iter().map(|name| cell(name)).collect();
    let mut file = format!("{ROW_TO_COLUMN},{}\n", names.join(","));
    for (name, row) in names.iter().zip(values.chunks(names.len().max(1))) {
        file.push_str(name);
        for &value in row {
            match value {
                0.0 => file.push_str(",0"),
                1.0 => file.push_str(",1"),
                _ => file.push_str(&format!(",{}", attribute::text(value))),
            }
        }
        file.push('\n');
    }
    Ok(file)
}

/// How cells begin that a spreadsheet takes for a formula.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

/// A name as a spreadsheet may show it: one that looks like a formula gets an apostrophe, which readers take away again.
#[must_use]
pub fn csv_name(name: &str) -> Cow<'_, str> {
    let is_marked = name.strip_prefix('\'').is_some_and(|rest| rest.starts_with(FORMULA));
    if is_marked || name.starts_with(FORMULA) { format!("'{name}").into() } else { name.into() }
}

/// Undoes [`csv_name`].
fn plain_name(cell: &str) -> &str {
    let marked = cell.strip_prefix('\'');
    let is_formula = |rest: &&str| rest.trim_start_matches('\'').starts_with(FORMULA);
    marked.filter(is_formula).unwrap_or(cell)
}

/// A name as a cell, in quotes if it could be read as something else.
fn cell(name: &str) -> String {
    let name = csv_name(name);
    let special = name.contains([',', ';', '\t', '"', '\n', '\r']) || name.trim() != &*name;
    if special { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into_owned() }
}

//! Graphs as tables: a matrix with names on two sides, on one or on none, or a list of edges.

mod rows;

use std::borrow::Cow;

use self::rows::{Delimiter, Row, delimiter, rows};
use super::builder::{Builder, Link};
use super::{
    Format, FormatError, GraphError, NamedGraph, Orientation, ReadOptions, WriteError, matrix, number,
};
use crate::Edge;

/// The corner of a matrix that says which way it points.
const ROW_TO_COLUMN: &str = "from\\to";
const COLUMN_TO_ROW: &str = "to\\from";

const CAUSES: [&str; 4] = ["from", "source", "cause", "parent"];
const EFFECTS: [&str; 4] = ["to", "target", "effect", "child"];

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let rows = rows(text, delimiter(text))?;
    let Some(first) = rows.first() else { return Err(FormatError::Empty) };
    let shape = Shape::of(&rows);
    match EdgeColumns::of(first) {
        Some(columns) if shape != Shape::Cornered => return read_edges(&rows, 1, &columns, options),
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
pub(super) fn looks_like(text: &str) -> bool {
    let matrix = |rows: &[Row<'_>]| !matches!(Shape::of(rows), Shape::Edges | Shape::Unclear);
    delimiter(text) != Delimiter::Blanks
        || rows(text, Delimiter::Blanks).is_ok_and(|rows| !rows.is_empty() && matrix(&rows))
}

/// What a table is, going by its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Names on two sides, and a corner that is empty or says which way the matrix points.
    Cornered,
    /// Names on two sides.
    Labelled,
    Header,
    Bare,
    Edges,
    Unclear,
}

impl Shape {
    fn of(rows: &[Row<'_>]) -> Self {
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
        } else if height == width + 1 && below(0, width) {
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
}

/// Whether the rows are called as the columns are, or numbered.
fn labels_fit(rows: &[Row<'_>]) -> bool {
    let labels = || rows[1..].iter().map(|row| row[0].as_ref());
    labels().all(|label| rows[0][1..].iter().any(|name| name == label)) || is_numbered(&labels())
}

/// Whether labels are the numbers that data frames give to rows.
fn is_numbered<'a>(labels: &(impl Iterator<Item = &'a str> + Clone)) -> bool {
    [0, 1]
        .into_iter()
        .any(|start| labels.clone().enumerate().all(|(row, label)| label == (row + start).to_string()))
}

fn is_plain_edge(row: &Row<'_>, width: usize) -> bool {
    row.len() == width
        && row[..2].iter().any(|cell| parse(cell).is_none())
        && row.get(2).is_none_or(|weight| parse(weight).is_some())
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
    match numbers(below, top, left) {
        Err(error) => error,
        Ok(_) => FormatError::NotSquare { rows: below.len(), columns: rows[0].len() - left },
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
    match cell {
        "true" | "True" | "TRUE" => Some(1.0),
        "false" | "False" | "FALSE" => Some(0.0),
        _ => cell.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

/// A matrix with names on both sides; the rows may come in another order than the columns.
fn read_named(rows: &[Row<'_>], options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let cornerless = rows.get(1).is_some_and(|row| row.len() == rows[0].len() + 1);
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

/// Where a list of edges has what.
struct EdgeColumns {
    from: usize,
    to: usize,
    weight: Option<usize>,
    probability: Option<usize>,
    directed: Option<usize>,
}

impl EdgeColumns {
    /// The columns of a header that names a cause and an effect.
    fn of(header: &Row<'_>) -> Option<Self> {
        let lower: Vec<String> = header.iter().map(|cell| cell.to_lowercase()).collect();
        let at = |name: &str| lower.iter().position(|cell| cell == name);
        let any = |names: &[&str]| names.iter().find_map(|name| at(name));
        Some(Self {
            from: any(&CAUSES)?,
            to: any(&EFFECTS)?,
            weight: at("weight"),
            probability: at("probability"),
            directed: at("directed"),
        })
    }

    fn plain(width: usize) -> Self {
        Self { from: 0, to: 1, weight: (width > 2).then_some(2), probability: None, directed: None }
    }
}

/// A list of edges from row `top` on; a row without an effect names a variable without edges.
fn read_edges(
    rows: &[Row<'_>],
    top: usize,
    columns: &EdgeColumns,
    options: &ReadOptions,
) -> Result<NamedGraph, FormatError> {
    check_width(rows, 0, rows[0].len())?;
    let mut builder = Builder::default();
    for (at, row) in rows.iter().enumerate().skip(top) {
        let from = builder.node(&row[columns.from]);
        if !row[columns.to].is_empty() {
            let edge = Edge { from, to: builder.node(&row[columns.to]) };
            builder.link(link(edge, row, at + 1, columns)?);
        }
    }
    let named = builder.finish()?;
    match &options.names {
        Some(names) => Ok(named.extend_to(names)?),
        None => Ok(named),
    }
}

fn link(edge: Edge, row: &Row<'_>, number: usize, columns: &EdgeColumns) -> Result<Link, FormatError> {
    let value = |column: Option<usize>| match column {
        Some(at) if !row[at].is_empty() => {
            let wrong = || FormatError::NotANumber { row: number, column: at + 1, text: row[at].to_string() };
            parse(&row[at]).map(Some).ok_or_else(wrong)
        }
        _ => Ok(None),
    };
    Ok(Link {
        edge,
        directed: value(columns.directed)? != Some(0.0),
        weight: value(columns.weight)?,
        probability: value(columns.probability)?,
        line: Some(number),
    })
}

/// The matrix with named rows and columns; its corner says that rows cause columns.
pub(super) fn write_matrix(named: &NamedGraph) -> Result<String, WriteError> {
    let values = matrix::from_graph(named, Format::Csv)?;
    let names: Vec<String> = named.names().iter().map(|name| cell(name)).collect();
    let mut file = format!("{ROW_TO_COLUMN},{}\n", names.join(","));
    for (name, row) in names.iter().zip(values.chunks(names.len().max(1))) {
        file.push_str(name);
        for &value in row {
            match value {
                0.0 => file.push_str(",0"),
                1.0 => file.push_str(",1"),
                _ => file.push_str(&format!(",{}", number(value))),
            }
        }
        file.push('\n');
    }
    Ok(file)
}

/// One row for each edge, then one for each variable without edges.
pub(super) fn write_edges(named: &NamedGraph) -> String {
    let undirected = named.graph().undirected().next().is_some();
    let optional = |there: bool, text: String| there.then_some(text);
    let line = |cells: [Option<String>; 5]| cells.into_iter().flatten().collect::<Vec<_>>().join(",") + "\n";
    let row = |from: &str, to: &str, weight: String, probability: String, directed: String| {
        line([
            Some(from.to_owned()),
            Some(to.to_owned()),
            optional(named.has_weights(), weight),
            optional(named.has_probabilities(), probability),
            optional(undirected, directed),
        ])
    };
    let shown = |value: Option<f64>| value.map_or_else(String::new, number);
    let mut file = row("from", "to", "weight".into(), "probability".into(), "directed".into());
    for (edge, directed) in named.edges() {
        let (from, to) = (cell(named.name(edge.from)), cell(named.name(edge.to)));
        let (weight, probability) = (shown(named.weight(edge)), shown(named.probability(edge)));
        file.push_str(&row(&from, &to, weight, probability, directed.to_string()));
    }
    for node in (0..named.names().len()).filter(|&node| named.graph().adjacent(node).is_empty()) {
        file.push_str(&row(&cell(named.name(node)), "", String::new(), String::new(), String::new()));
    }
    file
}

/// A name as a cell, in quotes if it could be read as something else.
fn cell(name: &str) -> String {
    let special = name.contains([',', ';', '\t', '"', '\n', '\r']) || name.trim() != name;
    if special { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

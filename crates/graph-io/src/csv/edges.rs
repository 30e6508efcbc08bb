//! Lists of edges: one row for each, with a header or without.

use gflowcausal_graph::{Edge, NamedGraph, pluralize};

use super::rows::{Row, delimiter, rows};
use super::{cell, check_width, parse};
use crate::builder::{Builder, Link};
use crate::{FormatError, ReadOptions, attribute};

const CAUSES: [&str; 4] = ["from", "source", "cause", "parent"];
const EFFECTS: [&str; 4] = ["to", "target", "effect", "child"];

/// A list of edges, whatever else the table could be.
pub(super) fn read_edge_list(text: &str, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let rows = rows(text, delimiter(text))?;
    let Some(first) = rows.first() else { return Err(FormatError::Empty) };
    match (EdgeColumns::of(first), first.len()) {
        (Some(columns), _) => read_edges(&rows, 1, &columns, options),
        (None, width @ (2 | 3)) => read_edges(&rows, 0, &EdgeColumns::plain(width), options),
        (None, width) => Err(FormatError::Syntax {
            line: 1,
            column: 1,
            expected: "columns named 'from' and 'to', or two or three without names".to_owned(),
            found: pluralize(width, "column"),
        }),
    }
}

/// Where a list of edges has what.
pub(super) struct EdgeColumns {
    from: usize,
    to: usize,
    weight: Option<usize>,
    probability: Option<usize>,
    directed: Option<usize>,
    /// How many columns say nothing about edges.
    pub(super) others: usize,
}

impl EdgeColumns {
    /// The columns of a header that names a cause and an effect.
    pub(super) fn of(header: &Row<'_>) -> Option<Self> {
        let lower: Vec<String> = header.iter().map(|cell| cell.to_lowercase()).collect();
        let at = |name: &str| lower.iter().position(|cell| cell == name);
        let any = |names: &[&str]| names.iter().find_map(|name| at(name));
        let (from, to) = (any(&CAUSES)?, any(&EFFECTS)?);
        let numbers = [at("weight"), at("probability"), at("directed")];
        let others = header.len() - 2 - numbers.iter().flatten().count();
        let [weight, probability, directed] = numbers;
        Some(Self { from, to, weight, probability, directed, others })
    }

    pub(super) fn plain(width: usize) -> Self {
        let weight = (width > 2).then_some(2);
        Self { from: 0, to: 1, weight, probability: None, directed: None, others: 0 }
    }
}

/// A list of edges from row `top` on; a row without an effect names a variable without edges.
pub(super) fn read_edges(
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
    let says = columns.directed.map_or("", |at| &row[at]);
    Ok(Link {
        edge,
        directed: attribute::flag("directed", says, number)?.unwrap_or(true),
        weight: value(columns.weight)?,
        probability: value(columns.probability)?,
        line: Some(number),
    })
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
    let shown = |value: Option<f64>| value.map_or_else(String::new, attribute::text);
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

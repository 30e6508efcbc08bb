//! Data sets that come with the program, each with the graph that is held to be true.

use gflowcausal_graph::{Dag, Edge};

use crate::{Column, Table};

/// A data set that needs no file.
#[derive(Debug, Clone, PartialEq)]
pub struct Builtin {
    /// The observations.
    pub table: Table,
    /// The graph held to be true, over the table's columns.
    pub truth: Dag,
    /// Who measured it and where the copy comes from.
    pub credit: &'static str,
}

/// The names that [`builtin`] knows.
#[must_use]
pub const fn builtin_names() -> &'static [&'static str] {
    &["sachs"]
}

/// The data set called `name`, if there is one.
///
/// ```
/// let sachs = gflowcausal_data::builtin("sachs").unwrap();
/// assert_eq!((sachs.table.rows(), sachs.truth.edge_count()), (853, 17));
/// ```
#[must_use]
pub fn builtin(name: &str) -> Option<Builtin> {
    (name == "sachs").then(|| {
        let table = embedded_table(include_str!("builtin/sachs.csv"));
        let truth = named_edges(&table, &SACHS_EDGES);
        Builtin { table, truth, credit: SACHS_CREDIT }
    })
}

const SACHS_CREDIT: &str = "K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger, G. P. Nolan: Causal protein-signaling networks \
    derived from multiparameter single-cell data. Science 308 (2005), 523-529. \
    Copy: the first 853 rows of cyto_full_data.csv of the Causal Discovery Toolbox (cdt 0.6.0), \
    MIT licence, copyright (c) 2018 Diviyan Kalainathan.";

/// The consensus network in the 17 edges that later papers count.
const SACHS_EDGES: [(&str, &[&str]); 7] = [
    ("Raf", &["Mek"]),
    ("Mek", &["Erk"]),
    ("Plcg", &["PIP2", "PIP3"]),
    ("PIP3", &["PIP2"]),
    ("Erk", &["Akt"]),
    ("PKA", &["Raf", "Mek", "Erk", "Akt", "P38", "Jnk"]),
    ("PKC", &["Raf", "Mek", "PKA", "P38", "Jnk"]),
];

fn embedded_table(text: &str) -> Table {
    let mut lines = text.lines();
    let names = lines.next().unwrap_or_default().split(',');
    let mut columns: Vec<(&str, Vec<f64>)> = names.map(|name| (name, Vec::new())).collect();
    for line in lines {
        for ((_, values), cell) in columns.iter_mut().zip(line.split(',')) {
            values.push(cell.parse().expect("an embedded cell is a number"));
        }
    }
    let columns = columns.into_iter().map(|(name, values)| Column::continuous(name, values)).collect();
    Table::new(columns).expect("an embedded table is well formed")
}

fn named_edges(table: &Table, edges: &[(&str, &[&str])]) -> Dag {
    let position = |name: &str| table.position(name).expect("an edge between columns of the table");
    let edges = edges
        .iter()
        .flat_map(|(from, effects)| effects.iter().map(move |to| Edge::new(position(from), position(to))));
    Dag::from_edges(table.columns().len(), edges).expect("a consensus network has no cycle")
}

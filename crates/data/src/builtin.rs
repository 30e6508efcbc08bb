//! Data sets that come with the program, each with the graph that is held to be true.

use std::io::Read;

use flate2::read::GzDecoder;
use gflowcausal_graph::{Dag, Edge};

use crate::table::MISSING_CODE;
use crate::{Column, Table};

/// A data set that needs no file.
#[derive(Debug, Clone, PartialEq)]
pub struct Builtin {
    /// The observations.
    pub table: Table,
    /// The graph held to be true, over the table's columns but one that names what was set from outside.
    pub truth: Dag,
    /// Who measured it and where the copy comes from.
    pub credit: &'static str,
}

/// The data set called `name`, if there is one.
///
/// ```
/// let sachs = gflowcausal_data::builtin("sachs").unwrap();
/// assert_eq!((sachs.table.rows(), sachs.truth.edge_count()), (853, 17));
/// ```
#[must_use]
pub fn builtin(name: &str) -> Option<Builtin> {
    let observed = || include_str!("builtin/sachs.csv");
    let (table, credit) = match name {
        "sachs" => (embedded_table(observed()), SACHS_CREDIT),
        "sachs-interventions" => {
            let table = embedded_table(&(observed().to_owned() + &unpacked(SACHS_EXPERIMENTS)));
            (with_conditions(&table, &SACHS_CONDITIONS), SACHS_INTERVENTIONS_CREDIT)
        }
        _ => return None,
    };
    let truth = named_edges(&table, &SACHS_EDGES);
    Some(Builtin { table, truth, credit })
}

/// The name of the column that says which variable was set from outside.
const CONDITION: &str = "intervention";

/// The rows of the further conditions, without a header.
const SACHS_EXPERIMENTS: &[u8] = include_bytes!("builtin/sachs-experiments.csv.gz");

/// The conditions in the order of the rows: how many cells, and what the reagent acts on.
///
/// The first two activate the cells in general; then come an Akt inhibitor, G06976, psitectorigenin, U0126 and LY294002.
const SACHS_CONDITIONS: [(usize, Option<&str>); 7] = [
    (853, None),
    (902, None),
    (911, Some("Akt")),
    (723, Some("PKC")),
    (810, Some("PIP2")),
    (799, Some("Mek")),
    (848, Some("PIP3")),
];

const SACHS_CREDIT: &str = "K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger, G. P. Nolan: Causal protein-signaling networks \
    derived from multiparameter single-cell data. Science 308 (2005), 523-529. \
    Copy: the first 853 rows of cyto_full_data.csv of the Causal Discovery Toolbox (cdt 0.6.0), \
    MIT licence, copyright (c) 2018 Diviyan Kalainathan.";

const SACHS_INTERVENTIONS_CREDIT: &str = "K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger, G. P. Nolan: Causal protein-signaling networks \
    derived from multiparameter single-cell data. Science 308 (2005), 523-529. \
    Copy: the first 5846 rows of cyto_full_data.csv of the Causal Discovery Toolbox (cdt 0.6.0), \
    MIT licence, copyright (c) 2018 Diviyan Kalainathan; the column of targets is ours, from the sizes of the conditions.";

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

/// The text of an embedded file that is packed by gzip.
fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).expect("an embedded file is whole");
    text
}

/// The table with a last column that names what each condition acts on; missing where it acts on nothing in particular.
fn with_conditions(table: &Table, conditions: &[(usize, Option<&str>)]) -> Table {
    let levels: Vec<String> = conditions.iter().filter_map(|(_, target)| target.map(str::to_owned)).collect();
    let code =
        |target: &str| levels.iter().position(|level| level == target).map_or(MISSING_CODE, |at| at as u32);
    let codes = conditions
        .iter()
        .flat_map(|&(rows, target)| std::iter::repeat_n(target.map_or(MISSING_CODE, code), rows))
        .collect();
    let mut columns = table.columns().to_vec();
    columns.push(Column::categorical(CONDITION, codes, levels.clone()));
    Table::new(columns).expect("conditions have as many rows as the table")
}

fn named_edges(table: &Table, edges: &[(&str, &[&str])]) -> Dag {
    let position = |name: &str| table.position(name).expect("an edge between columns of the table");
    let edges = edges
        .iter()
        .flat_map(|(from, effects)| effects.iter().map(move |to| Edge::new(position(from), position(to))));
    let variables = table.names().filter(|name| *name != CONDITION).count();
    Dag::from_edges(variables, edges).expect("a consensus network has no cycle")
}

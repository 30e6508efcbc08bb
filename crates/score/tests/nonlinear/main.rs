//! Scores and prunings beyond the linear Gaussian ones, against other programs, laws and known limits.

mod additive;
mod bad_columns;
mod discrete;
mod families;
mod gp;
mod laws;
mod limits;
mod location_scale;
mod mixed;
mod non_gaussian;
mod quadratic;

use gflowcausal_data::{Column, Table, Values};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{LocalScore, OrderModularScore};

/// Numbers in `[0, 1)` that any language can make again: `s ← 1103515245 s + 12345 mod 2³¹`, value `s / 2³¹`.
fn uniforms(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state as f64 / f64::from(1_u32 << 31)
    };
    (0..count).map(|_| next()).collect()
}

/// Column `j` of `count` values laid out row by row.
fn column_of(values: &[f64], width: usize, j: usize) -> Vec<f64> {
    values.iter().skip(j).step_by(width).copied().collect()
}

fn real_table(columns: Vec<Vec<f64>>) -> Table {
    let columns =
        columns.into_iter().enumerate().map(|(j, values)| Column::continuous(format!("x{j}"), values));
    Table::new(columns.collect()).expect("equal lengths")
}

fn categories(name: &str, codes: Vec<u32>, levels: usize) -> Column {
    let levels = (0..levels).map(|level| level.to_string()).collect();
    Column { name: name.into(), values: Values::Categorical { codes, levels } }
}

fn set<const K: usize>(nodes: usize, members: [usize; K]) -> NodeSet {
    NodeSet::of(nodes, members)
}

/// Every subset of `nodes` variables that leaves out those in `except`.
fn subsets(nodes: usize, except: &[usize]) -> Vec<NodeSet> {
    (0..1_usize << nodes)
        .filter(|bits| except.iter().all(|node| bits >> node & 1 == 0))
        .map(|bits| NodeSet::of(nodes, (0..nodes).filter(|node| bits >> node & 1 == 1)))
        .collect()
}

fn assert_close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance * expected.abs().max(1.0), "{got} is not {expected}");
}

/// Any local score of an order by its fully connected graph: all predecessors are parents.
struct Complete<S>(S);

impl<S: LocalScore> OrderModularScore for Complete<S> {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.0.local(node, before)
    }
}

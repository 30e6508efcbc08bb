//! Linear Gaussian scores, order scores and prunings, against other programs, laws and known limits.

mod bad_columns;
mod laws;
mod limits;
mod parents;
mod values;

use gflowcausal_data::{GraphFamily, Moments, Simulation, Table, simulate};
use gflowcausal_determinism::rand::seq::SliceRandom;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Dag, NodeSet, Order};
use gflowcausal_score::{LocalScore, OrderModularScore};

/// Rows of numbers in `[−½, ½)` that any language can make again: `s ← 1103515245 s + 12345 mod 2³¹`.
fn noise(rows: usize, columns: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut state = seed;
    let mut next = || {
        state = (1_103_515_245 * state + 12_345) % (1 << 31);
        state as f64 / f64::from(1_u32 << 31) - 0.5
    };
    (0..rows).map(|_| (0..columns).map(|_| next()).collect()).collect()
}

/// The moments of rows.
fn moments_of_rows(rows: &[Vec<f64>]) -> Moments {
    let columns: Vec<Vec<f64>> =
        (0..rows[0].len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
    moments_of(&columns)
}

fn moments_of(columns: &[Vec<f64>]) -> Moments {
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    Moments::of_columns(&slices)
}

fn moments_of_table(table: &Table) -> Moments {
    let columns: Vec<&[f64]> =
        table.columns().iter().map(|column| column.as_continuous().expect("simulated numbers")).collect();
    Moments::of_columns(&columns)
}

/// Linear data with Gaussian noise, and the graph behind them.
fn simulated(graph: GraphFamily, nodes: usize, degree: usize, rows: usize, seed: u64) -> (Moments, Dag) {
    let config = Simulation { graph, nodes, degree: Some(degree), rows, seed, ..Simulation::default() };
    let data = simulate(&config).expect("a possible simulation");
    (moments_of_table(&data.table), data.dag)
}

fn set<const K: usize>(nodes: usize, members: [usize; K]) -> NodeSet {
    NodeSet::of(nodes, members)
}

fn random_order(nodes: usize, k: u64) -> Order {
    let mut sequence: Vec<usize> = (0..nodes).collect();
    sequence.shuffle(&mut stream(1, Stream::Test { k }));
    Order::new(sequence).expect("a permutation")
}

fn close(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance * theirs.abs().max(1.0), "{ours} is not {theirs}");
}

/// Any local score of an order by its fully connected graph: all predecessors are parents.
struct Complete<S>(S);

impl<S: LocalScore> OrderModularScore for Complete<S> {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.0.local(node, before)
    }
}

//! Closure and equivalence class, each beside the naive way.
//!
//! `closure`: random allowed edges from the empty graph until the order is identified (at 1000 variables: 5000 edges),
//! time per edge. Naive: the paper's `H ∨ h·h⁼` on a matrix of bytes, without bits and without the early exit.
//! `cpdag`: the class of a random DAG over 1000 variables, 2 and 5 edges a variable. Naive, as the textbook has it:
//! v-structures, then Meek's rules until nothing follows.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Closure, Cpdag, Dag, Edge, GrowingDag, Pdag};

/// Edges drawn one after the other among those that the state allows.
fn random_growth(nodes: usize, at_most: usize) -> Vec<Edge> {
    let mut rng = stream(0, Stream::Test { k: nodes as u64 });
    let mut state = GrowingDag::empty(nodes);
    let mut drawn = Vec::new();
    while !state.closure().is_total_order() && drawn.len() < at_most {
        let edge = Edge::new(rng.random_range(0..nodes), rng.random_range(0..nodes));
        if state.apply(edge).is_ok() {
            drawn.push(edge);
        }
    }
    drawn
}

/// The paper's update with one byte a cell: `matrix[i·d + j]` is one when `j` leads to `i`.
fn insert_naively(matrix: &mut [u8], nodes: usize, edge: Edge) {
    let above = matrix[edge.from * nodes..][..nodes].to_vec();
    for row in matrix.chunks_exact_mut(nodes).filter(|row| row[edge.to] == 1) {
        for (cell, ancestor) in row.iter_mut().zip(&above) {
            *cell |= ancestor;
        }
    }
}

fn identity(nodes: usize) -> Vec<u8> {
    (0..nodes * nodes).map(|cell| u8::from(cell / nodes == cell % nodes)).collect()
}

fn closure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("closure");
    for nodes in [12, 30, 100, 1_000] {
        let edges = random_growth(nodes, 5_000);
        group.throughput(Throughput::Elements(edges.len() as u64));
        group.bench_with_input(BenchmarkId::new("bits", nodes), &edges, |bencher, edges| {
            bencher.iter_batched_ref(
                || Closure::empty(nodes),
                |closure| edges.iter().for_each(|&edge| closure.insert(edge)),
                BatchSize::LargeInput,
            );
        });
        group.bench_with_input(BenchmarkId::new("naive", nodes), &edges, |bencher, edges| {
            bencher.iter_batched_ref(
                || identity(nodes),
                |matrix| edges.iter().for_each(|&edge| insert_naively(matrix, nodes, edge)),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// A random DAG with `degree` edges for each variable.
fn sparse_dag(nodes: usize, degree: usize) -> Dag {
    let mut rng = stream(1, Stream::Test { k: degree as u64 });
    let mut dag = Dag::empty(nodes);
    let mut edges = 0;
    while edges < nodes * degree {
        let edge = Edge::new(rng.random_range(0..nodes), rng.random_range(0..nodes));
        edges += usize::from(dag.insert(edge).is_ok());
    }
    dag
}

fn cpdag_naively(dag: &Dag) -> Pdag {
    let mut pattern = Pdag::empty(dag.nodes());
    for edge in dag.edges() {
        let beside = dag.parents(edge.to).without(edge.from);
        let collides = beside.iter().any(|other| !dag.is_adjacent(Edge::new(other, edge.from)));
        let added = if collides { pattern.insert_directed(edge) } else { pattern.insert_undirected(edge) };
        added.expect("each pair of a DAG is joined once");
    }
    pattern.close_under_meek();
    pattern
}

fn cpdag(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cpdag");
    for degree in [2, 5] {
        let dag = sparse_dag(1_000, degree);
        assert_eq!(*Cpdag::of(&dag).as_pdag(), cpdag_naively(&dag));
        group.bench_with_input(BenchmarkId::new("labels", degree), &dag, |bencher, dag| {
            bencher.iter(|| Cpdag::of(black_box(dag)));
        });
        group.bench_with_input(BenchmarkId::new("naive", degree), &dag, |bencher, dag| {
            bencher.iter(|| cpdag_naively(black_box(dag)));
        });
    }
    group.finish();
}

criterion_group!(benches, closure, cpdag);
criterion_main!(benches);

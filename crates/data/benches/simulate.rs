//! Simulation: 10,000 rows of 1000 linear variables, and a thousand rows of a Gaussian process.
//!
//! `linear`: ER5, noise and sums, graph and weights outside. Naive: row by row through the order, one generator for
//! all. Both pass each value and each edge once; the columns do it without jumping from node to node.
//! `gp`: 10 variables, 40 edges, the paper's size; nine kernels of 1000 rows are factored.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gflowcausal_data::{
    Equations, GraphFamily, GraphSize, NoiseModel, RandomGraph, Weights, simulate_from, simulate_linear,
};
use gflowcausal_determinism::{Stream, stream, with_threads};
use gflowcausal_graph::{Dag, Edge};
use rand_distr::{Distribution, StandardNormal};

const ROWS: usize = 10_000;

fn random_graph(nodes: usize, size: GraphSize) -> Dag {
    RandomGraph::new(GraphFamily::ErdosRenyi, nodes, size).expect("such a graph exists").draw(0)
}

fn row_by_row(weights: &Weights) -> Vec<f64> {
    let nodes = weights.dag().nodes();
    let order = weights.dag().topological_order();
    let mut rng = stream(0, Stream::Test { k: 0 });
    let mut table = vec![0.0; ROWS * nodes];
    for row in table.chunks_exact_mut(nodes) {
        for node in order.iter() {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let causes = weights.dag().parents(node).iter();
            row[node] =
                noise + causes.map(|from| weights.get(Edge::new(from, node)) * row[from]).sum::<f64>();
        }
    }
    table
}

fn linear(criterion: &mut Criterion) {
    let weights = Weights::random(random_graph(1000, GraphSize::Degree(5)), 0);
    let mut group = criterion.benchmark_group("linear 1000 × 10000");
    group.sample_size(10).throughput(Throughput::Elements(1000 * ROWS as u64));
    for threads in [1, 2] {
        group.bench_function(format!("columns, {threads} threads"), |bencher| {
            with_threads(threads, || {
                bencher.iter(|| simulate_linear(black_box(&weights), &NoiseModel::default(), ROWS, 0));
            });
        });
    }
    group.bench_function("naive", |bencher| bencher.iter(|| row_by_row(black_box(&weights))));
    group.finish();
}

fn gp(criterion: &mut Criterion) {
    let dag = random_graph(10, GraphSize::Edges(40));
    let mut group = criterion.benchmark_group("gp 10 × 1000");
    group.sample_size(10);
    let equations = Equations::Gp(NoiseModel::default());
    group.bench_function("joint, 1 thread", |bencher| {
        with_threads(1, || bencher.iter(|| simulate_from(dag.clone(), black_box(&equations), 1000, 0)));
    });
    group.finish();
}

criterion_group!(benches, linear, gp);
criterion_main!(benches);

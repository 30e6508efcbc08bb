//! What a local term costs beyond the linear Gaussian scores, on 1000 rows.
//!
//! Terms that share a parent set are measured together and reported for each term, beside a single one: the
//! difference is what sharing a factorisation saves. Scores are made anew for each measurement where they remember.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use gflowcausal_data::{Model, Simulation, Table, simulate};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{Bdeu, Cam, DegenerateGaussian, GpMarginal, LocalScore, Penalty, Quadratic, Spline};

fn table(model: Model, nodes: usize) -> Table {
    let config = Simulation { nodes, degree: Some(2), rows: 1000, model, seed: 1, ..Default::default() };
    simulate(&config).expect("a valid simulation").table
}

/// The terms of every variable outside `parents`.
fn all_outside(score: &impl LocalScore, parents: &NodeSet) -> f64 {
    (0..score.nodes()).filter(|&node| !parents.contains(node)).map(|node| score.local(node, parents)).sum()
}

/// One term, and all terms of one parent set, of a score that remembers what it computed.
fn shared<S: LocalScore>(c: &mut Criterion, name: &str, parents: usize, make: impl Fn() -> S) {
    let nodes = make().nodes();
    let set = NodeSet::of(nodes, 0..parents);
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group.bench_function(format!("one term, {parents} parents"), |b| {
        b.iter_batched_ref(&make, |score| black_box(score.local(nodes - 1, &set)), BatchSize::PerIteration);
    });
    let outside = nodes - parents;
    group.bench_function(format!("{outside} terms of one set, {parents} parents"), |b| {
        b.iter_batched_ref(&make, |score| black_box(all_outside(score, &set)), BatchSize::PerIteration);
    });
}

fn gaussian_process(c: &mut Criterion) {
    let data = table(Model::Gp, 10);
    for parents in [1, 3, 5] {
        shared(c, "gp", parents, || GpMarginal::new(&data).expect("valid"));
    }
}

fn quadratic(c: &mut Criterion) {
    let data = table(Model::Linear, 10);
    for parents in [3, 8] {
        shared(c, "quadratic", parents, || Quadratic::new(&data, Penalty::Auto).expect("valid"));
    }
}

fn spline(c: &mut Criterion) {
    let data = table(Model::GpAdditive, 10);
    let score = Spline::new(&data, Penalty::Auto).expect("valid");
    for parents in [1, 3, 8] {
        let set = NodeSet::of(10, 0..parents);
        score.local(9, &set); // products of pairs are made once
        c.bench_function(&format!("spline, {parents} parents"), |b| {
            b.iter(|| black_box(score.local(9, &set)));
        });
    }
    let cam = Cam::new(&data, Cam::ALPHA).expect("valid");
    c.bench_function("cam, 9 candidates", |b| b.iter(|| black_box(cam.p_values(9, &NodeSet::of(10, 0..9)))));
}

fn discrete(c: &mut Criterion) {
    let data = table(Model::Discrete, 20);
    let bdeu = Bdeu::new(&data, Bdeu::SAMPLE_SIZE).expect("valid");
    let dg = DegenerateGaussian::new(&data, Penalty::Auto).expect("valid");
    for parents in [1, 3, 5] {
        let set = NodeSet::of(20, 0..parents);
        c.bench_function(&format!("bdeu, {parents} parents"), |b| b.iter(|| black_box(bdeu.local(19, &set))));
        c.bench_function(&format!("dg, {parents} parents"), |b| b.iter(|| black_box(dg.local(19, &set))));
    }
}

criterion_group!(benches, discrete, quadratic, spline, gaussian_process);
criterion_main!(benches);

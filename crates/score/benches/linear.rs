//! What the Gaussian engine costs: local terms, best parents along orders, insertion deltas; naive ways beside.
//!
//! Data are standardised SF5 graphs with 1000 rows. Times are those of the thread, not of the wall clock, so that a
//! busy machine does not blur them. "cold" starts from an empty tree, "known" asks the same again.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gflowcausal_data::{GraphFamily, Moments, Simulation, simulate};
use gflowcausal_determinism::rand::seq::SliceRandom;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Constraints, NodeSet, Order};
use gflowcausal_score::{
    Bic, BicEqual, Cached, GrowShrink, GrowShrinkTrees, LocalScore, OrderScore, Penalty, best_insertion,
    moved,
};

fn moments(nodes: usize) -> Moments {
    let graph = GraphFamily::ScaleFree;
    let config =
        Simulation { graph, nodes, degree: Some(5), rows: 1000, standardize: true, ..Default::default() };
    let data = simulate(&config).expect("a valid simulation");
    let columns: Vec<&[f64]> =
        data.table.columns().iter().map(|column| column.as_continuous().expect("numbers")).collect();
    Moments::of_columns(&columns)
}

fn bic(nodes: usize) -> Bic {
    Bic::new(&moments(nodes), Penalty::Auto).expect("valid")
}

fn trees(nodes: usize) -> GrowShrinkTrees<Bic> {
    GrowShrinkTrees::new(bic(nodes), Constraints::none(nodes))
}

fn random_order(nodes: usize, k: u64) -> Order {
    let mut sequence: Vec<usize> = (0..nodes).collect();
    sequence.shuffle(&mut stream(1, Stream::Test { k }));
    Order::new(sequence).expect("a permutation")
}

/// An order after one pass of best insertions: what a search evaluates most of the time.
fn improved_order(score: &impl OrderScore, nodes: usize) -> Order {
    (0..nodes).fold(random_order(nodes, 0), |order, node| match best_insertion(score, &order, node) {
        Some(insertion) => moved(&order, node, insertion.position),
        None => order,
    })
}

/// Thread time of `work` repeated `times` times, set-up outside.
fn timed<I>(times: u64, mut set_up: impl FnMut(u64) -> I, mut work: impl FnMut(I)) -> Duration {
    (0..times)
        .map(|k| {
            let input = set_up(k);
            let start = ThreadTime::now();
            work(input);
            start.elapsed()
        })
        .sum()
}

fn local_terms(c: &mut Criterion) {
    let mut group = c.benchmark_group("1000 local terms of 5 parents");
    group.throughput(Throughput::Elements(1000));
    for nodes in [30, 100] {
        let score = bic(nodes);
        let cached = Cached::new(score.clone());
        let questions: Vec<(usize, NodeSet)> = (0..1000)
            .map(|k| {
                let order = random_order(nodes, k);
                (order.as_slice()[0], NodeSet::of(nodes, order.iter().skip(1).take(5)))
            })
            .collect();
        let total = |score: &dyn LocalScore| -> f64 {
            questions.iter().map(|(node, parents)| score.local(*node, parents)).sum()
        };
        total(&cached);
        group.bench_function(BenchmarkId::new("computed", nodes), |b| {
            b.iter_custom(|times| timed(times, |_| (), |()| _ = black_box(total(&score))));
        });
        group.bench_function(BenchmarkId::new("remembered", nodes), |b| {
            b.iter_custom(|times| timed(times, |_| (), |()| _ = black_box(total(&cached))));
        });
    }
}

/// A question for each variable of an order.
fn best_parents(c: &mut Criterion) {
    let mut group = c.benchmark_group("best parents along an order");
    group.sample_size(10);
    for nodes in [30, 100, 500] {
        group.throughput(Throughput::Elements(nodes as u64));
        let known = trees(nodes);
        let good = if nodes < 500 { improved_order(&known, nodes) } else { random_order(nodes, 0) };
        OrderScore::score(&known, &good);
        group.bench_function(BenchmarkId::new("known", nodes), |b| {
            b.iter_custom(|times| timed(times, |_| (), |()| _ = black_box(OrderScore::score(&known, &good))));
        });
        group.bench_function(BenchmarkId::new("cold", nodes), |b| {
            let make = |_| trees(nodes);
            b.iter_custom(|times| {
                timed(times, make, |trees| _ = black_box(OrderScore::score(&trees, &good)))
            });
        });
        group.bench_function(BenchmarkId::new("cold, without pairs", nodes), |b| {
            let make = |_| trees(nodes).without_pairs();
            b.iter_custom(|times| {
                timed(times, make, |trees| _ = black_box(OrderScore::score(&trees, &good)))
            });
        });
        if nodes <= 100 {
            group.bench_function(BenchmarkId::new("naive, without pairs", nodes), |b| {
                let naive = GrowShrink::new(bic(nodes), Constraints::none(nodes));
                b.iter_custom(|times| {
                    timed(times, |_| (), |()| _ = black_box(OrderScore::score(&naive, &good)))
                });
            });
        }
    }
}

/// Orders nobody has asked about, scored one after the other with one trees: a sampler's first iterations.
fn random_orders(c: &mut Criterion) {
    let mut group = c.benchmark_group("64 random orders");
    group.sample_size(10).throughput(Throughput::Elements(64));
    for nodes in [30, 100] {
        let orders: Vec<Order> = (0..64).map(|k| random_order(nodes, k)).collect();
        group.bench_function(BenchmarkId::from_parameter(nodes), |b| {
            let total = |trees: GrowShrinkTrees<Bic>| {
                _ = black_box(orders.iter().map(|order| OrderScore::score(&trees, order)).sum::<f64>());
            };
            b.iter_custom(|times| timed(times, |_| trees(nodes), total));
        });
    }
}

/// One variable at every position, in the middle of a search.
fn insertion_deltas(c: &mut Criterion) {
    let mut group = c.benchmark_group("insertion deltas of one variable");
    group.sample_size(10);
    for nodes in [30, 100] {
        let used = trees(nodes);
        let order = improved_order(&used, nodes);
        let mut next = 0;
        group.bench_function(BenchmarkId::new("bic, after another move", nodes), |b| {
            b.iter_custom(|times| {
                timed(
                    times,
                    |_| {
                        next += 1;
                        (moved(&order, next % nodes, next / nodes % nodes), (next + 1) % nodes)
                    },
                    |(order, node)| _ = black_box(used.insertion_deltas(&order, node)),
                )
            });
        });
        group.bench_function(BenchmarkId::new("bic, cold", nodes), |b| {
            let deltas = |trees: GrowShrinkTrees<Bic>| _ = black_box(trees.insertion_deltas(&order, 0));
            b.iter_custom(|times| timed(times, |_| trees(nodes), deltas));
        });
        group.bench_function(BenchmarkId::new("bic, known", nodes), |b| {
            b.iter_custom(|times| timed(times, |_| (), |()| _ = black_box(used.insertion_deltas(&order, 0))));
        });
        let equal = BicEqual::new(&moments(nodes), Penalty::Auto).expect("valid");
        group.bench_function(BenchmarkId::new("bic-equal", nodes), |b| {
            b.iter_custom(|times| {
                timed(times, |_| (), |()| _ = black_box(equal.insertion_deltas(&order, 0)))
            });
        });
        group.bench_function(BenchmarkId::new("bic-equal, naive", nodes), |b| {
            let naive = || (0..nodes).map(|position| equal.score(&moved(&order, 0, position))).sum::<f64>();
            b.iter_custom(|times| timed(times, |_| (), |()| _ = black_box(naive())));
        });
    }
}

criterion_group!(benches, local_terms, best_parents, random_orders, insertion_deltas);
criterion_main!(benches);

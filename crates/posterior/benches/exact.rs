//! What the exact posterior costs: all sums and marginals from given tables, and draws; the sum over all DAGs one by
//! one beside it where it can be done.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gflowcausal_data::{GraphFamily, Moments, Simulation, simulate};
use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::{Constraints, all_dags};
use gflowcausal_posterior::Exact;
use gflowcausal_score::{Bge, BgePrior, LocalScore, ParentSetTables, TableSettings, candidate_parents};

/// Tables of all parent sets by `bge` for an ER2 graph and 200 rows.
fn tables(nodes: usize) -> ParentSetTables {
    let graph = GraphFamily::ErdosRenyi;
    let config = Simulation { graph, nodes, degree: Some(2), rows: 200, ..Default::default() };
    let table = simulate(&config).expect("a valid simulation").table;
    let score =
        Bge::new(&Moments::of_table(&table).expect("numbers"), BgePrior::default()).expect("usable data");
    let max_candidates = score.nodes();
    let constraints = Constraints::none(nodes);
    let candidates = candidate_parents(&score, &constraints, &[], max_candidates);
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates };
    ParentSetTables::new(&score, &constraints, &candidates, &[], &settings, &AtomicBool::new(false))
        .expect("valid")
}

fn exact(tables: &ParentSetTables) -> Exact {
    Exact::new(tables, &AtomicBool::new(false)).expect("not too many variables")
}

fn posterior(c: &mut Criterion) {
    let mut group = c.benchmark_group("exact posterior");
    group.sample_size(10);
    for nodes in [5, 12, 14, 16] {
        let tables = tables(nodes);
        group.bench_function(BenchmarkId::new("sums", nodes), |b| {
            b.iter(|| black_box(exact(&tables).log_z()));
        });
    }
    let tables = tables(5);
    group.bench_function(BenchmarkId::new("dag by dag", 5), |b| {
        b.iter(|| {
            let logs: Vec<f64> = all_dags(5).map(|dag| tables.log_dag(&dag)).collect();
            black_box(log_sum_exp(logs.into_iter()))
        });
    });
}

fn draws(c: &mut Criterion) {
    let mut group = c.benchmark_group("1000 exact draws");
    group.sample_size(10);
    for nodes in [12, 16] {
        let tables = tables(nodes);
        group.bench_function(BenchmarkId::from_parameter(nodes), |b| {
            b.iter_batched(
                || exact(&tables),
                |posterior| black_box(posterior.sample(&tables, 1, 0..1000)),
                criterion::BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(benches, posterior, draws);
criterion_main!(benches);

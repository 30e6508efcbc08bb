//! What tables of parent sets cost: all local terms and sums for 30 variables, and sums by look-up; the same terms one
//! by one and the same sums over all subsets beside.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gflowcausal_data::{GraphFamily, Moments, Simulation, simulate};
use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{Bic, LocalScore, ParentSetTables, Penalty, TableSettings, candidate_parents};

const NODES: usize = 30;

/// A score that is asked for one term at a time.
struct OneByOne(Bic);

impl LocalScore for OneByOne {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.0.local(node, parents)
    }
}

fn bic() -> Bic {
    let graph = GraphFamily::ErdosRenyi;
    let config = Simulation { graph, nodes: NODES, degree: Some(2), rows: 1000, ..Default::default() };
    let table = simulate(&config).expect("a valid simulation").table;
    Bic::new(&Moments::of_table(&table).expect("numbers"), Penalty::Auto).expect("usable data")
}

fn tables(score: &dyn LocalScore, size: usize) -> ParentSetTables {
    let constraints = Constraints::none(NODES);
    let candidates = candidate_parents(score, &constraints, &[], size);
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: size };
    ParentSetTables::new(score, &constraints, &candidates, &[], &settings, &AtomicBool::new(false))
        .expect("valid")
}

fn building(c: &mut Criterion) {
    let mut group = c.benchmark_group("tables of 30 variables");
    group.sample_size(10);
    for size in [12, 14] {
        let (quick, plain) = (bic(), OneByOne(bic()));
        group.bench_function(BenchmarkId::new("one elimination", size), |b| {
            b.iter(|| black_box(tables(&quick, size)));
        });
        group.bench_function(BenchmarkId::new("one by one", size), |b| {
            b.iter(|| black_box(tables(&plain, size)));
        });
    }
}

fn sums(c: &mut Criterion) {
    let mut group = c.benchmark_group("sum over the subsets of 12 candidates");
    let tables = tables(&bic(), 12);
    let candidates = tables.candidates(0).to_vec();
    let within = NodeSet::of(NODES, candidates.iter().copied());
    group.bench_function("look-up", |b| b.iter(|| black_box(tables.log_sum(0, black_box(&within)))));
    group.bench_function("enumeration", |b| {
        b.iter(|| {
            let member = |set: usize| move |&at: &usize| set >> at & 1 == 1;
            let parents =
                |set| NodeSet::of(NODES, (0..candidates.len()).filter(member(set)).map(|at| candidates[at]));
            let terms: Vec<f64> =
                (0..1 << candidates.len()).map(|set| tables.log_score(0, &parents(set))).collect();
            black_box(log_sum_exp(terms.into_iter()))
        });
    });
}

criterion_group!(benches, building, sums);
criterion_main!(benches);

//! The exact posterior against the enumeration of all DAGs, against another program, and against laws of symmetry.

mod draws;
mod enumeration;
mod reference;
mod summaries;
mod symmetry;

use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::{Stream, log_sum_exp, rand::RngExt, stream};
use gflowcausal_graph::{Constraints, Dag, Knowledge, NodeSet, all_dags};
use gflowcausal_posterior::Exact;
use gflowcausal_score::{LocalScore, ParentSetTables, TableSettings, candidate_parents};

/// Any number for any variable and parents.
struct Arbitrary {
    nodes: usize,
    seed: u64,
    /// How far the terms spread.
    spread: f64,
}

impl LocalScore for Arbitrary {
    fn name(&self) -> &'static str {
        "arbitrary"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        let bits = parents.words().first().copied().unwrap_or(0);
        let k = bits * self.nodes as u64 + node as u64;
        stream(self.seed, Stream::Test { k }).random_range(-self.spread..=self.spread)
    }
}

/// One edge required, one forbidden, at most three parents.
fn knowledge(nodes: usize) -> Constraints {
    let names = &["a", "b", "c", "d", "e"][..nodes];
    let mut knowledge = Knowledge::default();
    knowledge.require("b->a").forbid("c->b").max_parents(3);
    knowledge.compile(names).expect("no conflict")
}

/// Tables of all parent sets at a temperature and with a prior for edges.
fn tables_at(
    score: &dyn LocalScore,
    constraints: &Constraints,
    temperature: f64,
    edge_log_odds: f64,
) -> ParentSetTables {
    let max_candidates = score.nodes();
    let candidates = candidate_parents(score, constraints, &[], max_candidates);
    let settings = TableSettings { temperature, edge_log_odds, max_candidates };
    ParentSetTables::new(score, constraints, &candidates, &[], &settings, &AtomicBool::new(false))
        .expect("valid")
}

fn tables(score: &dyn LocalScore, constraints: &Constraints) -> ParentSetTables {
    tables_at(score, constraints, 1.0, 0.0)
}

fn exact(tables: &ParentSetTables) -> Exact {
    Exact::new(tables, &AtomicBool::new(false)).expect("not too many variables")
}

/// Every allowed DAG with its probability, and `ln Z`.
fn enumerated(tables: &ParentSetTables) -> (Vec<(Dag, f64)>, f64) {
    let weighed = all_dags(tables.nodes()).map(|dag| (tables.log_dag(&dag), dag));
    let allowed: Vec<(f64, Dag)> = weighed.filter(|&(log, _)| log > f64::NEG_INFINITY).collect();
    let log_z = log_sum_exp(allowed.iter().map(|&(log, _)| log));
    (allowed.into_iter().map(|(log, dag)| (dag, (log - log_z).exp())).collect(), log_z)
}

fn assert_close(one: &[f64], other: &[f64], tolerance: f64) {
    assert_eq!(one.len(), other.len());
    for (at, (a, b)) in one.iter().zip(other).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {at}: {a} against {b}");
    }
}

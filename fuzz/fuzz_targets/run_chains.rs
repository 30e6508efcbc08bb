//! The state of chains: whatever is read goes on or is refused.

#![no_main]

use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_posterior::{Chains, ChainsConfig, ChainsState};
use gflowcausal_score::{LocalScore, ParentSetTables, TableSettings};
use libfuzzer_sys::fuzz_target;

/// A score that is the same for all graphs.
struct Flat;

impl LocalScore for Flat {
    fn name(&self) -> &'static str {
        "flat"
    }

    fn nodes(&self) -> usize {
        3
    }

    fn local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

static TABLES: LazyLock<ParentSetTables> = LazyLock::new(|| {
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: 2 };
    let all: Vec<NodeSet> = (0..3).map(|node| NodeSet::full(3).without(node)).collect();
    let stop = AtomicBool::new(false);
    ParentSetTables::new(&Flat, &Constraints::none(3), &all, &[], &settings, &stop).expect("small tables")
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(state) = serde_json::from_slice::<ChainsState>(bytes) else { return };
    let settings = ChainsConfig { sweeps: 1, ..ChainsConfig::default() };
    if let Ok(mut chains) = Chains::resume(&TABLES, &state, settings) {
        chains.advance(1, &AtomicBool::new(false));
        _ = (chains.summary(), chains.draws());
    }
});

//! Local search inside training: sampled orders are moved on by insertions, hot and cold.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, map, stream};
use gflowcausal_flow::{Improve, Terminal};
use gflowcausal_graph::Order;
use gflowcausal_score::OrderScore;
use gflowcausal_search::{anneal, random_order};

/// How many random orders tell how far scores spread.
const RANDOM_ORDERS: u64 = 64;

/// Sweeps from hot to cold.
const SWEEPS: i32 = 4;

/// Insertion of one variable at a time, at falling temperatures, then uphill.
///
/// Each improvement starts at a temperature drawn between the target and the spread of random orders (evenly on a
/// logarithmic scale), so that some leave their neighbourhood and others polish.
pub(crate) struct Insertions<'a> {
    score: &'a dyn OrderScore,
    coldest: f64,
    hottest: f64,
}

impl<'a> Insertions<'a> {
    pub(crate) fn new(score: &'a dyn OrderScore, target: f64, seed: u64) -> Self {
        let scores = map(RANDOM_ORDERS as usize, |k| {
            let mut rng = stream(seed, Stream::Search { iteration: u64::MAX, k: k as u64 });
            score.score(&random_order(score.nodes(), &mut rng))
        });
        let finite: Vec<f64> = scores.into_iter().filter(|score| score.is_finite()).collect();
        let count = finite.len().max(1) as f64;
        let mean = finite.iter().sum::<f64>() / count;
        let variance = finite.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count;
        Self { score, coldest: target, hottest: variance.sqrt().max(target) }
    }

    fn temperatures(&self, share: f64) -> impl Iterator<Item = f64> {
        let start = self.coldest * (self.hottest / self.coldest).powf(share);
        let ratio = self.coldest / start;
        (0..SWEEPS).map(move |sweep| start * ratio.powf(f64::from(sweep) / f64::from(SWEEPS)))
    }
}

impl Improve for Insertions<'_> {
    fn improve(&self, start: &Terminal, _: f64, rng: &mut StreamRng) -> Option<Terminal> {
        let order: Order = start.as_order()?.clone();
        let share: f64 = rng.random();
        Some(Terminal::Order(anneal(self.score, order, self.temperatures(share), rng)))
    }
}

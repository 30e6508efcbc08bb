//! Metropolis–Hastings steps whose proposals do not depend on the present DAG.

use gflowcausal_determinism::{StreamRng, rand::RngExt};

use super::Target;
use super::linear_extensions::ExtensionCounter;
use super::order_lattice::OrderLattice;
use super::record::RoundSums;
use super::structure::Structure;

/// Steps with proposals from the lattice of orders.
pub(super) struct Independence<'a> {
    pub(super) target: &'a Target<'a>,
    pub(super) lattice: &'a OrderLattice,
    pub(super) proposals: usize,
    pub(super) counter: &'a mut ExtensionCounter,
}

impl Independence<'_> {
    /// Moves `graph` and records edge probabilities, those of a proposal by the probability that it is accepted: the mean is
    /// the same as over the DAGs visited, and nothing that was computed is thrown away.
    pub(super) fn run(self, graph: &mut Structure, sums: &mut RoundSums, rng: &mut StreamRng) {
        let mut probabilities = self.target.edge_probabilities(graph);
        sums.add(1.0, &probabilities);
        let Some(mut log_orders) = self.lattice.log_orders(graph, self.counter) else {
            return sums.add(self.proposals as f64, &probabilities);
        };
        for _ in 0..self.proposals {
            let Some(mut proposal) = self.lattice.propose(self.target.tables, self.counter, rng) else {
                sums.add(1.0, &probabilities);
                continue;
            };
            let accepted = (log_orders - proposal.log_orders).min(0.0).exp();
            let proposed = self.target.edge_probabilities(&mut proposal.graph);
            sums.add(accepted, &proposed);
            sums.add(1.0 - accepted, &probabilities);
            if rng.random::<f64>() < accepted {
                (*graph, log_orders, probabilities) = (proposal.graph, proposal.log_orders, proposed);
            }
        }
    }
}

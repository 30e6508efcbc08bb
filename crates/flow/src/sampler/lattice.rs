//! The policy at every set of placed variables.

use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::NodeSet;

use crate::{Action, Environment, InputChange, Network, Tape};

/// `ln P(node | set)` for the `count` sets from `first` on, which must be a multiple of `count`, and that a power of
/// two: `nodes` numbers for each set, negative infinity for a node that may not come next.
///
/// A set is its number's bits. Each row is based on the row of the set without its largest low bit.
pub(super) fn log_conditionals(
    environment: &dyn Environment,
    network: &dyn Network,
    first: usize,
    count: usize,
) -> Vec<f64> {
    let nodes = environment.nodes();
    let open = |set: usize| -> Vec<Action> {
        let placed = NodeSet::of(nodes, (0..nodes).filter(|node| set >> node & 1 == 1));
        environment.allowed_after(&placed).expect("states are sequences of placed variables")
    };
    let mut tape = Tape::default();
    let (mut row, mut changes) = (None, vec![]);
    for node in (0..nodes).filter(|node| first >> node & 1 == 1) {
        row = Some(tape.push(row, &changes, &[]));
        changes = vec![InputChange::on(node as u32)];
    }
    let base = tape.push(row, &changes, &open(first));
    for low in 1..count {
        let top = low.ilog2();
        tape.push(Some(base + (low ^ 1 << top)), &[InputChange::on(top)], &open(first | low));
    }
    network.forward(&mut tape, 0);
    let mut conditionals = vec![f64::NEG_INFINITY; count * nodes];
    for (low, set) in conditionals.chunks_exact_mut(nodes).enumerate() {
        let log_flows = || tape.log_flows(base + low).iter().map(|&flow| f64::from(flow));
        let outflow = log_sum_exp(log_flows());
        for (&node, flow) in tape.requested(base + low).iter().zip(log_flows()) {
            set[node as usize] = flow - outflow;
        }
    }
    conditionals
}

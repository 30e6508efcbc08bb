//! A layer is split in two, or two adjacent layers are merged (Kuipers & Moffa 2017).

use gflowcausal_determinism::{StreamRng, rand::RngExt};
use gflowcausal_graph::NodeSet;

use super::{Target, metropolis, state::State};

/// Proposes a split or a merge, each with probability one half.
///
/// A split takes any layer, then the size of its first part, then the members, all uniformly. With `m` layers before the
/// split, `q(merge) / q(split) = (k − 1)·C(k, s)` for a layer of `k` variables and a first part of `s`.
pub(super) fn step(target: &Target<'_>, state: &mut State, beta: f64, rng: &mut StreamRng) {
    if rng.random() {
        split(target, state, beta, rng);
    } else {
        merge(target, state, beta, rng);
    }
}

fn split(target: &Target<'_>, state: &mut State, beta: f64, rng: &mut StreamRng) {
    let at = rng.random_range(0..state.layers.len());
    let whole = state.layers[at].clone();
    let members = whole.len();
    if members < 2 {
        return;
    }
    let size = rng.random_range(1..members);
    let first = random_subset(target.nodes(), &whole, size, rng);
    let mut second = whole.clone();
    second.subtract(&first);
    let log_ratio = log_splits(members, size);
    metropolis(target, state, beta, log_ratio, (at, &[whole], &[first, second]), rng);
}

fn merge(target: &Target<'_>, state: &mut State, beta: f64, rng: &mut StreamRng) {
    if state.layers.len() < 2 {
        return;
    }
    let at = rng.random_range(0..state.layers.len() - 1);
    let parts = [state.layers[at].clone(), state.layers[at + 1].clone()];
    let mut whole = parts[0].clone();
    whole.union_with(&parts[1]);
    let log_ratio = -log_splits(whole.len(), parts[0].len());
    metropolis(target, state, beta, log_ratio, (at, &parts, &[whole]), rng);
}

/// `ln((k − 1)·C(k, s))`.
fn log_splits(members: usize, size: usize) -> f64 {
    let choose: f64 = (0..size).map(|i| ((members - i) as f64 / (i + 1) as f64).ln()).sum();
    choose + ((members - 1) as f64).ln()
}

/// `size` members of `whole`, each set of them equally likely.
fn random_subset(nodes: usize, whole: &NodeSet, size: usize, rng: &mut StreamRng) -> NodeSet {
    let mut chosen = NodeSet::empty(nodes);
    let mut missing = size;
    for (seen, node) in whole.iter().enumerate() {
        if rng.random_range(0..whole.len() - seen) < missing {
            chosen.insert(node);
            missing -= 1;
        }
    }
    chosen
}

//! Two variables of adjacent layers change places.

use gflowcausal_determinism::{StreamRng, rand::RngExt};
use gflowcausal_graph::NodeSet;

use super::{Target, metropolis, state::State};

/// Proposes to exchange one variable of a layer with one of the next, all pairs of such layers and of their members equally
/// likely: symmetric, because the sizes of the layers stay.
pub(super) fn step(target: &Target<'_>, state: &mut State, beta: f64, rng: &mut StreamRng) {
    if state.layers.len() < 2 {
        return;
    }
    let at = rng.random_range(0..state.layers.len() - 1);
    let old = [state.layers[at].clone(), state.layers[at + 1].clone()];
    let (first, second) = (random_member(&old[0], rng), random_member(&old[1], rng));
    let mut new = old.clone();
    new[0].remove(first);
    new[0].insert(second);
    new[1].remove(second);
    new[1].insert(first);
    metropolis(target, state, beta, 0.0, (at, &old, &new), rng);
}

fn random_member(set: &NodeSet, rng: &mut StreamRng) -> usize {
    let index = rng.random_range(0..set.len());
    set.iter().nth(index).expect("an index below the size")
}

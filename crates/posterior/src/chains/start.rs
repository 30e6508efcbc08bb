//! Where chains start: at given graphs, at random ones, or where an earlier run ended.

use gflowcausal_determinism::{Stream, StreamRng, rand::RngExt, stream};
use gflowcausal_graph::{Constraints, Dag, Layering, NodeSet};

use super::{ChainsConfig, ChainsError, Ladder, Start, StartState, State, Target};

/// The layering of the given start number `k`, or of a random graph.
pub(super) fn layering(
    target: &Target<'_>,
    constraints: &Constraints,
    given: &[Dag],
    k: usize,
    seed: u64,
) -> Layering {
    let random =
        || random_dag(target, constraints, &mut stream(seed, Stream::LayeringStart { start: k as u64 }));
    Layering::of(&given.get(k).cloned().unwrap_or_else(random))
}

/// A graph whose parents are drawn from the tables, given a random order that respects the required edges.
fn random_dag(target: &Target<'_>, constraints: &Constraints, rng: &mut StreamRng) -> Dag {
    let nodes = target.nodes();
    let mut placed = NodeSet::empty(nodes);
    let mut parents = vec![NodeSet::empty(nodes); nodes];
    while placed.len() < nodes {
        let ready = constraints.placeable(&placed);
        let index = rng.random_range(0..ready.len());
        let node = ready.iter().nth(index).expect("an index below the size");
        if target.tables.log_sum(node, &placed) > f64::NEG_INFINITY {
            parents[node] = target.tables.sample_parents(node, &placed, None, rng);
        }
        placed.insert(node);
    }
    Dag::from_parents(&parents).expect("parents come before their children")
}

/// The start as it was stored.
pub(super) fn restored(
    target: &Target<'_>,
    stored: &StartState,
    start: usize,
    config: &ChainsConfig,
) -> Result<Start, ChainsError> {
    let error = ChainsError::State { start };
    let copy = |layers: &Vec<Vec<usize>>| {
        let layering = Layering::new(target.nodes(), layers.iter().map(|layer| layer.iter().copied()));
        let state = State::new(target, &layering.ok()?);
        (state.log_weight() > f64::NEG_INFINITY).then_some(state)
    };
    let copies: Vec<State> = stored.layerings.iter().map(copy).collect::<Option<_>>().ok_or(error)?;
    if copies.len() != config.copies || !stored.record.fits(target) {
        return Err(error);
    }
    Ok(Start { ladder: Ladder::new(copies, target.nodes()), record: stored.record.clone() })
}

//! Best order score search: each variable in turn moves to its best position, until no move raises the score.

use gflowcausal_determinism::rand::seq::SliceRandom;
use gflowcausal_determinism::{StopFlag, StreamRng, interruptible};
use gflowcausal_graph::Order;
use gflowcausal_score::{OrderScore, best_insertion, moved};

use crate::constrained_order::{ConstrainedOrderScore, random_order};

/// How many sweeps a start makes at most by the screening score: the order is far from good, and so is any exact answer.
const SCREENING_SWEEPS: usize = 3;

/// One start of BOSS (Andrews et al. 2023): from a random order, sweeps of best insertions until a whole sweep changes
/// nothing, or `stop` is set.
///
/// The first three sweeps go by `screening`, which may be `score` or something that costs less. Variables are tried in a
/// new random sequence each sweep. What comes back is a local optimum of single insertions under `score`. An insertion
/// costs what the score takes for all places of one variable: with grow–shrink trees `3d` look-ups.
#[must_use]
pub fn boss(
    screening: &ConstrainedOrderScore<'_>,
    score: &ConstrainedOrderScore<'_>,
    rng: &mut StreamRng,
    stop: &StopFlag,
) -> Order {
    let mut order = random_order(score.constraints, rng);
    let mut sweeps = 0;
    while sweeps < SCREENING_SWEEPS && sweep(screening, &mut order, rng, stop) {
        sweeps += 1;
    }
    while sweep(score, &mut order, rng, stop) {}
    order
}

/// Moves each variable once to its best position; says whether one moved and the search may go on.
fn sweep(score: &ConstrainedOrderScore<'_>, order: &mut Order, rng: &mut StreamRng, stop: &StopFlag) -> bool {
    let mut turns: Vec<usize> = (0..order.nodes()).collect();
    turns.shuffle(rng);
    let mut has_moved = false;
    for node in turns {
        if stop.is_set() {
            return false;
        }
        let Some(best) = interruptible(stop, || best_insertion(score, order, node)) else { return false };
        if let Some(insertion) = best {
            *order = moved(order, node, insertion.position);
            has_moved = true;
        }
    }
    has_moved
}

/// The best of `orders` and its score; of equal ones the first.
pub fn best_order(score: &dyn OrderScore, orders: impl IntoIterator<Item = Order>) -> Option<(Order, f64)> {
    let valued = orders.into_iter().map(|order| {
        let value = score.score(&order);
        (order, value)
    });
    valued.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

//! Best order score search: each variable in turn goes where the order is worth most, until none wants to move.

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::seq::SliceRandom;
use gflowcausal_graph::Order;
use gflowcausal_score::{OrderScore, best_insertion, moved};

use crate::obedience::{Obedient, random_order};

/// One start of BOSS (Andrews et al. 2023): from a random order, sweeps of best insertions until a whole sweep changes
/// nothing, or `is_stopped`.
///
/// Variables are tried in a new random sequence each sweep. What comes back is a local optimum of single insertions.
/// An insertion costs what `score` takes for all places of one variable: with grow–shrink trees `3d` looks.
#[must_use]
pub fn boss(score: &Obedient<'_>, rng: &mut StreamRng, is_stopped: impl Fn() -> bool) -> Order {
    let mut order = random_order(score.constraints, rng);
    let mut turns: Vec<usize> = (0..order.nodes()).collect();
    loop {
        let mut is_better = false;
        turns.shuffle(rng);
        for &node in &turns {
            if is_stopped() {
                return order;
            }
            if let Some(insertion) = best_insertion(score, &order, node) {
                order = moved(&order, node, insertion.position);
                is_better = true;
            }
        }
        if !is_better {
            return order;
        }
    }
}

/// The best of `orders` and what it is worth; of equal ones the first.
pub fn best_order(score: &dyn OrderScore, orders: impl IntoIterator<Item = Order>) -> Option<(Order, f64)> {
    let valued = orders.into_iter().map(|order| {
        let value = score.score(&order);
        (order, value)
    });
    valued.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

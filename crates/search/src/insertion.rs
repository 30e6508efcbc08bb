//! Local search over orders: one variable at a time moves to a better position.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::rand::seq::SliceRandom;
use gflowcausal_determinism::{StreamRng, categorical};
use gflowcausal_graph::Order;
use gflowcausal_score::{OrderScore, best_insertion, moved};

/// Puts one variable after another at its best place until no insertion helps (the move of BOSS).
///
/// Variables are tried in the sequence they stand in; the result is a local optimum of single insertions.
#[must_use]
pub fn hill_climb(score: &(impl OrderScore + ?Sized), start: Order) -> Order {
    let mut order = start;
    loop {
        let mut improved = false;
        for node in order.clone().iter() {
            if let Some(insertion) = best_insertion(score, &order, node) {
                order = moved(&order, node, insertion.position);
                improved = true;
            }
        }
        if !improved {
            return order;
        }
    }
}

/// Puts every variable once, in random sequence, at a place drawn with probability ∝ exp(score / `temperature`).
///
/// Each insertion is a Gibbs step, so the distribution `P(order) ∝ exp(score / temperature)` stays as it is; as the
/// temperature goes to zero this becomes one round of [`hill_climb`].
#[must_use]
pub fn tempered_sweep(
    score: &(impl OrderScore + ?Sized),
    start: Order,
    temperature: f64,
    rng: &mut StreamRng,
) -> Order {
    let mut nodes: Vec<usize> = start.iter().collect();
    nodes.shuffle(rng);
    nodes.into_iter().fold(start, |order, node| tempered_insertion(score, &order, node, temperature, rng))
}

/// Puts `node` at a place drawn with probability ∝ exp(score / `temperature`): a Gibbs step.
#[must_use]
pub fn tempered_insertion(
    score: &(impl OrderScore + ?Sized),
    order: &Order,
    node: usize,
    temperature: f64,
    rng: &mut StreamRng,
) -> Order {
    let deltas = score.insertion_deltas(order, node);
    moved(order, node, draw(&deltas, temperature, rng.random()))
}

/// The index at which the running sum of `exp(delta / temperature)` passes the share `uniform` of the total.
fn draw(deltas: &[f64], temperature: f64, uniform: f64) -> usize {
    let largest = deltas.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |delta: f64| ((delta - largest) / temperature).exp();
    let total: f64 = deltas.iter().map(|&delta| weight(delta)).sum();
    let places = deltas.iter().map(|&delta| weight(delta)).enumerate();
    categorical(places, uniform * total).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gflowcausal_determinism::{Stream, stream};
    use gflowcausal_graph::NodeSet;
    use gflowcausal_score::OrderModularScore;

    use super::*;

    /// A made-up term for each node and set before it.
    struct Made {
        nodes: usize,
        forbidden: Option<(usize, usize)>,
    }

    impl OrderModularScore for Made {
        fn local(&self, node: usize, before: &NodeSet) -> f64 {
            if self.forbidden.is_some_and(|(first, then)| node == first && before.contains(then)) {
                return f64::NEG_INFINITY;
            }
            let mixed =
                (before.words()[0] * 31 + node as u64 * 17 + 5).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            (mixed % 1000) as f64 / 250.0
        }
    }

    fn all_orders(score: &Made) -> BTreeMap<Order, f64> {
        gflowcausal_graph::all_orders(score.nodes).map(|order| (order.clone(), score.score(&order))).collect()
    }

    #[test]
    fn no_insertion_improves_what_climbing_returns() {
        let score = Made { nodes: 7, forbidden: None };
        let top = hill_climb(&score, Order::identity(7));
        for node in 0..7 {
            assert_eq!(best_insertion(&score, &top, node), None);
        }
        assert!(score.score(&top) >= score.score(&Order::identity(7)));
    }

    #[test]
    fn sweeps_leave_the_tempered_distribution_as_it_is() {
        let score = Made { nodes: 4, forbidden: Some((2, 0)) };
        let temperature = 1.5;
        let exact = all_orders(&score);
        let total: f64 = exact.values().map(|value| (value / temperature).exp()).sum();
        let mut rng = stream(1, Stream::Test { k: 1 });
        let mut order = Order::identity(4);
        order = moved(&order, 2, 0);
        let mut seen: BTreeMap<Order, f64> = BTreeMap::new();
        let sweeps = 40_000;
        for _ in 0..sweeps {
            order = tempered_sweep(&score, order, temperature, &mut rng);
            *seen.entry(order.clone()).or_default() += 1.0 / f64::from(sweeps);
        }
        let distance: f64 = exact
            .iter()
            .map(|(order, value)| {
                let expected = (value / temperature).exp() / total;
                (expected - seen.get(order).copied().unwrap_or(0.0)).abs()
            })
            .sum();
        assert!(distance / 2.0 < 0.02, "total variation {}", distance / 2.0);
    }

    #[test]
    fn a_forbidden_place_is_never_drawn() {
        assert_eq!(draw(&[f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY], 1.0, 0.999_999_999_999), 1);
        assert_eq!(draw(&[f64::NEG_INFINITY, 0.0], 1.0, 0.0), 1);
    }

    #[test]
    fn annealing_finds_the_best_order() {
        let score = Made { nodes: 6, forbidden: None };
        let best = all_orders(&score).into_values().fold(f64::NEG_INFINITY, f64::max);
        let mut rng = stream(3, Stream::Test { k: 2 });
        let schedule = (0..60).map(|k| 3.0 * 0.93_f64.powi(k));
        let cooled = schedule.fold(Order::identity(6), |order, t| tempered_sweep(&score, order, t, &mut rng));
        let found = hill_climb(&score, cooled);
        assert!((score.score(&found) - best).abs() < 1e-9);
    }
}

//! Sorts and BOSS: the orders that their theory says they must find.

use gflowcausal_determinism::{StopFlag, Stream, stream};
use gflowcausal_graph::{Cpdag, Order};
use gflowcausal_score::{Bic, GrowShrinkTrees, OrderScore, Penalty, Selected, best_insertion, prune_order};
use gflowcausal_search::{
    ConstrainedOrderScore, best_order, boss, equal_variance_order, r2_order, random_order, variance_order,
};

use super::*;

#[test]
fn equal_noise_variances_give_an_order_of_the_true_graph() {
    for seed in 0..10 {
        let data = simulated(12, 2, 5000, seed);
        let order = equal_variance_order(&moments(&data), &Constraints::none(12));
        assert!(order.is_compatible_with(&data.dag), "seed {seed}: {order:?}");
    }
}

#[test]
fn sorts_go_by_variance_and_by_r2() {
    // np.var([[1,2,3,4],[10,0,10,0],[0,0,1,0]], axis=1) = 1.25, 25, 0.1875
    let columns = [&[1.0, 2.0, 3.0, 4.0][..], &[10.0, 0.0, 10.0, 0.0], &[0.0, 0.0, 1.0, 0.0]];
    let sorted = variance_order(&Moments::of_columns(&columns), &Constraints::none(3));
    assert_eq!(sorted.as_slice(), [2, 0, 1]);
    // A collider x3 = x1 + x2 + noise is explained best, and an unrelated x4 worst.
    let noise = |k: u64| -> Vec<f64> {
        use gflowcausal_determinism::rand::RngExt;
        let mut rng = stream(3, Stream::Test { k });
        (0..2000).map(|_| rng.random::<f64>()).collect()
    };
    let (x1, x2, own, x4) = (noise(1), noise(2), noise(3), noise(4));
    let x3: Vec<f64> = (0..2000).map(|row| x1[row] + 2.0 * x2[row] + 0.1 * own[row]).collect();
    let columns = [&x3[..], &x2, &x1, &x4];
    let sorted = r2_order(&Moments::of_columns(&columns), &Constraints::none(4)).unwrap();
    assert_eq!(sorted.as_slice()[0], 3);
    assert_eq!(sorted.as_slice()[3], 0);
}

#[test]
fn every_order_puts_required_causes_first() {
    let data = simulated(8, 2, 300, 4);
    let mut knowledge = Knowledge::default();
    let against = data.dag.topological_order();
    for pair in against.as_slice().windows(2).step_by(3) {
        knowledge.require(gflowcausal_graph::Edge::new(pair[1], pair[0]));
    }
    let (constraints, moments) = (constraints(8, &knowledge), moments(&data));
    let score = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), constraints.clone());
    let constrained = ConstrainedOrderScore { score: &score, constraints: &constraints };
    let mut rng = stream(1, Stream::Test { k: 0 });
    let orders: [Order; 5] = [
        variance_order(&moments, &constraints),
        r2_order(&moments, &constraints).unwrap(),
        equal_variance_order(&moments, &constraints),
        random_order(&constraints, &mut rng),
        boss(&constrained, &constrained, &mut rng, &StopFlag::new()),
    ];
    for order in orders {
        assert!(constraints.permits_order(&order), "{order:?}");
    }
}

#[test]
fn boss_finds_the_class_of_the_true_graph_and_stops_at_a_peak() {
    for seed in 0..6 {
        let data = simulated(10, 1, 10_000, seed);
        let free = Constraints::none(10);
        let trees =
            GrowShrinkTrees::new(Bic::new(&moments(&data), Penalty::Factor(2.0)).unwrap(), free.clone());
        let hasty = GrowShrinkTrees::new(trees.local_score().clone(), free.clone()).without_pairs();
        let score = ConstrainedOrderScore { score: &trees, constraints: &free };
        let rough = ConstrainedOrderScore { score: &hasty, constraints: &free };
        let start = |k| boss(&rough, &score, &mut stream(seed, Stream::Restart { k }), &StopFlag::new());
        let (order, value) = best_order(&trees, (0..4).map(start)).unwrap();
        let found = prune_order(&Selected(&trees), &order, &free);
        assert_eq!(Cpdag::of(&found), Cpdag::of(&data.dag), "seed {seed}");
        assert!((trees.score(&order) - value).abs() < 1e-9);
        assert!((0..10).all(|node| best_insertion(&trees, &order, node).is_none()));
    }
}

//! The search for parents: trees, plain grow–shrink, sums and constraints.

use gflowcausal_data::GraphFamily;
use gflowcausal_graph::{Constraints, Edge, Knowledge, NodeSet};
use gflowcausal_score::{
    BestParents, Bge, BgePrior, Bic, GaussianScore, GrowShrink, GrowShrinkTrees, LinearModel, LocalScore,
    NoPruning, OrderModularScore, OrderScore, Penalty, TTest, prune_order,
};
use proptest::prelude::*;

use crate::{moments_of_rows, noise, random_order, set, simulated};

fn subset(nodes: usize, node: usize, bits: u64) -> NodeSet {
    NodeSet::of(nodes, (0..nodes).filter(|&other| other != node && bits >> other & 1 == 1))
}

/// Plain grow–shrink that, where no candidate raises the score alone, takes the two that raise it most together: what the trees do.
fn grow_shrink_with_pairs(score: &impl LocalScore, node: usize, before: &NodeSet) -> (f64, NodeSet) {
    let first_of_best = |sets: &mut dyn Iterator<Item = NodeSet>, floor: f64| {
        sets.map(|set| (score.local(node, &set), set)).fold(None, |best: Option<(f64, NodeSet)>, next| {
            let highest = best.as_ref().map_or(floor, |(value, _)| *value);
            if next.0 > highest { Some(next) } else { best }
        })
    };
    let none = NodeSet::empty(score.nodes());
    let mut now = (score.local(node, &none), none);
    loop {
        let (floor, parents) = &now;
        let room = score.parent_limit() - parents.len();
        let open: Vec<usize> = before.iter().filter(|&other| !parents.contains(other)).collect();
        let mut singles = open.iter().filter(|_| room >= 1).map(|&parent| parents.with(parent));
        let mut pairs = open.iter().filter(|_| room >= 2).flat_map(|&first| {
            open.iter()
                .filter(move |&&second| second > first)
                .map(move |&second| parents.with(first).with(second))
        });
        let single = first_of_best(&mut singles, *floor);
        let Some(better) = single.or_else(|| first_of_best(&mut pairs, *floor)) else { break };
        now = better;
    }
    loop {
        let narrower: Vec<NodeSet> = now.1.iter().map(|parent| now.1.without(parent)).collect();
        let Some(better) = first_of_best(&mut narrower.into_iter(), now.0) else { return now };
        now = better;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A tree, a tree without memory and plain grow–shrink on local terms find the same parents.
    #[test]
    fn trees_and_plain_search_agree(seed in 0u64..500, questions in prop::collection::vec((0usize..12, any::<u64>()), 12)) {
        let (moments, _) = simulated(GraphFamily::ScaleFree, 12, 3, 120, seed);
        let bic = Bic::new(&moments, Penalty::Auto).unwrap();
        check_agreement(&bic, &questions)?;
        let bge = Bge::new(&moments.standardized(), BgePrior::default()).unwrap();
        check_agreement(&bge, &questions)?;
    }

    #[test]
    fn what_is_remembered_never_answers_another_question(seed in 0u64..500, bits in any::<u64>()) {
        let (moments, _) = simulated(GraphFamily::ScaleFree, 12, 3, 120, seed);
        check_neighbours(&Bic::new(&moments, Penalty::Factor(0.5)).unwrap(), bits)?;
        check_neighbours(&Bge::new(&moments.standardized(), BgePrior::default()).unwrap(), bits)?;
    }

    #[test]
    fn every_result_satisfies_the_constraints(seed in 0u64..500, bits in any::<u64>()) {
        let (moments, _) = simulated(GraphFamily::ErdosRenyi, 10, 3, 100, seed);
        let constraints = some_constraints();
        let bic = Bic::new(&moments, Penalty::Factor(1.0)).unwrap();
        let trees = GrowShrinkTrees::new(bic.clone(), constraints.clone());
        let plain = GrowShrink::new(bic, constraints.clone());
        for node in 0..10 {
            let before = subset(10, node, bits);
            let answers = [trees.best_parents(node, &before), plain.best_parents(node, &before)];
            for answer in answers {
                prop_assert_eq!(answer.is_some(), constraints.required(node).is_subset(&before));
                let Some(parents) = answer else { continue };
                prop_assert!(parents.is_subset(&before) && constraints.permits_parents(node, &parents));
            }
        }
    }
}

fn check_agreement<S: GaussianScore + Clone>(
    score: &S,
    questions: &[(usize, u64)],
) -> Result<(), TestCaseError> {
    let nodes = score.nodes();
    let trees = GrowShrinkTrees::new(score.clone(), Constraints::none(nodes));
    let small = GrowShrinkTrees::with_budget(score.clone(), Constraints::none(nodes), 4000);
    let forgetful = GrowShrinkTrees::with_budget(score.clone(), Constraints::none(nodes), 0);
    let hasty = GrowShrinkTrees::new(score.clone(), Constraints::none(nodes)).without_pairs();
    let plain_hasty = GrowShrink::new(score, Constraints::none(nodes));
    for &(node, bits) in questions {
        let before = subset(nodes, node, bits);
        let found = trees.best_parents(node, &before);
        prop_assert_eq!(&found, &small.best_parents(node, &before));
        prop_assert_eq!(&found, &forgetful.best_parents(node, &before));
        let (plain_value, plain) = grow_shrink_with_pairs(score, node, &before);
        prop_assert_eq!(&found, &Some(plain));
        prop_assert_eq!(hasty.best_parents(node, &before), plain_hasty.best_parents(node, &before));
        let value = trees.local(node, &before);
        prop_assert_eq!(value.to_bits(), forgetful.local(node, &before).to_bits());
        prop_assert_eq!(value.to_bits(), plain_value.to_bits());
        prop_assert_eq!(value.to_bits(), score.local(node, &found.expect("nothing is required")).to_bits());
    }
    prop_assert_eq!(forgetful.bytes(), 0);
    Ok(())
}

/// Questions that differ in one variable share cached paths and branches, which hold for some of them only.
fn check_neighbours<S: GaussianScore + Clone>(score: &S, bits: u64) -> Result<(), TestCaseError> {
    let (nodes, budget) = (score.nodes(), 6000);
    let make = |bytes| GrowShrinkTrees::with_budget(score.clone(), Constraints::none(nodes), bytes);
    let (trees, small, forgetful) = (make(usize::MAX), make(budget), make(0));
    for node in 0..3 {
        for toggled in (0..nodes).flat_map(|a| (0..nodes).map(move |b| 1 << a | 1 << b)) {
            let before = subset(nodes, node, bits ^ toggled);
            let expected = forgetful.local(node, &before).to_bits();
            prop_assert_eq!(trees.local(node, &before).to_bits(), expected);
            prop_assert_eq!(small.local(node, &before).to_bits(), expected);
            prop_assert!(small.bytes() <= budget, "{} bytes", small.bytes());
        }
    }
    Ok(())
}

/// 0 → 3 required, 1 → 4 forbidden, at most two parents.
fn some_constraints() -> Constraints {
    let names: Vec<String> = (0..10).map(|node| format!("x{node}")).collect();
    let mut knowledge = Knowledge::default();
    knowledge.require(Edge::new(0, 3)).forbid(Edge::new(1, 4)).max_parents(2);
    knowledge.compile(&names).expect("possible")
}

#[test]
fn an_order_against_a_required_edge_is_impossible() {
    let (moments, _) = simulated(GraphFamily::ErdosRenyi, 10, 2, 100, 1);
    let constraints = some_constraints();
    let trees = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).unwrap(), constraints.clone());
    for k in 0..20 {
        let order = random_order(10, k);
        let possible = constraints.permits_order(&order);
        assert_eq!(OrderScore::score(&trees, &order) > f64::NEG_INFINITY, possible);
        let model = LinearModel::new(&moments).unwrap();
        if possible {
            let deltas = trees.insertion_deltas(&order, 3);
            assert_eq!(deltas[0], f64::NEG_INFINITY, "its cause would come later");
            for dag in [
                prune_order(&TTest { model: &model, alpha: 0.001 }, &order, &constraints),
                prune_order(&NoPruning, &order, &constraints),
            ] {
                assert!(constraints.permits(&dag));
                assert!(dag.contains(Edge::new(0, 3)));
            }
        }
    }
}

/// Two causes that are nearly one and the same, with opposite effects: neither shows alone.
#[test]
fn causes_that_cancel_are_found_together() {
    let mut rows = noise(400, 4, 5);
    for x in &mut rows {
        x[1] = x[0] + 0.02 * x[1];
        x[3] = 20.0 * x[0] - 20.0 * x[1] + 2.0 * x[2] + 0.05 * x[3];
    }
    let bic = Bic::new(&moments_of_rows(&rows), Penalty::Auto).unwrap();
    let before = set(4, [0, 1, 2]);
    let single = GrowShrink::new(&bic, Constraints::none(4));
    assert_eq!(single.best_parents(3, &before), Some(set(4, [2])));
    assert_eq!(grow_shrink_with_pairs(&bic, 3, &before).1, before);
    let trees = GrowShrinkTrees::new(bic, Constraints::none(4));
    assert_eq!(trees.best_parents(3, &before), Some(before));
}

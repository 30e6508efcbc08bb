//! Bounds on what an order search can give: the best order under the score, the true order and random orders, pruned alike.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal::data::{Moments, Simulated};
use gflowcausal::graph::{self, Constraints, Cpdag, Dag, Pdag, auroc, shd};
use gflowcausal::score::{
    Bic, ByScore, Cached, Cam, GpMarginal, GrowShrinkTrees, LocalScore, Penalty, Prune, Quadratic, Selected,
    prune_order,
};
use gflowcausal::search::random_order;
use gflowcausal::{Error, Stream, stream};

use super::runs::Metrics;
use super::suite::{Data, Limit};

/// The customary p-value.
const ALPHA: f64 = 0.001;

/// For each graph of one kind of data, what the true order gives and what chance gives.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub(super) limit: Vec<Metrics>,
    pub(super) chance: Vec<Metrics>,
}

impl Bounds {
    /// Empty where the rule of pruning is not given; without chance where no random order is asked for.
    pub(super) fn of(data: &Data, seeds: u64, stop: &AtomicBool) -> Result<Self, Error> {
        let mut bounds = Self::default();
        let Some(rule) = data.limit else { return Ok(bounds) };
        for seed in 1..=data.graphs(seeds) {
            let Some(simulated) = data.source.draw(seed)? else { continue };
            let truth = &simulated.dag;
            with_rule(rule, &simulated, &mut |rule| {
                let graph = prune_order(rule, &truth.topological_order(), &Constraints::none(truth.nodes()));
                bounds.limit.push(metrics(&Pdag::from(&graph), truth));
                bounds.chance.extend(chance(rule, truth, (data.random_orders, seed), stop));
            })?;
        }
        Ok(bounds)
    }
}

/// Hands the rule that goes with `limit` to `evaluate`.
fn with_rule(limit: Limit, simulated: &Simulated, evaluate: &mut dyn FnMut(&dyn Prune)) -> Result<(), Error> {
    match limit {
        Limit::Cam => evaluate(&Cam::new(&simulated.table, ALPHA)?),
        Limit::Selected => {
            let bic = Bic::new(&Moments::of_table(&simulated.table)?, Penalty::Auto)?;
            let trees = GrowShrinkTrees::new(bic, Constraints::none(simulated.dag.nodes()));
            evaluate(&Selected(&trees));
        }
        Limit::Gp => by_score(GpMarginal::new(&simulated.table)?, evaluate),
        Limit::QuadraticEqual => {
            by_score(Quadratic::with_equal_noise(&simulated.table, Penalty::Auto)?, evaluate);
        }
    }
    Ok(())
}

fn by_score(score: impl LocalScore, evaluate: &mut dyn FnMut(&dyn Prune)) {
    evaluate(&ByScore(&Cached::new(score)));
}

/// The means over `count` random orders, and how their edges do as probabilities; nothing without orders, or if
/// somebody does not wait for them.
fn chance(rule: &dyn Prune, truth: &Dag, (count, seed): (u32, u64), stop: &AtomicBool) -> Option<Metrics> {
    let free = Constraints::none(truth.nodes());
    let mut probabilities = vec![0.0; truth.nodes() * truth.nodes()];
    let mut each = Vec::new();
    for k in 0..count {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let order = random_order(&free, &mut stream(seed, Stream::Restart { k: k.into() }));
        let graph = prune_order(rule, &order, &free);
        for edge in graph.edges() {
            probabilities[edge.from * truth.nodes() + edge.to] += 1.0 / f64::from(count);
        }
        each.push(metrics(&Pdag::from(&graph), truth));
    }
    let mean = |field: fn(&Metrics) -> f64| each.iter().map(field).sum::<f64>() / f64::from(count);
    Some(Metrics {
        tpr: mean(|graph| graph.tpr),
        fdr: mean(|graph| graph.fdr),
        shd: mean(|graph| graph.shd),
        class_shd: mean(|graph| graph.class_shd),
        cpdag_shd: mean(|graph| graph.cpdag_shd),
        expected_shd: Some(mean(|graph| graph.shd)),
        auroc: Some(auroc(&probabilities, truth)),
        ..*each.first()?
    })
}

/// The metrics of one graph, and of its class if it is a graph without undirected edges; an undirected edge counts as
/// right if the truth joins the pair.
pub(super) fn metrics(estimate: &Pdag, truth: &Dag) -> Metrics {
    let metrics = graph::evaluate(estimate, truth);
    let class = estimate.to_dag().map_or_else(|_| estimate.clone(), |dag| Cpdag::of(&dag).into_pdag());
    Metrics {
        tpr: metrics.tpr,
        fdr: metrics.fdr,
        shd: metrics.shd as f64,
        class_shd: shd(&class, truth) as f64,
        cpdag_shd: metrics.cpdag_shd as f64,
        expected_shd: None,
        auroc: None,
        cpu_seconds: None,
        true_edges: truth.edge_count() as f64,
        peak_megabytes: None,
        iterations: None,
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal::graph::{Edge, NodeSet};
    use gflowcausal::score::NoPruning;

    use super::*;

    static GO_ON: AtomicBool = AtomicBool::new(false);

    /// Fully connected graphs of three variables: the pair that the truth does not join is one too many, and each of the
    /// two it joins is turned every other time. Every cell is as probable as any other.
    #[test]
    fn chance_favours_no_direction() {
        let truth = Dag::from_edges(3, [Edge { from: 0, to: 1 }, Edge { from: 1, to: 2 }]).unwrap();
        let random = chance(&NoPruning, &truth, (6000, 1), &GO_ON).unwrap();
        assert!((random.tpr - 0.5).abs() < 0.02, "{random:?}");
        assert!((random.shd - 2.0).abs() < 0.04, "{random:?}");
        assert!(chance(&NoPruning, &truth, (0, 1), &GO_ON).is_none());
    }

    /// A rule that never lets a variable cause an earlier one: what random orders share is the truth alone.
    #[test]
    fn edges_that_random_orders_share_are_ranked_by_how_often_they_do() {
        struct Forward;
        impl Prune for Forward {
            fn keep(&self, node: usize, candidates: &NodeSet) -> Vec<usize> {
                candidates.iter().filter(|&cause| cause < node).collect()
            }
        }
        let truth = Dag::from_edges(3, [(0, 1), (0, 2), (1, 2)].map(|(from, to)| Edge { from, to })).unwrap();
        let random = chance(&Forward, &truth, (50, 1), &GO_ON).unwrap();
        assert_eq!(random.auroc, Some(1.0));
        assert!(random.tpr < 0.7, "single graphs have half of the edges: {random:?}");
    }

    #[test]
    fn a_reversible_edge_counts_in_the_graph_and_not_in_its_class() {
        let of = |edges: &[(usize, usize)]| {
            Dag::from_edges(3, edges.iter().map(|&(from, to)| Edge { from, to })).unwrap()
        };
        let truth = of(&[(0, 1), (1, 2)]);
        let turned = metrics(&Pdag::from(&of(&[(1, 0), (1, 2)])), &truth);
        assert_eq!((turned.shd, turned.class_shd), (1.0, 0.0));
        let collider = metrics(&Pdag::from(&of(&[(0, 1), (2, 1)])), &truth);
        assert_eq!((collider.shd, collider.class_shd), (1.0, 1.0));
        let class = metrics(&Cpdag::of(&truth).into_pdag(), &truth);
        assert_eq!((class.shd, class.class_shd), (0.0, 0.0));
    }
}

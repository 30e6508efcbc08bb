//! The best that an order can give: the true one, pruned.

use gflowcausal::Error;
use gflowcausal::data::{Moments, Simulated};
use gflowcausal::graph::{Constraints, Cpdag, Dag, Pdag, evaluate, shd};
use gflowcausal::score::{
    Bic, ByScore, Cached, Cam, GpMarginal, LocalScore, ParentForest, Penalty, Prune, Quadratic, Selected,
    prune_order,
};

use super::runs::Figures;
use super::suite::{Data, Limit};

/// The customary p-value.
const ALPHA: f64 = 0.001;

/// The figures of the true order of each graph of `data`, pruned; none where the data or the rule are not given.
pub(super) fn limits(data: &Data, seeds: u64) -> Result<Vec<Figures>, Error> {
    let Some(rule) = data.limit else { return Ok(vec![]) };
    let one = |seed: u64| {
        let Some(simulated) = data.source.draw(seed)? else { return Ok(None) };
        let start = cpu_time::ThreadTime::now();
        let graph = pruned(&simulated, rule)?;
        Ok(Some(figures(&Pdag::from(&graph), &simulated.dag, start.elapsed().as_secs_f64())))
    };
    (1..=data.graphs(seeds)).filter_map(|seed| one(seed).transpose()).collect()
}

fn pruned(simulated: &Simulated, limit: Limit) -> Result<Dag, Error> {
    match limit {
        Limit::Cam => Ok(along(simulated, &Cam::new(&simulated.table, ALPHA)?)),
        Limit::Selected => {
            let bic = Bic::new(&Moments::of_table(&simulated.table)?, Penalty::Auto)?;
            let forest = ParentForest::new(bic, Constraints::none(simulated.dag.nodes()));
            Ok(along(simulated, &Selected(&forest)))
        }
        Limit::Gp => Ok(by_score(simulated, GpMarginal::new(&simulated.table)?)),
        Limit::QuadraticEqual => {
            let score = Quadratic::with_equal_noise(&simulated.table, Penalty::Auto)?;
            Ok(by_score(simulated, score))
        }
    }
}

fn by_score(simulated: &Simulated, score: impl LocalScore) -> Dag {
    along(simulated, &ByScore(&Cached::new(score)))
}

fn along(simulated: &Simulated, rule: &impl Prune) -> Dag {
    let truth = &simulated.dag;
    prune_order(rule, &truth.topological_order(), &Constraints::none(truth.nodes()))
}

/// The figures of one graph, and of its class if it is a graph without undirected edges; an undirected edge counts as
/// right if the truth joins the pair.
pub(super) fn figures(graph: &Pdag, truth: &Dag, cpu_seconds: f64) -> Figures {
    let metrics = evaluate(graph, truth);
    let class = graph.to_dag().map_or_else(|_| graph.clone(), |dag| Cpdag::of(&dag).into_pdag());
    Figures {
        tpr: metrics.tpr,
        fdr: metrics.fdr,
        shd: metrics.shd as f64,
        class_shd: shd(&class, truth) as f64,
        cpdag_shd: metrics.cpdag_shd as f64,
        expected_shd: None,
        auroc: None,
        cpu_seconds,
        true_edges: truth.edge_count() as f64,
        peak_megabytes: None,
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal::graph::Edge;

    use super::*;

    #[test]
    fn a_reversible_edge_counts_in_the_graph_and_not_in_its_class() {
        let of = |edges: &[(usize, usize)]| {
            Dag::from_edges(3, edges.iter().map(|&(from, to)| Edge { from, to })).unwrap()
        };
        let truth = of(&[(0, 1), (1, 2)]);
        let turned = figures(&Pdag::from(&of(&[(1, 0), (1, 2)])), &truth, 0.0);
        assert_eq!((turned.shd, turned.class_shd), (1.0, 0.0));
        let collider = figures(&Pdag::from(&of(&[(0, 1), (2, 1)])), &truth, 0.0);
        assert_eq!((collider.shd, collider.class_shd), (1.0, 1.0));
        let class = figures(&Cpdag::of(&truth).into_pdag(), &truth, 0.0);
        assert_eq!((class.shd, class.class_shd), (0.0, 0.0));
    }
}

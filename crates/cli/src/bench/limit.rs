//! The best that an order can give: the true one, pruned.

use gflowcausal::Error;
use gflowcausal::data::{Moments, Simulated};
use gflowcausal::graph::{Constraints, Dag, Edge, Pdag, auroc, evaluate};
use gflowcausal::score::{Bic, Cam, NoPruning, ParentForest, Penalty, Prune, Selected, prune_order};

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
    (1..=seeds).filter_map(|seed| one(seed).transpose()).collect()
}

fn pruned(simulated: &Simulated, limit: Limit) -> Result<Dag, Error> {
    match limit {
        Limit::None => Ok(along(simulated, &NoPruning)),
        Limit::Cam => Ok(along(simulated, &Cam::new(&simulated.table, ALPHA)?)),
        Limit::Selected => {
            let bic = Bic::new(&Moments::of_table(&simulated.table)?, Penalty::Auto)?;
            let forest = ParentForest::new(bic, Constraints::none(simulated.dag.nodes()));
            Ok(along(simulated, &Selected(&forest)))
        }
    }
}

fn along(simulated: &Simulated, rule: &impl Prune) -> Dag {
    let truth = &simulated.dag;
    prune_order(rule, &truth.topological_order(), &Constraints::none(truth.nodes()))
}

/// The figures of one graph; an undirected edge counts as right if the truth joins the pair.
pub(super) fn figures(graph: &Pdag, truth: &Dag, cpu_seconds: f64) -> Figures {
    let metrics = evaluate(graph, truth);
    Figures {
        tpr: metrics.tpr,
        fdr: metrics.fdr,
        shd: metrics.shd as f64,
        class_shd: metrics.shd as f64,
        cpdag_shd: metrics.cpdag_shd as f64,
        expected_shd: metrics.shd as f64,
        auroc: auroc(&indicator(graph), truth),
        cpu_seconds,
        true_edges: truth.edge_count() as f64,
        peak_megabytes: None,
    }
}

/// One where `graph` has an arrow, row causes column; a half either way where it joins without direction.
fn indicator(graph: &Pdag) -> Vec<f64> {
    let nodes = graph.nodes();
    let mut matrix = vec![0.0; nodes * nodes];
    graph.directed().for_each(|edge| matrix[edge.from * nodes + edge.to] = 1.0);
    for Edge { from, to } in graph.undirected() {
        matrix[from * nodes + to] = 0.5;
        matrix[to * nodes + from] = 0.5;
    }
    matrix
}

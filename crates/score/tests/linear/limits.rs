//! What the true order gives: the graphs that pruning and the sparse score make of it.

use gflowcausal_data::GraphFamily;
use gflowcausal_determinism::map;
use gflowcausal_graph::{Constraints, Dag, Edge};
use gflowcausal_score::{
    Bic, GrowShrinkTrees, LinearModel, Penalty, Selected, TTest, Threshold, prune_order,
};

use crate::simulated;

/// Extra, missing and reversed edges, each once.
fn shd(a: &Dag, b: &Dag) -> usize {
    let pairs = (0..a.nodes()).flat_map(|i| (0..i).map(move |j| Edge::new(i, j)));
    let joint = |dag: &Dag, edge: Edge| (dag.contains(edge), dag.contains(edge.reversed()));
    pairs.filter(|&edge| joint(a, edge) != joint(b, edge)).count()
}

/// Mean distances over five graphs: t-test raw and standardised, threshold raw, parents selected by `bic`.
fn means(graph: GraphFamily, nodes: usize, degree: usize) -> [f64; 4] {
    let distances = map(5, |seed| {
        let (moments, dag) = simulated(graph, nodes, degree, 1000, seed as u64);
        let (order, free) = (dag.topological_order(), Constraints::none(nodes));
        let raw = LinearModel::new(&moments).expect("usable data");
        let standardized = LinearModel::new(&moments.standardized()).expect("usable data");
        let trees =
            GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto).expect("usable data"), free.clone());
        let selected = prune_order(&Selected(&trees), &order, &free);
        [
            prune_order(&TTest { model: &raw, alpha: 0.001 }, &order, &free),
            prune_order(&TTest { model: &standardized, alpha: 0.001 }, &order, &free),
            prune_order(&Threshold { model: &raw, threshold: 0.3 }, &order, &free),
            selected,
        ]
        .map(|estimate| shd(&estimate, &dag) as f64)
    });
    std::array::from_fn(|rule| distances.iter().map(|each| each[rule]).sum::<f64>() / 5.0)
}

#[test]
fn the_true_order_of_thirty_variables_gives_the_true_graph() {
    for (graph, degree) in [
        (GraphFamily::ErdosRenyi, 2),
        (GraphFamily::ErdosRenyi, 5),
        (GraphFamily::ScaleFree, 2),
        (GraphFamily::ScaleFree, 5),
    ] {
        let [raw, standardized, threshold, selected] = means(graph, 30, degree);
        assert!(raw <= 1.0 && standardized <= 1.0, "t-test {graph:?} {degree}: {raw}, {standardized}");
        assert!(threshold <= 1.0, "threshold {graph:?} {degree}: {threshold}");
        assert!(selected <= 0.4, "selected {graph:?} {degree}: {selected}");
    }
}

#[test]
fn the_true_order_of_a_hundred_variables_gives_nearly_the_true_graph() {
    for graph in [GraphFamily::ErdosRenyi, GraphFamily::ScaleFree] {
        let [raw, standardized, _, selected] = means(graph, 100, 5);
        assert!(raw <= 8.0 && standardized <= 8.0, "t-test {graph:?}: {raw}, {standardized}");
        assert!(selected <= 2.0, "selected {graph:?}: {selected}");
    }
}

//! Of the graphs in one equivalence class, the one whose directions the draws favour.

use gflowcausal_graph::{Constraints, Dag, Edge, Order};
use gflowcausal_score::LocalScore;

use crate::ScoringModel;
use crate::options::PruneName;
use crate::posterior::Posterior;

/// The graph to show for `graph`, and its order: itself, or an equivalent one whose directions are likelier, where the score chose the
/// parents and does not tell equivalent graphs apart.
pub(crate) fn representative(
    order: Order,
    graph: Dag,
    model: &ScoringModel,
    posterior: &Posterior,
) -> (Order, Dag) {
    let is_blind = model.local_score().is_some_and(LocalScore::is_score_equivalent);
    if !is_blind || model.prune_name() != PruneName::Selected {
        return (order, graph);
    }
    let shown = turned(graph.clone(), model.constraints(), |edge| posterior.edge(edge));
    if shown == graph { (order, graph) } else { (shown.topological_order(), shown) }
}

/// Turns covered edges round, the one that gains most first, until no turn makes the directions likelier.
///
/// An edge is covered when its ends have the same other parents; turning it leads to an equivalent graph, and such turns
/// lead to all of them (Chickering 1995). Costs `O(e · d/64)` a turn.
fn turned(mut graph: Dag, constraints: &Constraints, probability: impl Fn(Edge) -> f64) -> Dag {
    let gain = |edge: Edge| probability(edge.reversed()) - probability(edge);
    loop {
        let best = graph
            .edges()
            .filter(|&edge| gain(edge) > 0.0 && may_turn(&graph, edge, constraints))
            .max_by(|&a, &b| gain(a).total_cmp(&gain(b)));
        let Some(edge) = best else { return graph };
        graph.remove(edge);
        graph.insert(edge.reversed()).expect("turning a covered edge closes no cycle");
    }
}

fn may_turn(graph: &Dag, edge: Edge, constraints: &Constraints) -> bool {
    let Edge { from, to } = edge;
    let others = graph.parents(from);
    *graph.parents(to) == others.with(from)
        && constraints.permits_parents(to, others)
        && constraints.permits_parents(from, &others.with(to))
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::{Cpdag, Knowledge};
    use proptest::prelude::*;

    use super::*;

    const NODES: usize = 6;

    prop_compose! {
        fn dags()(order in Just((0..NODES).collect::<Vec<_>>()).prop_shuffle(),
                  joined in prop::collection::vec(any::<bool>(), NODES * NODES)) -> Dag {
            let order = Order::new(order).expect("a permutation");
            let positions = order.positions();
            let pairs = (0..NODES).flat_map(|from| (0..NODES).map(move |to| Edge { from, to }));
            let chosen = pairs.filter(|edge| {
                positions[edge.from] < positions[edge.to] && joined[edge.from * NODES + edge.to]
            });
            Dag::from_edges(NODES, chosen).expect("edges along an order")
        }
    }

    proptest! {
        #[test]
        fn the_class_stays_and_directions_become_likelier(
            dag in dags(),
            probabilities in prop::collection::vec(0.0..0.5, NODES * NODES),
        ) {
            let probability = |edge: Edge| probabilities[edge.from * NODES + edge.to];
            let total = |dag: &Dag| dag.edges().map(probability).sum::<f64>();
            let shown = turned(dag.clone(), &Constraints::none(NODES), probability);
            prop_assert_eq!(Cpdag::of(&shown).into_pdag(), Cpdag::of(&dag).into_pdag());
            prop_assert!(total(&shown) >= total(&dag));
        }
    }

    #[test]
    fn a_tree_is_shown_with_its_likeliest_root() {
        let edge = |from, to| Edge { from, to };
        let chain = Dag::from_edges(3, [edge(2, 1), edge(1, 0)]).expect("a chain");
        let shown = turned(chain, &Constraints::none(3), |edge| if edge.from < edge.to { 0.6 } else { 0.4 });
        assert_eq!(shown.edges().collect::<Vec<_>>(), [edge(0, 1), edge(1, 2)]);
    }

    #[test]
    fn a_forbidden_direction_is_not_taken() {
        let names = ["a", "b"].map(str::to_owned);
        let mut knowledge = Knowledge::default();
        knowledge.forbid("a->b");
        let constraints = knowledge.compile(&names).expect("a satisfiable set");
        let dag = Dag::from_edges(2, [Edge { from: 1, to: 0 }]).expect("one edge");
        let shown = turned(dag.clone(), &constraints, |edge| if edge.from == 0 { 0.9 } else { 0.1 });
        assert_eq!(shown, dag);
    }
}

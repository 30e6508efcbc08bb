//! Draws against the probabilities of all DAGs, and flows of states against the graphs that pass through them.

use std::collections::BTreeMap;

use gflowcausal_graph::{Constraints, Dag, NodeSet};
use gflowcausal_posterior::LayerState;
use gflowcausal_score::ParentSetTables;

use crate::{Arbitrary, enumerated, exact, knowledge, tables};

/// The layers of a graph: those without parents, then those with all parents before and one in the last layer.
fn layers(dag: &Dag) -> Vec<NodeSet> {
    let nodes = dag.nodes();
    let mut placed = NodeSet::empty(nodes);
    let mut layers = Vec::new();
    while placed.len() < nodes {
        let ready = |&node: &usize| !placed.contains(node) && dag.parents(node).is_subset(&placed);
        let layer = NodeSet::of(nodes, (0..nodes).filter(ready));
        placed.union_with(&layer);
        layers.push(layer);
    }
    layers
}

/// The states that the graph passes through, the empty one first.
fn states(dag: &Dag) -> Vec<LayerState> {
    let mut states = vec![LayerState::default()];
    for layer in layers(dag) {
        for (at, node) in layer.iter().enumerate() {
            let state = states[states.len() - 1];
            states.push(if at == 0 && state.open != 0 { state.next_layer(node) } else { state.extend(node) });
        }
    }
    states
}

fn check_flows(tables: &ParentSetTables) {
    let posterior = exact(tables);
    // Of the graphs that pass through a state, only those that agree with the first on the closed layers.
    let mut flows: BTreeMap<[u32; 3], (Vec<NodeSet>, f64)> = BTreeMap::new();
    for (dag, _) in enumerated(tables).0 {
        for state in states(&dag) {
            let within = state.before | state.closed;
            let (closed, open): (Vec<usize>, Vec<usize>) =
                (0..dag.nodes()).partition(|node| within >> node & 1 == 1);
            let history: Vec<NodeSet> = closed.iter().map(|&node| dag.parents(node).clone()).collect();
            let weight: f64 = open.iter().map(|&node| tables.log_score(node, dag.parents(node))).sum();
            let key = [state.before, state.closed, state.open];
            let (first, flow) = flows.entry(key).or_insert_with(|| (history.clone(), 0.0));
            if *first == history {
                *flow += weight.exp();
            }
        }
    }
    for ([before, closed, open], (_, flow)) in flows {
        let log_flow = posterior.log_flow(LayerState { before, closed, open });
        assert!(
            (log_flow - flow.ln()).abs() < 1e-8,
            "{before:b} {closed:b} {open:b}: {log_flow} {}",
            flow.ln()
        );
    }
    assert!((posterior.log_flow(LayerState::default()) - posterior.log_z()).abs() < 1e-9);
}

#[test]
fn the_flow_of_a_state_is_the_weight_of_the_graphs_that_pass_through() {
    for nodes in 3..=5 {
        check_flows(&tables(&Arbitrary { nodes, seed: 11, spread: 2.0 }, &Constraints::none(nodes)));
        check_flows(&tables(&Arbitrary { nodes, seed: 12, spread: 4.0 }, &knowledge(nodes)));
    }
}

/// The total variation distance of 40,000 draws from what they are drawn from.
fn distance(tables: &ParentSetTables) -> f64 {
    let count = 40_000;
    let mut left: BTreeMap<Vec<NodeSet>, f64> = BTreeMap::new();
    let parents = |dag: &Dag| (0..dag.nodes()).map(|node| dag.parents(node).clone()).collect::<Vec<_>>();
    for (dag, probability) in enumerated(tables).0 {
        left.insert(parents(&dag), probability);
    }
    for dag in exact(tables).sample(tables, 5, 0..count) {
        *left.get_mut(&parents(&dag)).expect("an allowed graph") -= 1.0 / count as f64;
    }
    left.values().map(|difference| difference.abs()).sum::<f64>() / 2.0
}

/// With `n` draws the distance is about `Σ √(p/(2πn))`: 0.006 for four variables with terms up to ±3.
#[test]
fn draws_have_the_probabilities_of_the_graphs() {
    let free = distance(&tables(&Arbitrary { nodes: 4, seed: 21, spread: 3.0 }, &Constraints::none(4)));
    assert!(free < 0.025, "{free}");
    let restricted = distance(&tables(&Arbitrary { nodes: 4, seed: 22, spread: 2.0 }, &knowledge(4)));
    assert!(restricted < 0.025, "{restricted}");
}

#[test]
fn a_draw_depends_on_its_number_alone() {
    let tables = tables(&Arbitrary { nodes: 5, seed: 23, spread: 1.0 }, &Constraints::none(5));
    let all = exact(&tables).sample(&tables, 9, 0..30);
    assert_eq!(exact(&tables).sample(&tables, 9, 20..30), all[20..]);
    assert_ne!(exact(&tables).sample(&tables, 10, 0..30), all);
}

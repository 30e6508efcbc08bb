//! Every graph that is returned or drawn satisfies the constraints.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gflowcausal::data::{Simulation, simulate};
use gflowcausal::flow::Walk;
use gflowcausal::{Config, Error, ScoreName, discover};
use proptest::prelude::*;

const NODES: usize = 6;

fn table() -> gflowcausal::data::Table {
    let simulation =
        Simulation { nodes: NODES, degree: Some(2), rows: 120, seed: 3, ..Simulation::default() };
    simulate(&simulation).unwrap().table
}

/// `a->b` for two different variables.
fn edge() -> impl Strategy<Value = String> {
    (0..NODES, 1..NODES).prop_map(|(from, step)| format!("X{}->X{}", from + 1, (from + step) % NODES + 1))
}

fn config() -> impl Strategy<Value = Config> {
    let edges = |most| proptest::collection::vec(edge(), 0..most);
    let scores =
        prop::sample::select(vec![ScoreName::Bic, ScoreName::BicEqual, ScoreName::Gp, ScoreName::Varsort]);
    let walks =
        prop::sample::select(vec![Walk::Order, Walk::Edges, Walk::Chain, Walk::Complete, Walk::Graph]);
    (edges(3), edges(5), prop::option::of(1..4_usize), scores, walks).prop_map(
        |(require, forbid, max_parents, score, walk)| Config {
            require,
            forbid,
            max_parents,
            // Orders are all that varsort has a score for; GP on graphs takes its time.
            walk: if matches!(score, ScoreName::Varsort | ScoreName::Gp) && walk == Walk::Graph {
                Walk::Order
            } else {
                walk
            },
            score,
            iterations: Some(3),
            batch_size: Some(8),
            samples: 40,
            ..Config::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_graph_satisfies_the_constraints(config in config()) {
        match discover(&table(), &config) {
            Ok(found) => {
                let constraints = found.model.constraints();
                prop_assert!(constraints.permits(&found.graph), "the best graph: {:?}", found.graph);
                let class = found.class();
                for edge in found.graph.edges() {
                    let is_open = !class.has_directed(edge);
                    prop_assert!(!is_open || constraints.allows(edge.reversed()), "{edge:?} is shown as reversible");
                    prop_assert!(class.is_adjacent(edge) && !class.has_directed(edge.reversed()));
                }
                for draw in &found.draws {
                    prop_assert!(constraints.permits(&draw.dag), "a drawn graph: {:?}", draw.dag);
                    prop_assert!(draw.order.is_compatible_with(&draw.dag));
                }
            }
            Err(Error::Knowledge(conflict)) => {
                let smallest = conflict.to_string();
                prop_assert!(smallest.contains("->"), "{smallest}");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

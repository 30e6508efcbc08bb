//! Every walk against enumeration: masks, ends, parents and ways back, with and without knowledge.

use std::collections::{HashMap, HashSet};

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Dag, Knowledge, NodeSet, Order, Pdag};

use super::*;
use crate::{Distribution, StateSpace};

/// Random required and forbidden edges and a random limit on parents that some graph obeys.
fn random_constraints(nodes: usize, k: u64) -> Constraints {
    let mut rng = stream(2, Stream::Test { k });
    let mut order: Vec<Action> = (0..nodes as Action).collect();
    shuffle(&mut order, &mut rng);
    let position = |node: usize| order.iter().position(|&other| other as usize == node);
    let mut knowledge = Knowledge::default();
    let mut needed = vec![0; nodes];
    for edge in edges(nodes) {
        if position(edge.from) < position(edge.to) && rng.random_bool(0.25) {
            knowledge.require(edge);
            needed[edge.to] += 1;
        } else if rng.random_bool(0.2) {
            knowledge.forbid(edge);
        }
    }
    let most = *needed.iter().max().unwrap();
    knowledge.max_parents(rng.random_range(most.max(1)..=nodes));
    let names: Vec<String> = (0..nodes).map(|node| format!("v{node}")).collect();
    knowledge.compile(&names).unwrap()
}

fn edges(nodes: usize) -> impl Iterator<Item = Edge> {
    (0..nodes * nodes).map(move |i| action_edge(nodes, i as Action)).filter(|edge| edge.from != edge.to)
}

fn terrains() -> impl Iterator<Item = Terrain> {
    let constraints = (2..=4).flat_map(|nodes| {
        std::iter::once(Constraints::none(nodes)).chain((0..12).map(move |k| random_constraints(nodes, k)))
    });
    constraints.flat_map(|known| Walk::ALL.map(|walk| Terrain::new(walk, known.clone()).unwrap()))
}

fn space(terrain: &Terrain) -> StateSpace {
    StateSpace::enumerate(terrain, 10_000).unwrap()
}

#[test]
fn a_walk_ends_where_no_action_is_left_and_only_there() {
    for terrain in terrains() {
        let space = space(&terrain);
        for (at, way) in space.ways().enumerate() {
            let state = terrain.replay(way);
            assert_eq!(state.is_terminal(), space.next(at).is_empty(), "{} {way:?}", terrain.walk());
            assert_eq!(state.is_terminal(), state.terminal().is_some());
            assert!(way.len() <= terrain.longest());
        }
    }
}

#[test]
fn parents_are_the_states_that_lead_here() {
    for terrain in terrains() {
        let space = space(&terrain);
        let mut leading: Vec<HashSet<Action>> = vec![HashSet::new(); space.len()];
        for at in 0..space.len() {
            for &(action, next) in space.next(at) {
                assert!(leading[next].insert(action), "two parents by one action");
            }
        }
        let mut parents = vec![];
        for (at, way) in space.ways().enumerate() {
            terrain.replay(way).parents(&mut parents);
            let stated: HashSet<Action> = parents.iter().copied().collect();
            assert_eq!(stated.len(), parents.len());
            assert_eq!(stated, leading[at], "{} {way:?}", terrain.walk());
        }
    }
}

fn permutations(nodes: usize) -> Vec<Order> {
    let mut all = vec![vec![]];
    for _ in 0..nodes {
        all = all
            .into_iter()
            .flat_map(|start: Vec<usize>| {
                (0..nodes)
                    .filter(|node| !start.contains(node))
                    .map(|node| [&start[..], &[node]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all.into_iter().map(|sequence| Order::new(sequence).unwrap()).collect()
}

/// All edge sets that join no pair twice and obey the constraints.
fn edge_sets(constraints: &Constraints) -> Vec<Vec<Edge>> {
    let nodes = constraints.nodes();
    let edges: Vec<Edge> = edges(nodes).collect();
    let joins_once = |set: &Vec<Edge>| set.iter().all(|edge| !set.contains(&edge.reversed()));
    let parents = |set: &[Edge], to: usize| {
        NodeSet::of(nodes, set.iter().filter(|edge| edge.to == to).map(|edge| edge.from))
    };
    let obeys = |set: &Vec<Edge>| (0..nodes).all(|to| constraints.permits_parents(to, &parents(set, to)));
    (0..1_u32 << edges.len())
        .map(|bits| (0..edges.len()).filter(|i| bits >> i & 1 == 1).map(|i| edges[i]).collect())
        .filter(|set| joins_once(set) && obeys(set))
        .collect()
}

/// What the walk may end in, found without walking.
fn expected_ends(terrain: &Terrain) -> HashSet<Terminal> {
    let (nodes, constraints) = (terrain.nodes(), terrain.rules.constraints());
    match terrain.walk() {
        Walk::Graph => edge_sets(constraints)
            .into_iter()
            .filter_map(|set| Some(Terminal::Dag(Dag::from_edges(nodes, set).ok()?)))
            .collect(),
        Walk::Free => {
            let open = edge_sets(constraints);
            let is_largest = |set: &Vec<Edge>| {
                !open.iter().any(|more| more.len() == set.len() + 1 && set.iter().all(|e| more.contains(e)))
            };
            let graph = |set: &Vec<Edge>| {
                let mut graph = Pdag::empty(nodes);
                set.iter().for_each(|&edge| graph.insert_directed(edge).unwrap());
                Terminal::Digraph(graph)
            };
            open.iter().filter(|set| is_largest(set)).map(graph).collect()
        }
        _ => {
            let orders = permutations(nodes).into_iter().filter(|order| constraints.permits_order(order));
            orders.map(Terminal::Order).collect()
        }
    }
}

#[test]
fn a_walk_ends_in_all_that_knowledge_allows_and_in_nothing_else() {
    for terrain in terrains() {
        let space = space(&terrain);
        let mut copies: HashMap<Terminal, usize> = HashMap::new();
        for (_, terminal) in space.terminals() {
            *copies.entry(terminal.clone()).or_default() += 1;
        }
        let ends: HashSet<Terminal> = copies.keys().cloned().collect();
        assert_eq!(ends, expected_ends(&terrain), "{} {:?}", terrain.walk(), terrain.rules);
        for &count in copies.values() {
            assert!(((count as f64).ln() - terrain.log_copies()).abs() < 1e-12, "{}", terrain.walk());
        }
    }
}

/// Everything of the walk's kind, whether knowledge allows it or not.
fn candidates(terrain: &Terrain) -> Vec<Terminal> {
    let without_knowledge = Terrain::new(terrain.walk(), Constraints::none(terrain.nodes())).unwrap();
    expected_ends(&without_knowledge).into_iter().chain(expected_ends(terrain)).collect()
}

#[test]
fn a_walk_says_what_it_leads_to() {
    for terrain in terrains() {
        let ends = expected_ends(&terrain);
        for candidate in candidates(&terrain) {
            assert_eq!(terrain.leads_to(&candidate), ends.contains(&candidate), "{candidate:?}");
        }
    }
    let (order, dag) = (Terminal::Order(Order::identity(3)), Terminal::Dag(Dag::empty(3)));
    let terrain = |walk, nodes| Terrain::new(walk, Constraints::none(nodes)).unwrap();
    assert!(terrain(Walk::Order, 3).leads_to(&order) && !terrain(Walk::Order, 4).leads_to(&order));
    assert!(!terrain(Walk::Graph, 3).leads_to(&order) && terrain(Walk::Graph, 3).leads_to(&dag));
}

#[test]
fn random_walks_within_much_knowledge_are_never_stuck() {
    for (nodes, k) in [6, 9, 14].into_iter().flat_map(|nodes| (0..20).map(move |k| (nodes, k))) {
        for walk in Walk::ALL {
            let terrain = Terrain::new(walk, random_constraints(nodes, k)).unwrap();
            let (mut state, mut allowed) = (terrain.initial(), vec![]);
            let mut rng = stream(5, Stream::Test { k });
            while !state.is_terminal() {
                state.allowed(&mut allowed);
                assert!(!allowed.is_empty(), "{walk} over {nodes} variables is stuck");
                state.apply(allowed[rng.random_range(0..allowed.len())]);
            }
            assert!(terrain.leads_to(&state.terminal().unwrap()), "{walk} over {nodes} variables");
        }
    }
}

/// Where the backward policy, walked from the terminal states of `terminal`, passes: state by state.
fn passing(terrain: &Terrain, space: &StateSpace, terminal: &Terminal) -> Vec<f64> {
    let mut weight = vec![0.0; space.len()];
    for (at, _) in space.terminals().filter(|(_, other)| *other == terminal) {
        weight[at] = (-terrain.log_copies()).exp();
    }
    let mut parents = vec![];
    let ways: Vec<&[Action]> = space.ways().collect();
    for at in (1..space.len()).rev() {
        terrain.replay(ways[at]).parents(&mut parents);
        for before in 0..at {
            if space.next(before).iter().any(|&(action, next)| next == at && parents.contains(&action)) {
                weight[before] += weight[at] / parents.len() as f64;
            }
        }
    }
    weight
}

#[test]
fn ways_back_follow_the_backward_policy() {
    for walk in Walk::ALL {
        let terrain = Terrain::new(walk, Constraints::none(3)).unwrap();
        let space = space(&terrain);
        let (_, terminal) = space.terminals().last().unwrap();
        let expected = passing(&terrain, &space, terminal);
        let draws = 4000;
        let mut passed = vec![0.0; space.len()];
        for k in 0..draws {
            let way = terrain.way_to(terminal, &mut stream(3, Stream::Test { k }));
            assert_eq!(terrain.replay(&way).terminal().as_ref(), Some(terminal));
            let mut at = 0;
            passed[0] += 1.0 / draws as f64;
            for &action in &way {
                at = space.next(at).iter().find(|&&(open, _)| open == action).expect("an open action").1;
                passed[at] += 1.0 / draws as f64;
            }
        }
        for (at, (seen, expected)) in passed.iter().zip(&expected).enumerate() {
            let error = (expected * (1.0 - expected) / draws as f64).max(0.0).sqrt();
            assert!(
                (seen - expected).abs() <= 5.0 * error + 1e-9,
                "{walk} state {at}: {seen} for {expected}"
            );
        }
    }
}

#[test]
fn with_knowledge_too_there_is_a_way_to_every_end() {
    for terrain in terrains() {
        for (k, (_, terminal)) in space(&terrain).terminals().enumerate() {
            let way = terrain.way_to(terminal, &mut stream(4, Stream::Test { k: k as u64 }));
            let mut state = terrain.initial();
            let mut allowed = vec![];
            for &action in &way {
                state.allowed(&mut allowed);
                assert!(allowed.contains(&action), "{} {way:?}", terrain.walk());
                state.apply(action);
            }
            assert_eq!(state.terminal().as_ref(), Some(terminal));
        }
    }
}

#[test]
fn at_a_terminal_state_of_edges_only_edges_between_neighbours_can_have_been_last() {
    let terrain = Terrain::new(Walk::Edges, Constraints::none(3)).unwrap();
    let action = |from, to| edge_action(3, Edge::new(from, to));
    let mut parents = vec![];
    terrain.replay(&[action(0, 2), action(0, 1), action(1, 2)]).parents(&mut parents);
    assert_eq!(parents, [action(0, 1), action(1, 2)]);
}

#[test]
fn chains_are_reached_in_two_to_the_d_minus_two_ways() {
    let terrain = Terrain::new(Walk::Chain, Constraints::none(4)).unwrap();
    let space = space(&terrain);
    let mut ways = vec![0; space.len()];
    ways[0] = 1;
    for at in 0..space.len() {
        for &(_, next) in space.next(at) {
            ways[next] += ways[at];
        }
    }
    assert!(space.terminals().all(|(at, _)| ways[at] == 4));
    let orders = Distribution::from_samples(space.terminals().map(|(_, terminal)| terminal.clone()));
    assert_eq!(orders.outcomes().len(), 24);
}

#[test]
fn one_variable_is_refused() {
    let refused = Terrain::new(Walk::Order, Constraints::none(1)).unwrap_err();
    assert_eq!(refused, WalkError::TooFewNodes(1));
}

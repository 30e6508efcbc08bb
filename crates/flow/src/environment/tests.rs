//! Every environment against enumeration: masks, ends, parents, inputs and backward trajectories, with and without
//! knowledge.

use std::collections::{HashMap, HashSet};

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use gflowcausal_graph::{Constraints, Dag, Edge, Knowledge, Layering, NodeSet, Order, Pdag};

use super::action::shuffle;
use super::*;
use crate::{Distribution, StateSpace, TerminalKind};

/// Random required and forbidden edges and a random limit on parents that some graph satisfies.
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

fn environments() -> impl Iterator<Item = (Constraints, Box<dyn Environment>)> {
    let constraints = (2..=4).flat_map(|nodes| {
        std::iter::once(Constraints::none(nodes)).chain((0..12).map(move |k| random_constraints(nodes, k)))
    });
    constraints.flat_map(|known| {
        Walk::ALL.iter().map(move |walk| (known.clone(), walk.environment(known.clone()).unwrap()))
    })
}

fn space(environment: &dyn Environment) -> StateSpace {
    StateSpace::enumerate(environment, 10_000).unwrap()
}

#[test]
fn a_trajectory_ends_where_no_action_is_left_and_only_there() {
    for (_, environment) in environments() {
        let space = space(&*environment);
        for (at, trajectory) in space.trajectories().enumerate() {
            let state = environment.replay(trajectory);
            assert_eq!(
                state.is_terminal(),
                space.next(at).is_empty(),
                "{} {trajectory:?}",
                environment.walk()
            );
            assert_eq!(state.is_terminal(), state.terminal().is_some());
            assert!(trajectory.len() <= environment.longest_trajectory());
        }
    }
}

#[test]
fn parents_are_the_states_that_lead_here() {
    for (_, environment) in environments() {
        let space = space(&*environment);
        let mut leading: Vec<HashSet<Action>> = vec![HashSet::new(); space.len()];
        for at in 0..space.len() {
            for &(action, next) in space.next(at) {
                assert!(leading[next].insert(action), "two parents by one action");
            }
        }
        let mut parents = vec![];
        for (at, trajectory) in space.trajectories().enumerate() {
            environment.replay(trajectory).parents(&mut parents);
            let stated: HashSet<Action> = parents.iter().copied().collect();
            assert_eq!(stated.len(), parents.len());
            assert_eq!(stated, leading[at], "{} {trajectory:?}", environment.walk());
        }
    }
}

/// The inputs after `changes`.
fn changed(inputs: &[bool], changes: &[InputChange]) -> Vec<bool> {
    let mut inputs = inputs.to_vec();
    for change in changes {
        assert_ne!(inputs[change.input as usize], change.is_on, "a change that changes nothing");
        inputs[change.input as usize] = change.is_on;
    }
    inputs
}

#[test]
fn inputs_are_a_matter_of_the_state_and_go_back_to_those_of_each_parent() {
    for (_, environment) in environments() {
        let space = space(&*environment);
        let mut inputs: Vec<Option<Vec<bool>>> = vec![None; space.len()];
        inputs[0] = Some(vec![false; environment.inputs()]);
        let mut changes = vec![];
        let trajectories: Vec<&[Action]> = space.trajectories().collect();
        for at in 0..space.len() {
            let before = inputs[at].clone().expect("states come after their parents");
            let state = environment.replay(trajectories[at]);
            for &(action, next) in space.next(at) {
                state.input_changes(action, &mut changes);
                let after = changed(&before, &changes);
                assert_eq!(inputs[next].get_or_insert_with(|| after.clone()), &after, "{environment:?}");
                environment.replay(trajectories[next]).parent_input_changes(action, &mut changes);
                assert_eq!(changed(&after, &changes), before, "{environment:?}");
            }
        }
        if !environment.walk().shares_inputs() && environment.stop().is_none() {
            let different: HashSet<_> = inputs.iter().collect();
            assert_eq!(different.len(), space.len(), "{environment:?}");
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

/// All edge sets that join no pair twice and satisfy the constraints.
fn edge_sets(constraints: &Constraints) -> Vec<Vec<Edge>> {
    let nodes = constraints.nodes();
    let edges: Vec<Edge> = edges(nodes).collect();
    let joins_once = |set: &Vec<Edge>| set.iter().all(|edge| !set.contains(&edge.reversed()));
    let parents = |set: &[Edge], to: usize| {
        NodeSet::of(nodes, set.iter().filter(|edge| edge.to == to).map(|edge| edge.from))
    };
    let satisfies = |set: &Vec<Edge>| (0..nodes).all(|to| constraints.permits_parents(to, &parents(set, to)));
    (0..1_u32 << edges.len())
        .map(|bits| (0..edges.len()).filter(|i| bits >> i & 1 == 1).map(|i| edges[i]).collect())
        .filter(|set| joins_once(set) && satisfies(set))
        .collect()
}

/// What trajectories may end in, found without any.
fn expected_ends(walk: Walk, constraints: &Constraints) -> HashSet<Terminal> {
    let nodes = constraints.nodes();
    match walk.terminal_kind() {
        TerminalKind::Dag => edge_sets(constraints)
            .into_iter()
            .filter_map(|set| Some(Terminal::Dag(Dag::from_edges(nodes, set).ok()?)))
            .collect(),
        TerminalKind::Layering => edge_sets(constraints)
            .into_iter()
            .filter_map(|set| Some(Terminal::Layering(Layering::of(&Dag::from_edges(nodes, set).ok()?))))
            .collect(),
        TerminalKind::Digraph => {
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
        TerminalKind::Order => {
            let orders = permutations(nodes).into_iter().filter(|order| constraints.permits_order(order));
            orders.map(Terminal::Order).collect()
        }
    }
}

#[test]
fn trajectories_end_in_all_that_knowledge_allows_and_in_nothing_else() {
    for (known, environment) in environments() {
        let space = space(&*environment);
        let mut copies: HashMap<Terminal, usize> = HashMap::new();
        for (_, terminal) in space.terminals() {
            *copies.entry(terminal.clone()).or_default() += 1;
        }
        let ends: HashSet<Terminal> = copies.keys().cloned().collect();
        assert_eq!(ends, expected_ends(environment.walk(), &known), "{environment:?}");
        for &count in copies.values() {
            assert!(
                ((count as f64).ln() - environment.log_multiplicity()).abs() < 1e-12,
                "{}",
                environment.walk()
            );
        }
    }
}

/// Everything of the environment's kind, whether knowledge allows it or not.
fn candidates(walk: Walk, known: &Constraints) -> Vec<Terminal> {
    let free = Constraints::none(known.nodes());
    expected_ends(walk, &free).into_iter().chain(expected_ends(walk, known)).collect()
}

#[test]
fn an_environment_knows_what_it_leads_to() {
    for (known, environment) in environments() {
        let ends = expected_ends(environment.walk(), &known);
        for candidate in candidates(environment.walk(), &known) {
            assert_eq!(environment.leads_to(&candidate), ends.contains(&candidate), "{candidate:?}");
        }
    }
    let (order, dag) = (Terminal::Order(Order::identity(3)), Terminal::Dag(Dag::empty(3)));
    let environment = |walk: Walk, nodes| walk.environment(Constraints::none(nodes)).unwrap();
    assert!(environment(Walk::Order, 3).leads_to(&order) && !environment(Walk::Order, 4).leads_to(&order));
    assert!(!environment(Walk::Graph, 3).leads_to(&order) && environment(Walk::Graph, 3).leads_to(&dag));
}

#[test]
fn random_trajectories_within_much_knowledge_are_never_stuck() {
    for (nodes, k) in [6, 9, 14].into_iter().flat_map(|nodes| (0..20).map(move |k| (nodes, k))) {
        for &walk in Walk::ALL {
            let environment = walk.environment(random_constraints(nodes, k)).unwrap();
            let (mut state, mut allowed) = (environment.initial(), vec![]);
            let mut rng = stream(5, Stream::Test { k });
            while !state.is_terminal() {
                state.allowed(&mut allowed);
                assert!(!allowed.is_empty(), "{walk} over {nodes} variables is stuck");
                state.apply(allowed[rng.random_range(0..allowed.len())]);
            }
            assert!(environment.leads_to(&state.terminal().unwrap()), "{walk} over {nodes} variables");
        }
    }
}

/// The probability that a backward trajectory from `terminal` passes each state.
fn passing(environment: &dyn Environment, space: &StateSpace, terminal: &Terminal) -> Vec<f64> {
    let mut weight = vec![0.0; space.len()];
    for (at, _) in space.terminals().filter(|(_, other)| *other == terminal) {
        weight[at] = (-environment.log_multiplicity()).exp();
    }
    let mut parents = vec![];
    let trajectories: Vec<&[Action]> = space.trajectories().collect();
    for at in (1..space.len()).rev() {
        environment.replay(trajectories[at]).parents(&mut parents);
        for before in 0..at {
            if space.next(before).iter().any(|&(action, next)| next == at && parents.contains(&action)) {
                weight[before] += weight[at] / parents.len() as f64;
            }
        }
    }
    weight
}

#[test]
fn backward_trajectories_follow_the_backward_policy() {
    for &walk in Walk::ALL {
        let environment = walk.environment(Constraints::none(3)).unwrap();
        let space = space(&*environment);
        let (_, terminal) = space.terminals().last().unwrap();
        let expected = passing(&*environment, &space, terminal);
        let draws = 4000;
        let mut passed = vec![0.0; space.len()];
        for k in 0..draws {
            let trajectory =
                environment.sample_backward_trajectory(terminal, &mut stream(3, Stream::Test { k }));
            assert_eq!(environment.replay(&trajectory).terminal().as_ref(), Some(terminal));
            let mut at = 0;
            passed[0] += 1.0 / draws as f64;
            for &action in &trajectory {
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
fn with_knowledge_too_there_is_a_trajectory_to_every_end() {
    for (_, environment) in environments() {
        for (k, (_, terminal)) in space(&*environment).terminals().enumerate() {
            let trajectory = environment
                .sample_backward_trajectory(terminal, &mut stream(4, Stream::Test { k: k as u64 }));
            let mut state = environment.initial();
            let mut allowed = vec![];
            for &action in &trajectory {
                state.allowed(&mut allowed);
                assert!(allowed.contains(&action), "{} {trajectory:?}", environment.walk());
                state.apply(action);
            }
            assert_eq!(state.terminal().as_ref(), Some(terminal));
        }
    }
}

#[test]
fn at_a_terminal_state_of_edges_only_edges_between_neighbours_can_have_been_last() {
    let environment = Walk::Edges.environment(Constraints::none(3)).unwrap();
    let action = |from, to| edge_action(3, Edge::new(from, to));
    let mut parents = vec![];
    environment.replay(&[action(0, 2), action(0, 1), action(1, 2)]).parents(&mut parents);
    assert_eq!(parents, [action(0, 1), action(1, 2)]);
}

#[test]
fn chains_are_reached_by_two_to_the_d_minus_two_trajectories() {
    let environment = Walk::Chain.environment(Constraints::none(4)).unwrap();
    let space = space(&*environment);
    let mut counts = vec![0; space.len()];
    counts[0] = 1;
    for at in 0..space.len() {
        for &(_, next) in space.next(at) {
            counts[next] += counts[at];
        }
    }
    assert!(space.terminals().all(|(at, _)| counts[at] == 4));
    let orders = Distribution::from_samples(space.terminals().map(|(_, terminal)| terminal.clone()));
    assert_eq!(orders.outcomes().len(), 24);
}

#[test]
fn one_variable_is_refused() {
    let refused = Walk::Order.environment(Constraints::none(1)).unwrap_err();
    assert_eq!(refused, EnvironmentError::TooFewNodes(1));
}

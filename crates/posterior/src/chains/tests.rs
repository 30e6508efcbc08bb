//! Every move leaves the target as it is, checked by enumeration of all layerings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use gflowcausal_determinism::{Stream, StreamRng, rand::RngExt, stream};
use gflowcausal_graph::{Constraints, Dag, Edge, Knowledge, Layering, NodeSet, all_dags};
use gflowcausal_score::{LocalScore, ParentSetTables, TableSettings};

use super::block_gibbs::BlockGibbs;
use super::independence_sampler::Independence;
use super::linear_extensions::ExtensionCounter;
use super::node_relocation::Relocation;
use super::order_lattice::OrderLattice;
use super::record::RoundSums;
use super::state::State;
use super::structure::Structure;
use super::{ChainsConfig, Target, split_merge, swap};

/// Some number for every variable and parent set, far from equal.
struct Made {
    nodes: usize,
    scale: f64,
}

impl LocalScore for Made {
    fn name(&self) -> &'static str {
        "made"
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn local(&self, node: usize, parents: &NodeSet) -> f64 {
        self.scale * ((node * 37) as f64 + parents.words()[0] as f64 * 11.3).sin()
            - 0.5 * parents.len() as f64
    }
}

fn tables(nodes: usize, scale: f64, constraints: &Constraints) -> ParentSetTables {
    let candidates: Vec<NodeSet> = (0..nodes).map(|node| NodeSet::full(nodes).without(node)).collect();
    new_tables(&Made { nodes, scale }, constraints, &candidates)
}

/// With two candidates for each variable; others may be parents only alone.
fn narrow_tables(nodes: usize, scale: f64, constraints: &Constraints) -> ParentSetTables {
    let near = |node: usize| NodeSet::of(nodes, [(node + 1) % nodes, (node + 2) % nodes]);
    let candidates: Vec<NodeSet> = (0..nodes).map(near).collect();
    new_tables(&Made { nodes, scale }, constraints, &candidates)
}

fn new_tables(score: &Made, constraints: &Constraints, candidates: &[NodeSet]) -> ParentSetTables {
    tables_beside(score, constraints, candidates, &[])
}

/// With the parent sets of `graphs` beside the candidates.
fn tables_beside(
    score: &Made,
    constraints: &Constraints,
    candidates: &[NodeSet],
    graphs: &[Dag],
) -> ParentSetTables {
    let settings = TableSettings { temperature: 1.0, edge_log_odds: 0.0, max_candidates: score.nodes };
    let stop = AtomicBool::new(false);
    ParentSetTables::new(score, constraints, candidates, graphs, &settings, &stop).expect("small tables")
}

fn knowledge() -> Constraints {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->b").forbid("c->d").max_parents(2);
    knowledge.compile(&["a", "b", "c", "d"]).expect("no contradiction")
}

fn all_tables() -> Vec<ParentSetTables> {
    let constraints = [Constraints::none(4), knowledge()];
    constraints.iter().flat_map(|rules| [tables(4, 1.5, rules), narrow_tables(4, 1.5, rules)]).collect()
}

/// The weight of every layering: the sum over its DAGs.
fn enumerated(tables: &ParentSetTables) -> BTreeMap<Layering, f64> {
    let mut weights = BTreeMap::new();
    for dag in all_dags(tables.nodes()) {
        *weights.entry(Layering::of(&dag)).or_insert(0.0) += tables.log_dag(&dag).exp();
    }
    weights.retain(|_, weight| *weight > 0.0);
    weights
}

fn layering(state: &State) -> Layering {
    Layering::new(state.terms.len(), state.members()).expect("a partition")
}

/// What a state must be: the same as one made anew from its layering.
fn assert_consistent(target: &Target<'_>, state: &State) {
    let fresh = State::new(target, &layering(state));
    assert_eq!((&fresh.layers, &fresh.before), (&state.layers, &state.before));
    assert_eq!(fresh.layer_of, state.layer_of);
    for (fresh, kept) in fresh.terms.iter().zip(&state.terms) {
        assert!((fresh - kept).abs() < 1e-9, "{fresh} {kept}");
    }
}

#[test]
fn the_weight_of_a_layering_is_the_sum_over_its_dags() {
    for tables in all_tables() {
        let target = Target::without_lattice(&tables);
        for (layering, weight) in enumerated(&tables) {
            let state = State::new(&target, &layering);
            assert!((state.log_weight() - weight.ln()).abs() < 1e-10, "{layering:?}");
        }
    }
}

#[test]
fn a_place_is_drawn_by_the_weight_of_the_layering_it_gives() {
    for tables in all_tables() {
        let target = Target::without_lattice(&tables);
        for layering in enumerated(&tables).into_keys() {
            for node in 0..4 {
                let places = Relocation::new(4).places(&target, &State::new(&target, &layering), node, 0.7);
                let offset = places[0].0 - 0.7 * places[0].1.log_weight();
                for (log_weight, state) in &places {
                    assert_consistent(&target, state);
                    let expected = 0.7 * state.log_weight();
                    assert!((log_weight - offset - expected).abs() < 1e-10, "{node} in {layering:?}");
                }
                // Every layering that differs in the place of this variable alone is among them.
                let reached = enumerated(&tables)
                    .into_keys()
                    .filter(|other| without(other, node) == without(&layering, node));
                assert_eq!(places.len(), reached.count());
            }
        }
    }
}

/// Scores hundreds of nats apart, and parent sets beside the candidates: what is negligible in one sum is all of another.
#[test]
fn places_are_weighed_right_where_scores_are_far_apart() {
    let constraints = Constraints::none(5);
    let beside = Dag::from_edges(5, [(3, 0), (4, 0), (0, 1), (4, 1)].map(|(from, to)| Edge { from, to }));
    for scale in [20.0, 60.0, 300.0] {
        let near = |node: usize| NodeSet::of(5, [(node + 1) % 5, (node + 2) % 5]);
        let candidates: Vec<NodeSet> = (0..5).map(near).collect();
        let graphs = [beside.clone().expect("no cycle")];
        let tables = tables_beside(&Made { nodes: 5, scale }, &constraints, &candidates, &graphs);
        let target = Target::without_lattice(&tables);
        let weight = |layering: &Layering| State::new(&target, layering).log_weight();
        let layerings: BTreeSet<Layering> = all_dags(5).map(|dag| Layering::of(&dag)).collect();
        let possible: Vec<&Layering> =
            layerings.iter().filter(|layering| weight(layering) > f64::NEG_INFINITY).collect();
        for layering in possible.iter().step_by(7) {
            for node in 0..5 {
                let state = State::new(&target, layering);
                let places = Relocation::new(5).places(&target, &state, node, 1.0);
                let reached = possible.iter().filter(|other| without(other, node) == without(layering, node));
                assert_eq!(places.len(), reached.count(), "{node} in {layering:?} at {scale}");
                let offset = places[0].0 - weight(&self::layering(&places[0].1));
                for (log_weight, state) in &places {
                    let expected = offset + weight(&self::layering(state));
                    assert!((log_weight - expected).abs() < 1e-5, "{node} in {layering:?} at {scale}");
                }
            }
        }
    }
}

/// The layers without `node`.
fn without(layering: &Layering, node: usize) -> Vec<NodeSet> {
    let sets = layering.layers().iter().map(|layer| layer.without(node));
    sets.filter(|set| !set.is_empty()).collect()
}

type Move = fn(&Target<'_>, &mut State, f64, &mut StreamRng);

const MOVES: [(&str, Move); 3] = [
    ("relocate", |target, state, beta, rng| {
        let node = rng.random_range(0..target.nodes());
        Relocation::new(target.nodes()).step(target, state, node, beta, rng);
    }),
    ("split or merge", split_merge::step),
    ("swap", swap::step),
];

/// Draws layerings from the target, moves each once, and counts from where to where.
fn flows(name: &str, step: Move, beta: f64, tables: &ParentSetTables) {
    let target = Target::new(tables, &ChainsConfig::default());
    let weights: Vec<(Layering, f64)> = enumerated(tables).into_iter().collect();
    let heated: Vec<f64> = weights.iter().map(|(_, weight)| weight.powf(beta)).collect();
    let total: f64 = heated.iter().sum();
    let number: BTreeMap<&Layering, usize> =
        weights.iter().enumerate().map(|(index, (layering, _))| (layering, index)).collect();
    let mut counts = BTreeMap::new();
    let mut moved = 0;
    let draws = 60_000;
    for (from, (start, _)) in weights.iter().enumerate() {
        let rng = &mut stream(11, Stream::Test { k: from as u64 });
        for _ in 0..(draws as f64 * heated[from] / total).round() as usize {
            let mut state = State::new(&target, start);
            step(&target, &mut state, beta, rng);
            let to = number[&layering(&state)];
            moved += usize::from(to != from);
            *counts.entry((from, to)).or_insert(0_usize) += 1;
        }
    }
    assert!(moved > draws / 100, "{name}: only {moved} moved");
    let mut squares = 0.0;
    let mut pairs = 0.0_f64;
    for (&(from, to), &count) in counts.iter().filter(|((from, to), _)| from < to) {
        let back = counts.get(&(to, from)).copied().unwrap_or(0);
        let (there, back) = (count as f64, back as f64);
        let z = (there - back) / (there + back).sqrt();
        assert!(z.abs() < 5.0, "{name} at {beta}: {there} from {from} to {to}, {back} back");
        squares += z * z;
        pairs += 1.0;
    }
    // The sum of squares of standard normals: mean `pairs`, variance `2 pairs`.
    assert!(squares < pairs + 5.0 * (2.0 * pairs).sqrt(), "{name} at {beta}: {squares} for {pairs} pairs");
}

/// A DAG of the layering, with the parents of several variables drawn anew.
fn block_step<const SIZE: usize>(target: &Target<'_>, state: &mut State, _: f64, rng: &mut StreamRng) {
    let mut graph = Structure::draw(target, state, rng);
    BlockGibbs::default().step(target, &mut graph, SIZE, rng);
    *state = State::new(target, &graph.layering());
}

#[test]
fn block_steps_are_reversible() {
    for tables in all_tables() {
        flows("block of two", block_step::<2>, 1.0, &tables);
        flows("block of three", block_step::<3>, 1.0, &tables);
        flows("block of four", block_step::<4>, 1.0, &tables);
    }
}

/// A DAG of the layering, and a few proposals of others.
fn proposal_step(target: &Target<'_>, state: &mut State, _: f64, rng: &mut StreamRng) {
    let mut graph = Structure::draw(target, state, rng);
    let lattice = target.lattice.as_ref().expect("few variables");
    let mut sums = RoundSums::new(target.possible_edges());
    let counter = &mut ExtensionCounter::default();
    Independence { target, lattice, proposals: 1, counter }.run(&mut graph, &mut sums, rng);
    *state = State::new(target, &graph.layering());
}

#[test]
fn proposals_of_whole_dags_are_reversible() {
    for tables in all_tables() {
        flows("proposal", proposal_step, 1.0, &tables);
    }
}

/// Orders in which every variable that is followed by one of lower rank is a parent of it, one permutation after another.
#[test]
fn the_orders_of_a_dag_are_counted_as_by_permutations() {
    for tables in all_tables() {
        let lattice = OrderLattice::new(&tables).expect("few variables");
        let mut counter = ExtensionCounter::default();
        let mut total = 0.0;
        for dag in all_dags(4) {
            let parents: Vec<NodeSet> = (0..4).map(|node| dag.parents(node).clone()).collect();
            let graph = Structure::of_parents(parents);
            let count = lattice.log_orders(&graph, &mut counter).expect("few steps").exp();
            let counted = permutations(4).filter(|order| is_order(order, &dag, lattice.order())).count();
            assert!((count - counted as f64).abs() < 1e-9, "{dag:?}: {count}, {counted} by permutations");
            total += count * tables.log_dag(&dag).exp();
        }
        assert!((lattice.log_total() - total.ln()).abs() < 1e-5, "the sum over all orders");
    }
}

fn is_order(order: &[usize], dag: &Dag, ranked: &[usize]) -> bool {
    let rank = |node: usize| ranked.iter().position(|&other| other == node);
    let place = |node: usize| order.iter().position(|&other| other == node);
    let mut steps = order.windows(2);
    dag.edges().all(|edge| place(edge.from) < place(edge.to))
        && steps.all(|step| rank(step[0]) < rank(step[1]) || dag.contains(Edge::new(step[0], step[1])))
}

fn permutations(nodes: usize) -> impl Iterator<Item = Vec<usize>> {
    let digits = move |number: usize| (0..nodes).map(move |place| number / nodes.pow(place as u32) % nodes);
    let all = (0..nodes.pow(nodes as u32)).map(move |number| digits(number).collect::<Vec<_>>());
    all.filter(move |order| NodeSet::of(nodes, order.iter().copied()).len() == nodes)
}

#[test]
fn every_move_is_reversible() {
    for (name, step) in MOVES {
        for tables in all_tables() {
            for beta in [1.0, 0.4] {
                flows(name, step, beta, &tables);
            }
        }
    }
}

#[test]
fn a_state_stays_what_its_layering_says() {
    let tables = narrow_tables(7, 2.0, &Constraints::none(7));
    let target = Target::without_lattice(&tables);
    let mut state = State::new(&target, &Layering::of(&Dag::empty(7)));
    let rng = &mut stream(3, Stream::Test { k: 0 });
    for round in 0..2000 {
        let (_, step) = MOVES[round % MOVES.len()];
        step(&target, &mut state, 0.8, rng);
        assert_consistent(&target, &state);
    }
}

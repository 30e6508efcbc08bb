//! Each method on data of its own kind: the planted graph is found, knowledge holds, a stop ends it, threads change nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gflowcausal_data::{Model, Moments, Simulated, Simulation, Table, simulate};
use gflowcausal_determinism::{StopFlag, with_threads};
use gflowcausal_graph::{Constraints, Dag, Edge, Knowledge, NodeSet, Order};
use gflowcausal_neural::{Corl, DagGnn, GranDag, OrderRewards, RlBic};
use gflowcausal_score::{BicEqual, Cam, OrderScore, Penalty, prune};

fn columns(table: &Table) -> Vec<&[f64]> {
    table.columns().iter().map(|column| column.as_continuous().unwrap()).collect()
}

fn simulated(model: Model, nodes: usize, rows: usize, seed: u64) -> Simulated {
    simulate(&Simulation { nodes, degree: Some(1), rows, seed, model, ..Simulation::default() }).unwrap()
}

fn differences(a: &Dag, b: &Dag) -> usize {
    a.edges().filter(|&edge| !b.contains(edge)).count() + b.edges().filter(|&edge| !a.contains(edge)).count()
}

fn bic_equal(data: &Simulated) -> BicEqual {
    BicEqual::new(&Moments::of_table(&data.table).unwrap(), Penalty::Factor(1.0)).unwrap()
}

/// Of a linear graph with equal noise, the data of its authors; one edge may be missing or too many.
#[test]
fn dag_gnn_finds_a_linear_graph() {
    let data = simulated(Model::Linear, 4, 300, 2);
    let constraints = Constraints::none(4);
    let weights = DagGnn::default().fit(&columns(&data.table), &constraints, 1, &StopFlag::new());
    assert!(weights.h < 1e-8, "{}", weights.h);
    let graph = weights.dag(0.3, &constraints);
    assert!(differences(&graph, &data.dag) <= 1, "{graph:?} instead of {:?}", data.dag);
}

#[test]
fn gran_dag_finds_an_additive_graph() {
    let data = simulated(Model::GpAdditive, 4, 500, 1);
    let constraints = Constraints::none(4);
    let weights = GranDag::default().fit(&columns(&data.table), &constraints, 1, &StopFlag::new());
    assert!(weights.h < 1e-8, "{}", weights.h);
    let cam = Cam::new(&data.table, Cam::ALPHA).unwrap();
    let graph = prune(&cam, &weights.dag(0.0, &constraints), &constraints);
    assert_eq!(graph, data.dag);
}

/// The best of all 720 orders, by the score itself.
#[test]
fn corl_finds_the_best_order() {
    let data = simulated(Model::Linear, 6, 500, 3);
    let score = bic_equal(&data);
    let best =
        gflowcausal_graph::all_orders(6).map(|order| score.score(&order)).fold(f64::NEG_INFINITY, f64::max);
    let settings = Corl { iterations: 60, ..Corl::default() };
    let constraints = Constraints::none(6);
    let rewards = OrderRewards::Episodic(&score);
    let mut late = Vec::new();
    let mut observe = |done: &gflowcausal_neural::OrderIteration<'_>| late.push(done.mean);
    let (order, found) = settings
        .search(&columns(&data.table), &constraints, rewards, 1, &StopFlag::new(), &mut observe)
        .unwrap();
    assert!((found - best).abs() < 1e-9 && (score.score(&order) - best).abs() < 1e-9, "{found} {best}");
    // The policy has learned it: what it draws last is near the best, what it drew first is not.
    let gap = |mean: f64| best - mean;
    assert!(gap(late[59]) < 0.05 * gap(late[0]), "{} {}", gap(late[0]), gap(late[59]));
}

#[test]
fn rl_bic_learns_to_avoid_cycles_and_finds_the_best_graph() {
    let data = simulated(Model::Linear, 4, 500, 2);
    let score = bic_equal(&data);
    let sets = |dag: &Dag| (0..4).map(|node| dag.parents(node).clone()).collect::<Vec<_>>();
    let of = |dag: &Dag| score.of_parents(&sets(dag));
    let best = gflowcausal_graph::all_dags(4).map(|dag| of(&dag)).fold(f64::NEG_INFINITY, f64::max);
    let settings = RlBic { iterations: 1500, ..RlBic::default() };
    let mut acyclic = Vec::new();
    let mut observe = |done: &gflowcausal_neural::GraphIteration| acyclic.push(done.acyclic);
    let value = |parents: &[NodeSet]| score.of_parents(parents);
    let constraints = Constraints::none(4);
    let parents = settings
        .search(&columns(&data.table), &constraints, &value, 1, &StopFlag::new(), &mut observe)
        .unwrap();
    let found = of(&Dag::from_parents(&parents).unwrap());
    assert!((found - best).abs() < 1e-9, "{found} {best}");
    assert!(acyclic[1499] > 0.9, "{} of the last graphs have no cycle", acyclic[1499]);
}

#[test]
fn knowledge_holds_in_all_weights_orders_and_graphs() {
    let data = simulated(Model::Linear, 5, 100, 4);
    let mut knowledge = Knowledge::default();
    knowledge.require("X4->X2").forbid("X1->X3");
    let names: Vec<&str> = data.table.names().collect();
    let constraints = knowledge.compile(&names).unwrap();
    let (columns, stop) = (columns(&data.table), StopFlag::new());
    let (required, forbidden) = (Edge::new(3, 1), Edge::new(0, 2));
    let holds = |dag: &Dag| dag.contains(required) && !dag.contains(forbidden);
    let gnn = DagGnn { epochs: 2, ..DagGnn::default() }.fit(&columns, &constraints, 1, &stop);
    let gran = GranDag { iterations: 300, ..GranDag::default() }.fit(&columns, &constraints, 1, &stop);
    for weights in [gnn, gran] {
        assert_eq!(weights.get(forbidden), 0.0);
        assert!(holds(&weights.dag(0.0, &constraints)));
    }
    let score = bic_equal(&data);
    let settings = Corl { iterations: 3, ..Corl::default() };
    let mut orders: Vec<Order> = Vec::new();
    let mut observe = |done: &gflowcausal_neural::OrderIteration<'_>| orders.extend_from_slice(done.orders);
    settings.search(&columns, &constraints, OrderRewards::Episodic(&score), 1, &stop, &mut observe);
    assert!(orders.len() == 192 && orders.iter().all(|order| constraints.permits_order(order)));
    let value = |parents: &[NodeSet]| {
        assert!(parents[1].contains(3) && !parents[2].contains(0));
        score.of_parents(parents)
    };
    RlBic { iterations: 3, ..RlBic::default() }.search(&columns, &constraints, &value, 1, &stop, &mut |_| {});
}

#[test]
fn policies_are_the_same_on_any_number_of_threads() {
    let data = simulated(Model::Linear, 6, 100, 4);
    let score = bic_equal(&data);
    let (columns, constraints, stop) = (columns(&data.table), Constraints::none(6), StopFlag::new());
    for shares_rows in [true, false] {
        let small = Corl { iterations: 8, batch_size: 16, shares_rows, ..Corl::default() };
        let run = |threads| {
            with_threads(threads, || {
                let mut means = Vec::new();
                let rewards = OrderRewards::Episodic(&score);
                small.search(&columns, &constraints, rewards, 7, &stop, &mut |done| {
                    means.push(done.mean.to_bits());
                });
                means
            })
        };
        assert_eq!(run(1), run(3));
        let small = RlBic { iterations: 8, batch_size: 16, shares_rows, ..RlBic::default() };
        let value = |parents: &[NodeSet]| score.of_parents(parents);
        let run = |threads| {
            with_threads(threads, || {
                let mut means = Vec::new();
                small.search(&columns, &constraints, &value, 7, &stop, &mut |done| {
                    means.push(done.mean.to_bits());
                });
                means
            })
        };
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn a_stop_ends_everything() {
    let data = simulated(Model::Linear, 5, 100, 4);
    let score = bic_equal(&data);
    let (columns, constraints, stop) = (columns(&data.table), Constraints::none(5), StopFlag::new());
    stop.set();
    let weights = DagGnn::default().fit(&columns, &constraints, 1, &stop);
    assert_eq!(weights.dag(0.3, &constraints).edge_count(), 0);
    let weights = GranDag::default().fit(&columns, &constraints, 1, &stop);
    assert!(weights.h.is_nan());
    let rewards = OrderRewards::Episodic(&score);
    assert!(Corl::published().search(&columns, &constraints, rewards, 1, &stop, &mut |_| {}).is_none());
    let value = |parents: &[NodeSet]| score.of_parents(parents);
    assert!(RlBic::published(5).search(&columns, &constraints, &value, 1, &stop, &mut |_| {}).is_none());
}

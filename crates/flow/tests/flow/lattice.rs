//! The subset lattice against the sum over all orders, one by one.

use crate::tables::{LocalTable, local_table};
use gflowcausal_determinism::{Stream, stream, with_threads};
use gflowcausal_flow::{Distribution, Lattice, LatticeError, LogReward, StateSpace, Terminal, Walk};
use gflowcausal_graph::{Constraints, Knowledge, Order};

const NODES: usize = 5;

fn constraints() -> [Constraints; 2] {
    let mut knowledge = Knowledge::default();
    knowledge.require("d->b").require("b->a").require("e->a");
    [Constraints::none(NODES), knowledge.compile(&["a", "b", "c", "d", "e"]).unwrap()]
}

fn all_orders(known: &Constraints) -> Distribution {
    let environment = Walk::Order.environment(known.clone()).unwrap();
    StateSpace::enumerate(&*environment, 1000).unwrap().target(&local_table(8, 4.0))
}

fn lattice(known: &Constraints) -> Lattice {
    Lattice::new(&LocalTable { seed: 8, spread: 4.0 }, known).unwrap()
}

fn order(terminal: &Terminal) -> &Order {
    terminal.as_order().unwrap()
}

/// `Σ P(order)` over the orders in which `holds` is true.
fn probability(orders: &Distribution, holds: impl Fn(&Order) -> bool) -> f64 {
    let kept = orders.outcomes().iter().filter(|terminal| holds(order(terminal)));
    kept.map(|terminal| orders.probability(terminal)).sum()
}

#[test]
fn partition_and_best_order_are_those_of_all_orders() {
    for known in constraints() {
        let (orders, lattice, reward) = (all_orders(&known), lattice(&known), local_table(8, 4.0));
        let value = |terminal: &Terminal| reward.log_reward(terminal);
        let best = orders.outcomes().iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
        let (found, log_reward) = lattice.best_order();
        assert_eq!(&found, order(best));
        assert!((log_reward - value(best)).abs() < 1e-12);
        let sum: f64 = orders.outcomes().iter().map(|terminal| value(terminal).exp()).sum();
        assert!((lattice.log_partition() - sum.ln()).abs() < 1e-12);
    }
}

#[test]
fn all_orders_of_eight_variables_sum_to_the_partition_of_the_lattice() {
    let (known, reward) = (Constraints::none(8), local_table(3, 2.0));
    let environment = Walk::Order.environment(known.clone()).unwrap();
    let orders = StateSpace::enumerate(&*environment, 200_000).unwrap();
    let sum: f64 = orders.terminals().map(|(_, terminal)| reward.log_reward(terminal).exp()).sum();
    assert_eq!(orders.terminals().count(), 40_320);
    let lattice = Lattice::new(reward.local().unwrap(), &known).unwrap();
    assert!((lattice.log_partition() - sum.ln()).abs() < 1e-10);
}

/// `P(row comes before column)`: everything placed before is a parent.
fn precedence_probabilities(lattice: &Lattice) -> Vec<Vec<f64>> {
    lattice.edge_probabilities(|_, placed, weights| placed.iter().for_each(|before| weights[before] = 1.0))
}

#[test]
fn precedence_probabilities_are_those_of_all_orders() {
    for known in constraints() {
        let (orders, table) = (all_orders(&known), precedence_probabilities(&lattice(&known)));
        for (from, to) in (0..NODES * NODES).map(|i| (i / NODES, i % NODES)) {
            let exact = probability(&orders, |order| order.positions()[from] < order.positions()[to]);
            assert!((table[from][to] - exact).abs() < 1e-12, "{from} before {to}");
        }
    }
}

#[test]
fn edge_probabilities_weigh_each_set_of_predecessors() {
    // Each node's one parent is the largest index before it.
    for known in constraints() {
        let orders = all_orders(&known);
        let table = lattice(&known).edge_probabilities(|_, placed, weights| {
            placed.iter().last().into_iter().for_each(|u| weights[u] = 1.0);
        });
        for (from, to) in (0..NODES * NODES).map(|i| (i / NODES, i % NODES)) {
            let exact =
                probability(&orders, |order| order.iter().take_while(|&node| node != to).max() == Some(from));
            assert!((table[from][to] - exact).abs() < 1e-12, "{from} → {to}");
        }
    }
}

#[test]
fn samples_have_the_exact_distribution() {
    for known in constraints() {
        let (orders, lattice) = (all_orders(&known), lattice(&known));
        let draw = |k| Terminal::Order(lattice.sample(&mut stream(0, Stream::Sample { k })));
        let drawn = Distribution::from_samples((0..20_000).map(draw));
        assert!(drawn.total_variation(&orders) < 0.03, "{}", drawn.total_variation(&orders));
        assert!(drawn.outcomes().iter().all(|terminal| orders.probability(terminal) > 0.0));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let compute = |threads| {
        with_threads(threads, || {
            let lattice = Lattice::new(&LocalTable { seed: 2, spread: 9.0 }, &Constraints::none(11)).unwrap();
            (lattice.log_partition(), lattice.best_order(), precedence_probabilities(&lattice))
        })
    };
    assert_eq!(compute(1), compute(2));
}

#[test]
fn too_many_variables_are_refused() {
    let table = LocalTable { seed: 0, spread: 1.0 };
    assert_eq!(Lattice::new(&table, &Constraints::none(21)).unwrap_err(), LatticeError::TooManyNodes(21));
}

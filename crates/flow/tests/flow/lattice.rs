//! The subset lattice against the sum over all orders, one by one.

use crate::tables::{LocalTable, local_table};
use gflowcausal_determinism::{Stream, stream, with_threads};
use gflowcausal_flow::{
    Distribution, Environment, Lattice, LatticeError, LogReward, Mlp, MlpConfig, Network, Sampler,
    StateSpace, Terminal, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge, NodeSet, Order};

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

#[test]
fn precedence_probabilities_are_those_of_all_orders() {
    for known in constraints() {
        let (orders, table) = (all_orders(&known), lattice(&known).precedence_probabilities());
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
fn placements_and_orders_have_the_probabilities_of_all_orders() {
    for known in constraints() {
        let (orders, lattice) = (all_orders(&known), lattice(&known));
        for (terminal, log_probability) in orders.outcomes().iter().zip(orders.log_probabilities()) {
            assert!((lattice.log_probability(order(terminal)) - log_probability).abs() < 1e-12);
        }
        for (node, set) in (0..NODES).flat_map(|node| (0..1_usize << NODES).map(move |set| (node, set))) {
            let placed = NodeSet::of(NODES, (0..NODES).filter(|member| set >> member & 1 == 1));
            let is_before =
                |order: &Order| NodeSet::of(NODES, order.iter().take_while(|&other| other != node)) == placed;
            let found = lattice.log_placement(node, &placed).exp();
            assert!((found - probability(&orders, is_before)).abs() < 1e-12, "{node} after {placed:?}");
        }
    }
    let forbidden = Order::new(vec![1, 3, 0, 2, 4]).unwrap();
    assert_eq!(lattice(&constraints()[1]).log_probability(&forbidden), f64::NEG_INFINITY);
}

/// A policy on `order` that is far from uniform.
fn policy(environment: &dyn Environment, seed: u64) -> Mlp {
    let config = MlpConfig { width: 16, ..MlpConfig::default() };
    let mut network = Mlp::new(environment.inputs(), environment.actions(), &config, seed);
    network.parameters_mut().iter_mut().for_each(|parameter| *parameter *= 4.0);
    network
}

#[test]
fn a_policy_is_a_lattice_with_the_probabilities_of_its_draws() {
    for known in constraints() {
        let environment = Walk::Order.environment(known.clone()).unwrap();
        let network = policy(&*environment, 1);
        let sampler = Sampler::new(&*environment, &network);
        let lattice = sampler.lattice().unwrap();
        assert!(lattice.log_partition().abs() < 1e-12, "what is drawn is always something");
        for terminal in all_orders(&known).outcomes() {
            let drawn = sampler.log_probability(terminal).unwrap();
            assert!((lattice.log_probability(order(terminal)) - drawn).abs() < 1e-5, "{terminal:?}");
        }
    }
    let environment = Walk::Chain.environment(Constraints::none(NODES)).unwrap();
    let refused = Sampler::new(&*environment, &policy(&*environment, 1)).lattice().unwrap_err();
    assert_eq!(refused, LatticeError::OtherWalk(Walk::Chain));
}

/// More sets than the policy is asked about together.
#[test]
fn a_policy_over_many_sets_is_the_same_lattice() {
    let environment = Walk::Order.environment(Constraints::none(12)).unwrap();
    let network = policy(&*environment, 2);
    let sampler = Sampler::new(&*environment, &network);
    let lattice = sampler.lattice().unwrap();
    for k in 0..50 {
        let order = lattice.sample(&mut stream(3, Stream::Sample { k }));
        let drawn = sampler.log_probability(&Terminal::Order(order.clone())).unwrap();
        assert!((lattice.log_probability(&order) - drawn).abs() < 1e-4, "{order:?}");
    }
}

#[test]
fn divergences_are_those_of_all_orders_and_bounds_hold() {
    for known in constraints() {
        let environment = Walk::Order.environment(known.clone()).unwrap();
        let network = policy(&*environment, 3);
        let (exact, policy) = (lattice(&known), Sampler::new(&*environment, &network).lattice().unwrap());
        let orders = all_orders(&known);
        let pairs: Vec<(f64, f64)> = orders
            .outcomes()
            .iter()
            .map(|terminal| (exact.log_probability(order(terminal)), policy.log_probability(order(terminal))))
            .collect();
        let kl =
            |pairs: &mut dyn Iterator<Item = (f64, f64)>| pairs.map(|(p, q)| p.exp() * (p - q)).sum::<f64>();
        let forward = kl(&mut pairs.iter().copied());
        let backward = kl(&mut pairs.iter().map(|&(p, q)| (q, p)));
        let found = exact.divergence(&policy);
        assert!((found.forward - forward).abs() < 1e-10, "{found:?} {forward}");
        assert!((found.backward - backward).abs() < 1e-10, "{found:?} {backward}");
        let drawn = orders
            .outcomes()
            .iter()
            .map(|terminal| (terminal.clone(), policy.log_probability(order(terminal))));
        let drawn = Distribution::from_log_weights(drawn);
        let (variation, jensen_shannon) = (orders.total_variation(&drawn), orders.jensen_shannon(&drawn));
        assert!(found.total_variation_at_least > 0.1 && found.total_variation_at_least <= variation);
        assert!(variation <= found.total_variation_at_most() && found.total_variation_at_most() <= 1.0);
        assert!(jensen_shannon <= found.jensen_shannon_at_most());
    }
    let same = lattice(&constraints()[0]);
    let none = same.divergence(&same);
    assert_eq!((none.forward, none.backward, none.total_variation_at_most()), (0.0, 0.0, 0.0));
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
            (lattice.log_partition(), lattice.best_order(), lattice.precedence_probabilities())
        })
    };
    assert_eq!(compute(1), compute(2));
}

#[test]
fn too_many_variables_are_refused() {
    let table = LocalTable { seed: 0, spread: 1.0 };
    assert_eq!(Lattice::new(&table, &Constraints::none(21)).unwrap_err(), LatticeError::TooManyNodes(21));
}

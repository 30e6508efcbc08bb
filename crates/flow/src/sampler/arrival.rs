//! The probability that a policy ends in a given order, summed over all ways to it.

use gflowcausal_determinism::log_sum_exp;
use gflowcausal_graph::{Edge, Order};

use crate::walk::edge_action;
use crate::{Action, Network, Row, State, Tape, Terrain};

/// States asked about together.
#[derive(Default)]
struct Questions {
    tape: Tape,
    allowed: Vec<Action>,
}

impl Questions {
    /// Asks for the policy at `state`, which is the state of `row`'s base with the last action taken.
    fn ask(&mut self, row: Row, state: &dyn State) -> usize {
        state.allowed(&mut self.allowed);
        self.tape.push(row, &self.allowed)
    }

    fn answer(&mut self, network: &dyn Network) {
        network.forward(&mut self.tape, 0);
        self.tape.settle();
    }

    /// `ln P(action)` at the state of `row`; negative infinity if it is not allowed there.
    fn log_policy(&self, row: usize, action: Action) -> f64 {
        match self.tape.wanted(row).binary_search(&action) {
            Ok(place) => f64::from(self.tape.log_flows(row)[place]) - self.tape.outflow(row),
            Err(_) => f64::NEG_INFINITY,
        }
    }
}

/// Along the one way to `order`. `d` evaluations.
pub(super) fn at_order(terrain: &Terrain, network: &dyn Network, order: &Order) -> f64 {
    let mut questions = Questions::default();
    let mut state = terrain.initial();
    let mut row = Row::blank();
    for node in order.iter() {
        let asked = questions.ask(row, &*state);
        row = Row::with(asked, node as Action);
        state.apply(node as Action);
    }
    questions.answer(network);
    order.iter().enumerate().map(|(row, node)| questions.log_policy(row, node as Action)).sum()
}

/// Over the intervals of `order`, each reached from the one without its head and the one without its tail. `d²/2`
/// evaluations.
pub(super) fn at_chain(terrain: &Terrain, network: &dyn Network, order: &Order) -> f64 {
    let nodes = order.nodes();
    let path = order.as_slice();
    let joint = |at: usize| edge_action(nodes, Edge::new(path[at], path[at + 1]));
    let mut questions = Questions::default();
    let start = questions.ask(Row::blank(), &*terrain.initial());
    // The row of the interval from `head` to `tail`, both included.
    let mut rows = vec![vec![start; nodes]; nodes];
    for (head, rows) in rows.iter_mut().enumerate() {
        let mut state = terrain.initial();
        for tail in head + 1..nodes {
            state.apply(joint(tail - 1));
            rows[tail] = questions.ask(Row::with(rows[tail - 1], joint(tail - 1)), &*state);
        }
    }
    questions.answer(network);
    let mut arrival = vec![vec![f64::NEG_INFINITY; nodes]; nodes];
    for length in 1..nodes {
        for (head, tail) in (0..nodes - length).map(|head| (head, head + length)) {
            arrival[head][tail] = if length == 1 {
                questions.log_policy(start, joint(head))
            } else {
                let by_head = questions.log_policy(rows[head + 1][tail], joint(head));
                let by_tail = questions.log_policy(rows[head][tail - 1], joint(tail - 1));
                let ways = [arrival[head + 1][tail] + by_head, arrival[head][tail - 1] + by_tail];
                log_sum_exp(ways.into_iter())
            };
        }
    }
    arrival[0][nodes - 1]
}

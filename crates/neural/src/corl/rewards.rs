//! Rewards of orders: one for each variable where the score is a sum over them, else one for the whole.

use gflowcausal_determinism::map;
use gflowcausal_graph::{NodeSet, Order};
use gflowcausal_score::{OrderModularScore, OrderScore};

use crate::memo::Memo;

/// What orders are rewarded by.
#[derive(Clone, Copy)]
pub enum OrderRewards<'a> {
    /// CORL's dense reward: each step by the term of the variable that it places.
    Dense(&'a dyn OrderModularScore),
    /// CORL's episodic reward: the score of the order, at its end.
    Episodic(&'a dyn OrderScore),
}

/// Rewards, computed once for each order.
pub(super) struct CachedRewards<'a> {
    rewards: OrderRewards<'a>,
    known: Memo<Order, Vec<f64>>,
    /// The term of each variable without predecessors.
    alone: Vec<f64>,
}

/// A batch of orders with their rewards.
pub(super) struct Rewarded {
    pub(super) orders: Vec<Order>,
    /// The score of each order.
    pub(super) totals: Vec<f64>,
    /// The rewards of each order, step after step: the gain over having no predecessors; or the score alone.
    pub(super) steps: Vec<Vec<f64>>,
}

impl<'a> CachedRewards<'a> {
    pub(super) fn new(rewards: OrderRewards<'a>) -> Self {
        Self { rewards, known: Memo::new(), alone: vec![] }
    }

    pub(super) fn evaluate(&mut self, orders: &[Order]) -> Rewarded {
        if let (OrderRewards::Dense(score), true, Some(order)) =
            (self.rewards, self.alone.is_empty(), orders.first())
        {
            let nodes = order.nodes();
            let alone = |node| score.local(node, &NodeSet::empty(nodes));
            // A variable with required causes has no value without them.
            self.alone = map(nodes, alone).into_iter().map(|x| if x.is_finite() { x } else { 0.0 }).collect();
        }
        let rewards = self.rewards;
        let all = self.known.evaluate(orders, |order| terms(rewards, order));
        let totals = all.iter().map(|terms| terms.iter().sum()).collect();
        let steps = orders.iter().zip(all).map(|(order, terms)| self.gains(order, terms)).collect();
        Rewarded { orders: orders.to_vec(), totals, steps }
    }

    fn gains(&self, order: &Order, mut terms: Vec<f64>) -> Vec<f64> {
        if terms.len() == self.alone.len() {
            terms.iter_mut().zip(order.iter()).for_each(|(term, node)| *term -= self.alone[node]);
        }
        terms
    }
}

/// The term of each variable in its turn, or the whole score.
fn terms(rewards: OrderRewards<'_>, order: &Order) -> Vec<f64> {
    match rewards {
        OrderRewards::Episodic(score) => vec![score.score(order)],
        OrderRewards::Dense(score) => {
            let mut before = NodeSet::empty(order.nodes());
            let term = |node| {
                let term = score.local(node, &before);
                before.insert(node);
                term
            };
            order.iter().map(term).collect()
        }
    }
}

/// What follows each step of each order: `Σ γ^k r`.
pub(super) struct Returns {
    /// How many steps of an order have one of their own.
    pub(super) steps: usize,
    /// Order after order.
    pub(super) values: Vec<f64>,
}

impl Rewarded {
    /// The last step of an order has no choice, and so no return.
    pub(super) fn returns(&self, discount: f64) -> Returns {
        let nodes = self.orders.first().map_or(0, Order::nodes);
        if nodes < 2 || self.steps.iter().any(|steps| steps.len() != nodes) {
            return Returns { steps: 1, values: self.totals.clone() };
        }
        let mut values = Vec::with_capacity(self.steps.len() * (nodes - 1));
        for steps in &self.steps {
            let mut sum = 0.0;
            let mut returns: Vec<f64> = steps
                .iter()
                .rev()
                .map(|reward| {
                    sum = reward + discount * sum;
                    sum
                })
                .collect();
            returns.reverse();
            values.extend(&returns[..nodes - 1]);
        }
        Returns { steps: nodes - 1, values }
    }
}

/// What makes returns of any score about as large as 1: their mean and deviation in the first batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    pub(super) fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        Self { mean, deviation: if deviation > 0.0 { deviation } else { 1.0 } }
    }

    pub(super) fn apply(self, values: &mut [f64]) {
        values.iter_mut().for_each(|value| *value = (*value - self.mean) / self.deviation);
    }
}

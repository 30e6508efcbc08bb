//! Every state of a small environment, the flows that balance, and the exact distribution of a policy.

use std::collections::HashMap;

use gflowcausal_determinism::log_sum_exp;

use super::Distribution;
use crate::backward_policy::log_pb;
use crate::{Action, Environment, InputChange, LogReward, Terminal, Walk};

/// An environment with more states than the caller asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{walk} over {nodes} variables has more than {limit} states")]
pub struct TooManyStates {
    /// The environment.
    pub walk: Walk,
    /// How many variables there are.
    pub nodes: usize,
    /// The most states that were asked for.
    pub limit: usize,
}

/// One state.
#[derive(Debug, Clone)]
struct Node {
    /// The state from which it was found; none for the initial state.
    from: Option<usize>,
    /// The inputs that were switched on the step from there.
    changes: Vec<InputChange>,
    trajectory: Vec<Action>,
    next: Vec<(Action, usize)>,
    parents: usize,
    terminal: Option<Terminal>,
}

impl Node {
    fn new(from: Option<usize>, changes: Vec<InputChange>, trajectory: Vec<Action>) -> Self {
        Self { from, changes, trajectory, next: vec![], parents: 0, terminal: None }
    }
}

/// All states of an environment, those with fewer actions first: the exact reference for objectives and samplers.
#[derive(Debug, Clone)]
pub struct StateSpace {
    nodes: Vec<Node>,
}

impl StateSpace {
    /// Follows every trajectory from the initial state.
    ///
    /// The sequences are the states of `order`, the edge sets those of the others. At `d = 4` there are 65
    /// states of `order` and 543 DAGs (twice that in `graph`, which may have stopped or not); at `d = 5`, 326 and
    /// 29,281.
    ///
    /// # Errors
    /// When there are more than `limit` states.
    pub fn enumerate(environment: &dyn Environment, limit: usize) -> Result<Self, TooManyStates> {
        let mut nodes = vec![Node::new(None, vec![], vec![])];
        let mut index = HashMap::from([(vec![], 0)]);
        let (mut allowed, mut parents) = (vec![], vec![]);
        let mut at = 0;
        while at < nodes.len() {
            let state = environment.replay(&nodes[at].trajectory);
            state.allowed(&mut allowed);
            state.parents(&mut parents);
            nodes[at].terminal = state.terminal();
            nodes[at].parents = parents.len();
            for &action in &allowed {
                let trajectory = [&nodes[at].trajectory[..], &[action]].concat();
                let next = *index.entry(environment.state_key(&trajectory)).or_insert_with(|| {
                    let mut changes = vec![];
                    state.input_changes(action, &mut changes);
                    nodes.push(Node::new(Some(at), changes, trajectory));
                    nodes.len() - 1
                });
                nodes[at].next.push((action, next));
            }
            if nodes.len() > limit {
                return Err(TooManyStates { walk: environment.walk(), nodes: environment.nodes(), limit });
            }
            at += 1;
        }
        Ok(Self { nodes })
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none, which never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A trajectory to each state.
    pub fn trajectories(&self) -> impl ExactSizeIterator<Item = &[Action]> + '_ {
        self.nodes.iter().map(|node| &node.trajectory[..])
    }

    /// The state from which state `index` was found (none for the initial state), and the inputs that were switched.
    pub(crate) fn found_from(&self, index: usize) -> (Option<usize>, &[InputChange]) {
        (self.nodes[index].from, &self.nodes[index].changes)
    }

    /// The actions open at state `index` and the states they lead to.
    #[must_use]
    pub fn next(&self, index: usize) -> &[(Action, usize)] {
        &self.nodes[index].next
    }

    /// What the terminal states stand for, one entry for each.
    pub fn terminals(&self) -> impl Iterator<Item = (usize, &Terminal)> + '_ {
        self.nodes.iter().enumerate().filter_map(|(at, node)| Some((at, node.terminal.as_ref()?)))
    }

    /// Each order or graph with probability proportional to its reward.
    #[must_use]
    pub fn target(&self, reward: &dyn LogReward) -> Distribution {
        let weighted = self.terminals().map(|(_, terminal)| (terminal.clone(), reward.log_reward(terminal)));
        Distribution::from_log_weights(weighted)
    }

    /// `ln F(s, a)` for every state's actions, in balance with the reward and the uniform backward policy.
    ///
    /// From the terminal states upwards: `F(s → s') = F(s') / |parents(s')|`, `F(s) = Σ F(s → s')`.
    #[must_use]
    pub fn balanced_flows(&self, reward: &dyn LogReward) -> Vec<Vec<f64>> {
        let mut through = vec![0.0; self.len()];
        let mut flows = vec![vec![]; self.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let into = |&(_, next): &(Action, usize)| through[next] + log_pb(self.nodes[next].parents);
            flows[at] = node.next.iter().map(into).collect();
            through[at] = match &node.terminal {
                Some(terminal) => reward.log_reward(terminal),
                None => log_sum_exp(flows[at].iter().copied()),
            };
        }
        flows
    }

    /// The terminal states of the policy `P(a|s) ∝ F(s, a)` of the given log-flows.
    #[must_use]
    pub fn policy_outcome(&self, log_flows: &[Vec<f64>]) -> Distribution {
        let mut arrival = vec![f64::NEG_INFINITY; self.len()];
        arrival[0] = 0.0;
        for (at, node) in self.nodes.iter().enumerate() {
            let outflow = log_sum_exp(log_flows[at].iter().copied());
            for (&(_, next), &flow) in node.next.iter().zip(&log_flows[at]) {
                arrival[next] = log_sum_exp([arrival[next], arrival[at] + flow - outflow].into_iter());
            }
        }
        Distribution::from_log_weights(self.terminals().map(|(at, terminal)| (terminal.clone(), arrival[at])))
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Constraints;

    use super::*;

    #[test]
    fn too_many_states_are_refused() {
        let environment = Walk::Graph.environment(Constraints::none(4)).unwrap();
        let refused = StateSpace::enumerate(&*environment, 1000).unwrap_err();
        assert_eq!(refused, TooManyStates { walk: Walk::Graph, nodes: 4, limit: 1000 });
        assert_eq!(StateSpace::enumerate(&*environment, 2000).unwrap().len(), 2 * 543);
    }
}

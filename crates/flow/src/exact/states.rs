//! Every state of a small walk, the flows that balance, and where a policy really ends.

use std::collections::HashMap;

use gflowcausal_determinism::log_sum_exp;

use super::Distribution;
use crate::{Action, LogReward, Terminal, Terrain, Walk};

/// A walk with more states than the caller wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {walk} walk over {nodes} variables has more than {limit} states")]
pub struct TooManyStates {
    /// How the graph is grown.
    pub walk: Walk,
    /// How many variables there are.
    pub nodes: usize,
    /// The most states that were asked for.
    pub limit: usize,
}

/// One state.
#[derive(Debug, Clone)]
struct Place {
    from: Option<(usize, Action)>,
    way: Vec<Action>,
    next: Vec<(Action, usize)>,
    parents: usize,
    terminal: Option<Terminal>,
}

impl Place {
    fn new(from: Option<(usize, Action)>, way: Vec<Action>) -> Self {
        Self { from, way, next: vec![], parents: 0, terminal: None }
    }
}

/// All states of a walk, those with fewer actions first.
#[derive(Debug, Clone)]
pub struct StateSpace {
    places: Vec<Place>,
}

impl StateSpace {
    /// Walks every way from the initial state.
    ///
    /// The sequences are the states of `order`, the edge sets those of the other walks. At `d = 4` there are 65
    /// states of `order` and 543 DAGs (twice that in `graph`, which may have stopped or not); at `d = 5`, 326 and
    /// 29,281.
    ///
    /// # Errors
    /// When there are more than `limit` states.
    pub fn enumerate(terrain: &Terrain, limit: usize) -> Result<Self, TooManyStates> {
        let mut places = vec![Place::new(None, vec![])];
        let mut index = HashMap::from([(vec![], 0)]);
        let (mut allowed, mut parents) = (vec![], vec![]);
        let mut at = 0;
        while at < places.len() {
            let state = terrain.replay(&places[at].way);
            state.allowed(&mut allowed);
            state.parents(&mut parents);
            places[at].terminal = state.terminal();
            places[at].parents = parents.len();
            for &action in &allowed {
                let way = [&places[at].way[..], &[action]].concat();
                let next = *index.entry(identity(terrain.walk(), &way)).or_insert_with(|| {
                    places.push(Place::new(Some((at, action)), way));
                    places.len() - 1
                });
                places[at].next.push((action, next));
            }
            if places.len() > limit {
                return Err(TooManyStates { walk: terrain.walk(), nodes: terrain.nodes(), limit });
            }
            at += 1;
        }
        Ok(Self { places })
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none, which never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// A way to each state.
    pub fn ways(&self) -> impl ExactSizeIterator<Item = &[Action]> + '_ {
        self.places.iter().map(|place| &place.way[..])
    }

    /// The state from which state `index` was found, and by which action; none for the initial state.
    #[must_use]
    pub fn found_from(&self, index: usize) -> Option<(usize, Action)> {
        self.places[index].from
    }

    /// The actions open at state `index` and the states they lead to.
    #[must_use]
    pub fn next(&self, index: usize) -> &[(Action, usize)] {
        &self.places[index].next
    }

    /// What the terminal states stand for, one entry for each.
    pub fn terminals(&self) -> impl Iterator<Item = (usize, &Terminal)> + '_ {
        self.places.iter().enumerate().filter_map(|(at, place)| Some((at, place.terminal.as_ref()?)))
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
        for (at, place) in self.places.iter().enumerate().rev() {
            let into = |&(_, next): &(Action, usize)| through[next] - (self.places[next].parents as f64).ln();
            flows[at] = place.next.iter().map(into).collect();
            through[at] = match &place.terminal {
                Some(terminal) => reward.log_reward(terminal),
                None => log_sum_exp(flows[at].iter().copied()),
            };
        }
        flows
    }

    /// Where the policy `P(a|s) ∝ F(s, a)` of the given log-flows ends.
    #[must_use]
    pub fn policy_outcome(&self, log_flows: &[Vec<f64>]) -> Distribution {
        let mut arrival = vec![f64::NEG_INFINITY; self.len()];
        arrival[0] = 0.0;
        for (at, place) in self.places.iter().enumerate() {
            let outflow = log_sum_exp(log_flows[at].iter().copied());
            for (&(_, next), &flow) in place.next.iter().zip(&log_flows[at]) {
                arrival[next] = log_sum_exp([arrival[next], arrival[at] + flow - outflow].into_iter());
            }
        }
        Distribution::from_log_weights(self.terminals().map(|(at, terminal)| (terminal.clone(), arrival[at])))
    }
}

/// What makes two ways lead to the same state: their sequence in `order`, their actions in every other walk.
fn identity(walk: Walk, way: &[Action]) -> Vec<Action> {
    let mut identity = way.to_vec();
    if walk != Walk::Order {
        identity.sort_unstable();
    }
    identity
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Constraints;

    use super::*;

    #[test]
    fn too_many_states_are_refused() {
        let terrain = Terrain::new(Walk::Graph, Constraints::none(4)).unwrap();
        let refused = StateSpace::enumerate(&terrain, 1000).unwrap_err();
        assert_eq!(refused, TooManyStates { walk: Walk::Graph, nodes: 4, limit: 1000 });
        assert_eq!(StateSpace::enumerate(&terrain, 2000).unwrap().len(), 2 * 543);
    }
}

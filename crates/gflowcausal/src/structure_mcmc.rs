//! Structure MCMC on DAGs: edges added, removed and turned, to supply graphs from every mode to a policy that grows them.

use gflowcausal_determinism::{StreamRng, rand::RngExt};
use gflowcausal_flow::{LocalSearch, LogReward, Terminal};
use gflowcausal_graph::{Constraints, Dag, Edge};

/// How many moves are tried for each variable.
const MOVES: usize = 4;

/// The chance that a move turns an edge: turning one that is covered leads to an equally likely DAG, which a walk that only
/// adds edges reaches by no small change.
const TURNS: f64 = 0.5;

/// Metropolis steps at the temperature of an iteration.
pub(crate) struct StructureMoves<'a> {
    pub(crate) reward: &'a dyn LogReward,
    pub(crate) constraints: &'a Constraints,
}

impl LocalSearch for StructureMoves<'_> {
    fn improve(&self, start: &Terminal, temperature: f64, rng: &mut StreamRng) -> Option<Terminal> {
        let mut dag = start.as_dag()?.clone();
        for _ in 0..MOVES * dag.nodes() {
            let Some(next) = self.proposal(&dag, rng) else { continue };
            let difference = self.difference(&dag, &next) / temperature;
            if difference >= 0.0 || rng.random::<f64>() < difference.exp() {
                dag = next;
            }
        }
        Some(Terminal::Dag(dag))
    }
}

impl StructureMoves<'_> {
    /// A neighbour of `dag`; none if the drawn move leads to no permitted DAG.
    fn proposal(&self, dag: &Dag, rng: &mut StreamRng) -> Option<Dag> {
        let mut next = dag.clone();
        if rng.random_bool(TURNS) {
            let count = dag.edge_count();
            let edge = dag.edges().nth(if count > 0 { rng.random_range(0..count) } else { 0 })?;
            next.remove(edge);
            next.insert(edge.reversed()).ok()?;
        } else {
            let (from, to) = (rng.random_range(0..dag.nodes()), rng.random_range(0..dag.nodes()));
            let edge = Edge { from, to };
            if !next.remove(edge) {
                next.insert(edge).ok()?;
            }
        }
        self.constraints.permits(&next).then_some(next)
    }

    fn difference(&self, before: &Dag, after: &Dag) -> f64 {
        match self.reward.local() {
            Some(local) => {
                let changed = (0..before.nodes()).filter(|&node| before.parents(node) != after.parents(node));
                changed
                    .map(|node| {
                        local.log_local(node, after.parents(node))
                            - local.log_local(node, before.parents(node))
                    })
                    .sum()
            }
            None => {
                self.reward.log_reward(&Terminal::Dag(after.clone()))
                    - self.reward.log_reward(&Terminal::Dag(before.clone()))
            }
        }
    }
}

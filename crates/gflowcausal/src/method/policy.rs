//! A trained policy: its draws with importance weights for the posterior, and how well it covers a reference.

use std::ops::Range;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, interruptible, map, stream};
use gflowcausal_flow::{Sampler, Terminal};
use gflowcausal_graph::{Dag, NodeSet, Order};
use gflowcausal_posterior::{Coverage, GraphSample, Objects, Posterior};
use gflowcausal_score::ParentSetTables;

use crate::ScoringModel;
use crate::dag_posterior::Inferred;
use crate::method::Deadlines;
use crate::model::{CyclicGraphReward, nearest_order};

/// How many graphs are drawn between two checks of the stop flag.
const BLOCK: usize = 64;

/// How many draws of the reference are looked up in the policy.
const REFERENCE_DRAWS: usize = 200;

/// A policy and what it aims at.
#[derive(Clone, Copy)]
pub(crate) struct PolicyTarget<'a> {
    pub(crate) model: &'a ScoringModel,
    /// The tables of parent sets, where the objects are DAGs and the environment ends in orders.
    pub(crate) tables: Option<&'a ParentSetTables>,
    pub(crate) objects: Objects,
}

impl PolicyTarget<'_> {
    /// `count` importance-weighted draws: after a stop a first block if there is time for it, and no more. None without any.
    pub(crate) fn draw(
        &self,
        sampler: &Sampler<'_>,
        count: usize,
        seed: u64,
        deadlines: &Deadlines,
    ) -> Option<Inferred> {
        let mut drawn = Vec::new();
        for start in (0..count).step_by(BLOCK) {
            let flag = if start == 0 { &deadlines.grace } else { &deadlines.stop };
            let block = || self.draw_block(sampler, start..count.min(start + BLOCK), seed);
            let Some(block) = interruptible(flag, block) else { break };
            drawn.extend(block);
            if deadlines.stop.is_set() {
                break;
            }
        }
        if drawn.is_empty() {
            return None;
        }
        let draws = GraphSample::merged(drawn);
        let posterior = Posterior::of_policy(self.model.constraints().nodes(), self.objects, &draws);
        Some(Inferred { posterior, draws })
    }

    fn draw_block(&self, sampler: &Sampler<'_>, numbers: Range<usize>, seed: u64) -> Vec<GraphSample> {
        let samples = sampler.sample_range(numbers.clone(), seed);
        let is_cyclic = samples.iter().any(|sample| matches!(sample.terminal, Terminal::Digraph(_)));
        let cyclic = if is_cyclic { CyclicGraphReward::new(self.model) } else { None };
        let drawn = map(samples.len(), |k| {
            let (sample, number) = (&samples[k], (numbers.start + k) as u64);
            let log_policy = sample.log_forward - sample.log_backward;
            let is_only_trajectory = sample.log_backward == 0.0;
            match &sample.terminal {
                Terminal::Order(order) => Some(match self.tables {
                    Some(tables) => {
                        let mut rng = stream(seed, Stream::Graph { k: number });
                        graph_of_order(tables, order, (log_policy, is_only_trajectory), &mut rng)
                    }
                    None => self.pruned(order, log_policy, is_only_trajectory),
                }),
                Terminal::Dag(dag) => {
                    let log_reward = self.model.log_dag(dag)?;
                    let (order, log_weight) = (dag.topological_order(), log_reward - log_policy);
                    let dag = dag.clone();
                    Some(GraphSample { order, dag, log_reward, log_weight, log_prob: None, count: 1 })
                }
                Terminal::Digraph(graph) => {
                    let log_reward = cyclic.as_ref()?.log_reward(graph) / self.model.temperature();
                    let order = nearest_order(graph, self.model.constraints());
                    let (dag, log_weight) = (self.model.graph_of(&order), log_reward - log_policy);
                    Some(GraphSample { order, dag, log_reward, log_weight, log_prob: None, count: 1 })
                }
                _ => None,
            }
        });
        drawn.into_iter().flatten().collect()
    }

    /// An order with the graph that the pruning makes of it.
    fn pruned(&self, order: &Order, log_policy: f64, is_only_trajectory: bool) -> GraphSample {
        let log_reward = self.model.order_score().score(order) / self.model.temperature();
        GraphSample {
            order: order.clone(),
            dag: self.model.graph_of(order),
            log_reward,
            log_weight: log_reward - log_policy,
            log_prob: is_only_trajectory.then_some(log_policy),
            count: 1,
        }
    }

    /// Holds the policy's `drawn` graphs against a `reference`.
    pub(crate) fn coverage(
        &self,
        sampler: &Sampler<'_>,
        drawn: &Inferred,
        reference: &Inferred,
        seed: u64,
    ) -> Coverage {
        let (mean, largest) = drawn.posterior.difference_from(&reference.posterior);
        let log_z_reference = reference.posterior.log_z;
        Coverage {
            log_z_policy: drawn.posterior.log_z.unwrap_or(f64::NEG_INFINITY),
            log_z_reference,
            reference: reference.posterior.source,
            median_log_ratio: log_z_reference
                .and_then(|log_z| self.median_log_ratio(sampler, &reference.draws, log_z, seed)),
            edges_mean_difference: mean,
            edges_largest_difference: largest,
            r_hat: reference.posterior.convergence.map(|convergence| convergence.r_hat),
        }
    }

    /// The median of `ln target − ln policy` over draws of the reference, each with a random topological order.
    fn median_log_ratio(
        &self,
        sampler: &Sampler<'_>,
        draws: &[GraphSample],
        log_z: f64,
        seed: u64,
    ) -> Option<f64> {
        let tables = self.tables?;
        let ratios = map(draws.len().min(REFERENCE_DRAWS), |k| {
            let mut rng = stream(seed, Stream::Reference { k: k as u64 });
            let (order, log_kernel) = random_topological_order(&draws[k].dag, &mut rng);
            let log_policy = sampler.log_probability(&Terminal::Order(order.clone()))?;
            Some(log_order_reward(tables, &order) + log_kernel - log_policy - log_z)
        });
        let mut ratios: Vec<f64> = ratios.into_iter().collect::<Option<_>>()?;
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied()
    }
}

/// A graph for `order`, parents drawn from the tables, weighted for the posterior over DAGs.
///
/// A DAG is reached from each of its topological orders. The kernel `q(order | G)` spreads it over them, so that the target
/// of the pair is `exp(score(G)) q(order | G)`, and the weight that over the probability of the pair.
fn graph_of_order(
    tables: &ParentSetTables,
    order: &Order,
    (log_policy, is_only_trajectory): (f64, bool),
    rng: &mut StreamRng,
) -> GraphSample {
    let mut before = NodeSet::empty(order.nodes());
    let mut parents = vec![before.clone(); order.nodes()];
    for node in order.iter() {
        parents[node] = tables.sample_parents(node, &before, None, rng);
        before.insert(node);
    }
    let dag = Dag::from_parents(&parents).expect("parents come before their child");
    let (log_reward, log_order) = (tables.log_dag(&dag), log_order_reward(tables, order));
    GraphSample {
        log_weight: log_order + log_kernel(&dag, order) - log_policy,
        log_prob: is_only_trajectory.then_some(log_policy + log_reward - log_order),
        order: order.clone(),
        dag,
        log_reward,
        count: 1,
    }
}

/// `ln Σ_G exp(score(G))` over the DAGs that `order` allows.
fn log_order_reward(tables: &ParentSetTables, order: &Order) -> f64 {
    let mut before = NodeSet::empty(order.nodes());
    let mut log_reward = 0.0;
    for node in order.iter() {
        log_reward += tables.log_sum(node, &before);
        before.insert(node);
    }
    log_reward
}

/// `ln q(order | dag)` of [`random_topological_order`].
fn log_kernel(dag: &Dag, order: &Order) -> f64 {
    let mut placed = NodeSet::empty(dag.nodes());
    let mut log_kernel = 0.0;
    for node in order.iter() {
        log_kernel -= (ready(dag, &placed).count() as f64).ln();
        placed.insert(node);
    }
    log_kernel
}

/// An order of `dag` in which each next variable is drawn uniformly from those whose parents are placed, and `ln` of its
/// probability.
fn random_topological_order(dag: &Dag, rng: &mut StreamRng) -> (Order, f64) {
    let mut placed = NodeSet::empty(dag.nodes());
    let mut sequence = Vec::with_capacity(dag.nodes());
    let mut log_kernel = 0.0;
    while sequence.len() < dag.nodes() {
        let open: Vec<usize> = ready(dag, &placed).collect();
        log_kernel -= (open.len() as f64).ln();
        let next = open[rng.random_range(0..open.len())];
        placed.insert(next);
        sequence.push(next);
    }
    (Order::new(sequence).expect("each variable was placed once"), log_kernel)
}

/// The variables whose parents are all placed, and which are not.
fn ready<'a>(dag: &'a Dag, placed: &'a NodeSet) -> impl Iterator<Item = usize> + 'a {
    (0..dag.nodes()).filter(|&node| !placed.contains(node) && dag.parents(node).is_subset(placed))
}

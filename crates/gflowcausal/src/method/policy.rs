//! A trained policy: its draws with importance weights for the posterior, and how well it covers a reference.

use std::ops::Range;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, interruptible, log_sum_exp, map, stream};
use gflowcausal_flow::{LayerLogReward, Sampler, Terminal, TerminalKind};
use gflowcausal_graph::{Dag, Layering, NodeSet, Order};
use gflowcausal_posterior::{
    Coverage, GraphSample, Objects, Posterior, Source, effective_sample_size_of, log_z_by_bridge,
};
use gflowcausal_score::ParentSetTables;

use crate::ScoringModel;
use crate::dag_posterior::{Inferred, evenly_spaced};
use crate::method::Deadlines;
use crate::model::{CyclicGraphReward, LayerReward, nearest_order};

/// How many graphs are drawn first, however little time there is.
const FIRST_BLOCK: usize = 64;

/// How many are then drawn together.
const BLOCK: usize = 1 << 14;

/// How many trajectories the probability of a terminal state is estimated from, where it cannot be computed.
const TRAJECTORIES: usize = 32;

/// How many draws of the policy probabilities and `ln Z` rest on at least, where they are cheap: an error of `ln Z` is
/// then below the tolerance even if one in ten draws counts, and one of an edge below a hundredth if half of them do.
const ESTIMATION_DRAWS: usize = 10_000;

/// Up to how many variables draws are cheap whatever the walk.
const FEW_NODES: usize = 12;

/// How many draws of the reference are looked up in the policy.
const REFERENCE_DRAWS: usize = 1000;

/// A policy and what it aims at.
#[derive(Clone, Copy)]
pub(crate) struct PolicyTarget<'a> {
    pub(crate) model: &'a ScoringModel,
    /// The tables of parent sets, where the objects are DAGs and the environment ends in orders.
    pub(crate) tables: Option<&'a ParentSetTables>,
    pub(crate) objects: Objects,
    /// Whether draws are weighed by what the policy draws too often or too seldom; else they count as they come.
    pub(crate) is_weighted: bool,
}

/// What a policy says of the posterior: draws to show, and probabilities from these and more.
pub(crate) struct Estimate {
    pub(crate) inferred: Inferred,
    /// `ln reward − ln policy` of all draws.
    log_weights: Vec<f64>,
}

impl PolicyTarget<'_> {
    /// `count` draws to show, and the probabilities of these and as many more as are cheap; none without any.
    pub(crate) fn estimate(
        &self,
        sampler: &Sampler<'_>,
        count: usize,
        seed: u64,
        deadlines: &Deadlines,
    ) -> Option<Estimate> {
        let mut inferred = self.draw(sampler, count, seed, deadlines)?;
        let mut log_weights = log_weights(&inferred.draws);
        let is_cheap = sampler.walk().ends_in_layerings() || self.model.constraints().nodes() <= FEW_NODES;
        let missing = ESTIMATION_DRAWS.saturating_sub(log_weights.len());
        if is_cheap && missing > 0 && !deadlines.stop.is_set() {
            let others = stream(seed, Stream::Part { k: u64::MAX - 1 }).random();
            let more = self.draw_graphs(sampler, missing, others, deadlines);
            log_weights.extend(self::log_weights(&more));
            let all = [&inferred.draws[..], &more].concat();
            let nodes = self.model.constraints().nodes();
            inferred.posterior.refine(&Posterior::of_policy(nodes, self.objects, &all));
        }
        Some(Estimate { inferred, log_weights })
    }

    /// `count` draws, importance-weighted if that is wanted: after a stop a first block if there is time for it, and no more. None without any.
    pub(crate) fn draw(
        &self,
        sampler: &Sampler<'_>,
        count: usize,
        seed: u64,
        deadlines: &Deadlines,
    ) -> Option<Inferred> {
        let draws = self.draw_graphs(sampler, count, seed, deadlines);
        if draws.is_empty() {
            return None;
        }
        let mut posterior = Posterior::of_policy(self.model.constraints().nodes(), self.objects, &draws);
        posterior.log_z = posterior.log_z.filter(|_| self.is_weighted);
        Some(Inferred { posterior, draws })
    }

    /// The draws alone.
    pub(crate) fn draw_graphs(
        &self,
        sampler: &Sampler<'_>,
        count: usize,
        seed: u64,
        deadlines: &Deadlines,
    ) -> Vec<GraphSample> {
        let (mut drawn, mut start) = (Vec::new(), 0);
        while start < count {
            let (flag, size) =
                if start == 0 { (&deadlines.result, FIRST_BLOCK) } else { (&deadlines.stop, BLOCK) };
            let end = count.min(start + size);
            let Some(block) = interruptible(flag, || self.draw_block(sampler, start..end, seed)) else {
                break;
            };
            drawn.extend(block);
            start = end;
            if deadlines.stop.is_set() {
                break;
            }
        }
        if !self.is_weighted {
            drawn.iter_mut().for_each(|draw| draw.log_weight = 0.0);
        }
        GraphSample::merged(drawn)
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
                Terminal::Layering(layering) => {
                    let mut rng = stream(seed, Stream::Graph { k: number });
                    Some(graph_of_layering(self.tables?, layering, log_policy, &mut rng))
                }
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

    /// Holds what the policy says against a `reference`.
    pub(crate) fn coverage(
        &self,
        sampler: &Sampler<'_>,
        estimate: &Estimate,
        reference: &Inferred,
        seed: u64,
    ) -> Coverage {
        let Estimate { inferred, log_weights: own } = estimate;
        let (mean, largest) = inferred.posterior.difference_from(&reference.posterior);
        let ratios = self.log_ratios(sampler, &reference.draws, seed);
        let bridge = || log_z_by_bridge(own, ratios.as_deref()?);
        let log_z_reference = match reference.posterior.source {
            Source::Exact => reference.posterior.log_z,
            _ => bridge().or(reference.posterior.log_z),
        };
        Coverage {
            log_z_policy: log_sum_exp(own.iter().copied()) - (own.len() as f64).ln(),
            log_z_reference,
            reference: reference.posterior.source,
            median_log_ratio: ratios.zip(log_z_reference).map(|(ratios, log_z)| median(ratios) - log_z),
            edges_mean_difference: mean,
            edges_largest_difference: largest,
            effective_draws: Some(effective_sample_size_of(own)),
            r_hat: reference.posterior.convergence.map(|convergence| convergence.r_hat),
        }
    }

    /// `ln reward − ln policy` of draws of the reference: of the DAGs, of their layerings, or of one random topological order
    /// each.
    fn log_ratios(&self, sampler: &Sampler<'_>, draws: &[GraphSample], seed: u64) -> Option<Vec<f64>> {
        let (tables, drawn) = (self.tables?, evenly_spaced(draws, REFERENCE_DRAWS));
        let log_policy = |terminal: &Terminal, seed| {
            let estimate = || sampler.estimate_log_probability(terminal, TRAJECTORIES, seed);
            sampler.log_probability(terminal).or_else(estimate)
        };
        let ratios = map(drawn.len(), |k| {
            let (dag, mut rng) = (&drawn[k].dag, stream(seed, Stream::Reference { k: k as u64 }));
            match sampler.walk().terminal_kind() {
                TerminalKind::Layering => {
                    let layering = Layering::of(dag);
                    let log_reward = LayerReward(tables).log_layering(&layering);
                    Some(log_reward - log_policy(&Terminal::Layering(layering), seed)?)
                }
                TerminalKind::Dag => {
                    Some(tables.log_dag(dag) - log_policy(&Terminal::Dag(dag.clone()), rng.random())?)
                }
                _ => {
                    let (order, log_kernel) = random_topological_order(dag, &mut rng);
                    let log_reward = log_order_reward(tables, &order) + log_kernel;
                    Some(log_reward - log_policy(&Terminal::Order(order), rng.random())?)
                }
            }
        });
        ratios.into_iter().collect()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The log-weight of each single draw.
fn log_weights(draws: &[GraphSample]) -> Vec<f64> {
    draws.iter().flat_map(|draw| std::iter::repeat_n(draw.log_weight, draw.count as usize)).collect()
}

/// A graph that has `layering`, parents drawn from the tables. Every DAG has one layering, so the weight of the layering is
/// that of the graph.
fn graph_of_layering(
    tables: &ParentSetTables,
    layering: &Layering,
    log_policy: f64,
    rng: &mut StreamRng,
) -> GraphSample {
    let mut within = NodeSet::empty(layering.nodes());
    let mut parents = vec![within.clone(); layering.nodes()];
    let mut last: Option<&NodeSet> = None;
    let mut log_layering = 0.0;
    for layer in layering.layers() {
        for node in layer.iter() {
            let log_sum;
            (parents[node], log_sum) = match last {
                Some(_) => tables.sample_parents_of_sum(node, &within, last, rng),
                None => (within.clone(), tables.log_sum(node, &within)),
            };
            log_layering += log_sum;
        }
        within.union_with(layer);
        last = Some(layer);
    }
    let dag = Dag::from_parents(&parents).expect("parents lie in earlier layers");
    let log_reward = tables.log_dag(&dag);
    GraphSample {
        order: dag.topological_order(),
        log_weight: log_layering - log_policy,
        log_prob: Some(log_policy + log_reward - log_layering),
        dag,
        log_reward,
        count: 1,
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

#[cfg(test)]
mod tests;

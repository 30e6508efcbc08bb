//! The subset lattice: all orders at once, for rewards that are a sum of local terms.

mod divergence;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StreamRng, categorical, log_sum_exp, map, map_slices};
use gflowcausal_graph::{Constraints, NodeSet, Order};

use crate::environment::Rules;
use crate::{LocalLogReward, Walk};

pub use divergence::Divergence;

/// How many subsets or terms one task works on.
const BLOCK: usize = 4096;

/// How many subsets a policy is asked about together.
const POLICY_BLOCK: usize = 1024;

/// How many such blocks are in memory at a time.
const BLOCKS_AT_A_TIME: usize = 32;

/// What the lattice cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// More variables than fit.
    #[error("the subset lattice of {0} variables is too large: at most {most} are possible", most = Lattice::MOST_NODES)]
    TooManyNodes(usize),
    /// The policy of a walk whose states are not sets of placed variables.
    #[error("the states of walk {0} are no sets of placed variables; those of walk order are")]
    OtherWalk(Walk),
}

/// A distribution over orders with `P(order) ∝ exp Σ log_local(node, those before it)`, exactly.
///
/// That is what a local reward asks for ([`Lattice::new`]), and what a policy of the `order` walk draws from, the
/// term of a node being `ln P(node | set)` ([`Sampler::lattice`](crate::Sampler::lattice)). So the same questions can
/// be asked of both, and [`Lattice::divergence`] says how far they are apart.
///
/// Each local term is asked for once: `d · 2^(d−1)` calls, on all threads. Memory: `(d/2 + 2) · 2^d` numbers of
/// eight bytes, which is 0.6 MB at `d = 13` and 101 MB at `d = 20`; building it takes 7 MB more for a while.
///
/// ```
/// use gflowcausal_flow::{Lattice, LocalLogReward};
/// use gflowcausal_graph::{Constraints, NodeSet};
///
/// /// Variable 0 likes to come first.
/// struct First;
/// impl LocalLogReward for First {
///     fn log_local(&self, node: usize, placed: &NodeSet) -> f64 {
///         if node == 0 && placed.is_empty() { 3_f64.ln() } else { 0.0 }
///     }
/// }
/// let lattice = Lattice::new(&First, &Constraints::none(3)).unwrap();
/// assert!((lattice.log_partition() - 10_f64.ln()).abs() < 1e-12); // two orders of weight 3, four of weight 1
/// // Whatever picks a node's parents among those before it, here all of them, has exact edge probabilities.
/// let parents = |_: usize, placed: &NodeSet| placed.clone();
/// let edges = lattice.edge_probabilities(|node, placed, weights| {
///     parents(node, placed).iter().for_each(|parent| weights[parent] = 1.0);
/// });
/// assert!((edges[0][1] - 0.7).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct Lattice {
    nodes: usize,
    /// The term of node `v` given the set `s`, at `v · 2^(d−1) + s` with bit `v` taken out of `s`.
    local: Vec<f64>,
    /// `ln Σ` over the sequences that place exactly this set first.
    prefixes: Vec<f64>,
    /// `ln Σ` over the sequences that go on from this set to the end.
    completions: Vec<f64>,
}

impl Lattice {
    /// The most variables the lattice takes.
    pub const MOST_NODES: usize = 20;

    /// Evaluates all local terms within `constraints` and sums over all orders in both directions.
    ///
    /// # Errors
    /// With more than 20 variables.
    pub fn new(reward: &dyn LocalLogReward, constraints: &Constraints) -> Result<Self, LatticeError> {
        let nodes = fitting(constraints.nodes())?;
        Ok(Self::of_terms(nodes, local_terms(reward, &Rules::new(constraints.clone()))))
    }

    /// The distribution that draws each node by `ln P(node | set)`.
    ///
    /// `conditionals` gets the first of the sets asked about and their number, and returns `nodes` numbers for each.
    pub(crate) fn of_conditionals(
        nodes: usize,
        conditionals: impl Fn(usize, usize) -> Vec<f64> + Sync + Send,
    ) -> Result<Self, LatticeError> {
        let sets = 1_usize << fitting(nodes)?;
        let count = sets.min(POLICY_BLOCK);
        let mut local = vec![f64::NEG_INFINITY; nodes << (nodes - 1)];
        for start in (0..sets).step_by(count * BLOCKS_AT_A_TIME) {
            let left = ((sets - start) / count).min(BLOCKS_AT_A_TIME);
            let blocks = map(left, |block| conditionals(start + block * count, count));
            for (set, terms) in (start..).zip(blocks.iter().flat_map(|block| block.chunks_exact(nodes))) {
                absent(nodes, set).for_each(|node| local[place(nodes, node, set)] = terms[node]);
            }
        }
        Ok(Self::of_terms(nodes, local))
    }

    /// Sums over all orders in both directions.
    fn of_terms(nodes: usize, local: Vec<f64>) -> Self {
        let mut lattice = Self { nodes, local, prefixes: vec![], completions: vec![] };
        lattice.completions = lattice.fold_up(|terms| log_sum_exp(terms.iter().copied()));
        lattice.prefixes = lattice.fold_down();
        lattice
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// `ln Σ r` over all orders.
    #[must_use]
    pub fn log_partition(&self) -> f64 {
        self.completions[0]
    }

    /// An order with the largest reward, and its log-reward. Costs another pass over the lattice.
    #[must_use]
    pub fn best_order(&self) -> (Order, f64) {
        let best = self.fold_up(|terms| terms.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let mut set = 0;
        let sequence = std::iter::from_fn(|| {
            let value = |&node: &usize| self.term(node, set) + best[set | 1 << node];
            let node = absent(self.nodes, set).max_by(|a, b| value(a).total_cmp(&value(b)).then(b.cmp(a)))?;
            set |= 1 << node;
            Some(node)
        });
        (Order::new(sequence.collect()).expect("each node is placed once"), best[0])
    }

    /// `ln P(order)`; negative infinity for one that knowledge forbids.
    ///
    /// # Panics
    /// If the order is one of more variables.
    #[must_use]
    pub fn log_probability(&self, order: &Order) -> f64 {
        let mut set = 0;
        let log_reward: f64 = order
            .iter()
            .map(|node| {
                let term = self.term(node, set);
                set |= 1 << node;
                term
            })
            .sum();
        log_reward - self.log_partition()
    }

    /// `ln P(the nodes before node are exactly those placed)`; negative infinity if `node` is one of them.
    ///
    /// # Panics
    /// If `node` or a member of `placed` is no variable of the lattice.
    #[must_use]
    pub fn log_placement(&self, node: usize, placed: &NodeSet) -> f64 {
        if placed.contains(node) {
            return f64::NEG_INFINITY;
        }
        self.log_passing(node, placed.iter().fold(0, |set, member| set | 1 << member))
    }

    /// An order drawn by its probability, which [`Self::log_probability`] tells.
    #[must_use]
    pub fn sample(&self, rng: &mut StreamRng) -> Order {
        let mut set = 0;
        let sequence = std::iter::from_fn(|| {
            let next = absent(self.nodes, set).map(|node| (node, self.log_conditional(node, set).exp()));
            let drawn = categorical(next, rng.random())?;
            set |= 1 << drawn;
            Some(drawn)
        });
        Order::new(sequence.collect()).expect("each node is placed once")
    }

    /// `P(row comes before column)`.
    #[must_use]
    pub fn precedence_probabilities(&self) -> Vec<Vec<f64>> {
        self.expected_edges(|_, placed, weights| placed.iter().for_each(|before| weights[before] = 1.0))
    }

    /// `P(row → column)`, when `weights` says how likely each variable is a parent of a node, given the set of
    /// nodes before it: it gets the node, the set and zeros to write to.
    #[must_use]
    pub fn edge_probabilities(
        &self,
        weights: impl Fn(usize, &NodeSet, &mut [f64]) + Sync + Send,
    ) -> Vec<Vec<f64>> {
        self.expected_edges(weights)
    }

    /// Sums `weights` over every node after every set, by the probability that an order places it there.
    fn expected_edges(&self, weights: impl Fn(usize, &NodeSet, &mut [f64]) + Sync + Send) -> Vec<Vec<f64>> {
        let sets = self.prefixes.len();
        let blocks = map(sets.div_ceil(BLOCK), |block| {
            let mut sums = vec![0.0; self.nodes * self.nodes];
            for set in block * BLOCK..sets.min((block + 1) * BLOCK) {
                self.add_expected_edges(set, &weights, &mut sums);
            }
            sums
        });
        let mut total = vec![0.0; self.nodes * self.nodes];
        for sums in blocks {
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        total.chunks_exact(self.nodes).map(<[f64]>::to_vec).collect()
    }

    fn add_expected_edges(
        &self,
        set: usize,
        weights: &impl Fn(usize, &NodeSet, &mut [f64]),
        sums: &mut [f64],
    ) {
        let placed = node_set(self.nodes, set);
        let mut column = vec![0.0; self.nodes];
        for node in absent(self.nodes, set) {
            let log_weight = self.log_passing(node, set);
            if log_weight > f64::NEG_INFINITY {
                column.fill(0.0);
                weights(node, &placed, &mut column);
                let places = sums.iter_mut().skip(node).step_by(self.nodes);
                places.zip(&column).for_each(|(sum, value)| *sum += log_weight.exp() * value);
            }
        }
    }

    /// `ln` of what flows from `set` on to `node` and from there to the end.
    fn log_next(&self, node: usize, set: usize) -> f64 {
        self.term(node, set) + self.completions[set | 1 << node]
    }

    /// `ln P(an order places exactly set first, and node next)`.
    fn log_passing(&self, node: usize, set: usize) -> f64 {
        self.prefixes[set] + self.log_next(node, set) - self.log_partition()
    }

    /// `ln P(node | set)`: the share of what flows through `set` that goes on to `node`.
    fn log_conditional(&self, node: usize, set: usize) -> f64 {
        self.log_next(node, set) - self.completions[set]
    }

    fn term(&self, node: usize, set: usize) -> f64 {
        self.local[place(self.nodes, node, set)]
    }

    /// A value for each set from those of the sets one larger; zero for the full set.
    fn fold_up(&self, combine: impl Fn(&[f64]) -> f64 + Sync + Send) -> Vec<f64> {
        let mut values = vec![0.0; 1 << self.nodes];
        for layer in layers(self.nodes).iter().rev().skip(1) {
            let terms = |set: usize| -> Vec<f64> {
                absent(self.nodes, set).map(|node| self.term(node, set) + values[set | 1 << node]).collect()
            };
            let folded = map(layer.len(), |i| combine(&terms(layer[i] as usize)));
            layer.iter().zip(folded).for_each(|(&set, value)| values[set as usize] = value);
        }
        values
    }

    /// The sum over the ways into each set from those one smaller; zero for the empty set.
    fn fold_down(&self) -> Vec<f64> {
        let mut values = vec![0.0; 1 << self.nodes];
        for layer in layers(self.nodes).iter().skip(1) {
            let total = |set: usize| {
                let last = (0..self.nodes).filter(|node| set >> node & 1 == 1);
                log_sum_exp(last.map(|node| values[set ^ 1 << node] + self.term(node, set ^ 1 << node)))
            };
            let folded = map(layer.len(), |i| total(layer[i] as usize));
            layer.iter().zip(folded).for_each(|(&set, value)| values[set as usize] = value);
        }
        values
    }
}

/// All local terms; negative infinity where knowledge does not let the node follow the set.
fn local_terms(reward: &dyn LocalLogReward, rules: &Rules) -> Vec<f64> {
    let nodes = rules.nodes();
    let sets = 1_usize << (nodes - 1);
    let mut terms = vec![f64::NEG_INFINITY; nodes * sets];
    map_slices(&mut terms, BLOCK, |block, slice| {
        for (offset, term) in slice.iter_mut().enumerate() {
            let at = block * BLOCK + offset;
            let node = at / sets;
            let placed = node_set(nodes, spread(at % sets, node));
            if rules.before(node).is_subset(&placed) {
                *term = reward.log_local(node, &placed);
            }
        }
    });
    terms
}

/// The number of variables, if the lattice can hold them.
fn fitting(nodes: usize) -> Result<usize, LatticeError> {
    if nodes > Lattice::MOST_NODES { Err(LatticeError::TooManyNodes(nodes)) } else { Ok(nodes) }
}

/// Where the term of `node` given `set` is kept.
fn place(nodes: usize, node: usize, set: usize) -> usize {
    (node << (nodes - 1)) + squeeze(set, node)
}

/// Takes bit `node` out of `set`, which must not hold it; the higher bits move down.
fn squeeze(set: usize, node: usize) -> usize {
    let low = (1 << node) - 1;
    set & low | (set >> 1) & !low
}

/// Undoes [`squeeze`].
fn spread(squeezed: usize, node: usize) -> usize {
    let low = (1 << node) - 1;
    squeezed & low | (squeezed & !low) << 1
}

fn absent(nodes: usize, set: usize) -> impl Iterator<Item = usize> {
    (0..nodes).filter(move |node| set >> node & 1 == 0)
}

fn node_set(nodes: usize, set: usize) -> NodeSet {
    NodeSet::of(nodes, (0..nodes).filter(|node| set >> node & 1 == 1))
}

/// The subsets of each size.
fn layers(nodes: usize) -> Vec<Vec<u32>> {
    let mut layers = vec![vec![]; nodes + 1];
    for set in 0..1_u32 << nodes {
        layers[set.count_ones() as usize].push(set);
    }
    layers
}

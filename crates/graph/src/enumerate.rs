//! Every DAG and every order of a few variables: the ground truth for whatever samples them.

use crate::{Dag, NodeSet, Order};

/// The largest number of variables that [`all_dags`] takes: a set of them is one byte.
const MAX_NODES: usize = 8;

/// Every DAG over `nodes` variables, each once: 1, 1, 3, 25, 543, 29 281, 3 781 503 for 0 to 6.
///
/// Lazy: holds one graph for each variable at a time. Variables are added one by one, each with every pair of a set
/// of causes and a set of effects among those before it that closes no cycle.
///
/// # Panics
/// If `nodes` is more than eight; from seven on (1.1·10⁹ graphs) it takes too long.
///
/// ```
/// assert_eq!(gflowcausal_graph::all_dags(4).count(), 543);
/// ```
pub fn all_dags(nodes: usize) -> impl Iterator<Item = Dag> {
    assert!(nodes <= MAX_NODES, "{nodes} variables have too many DAGs to list: at most {MAX_NODES}");
    let mut partial: Box<dyn Iterator<Item = Partial>> = Box::new(std::iter::once(Partial::default()));
    for node in 0..nodes {
        partial = Box::new(partial.flat_map(move |smaller| smaller.with_node(node)));
    }
    partial.map(move |graph| graph.to_dag(nodes))
}

/// Every order of `nodes` variables, in lexicographic order.
///
/// ```
/// let orders: Vec<_> = gflowcausal_graph::all_orders(3).collect();
/// assert_eq!(orders.len(), 6);
/// assert_eq!(orders[1].as_slice(), [0, 2, 1]);
/// ```
pub fn all_orders(nodes: usize) -> impl Iterator<Item = Order> {
    let first: Vec<usize> = (0..nodes).collect();
    std::iter::successors(Some(first), |sequence| next_permutation(sequence)).map(Order::from_permutation)
}

/// A DAG over the first few variables, sets of variables as bits; each is among its own descendants.
#[derive(Debug, Clone, Copy, Default)]
struct Partial {
    parents: [u8; MAX_NODES],
    descendants: [u8; MAX_NODES],
}

impl Partial {
    /// This graph and `node`, with every choice of causes and effects among the variables before it.
    fn with_node(self, node: usize) -> impl Iterator<Item = Self> {
        let before = !(u8::MAX << node);
        subsets(before).flat_map(move |effects| {
            let below = self.below(effects);
            subsets(before & !below).map(move |causes| self.placed(node, causes, effects, below))
        })
    }

    /// All that `nodes` lead to, and themselves.
    fn below(&self, nodes: u8) -> u8 {
        members(nodes).fold(0, |below, node| below | self.descendants[node])
    }

    fn placed(mut self, node: usize, causes: u8, effects: u8, below: u8) -> Self {
        let bit = 1 << node;
        let gained = below | bit;
        self.parents[node] = causes;
        self.descendants[node] = gained;
        for effect in members(effects) {
            self.parents[effect] |= bit;
        }
        for above in 0..node {
            if self.descendants[above] & causes != 0 {
                self.descendants[above] |= gained;
            }
        }
        self
    }

    fn to_dag(self, nodes: usize) -> Dag {
        let parents = self.parents[..nodes].iter().map(|&set| NodeSet::of(nodes, members(set)));
        Dag::from_acyclic_parents(parents.collect())
    }
}

fn members(set: u8) -> impl Iterator<Item = usize> {
    (0..MAX_NODES).filter(move |&node| set >> node & 1 == 1)
}

/// Every subset of `set`, from all of it down to none.
fn subsets(set: u8) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(set), move |&subset| (subset != 0).then(|| (subset - 1) & set))
}

/// The permutation after `sequence`, or none after the last.
fn next_permutation(sequence: &[usize]) -> Option<Vec<usize>> {
    let pivot = sequence.windows(2).rposition(|pair| pair[0] < pair[1])?;
    let successor = sequence.iter().rposition(|&node| node > sequence[pivot])?;
    let mut next = sequence.to_vec();
    next.swap(pivot, successor);
    next[pivot + 1..].reverse();
    Some(next)
}

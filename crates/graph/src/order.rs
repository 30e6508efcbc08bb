//! A causal order: every variable once, causes before effects.

use crate::{Dag, NodeSet};

/// A permutation of the variables `0..nodes`; earlier ones may cause later ones, never the reverse.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order {
    sequence: Vec<usize>,
}

/// A sequence that is not a permutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("position {position} of the order holds {node}: not a variable, or one that came before")]
pub struct OrderError {
    /// Where it goes wrong.
    pub position: usize,
    /// What stands there.
    pub node: usize,
}

impl Order {
    /// Checks that `sequence` names each of `0..sequence.len()` once.
    ///
    /// # Errors
    /// The first position that repeats a variable or names none.
    pub fn new(sequence: Vec<usize>) -> Result<Self, OrderError> {
        let mut seen = NodeSet::empty(sequence.len());
        for (position, &node) in sequence.iter().enumerate() {
            if node >= sequence.len() || !seen.insert(node) {
                return Err(OrderError { position, node });
            }
        }
        Ok(Self { sequence })
    }

    pub(crate) fn from_permutation(sequence: Vec<usize>) -> Self {
        debug_assert!(Self::new(sequence.clone()).is_ok(), "not a permutation: {sequence:?}");
        Self { sequence }
    }

    /// `0, 1, …, nodes − 1`.
    #[must_use]
    pub fn identity(nodes: usize) -> Self {
        Self { sequence: (0..nodes).collect() }
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.sequence.len()
    }

    /// The variables, causes first.
    #[must_use]
    pub fn as_slice(&self) -> &[usize] {
        &self.sequence
    }

    /// The variables, causes first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + Clone + '_ {
        self.sequence.iter().copied()
    }

    /// Where each variable stands: `positions()[node]`.
    #[must_use]
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.nodes()];
        for (position, &node) in self.sequence.iter().enumerate() {
            positions[node] = position;
        }
        positions
    }

    /// The fully connected graph of this order: every earlier variable causes every later one.
    #[must_use]
    pub fn complete_dag(&self) -> Dag {
        let mut placed = NodeSet::empty(self.nodes());
        let mut parents = vec![placed.clone(); self.nodes()];
        for &node in &self.sequence {
            parents[node] = placed.clone();
            placed.insert(node);
        }
        Dag::from_acyclic_parents(parents)
    }

    /// Whether every edge of `dag` points from an earlier to a later variable.
    #[must_use]
    pub fn is_compatible_with(&self, dag: &Dag) -> bool {
        let positions = self.positions();
        dag.edges().all(|edge| positions[edge.from] < positions[edge.to])
    }
}

//! A layering: variables in ordered groups, such that every DAG has exactly one.

use crate::{Dag, NodeSet};

/// An ordered partition of the variables `0..nodes` into non-empty layers.
///
/// The layering of a DAG puts the variables without parents into the first layer, and into layer `i + 1` those whose
/// parents all lie in layers `1…i` with at least one in layer `i`. Every DAG has exactly one (Kuipers & Moffa 2017).
///
/// ```
/// use gflowcausal_graph::{Dag, Edge, Layering};
/// let dag = Dag::from_edges(4, [Edge::new(0, 1), Edge::new(1, 2), Edge::new(0, 2)])?;
/// let layering = Layering::of(&dag);
/// assert_eq!(format!("{layering:?}"), "[{0, 3}, {1}, {2}]");
/// # Ok::<(), gflowcausal_graph::EdgeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layering {
    layers: Vec<NodeSet>,
}

/// Layers that are not a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum LayeringError {
    /// A layer without variables.
    #[error("layer {layer} is empty")]
    Empty { layer: usize },
    /// Something that is not a variable, or one that stands in an earlier layer too.
    #[error("layer {layer} holds {node}: not a variable, or one that came before")]
    Node { layer: usize, node: usize },
    /// A variable that no layer holds.
    #[error("variable {node} is in no layer")]
    Missing { node: usize },
}

impl Layering {
    /// Checks that `layers` name each of `0..nodes` once.
    ///
    /// # Errors
    /// The first layer that is empty, repeats a variable or names none; or a variable that is missing.
    pub fn new(
        nodes: usize,
        layers: impl IntoIterator<Item = impl IntoIterator<Item = usize>>,
    ) -> Result<Self, LayeringError> {
        let mut seen = NodeSet::empty(nodes);
        let mut sets = Vec::new();
        for (layer, members) in layers.into_iter().enumerate() {
            let mut set = NodeSet::empty(nodes);
            for node in members {
                if node >= nodes || !seen.insert(node) {
                    return Err(LayeringError::Node { layer, node });
                }
                set.insert(node);
            }
            if set.is_empty() {
                return Err(LayeringError::Empty { layer });
            }
            sets.push(set);
        }
        match (0..nodes).find(|&node| !seen.contains(node)) {
            Some(node) => Err(LayeringError::Missing { node }),
            None => Ok(Self { layers: sets }),
        }
    }

    /// The layering of `dag`.
    #[must_use]
    pub fn of(dag: &Dag) -> Self {
        let mut placed = NodeSet::empty(dag.nodes());
        let mut layers = Vec::new();
        while placed.len() < dag.nodes() {
            let ready = |&node: &usize| !placed.contains(node) && dag.parents(node).is_subset(&placed);
            let layer = NodeSet::of(dag.nodes(), (0..dag.nodes()).filter(ready));
            placed.union_with(&layer);
            layers.push(layer);
        }
        Self { layers }
    }

    /// How many variables there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.layers.iter().map(NodeSet::len).sum()
    }

    /// The layers, causes first.
    #[must_use]
    pub fn layers(&self) -> &[NodeSet] {
        &self.layers
    }
}

impl std::fmt::Debug for Layering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.layers).finish()
    }
}

//! V-structures: two causes that are not joined, with a common effect.

use std::fmt;

use crate::{Dag, NodeSet, Pdag};

/// Two causes that are not joined, with a common effect: `left → collider ← right`, `left < right`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VStructure {
    /// The common effect.
    pub collider: usize,
    /// The cause with the smaller index.
    pub left: usize,
    /// The cause with the larger index.
    pub right: usize,
}

impl fmt::Display for VStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {} ← {}", self.left, self.collider, self.right)
    }
}

impl Dag {
    /// The v-structures, sorted by their common effect.
    #[must_use]
    pub fn v_structures(&self) -> Vec<VStructure> {
        Pdag::from(self).v_structures()
    }
}

impl Pdag {
    /// The pairs of arrows that meet at a node from two that are not joined, sorted by that node.
    #[must_use]
    pub fn v_structures(&self) -> Vec<VStructure> {
        let skeleton = self.skeleton();
        (0..self.nodes())
            .flat_map(|collider| meeting_at(collider, self.parents(collider), &skeleton))
            .collect()
    }
}

fn meeting_at<'a>(
    collider: usize,
    parents: &'a NodeSet,
    skeleton: &'a [NodeSet],
) -> impl Iterator<Item = VStructure> + 'a {
    parents.iter().flat_map(move |left| {
        let apart = move |&right: &usize| left < right && !skeleton[left].contains(right);
        parents.iter().filter(apart).map(move |right| VStructure { collider, left, right })
    })
}

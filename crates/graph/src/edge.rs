//! A directed edge, whose ends have names instead of positions.

use std::fmt;

/// The edge `from → to` between two variables, given by their index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The cause.
    pub from: usize,
    /// The effect.
    pub to: usize,
}

impl Edge {
    /// The edge `from → to`.
    #[must_use]
    pub const fn new(from: usize, to: usize) -> Self {
        Self { from, to }
    }

    /// The same pair in the other direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// The pair with the smaller index first: the name of an undirected edge.
    #[must_use]
    pub const fn undirected(self) -> Self {
        if self.from <= self.to { self } else { self.reversed() }
    }
}

impl From<(usize, usize)> for Edge {
    fn from((from, to): (usize, usize)) -> Self {
        Self { from, to }
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.from, self.to)
    }
}

/// Why an edge cannot enter a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum EdgeError {
    /// An end that is not a variable of the graph.
    #[error("edge {edge} leaves the graph of {nodes} variables")]
    OutOfRange { edge: Edge, nodes: usize },
    /// Both ends are the same variable.
    #[error("edge {0} is a self-loop")]
    Loop(Edge),
    /// The edge is there already.
    #[error("edge {0} is there already")]
    Repeated(Edge),
    /// The pair is adjacent already, by an edge of another kind or direction.
    #[error("the pair of edge {0} is joined already")]
    Joined(Edge),
    /// The edge would close a directed cycle.
    #[error("edge {0} closes a cycle")]
    Cycle(Edge),
}

impl EdgeError {
    /// The edge that was refused.
    #[must_use]
    pub const fn edge(&self) -> Edge {
        match *self {
            Self::OutOfRange { edge, .. }
            | Self::Loop(edge)
            | Self::Repeated(edge)
            | Self::Joined(edge)
            | Self::Cycle(edge) => edge,
        }
    }

    /// Refuses an edge that leaves the graph of `nodes` variables or is a self-loop.
    pub(crate) const fn check_ends(edge: Edge, nodes: usize) -> Result<(), Self> {
        if edge.from >= nodes || edge.to >= nodes {
            return Err(Self::OutOfRange { edge, nodes });
        }
        if edge.from == edge.to {
            return Err(Self::Loop(edge));
        }
        Ok(())
    }
}

//! Classes of problem size, by the number of variables.

/// The steps that the defaults of `gflowcausal` go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// A policy learns them well.
    Small,
    /// A policy learns them more or less.
    Medium,
    /// Local search does most of the work.
    Large,
    /// Even one order that was never seen takes its time: the search for pairs of parents takes `O(d²)` for each of its
    /// variables.
    VeryLarge,
}

impl Size {
    pub(crate) fn of(nodes: usize) -> Self {
        match nodes {
            0..=16 => Self::Small,
            17..=60 => Self::Medium,
            61..=150 => Self::Large,
            _ => Self::VeryLarge,
        }
    }
}

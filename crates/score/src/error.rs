//! Why a score cannot be built from some data or some options.

/// Data or options that no score can be made of.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum ScoreError {
    /// There are no rows.
    #[error("a score needs rows: the data have none")]
    NoRows,
    /// A variance or covariance that overflowed or was not a number to begin with.
    #[error(
        "column number {column} has no finite variance: check for missing or infinite cells, or rescale it"
    )]
    NotFinite { column: usize },
    /// A penalty multiplier that is negative or not a number.
    #[error("the penalty is a number that is at least 0, or auto; it cannot be {0}")]
    Penalty(f64),
    /// A hyper-parameter of BGe outside the range in which the prior exists.
    #[error("{name} of bge must be above {above}; it cannot be {value}")]
    Prior { name: &'static str, above: f64, value: f64 },
    /// Sums over parent sets that would not fit in memory.
    #[error(
        "variable number {node} has {sets} parent sets of that size, more than {limit}: lower the largest size"
    )]
    TooManyParentSets { node: usize, sets: u128, limit: usize },
    /// A column of categories where real numbers are needed.
    #[error("column '{column}' holds categories: this score needs real numbers")]
    NotContinuous { column: String },
    /// A column of real numbers where categories are needed.
    #[error("column '{column}' holds real numbers: this score needs categories")]
    NotCategorical { column: String },
    /// Cells without a value.
    #[error("column '{column}' misses {cells} cells: drop those rows or fill them in first")]
    MissingCells { column: String, cells: usize },
    /// A strength of the Dirichlet prior that is no number of rows.
    #[error("the equivalent sample size of bdeu is a number above 0 and at most a million; it cannot be {0}")]
    SampleSize(f64),
    /// A temperature or a prior that no distribution has.
    #[error("{name} cannot be {value}")]
    Target { name: &'static str, value: f64 },
    /// A graph that the knowledge forbids where an allowed one is needed.
    #[error("the parents of variable number {node} in a given graph are not allowed by the knowledge")]
    ForbiddenGraph { node: usize },
    /// The work was stopped from outside.
    #[error("stopped before the tables of parent sets were complete")]
    Stopped,
}

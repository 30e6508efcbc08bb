//! Named values that options take: tests and prunings.

use gflowcausal_graph::choices;

choices! {
    /// A test of conditional independence.
    pub enum TestName: "test" {
        /// Partial correlations, for numbers.
        FisherZ = "fisher-z",
        /// Likelihood ratios, for categories.
        GSquare = "g-square",
        /// Pearson's, for categories.
        ChiSquare = "chi-square",
    }
}

choices! {
    /// How an order becomes a graph.
    pub enum PruneName: "pruning" {
        /// What goes with the score.
        Auto = "auto",
        /// The parents that the score chose.
        Selected = "selected",
        /// Least squares, p-value below `alpha`.
        TTest = "t-test",
        /// A parent goes when the score is better without it.
        Score = "score",
        /// Least squares, slope above `threshold`.
        Threshold = "threshold",
        /// Adaptive LASSO.
        Lasso = "lasso",
        /// Additive model, p-value below `alpha`.
        Cam = "cam",
        /// Every earlier variable stays a parent.
        None = "none",
    }
}

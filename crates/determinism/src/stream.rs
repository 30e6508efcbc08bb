//! Counter-based random streams: one for each (seed, purpose, index), so no generator is ever shared or stored.

use rand::SeedableRng;

/// The generator behind every stream.
pub type StreamRng = rand_chacha::ChaCha8Rng;

/// What a stream of random numbers is for. Two different values never share numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence says what its indices count")]
pub enum Stream {
    /// The shape of a simulated graph.
    GraphShape,
    /// The coefficients of a simulated structural equation: one stream per node.
    Coefficients { node: u64 },
    /// The noise of a simulated variable: one stream per node.
    Noise { node: u64 },
    /// Which cells of a simulated table go missing: one stream per node.
    Missing { node: u64 },
    /// One row of a simulated probability table: one stream per node and configuration of its parents.
    TableRow { node: u64, configuration: u64 },
    /// The first values of a network's parameters.
    Parameters { layer: u64 },
    /// One walk taken at random before training, to see how rewards spread.
    RandomWalk { k: u64 },
    /// One trajectory of one training iteration.
    Trajectory { iteration: u64, k: u64 },
    /// One trajectory drawn from a trained policy.
    Sample { k: u64 },
    /// One backward trajectory from a remembered terminal state.
    Replay { iteration: u64, k: u64 },
    /// One restart or improvement of a local search.
    Search { iteration: u64, k: u64 },
    /// The order that goes with one draw of a reference.
    Reference { k: u64 },
    /// The graph that goes with one drawn order.
    Graph { k: u64 },
    /// One start of a search that starts more than once.
    Restart { k: u64 },
    /// The initial directions of independent component analysis.
    Unmixing,
    /// The rows of one bootstrap of a table.
    Bootstrap { k: u64 },
    /// One round of one start of the chains over layerings.
    Layering { start: u64, round: u64 },
    /// Where one of the chains over layerings starts.
    LayeringStart { start: u64 },
    /// A DAG drawn to see whether such proposals would be accepted.
    OrderProposal { k: u64 },
    /// The seed of one part of many draws.
    Part { k: u64 },
    /// The seed of chains that draw what earlier ones of the same part fell short of.
    Refill { k: u64 },
    /// Which variables simulated experiments set.
    ExperimentTargets,
    /// The values that simulated experiments set a variable to: one stream per node.
    Experiment { node: u64 },
    /// The parameters that are drawn for one graph, where effects are computed.
    EffectParameters { graph: u64 },
    /// The probabilities that are drawn for one cause in one graph, where effects are computed.
    EffectProbabilities { cause: u64, graph: u64 },
    /// The rows of one batch of one training iteration.
    Batch { iteration: u64 },
    /// One randomised regression tree for one variable.
    Tree { target: u64, k: u64 },
    /// Anything random in a test.
    Test { k: u64 },
}

impl Stream {
    /// The stream's number and its two indices.
    fn address(self) -> [u64; 3] {
        match self {
            Self::GraphShape => [1, 0, 0],
            Self::Coefficients { node } => [2, node, 0],
            Self::Noise { node } => [3, node, 0],
            Self::Missing { node } => [4, node, 0],
            Self::TableRow { node, configuration } => [20, node, configuration],
            Self::Parameters { layer } => [5, layer, 0],
            Self::Trajectory { iteration, k } => [6, iteration, k],
            Self::Sample { k } => [7, k, 0],
            Self::Replay { iteration, k } => [8, iteration, k],
            Self::Search { iteration, k } => [9, iteration, k],
            Self::RandomWalk { k } => [10, k, 0],
            Self::Reference { k } => [11, k, 0],
            Self::Graph { k } => [12, k, 0],
            Self::Restart { k } => [13, k, 0],
            Self::Unmixing => [30, 0, 0],
            Self::Bootstrap { k } => [40, k, 0],
            Self::Layering { start, round } => [50, start, round],
            Self::LayeringStart { start } => [51, start, 0],
            Self::Part { k } => [52, k, 0],
            Self::Refill { k } => [54, k, 0],
            Self::ExperimentTargets => [62, 0, 0],
            Self::Experiment { node } => [63, node, 0],
            Self::EffectParameters { graph } => [60, graph, 0],
            Self::EffectProbabilities { cause, graph } => [61, cause, graph],
            Self::OrderProposal { k } => [53, k, 0],
            Self::Batch { iteration } => [70, iteration, 0],
            Self::Tree { target, k } => [71, target, k],
            Self::Test { k } => [u64::MAX, k, 0],
        }
    }
}

/// The random numbers of `seed` for one `purpose`.
///
/// The ChaCha key is `seed` and the purpose's address side by side: distinct addresses are distinct keys, and a
/// stream costs one cipher block to open.
///
/// ```
/// use gflowcausal_determinism::{Stream, rand::RngExt, stream};
/// let draw = |k| stream(7, Stream::Sample { k }).random::<u64>();
/// assert_eq!(draw(0), draw(0));
/// assert_ne!(draw(0), draw(1));
/// ```
#[must_use]
pub fn stream(seed: u64, purpose: Stream) -> StreamRng {
    let mut key = [0; 32];
    let words = [seed].into_iter().chain(purpose.address());
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    StreamRng::from_seed(key)
}

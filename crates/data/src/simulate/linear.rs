//! Linear structural equations: weights on a graph, and data from them column by column.

use gflowcausal_determinism::rand::{Rng, RngExt};
use gflowcausal_determinism::{Stream, map, map_slices, stream};
use gflowcausal_graph::{Dag, Edge, EdgeError};

use super::{Model, NoiseModel, SimulationError, check_size, continuous_table};
use crate::Table;

/// How many rows of a column are summed at a time: they stay in the first-level cache.
const CHUNK: usize = 2048;

/// `±U[0.5, 2]`: the weights of the linear, `mlp` and `mim` models.
pub(super) fn signed_weight(rng: &mut impl Rng) -> f64 {
    let size = rng.random_range(0.5..=2.0);
    if rng.random::<bool>() { size } else { -size }
}

/// A graph with a weight on each edge: `matrix()[from · d + to]`, zero where there is no edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    dag: Dag,
    matrix: Vec<f64>,
}

impl Weights {
    /// Weights `Unif([−2, −0.5] ∪ [0.5, 2])` on the edges of `dag`.
    #[must_use]
    pub fn random(dag: Dag, seed: u64) -> Self {
        let nodes = dag.nodes();
        let mut matrix = vec![0.0; nodes * nodes];
        for to in 0..nodes {
            let mut rng = stream(seed, Stream::Coefficients { node: to as u64 });
            for from in dag.parents(to).iter() {
                matrix[from * nodes + to] = signed_weight(&mut rng);
            }
        }
        Self { dag, matrix }
    }

    /// The weights of a `nodes × nodes` matrix, row by row, and the graph of those that are not zero.
    ///
    /// # Errors
    /// A matrix of another size, a weight that is not finite, or weights that close a cycle.
    pub fn from_matrix(nodes: usize, matrix: Vec<f64>) -> Result<Self, SimulationError> {
        if matrix.len() != nodes * nodes {
            return Err(SimulationError::WeightCount { values: matrix.len(), nodes });
        }
        let edge = |position: usize| Edge::new(position / nodes, position % nodes);
        if let Some(position) = matrix.iter().position(|weight| !weight.is_finite()) {
            return Err(SimulationError::WeightNotFinite(edge(position)));
        }
        let edges = (0..matrix.len()).filter(|&position| matrix[position] != 0.0).map(edge);
        let dag = Dag::from_edges(nodes, edges)?;
        Ok(Self { dag, matrix })
    }

    /// The graph.
    #[must_use]
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The weight of `edge`, zero if it is not in the graph.
    ///
    /// # Panics
    /// If `edge` leaves the graph.
    #[must_use]
    pub fn get(&self, edge: Edge) -> f64 {
        assert!(edge.to < self.dag.nodes(), "{}", EdgeError::OutOfRange { edge, nodes: self.dag.nodes() });
        self.matrix[edge.from * self.dag.nodes() + edge.to]
    }

    /// The weights of the same equations after each variable is divided by its entry of `divisors`.
    pub(super) fn rescaled(mut self, divisors: &[f64]) -> Self {
        let nodes = self.dag.nodes();
        for edge in self.dag.edges() {
            self.matrix[edge.from * nodes + edge.to] *= divisors[edge.from] / divisors[edge.to];
        }
        self
    }
}

/// Data from `x_j = Σ_i w_ij·x_i + noise_j`, one column after the other along the graph.
///
/// Costs `O(rows · (nodes + edges))`, in passes over whole columns.
///
/// ```
/// use gflowcausal_data::{NoiseModel, Weights, simulate_linear};
/// let chain = Weights::from_matrix(2, vec![0.0, 1.5, 0.0, 0.0])?;
/// let table = simulate_linear(&chain, &NoiseModel::default(), 100, 7)?;
/// assert_eq!(table.names().collect::<Vec<_>>(), ["X1", "X2"]);
/// # Ok::<(), gflowcausal_data::SimulationError>(())
/// ```
///
/// # Errors
/// No rows or too many, a noise scale that is not positive, or values too large for a floating-point number.
pub fn simulate_linear(
    weights: &Weights,
    noise: &NoiseModel,
    rows: usize,
    seed: u64,
) -> Result<Table, SimulationError> {
    simulate_linear_with(weights, noise, rows, seed, |_, _| ())
}

/// The same with `set`, which may change the values of each variable before they reach its effects.
pub(super) fn simulate_linear_with(
    weights: &Weights,
    noise: &NoiseModel,
    rows: usize,
    seed: u64,
    set: impl Fn(usize, &mut [f64]),
) -> Result<Table, SimulationError> {
    let dag = weights.dag();
    check_size(rows, dag.nodes())?;
    noise.scale.check()?;
    let mut columns = map(dag.nodes(), |node| noise.column(node, rows, seed));
    for node in dag.topological_order().iter() {
        let mut column = std::mem::take(&mut columns[node]);
        let causes: Vec<(f64, &[f64])> = dag
            .parents(node)
            .iter()
            .map(|from| (weights.get(Edge::new(from, node)), columns[from].as_slice()))
            .collect();
        add_weighted(&mut column, &causes);
        set(node, &mut column);
        columns[node] = column;
    }
    continuous_table(columns, Model::Linear)
}

/// `column += Σ weight · cause`, in slices that stay in cache while the causes stream by.
fn add_weighted(column: &mut [f64], causes: &[(f64, &[f64])]) {
    map_slices(column, CHUNK, |index, slice| {
        for (weight, cause) in causes {
            for (value, x) in slice.iter_mut().zip(&cause[index * CHUNK..]) {
                *value += weight * x;
            }
        }
    });
}

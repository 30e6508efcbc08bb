//! GraN-DAG (Lachapelle et al. 2020): a network for each variable, no cycle among the paths through their weights.

mod extra_trees;
mod networks;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StopFlag, Stream, StreamRng, interruptible, map, stream};
use gflowcausal_graph::{Constraints, Edge, NodeSet};
use gflowcausal_search::Weighted;

use self::extra_trees::important_features;
use self::networks::Networks;
use crate::augmented_lagrangian::Multipliers;
use crate::optimizer::RmsProp;

/// A graph counts as acyclic when `h` is no larger.
const H_TOLERANCE: f64 = 1e-8;

/// Iterations between two evaluations of the validation rows.
const WINDOW: usize = 100;

/// The share of rows that are trained on; the rest is for validation.
const TRAINED: f64 = 0.8;

/// A connection weaker than this is cut for good.
const CLAMP: f64 = 1e-4;

/// `μ` before the first update, the authors' `μ₀`.
const FIRST_MU: f64 = 1e-3;

/// `μ` grows tenfold unless `h` has decreased to this share (`ω_μ`).
const PROGRESS: f64 = 0.9;

/// The multipliers change once the validation loss changes by less an iteration (`ω_λ`).
const STATIONARY: f64 = 1e-4;

/// GraN-DAG with additive Gaussian noise, by the authors' settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GranDag {
    /// Units of each of the two hidden layers.
    pub hidden: usize,
    /// Rows a step.
    pub batch_size: usize,
    /// The learning rate of RMSprop.
    pub learning_rate: f64,
    /// The most steps.
    pub iterations: usize,
    /// From how many variables on neighbours are selected first, by extremely randomised trees.
    pub selects_from: usize,
}

impl Default for GranDag {
    fn default() -> Self {
        Self { hidden: 10, batch_size: 64, learning_rate: 1e-3, iterations: 100_000, selects_from: 50 }
    }
}

impl GranDag {
    /// How strongly the density of each variable reacts to each other one: the mean of `|∂ ln p_j / ∂x_i|` over the rows
    /// trained on, zero for connections that were cut or that `constraints` do not allow.
    ///
    /// The same `seed` gives the same. Once `stop` is set, the networks reached are used.
    #[must_use]
    pub fn fit(&self, columns: &[&[f64]], constraints: &Constraints, seed: u64, stop: &StopFlag) -> Weighted {
        let nodes = columns.len();
        let rows = columns.first().map_or(0, |column| column.len());
        let trained = (((rows as f64) * TRAINED) as usize).clamp(1.min(rows), rows);
        let allowed = self.neighbours(columns, constraints, seed, stop);
        let mut networks =
            Networks::new(&allowed, self.hidden, &mut stream(seed, Stream::Parameters { layer: 0 }));
        let mut h = f64::NAN;
        if nodes > 1 {
            let [train, validation] = [0..trained, trained..rows]
                .map(|range| columns.iter().map(|column| column[range.clone()].to_vec()).collect::<Vec<_>>());
            h = Training { settings: self, train: &train, validation: &validation, seed, stop }
                .run(&mut networks);
            return Weighted::new(nodes, networks.sensitivities(&train), f64::NAN, h);
        }
        Weighted::new(nodes, vec![0.0; nodes * nodes], f64::NAN, h)
    }

    /// The variables that each network may read.
    fn neighbours(
        &self,
        columns: &[&[f64]],
        constraints: &Constraints,
        seed: u64,
        stop: &StopFlag,
    ) -> Vec<NodeSet> {
        let nodes = columns.len();
        let allowed = |node: usize| constraints.allowed_parents(node).clone();
        if nodes < self.selects_from {
            return (0..nodes).map(allowed).collect();
        }
        let selected = interruptible(stop, || {
            map(nodes, |node| {
                let mut kept = important_features(columns, node, seed);
                kept.intersect_with(constraints.allowed_parents(node));
                kept.union_with(constraints.required(node));
                kept
            })
        });
        selected.unwrap_or_else(|| (0..nodes).map(allowed).collect())
    }
}

/// The augmented Lagrangian on its way.
struct Training<'a> {
    settings: &'a GranDag,
    train: &'a [Vec<f64>],
    validation: &'a [Vec<f64>],
    seed: u64,
    stop: &'a StopFlag,
}

impl Training<'_> {
    /// Trains until no cycle is left, and gives `h`.
    fn run(&self, networks: &mut Networks) -> f64 {
        let GranDag { learning_rate, iterations, .. } = *self.settings;
        let rows = self.train[0].len();
        let mut multipliers = Multipliers { lambda: 0.0, mu: FIRST_MU };
        let mut optimizer = RmsProp::new(networks.parameters.len());
        let mut indices: Vec<usize> = (0..rows).collect();
        let mut batch = Vec::new();
        let (mut losses, mut previous_h) = (Vec::new(), None);
        let mut h = f64::NAN;
        for iteration in 0..iterations {
            if self.stop.is_set() {
                break;
            }
            self.draw(iteration, &mut indices, &mut batch);
            h = networks.evaluate(&batch, multipliers);
            // Looked at before the step, as the batch is.
            if iteration % WINDOW == 0 {
                losses.push(networks.loss_of(self.validation) + multipliers.cost(h));
            }
            networks.step(&mut optimizer, learning_rate, CLAMP);
            if h <= H_TOLERANCE {
                networks.clamp(0.0);
                break;
            }
            if iteration % (2 * WINDOW) == 0 && is_stationary(&losses) {
                multipliers.lambda = multipliers.slope(h);
                if previous_h.is_some_and(|previous| h > PROGRESS * previous) {
                    multipliers.mu *= 10.0;
                }
                previous_h = Some(h);
                if let Some(last) = losses.last_mut() {
                    *last = networks.loss_of(self.validation) + multipliers.cost(h);
                }
                optimizer = RmsProp::new(networks.parameters.len());
            }
        }
        h
    }

    /// Rows without replacement: the start of a shuffle, one value after the other for each variable.
    fn draw(&self, iteration: usize, indices: &mut [usize], batch: &mut Vec<Vec<f64>>) {
        let size = self.settings.batch_size.clamp(1, indices.len());
        let mut rng: StreamRng = stream(self.seed, Stream::Batch { iteration: iteration as u64 });
        for k in 0..size {
            let other = rng.random_range(k..indices.len());
            indices.swap(k, other);
        }
        batch.resize(self.train.len(), vec![]);
        for (values, column) in batch.iter_mut().zip(self.train) {
            values.clear();
            values.extend(indices[..size].iter().map(|&row| column[row]));
        }
    }
}

/// Whether the last three validation losses fall slowly, or rise; not if they go up and down.
fn is_stationary(losses: &[f64]) -> bool {
    let [.., before, middle, now] = losses else { return false };
    if !(before.min(*now) < *middle && *middle < before.max(*now)) {
        return false;
    }
    let change = (now - before) / WINDOW as f64;
    change.abs() < STATIONARY || change > 0.0
}

/// Which inputs each network may read, `[network][input]`.
fn mask(allowed: &[NodeSet]) -> Vec<f64> {
    let nodes = allowed.len();
    let reads = |edge: Edge| f64::from(u8::from(allowed[edge.to].contains(edge.from)));
    (0..nodes * nodes).map(|k| reads(Edge { from: k % nodes, to: k / nodes })).collect()
}

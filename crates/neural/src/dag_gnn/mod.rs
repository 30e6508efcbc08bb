//! DAG-GNN (Yu et al. 2019): an autoencoder around a linear structural equation, held acyclic by an augmented Lagrangian.

mod autoencoder;
mod scalar_mlp;

use gflowcausal_determinism::{StopFlag, Stream, stream};
use gflowcausal_graph::Constraints;
use gflowcausal_search::Weighted;

use self::autoencoder::Autoencoder;
use crate::augmented_lagrangian::Multipliers;
use crate::optimizer::Adam;

/// The most updates of `λ`.
const MAX_ROUNDS: usize = 100;

/// A graph counts as acyclic when `h` is no larger.
const H_TOLERANCE: f64 = 1e-8;

/// `c` is raised tenfold until `h` has decreased to this share.
const PROGRESS: f64 = 0.25;

/// The largest `c`.
const MAX_C: f64 = 1e20;

/// A round ends early when the loss is this many times the best.
const DIVERGED: f64 = 2.0;

/// DAG-GNN with the authors' settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DagGnn {
    /// Hidden units of encoder and decoder.
    pub hidden: usize,
    /// Passes over the rows before the multipliers change.
    pub epochs: usize,
    /// Rows a step.
    pub batch_size: usize,
    /// Adam's learning rate, divided by `log₁₀ c`.
    pub learning_rate: f64,
}

impl Default for DagGnn {
    fn default() -> Self {
        Self { hidden: 64, epochs: 300, batch_size: 100, learning_rate: 3e-3 }
    }
}

impl DagGnn {
    /// Weights `A′ = sinh 3A` for complete `columns` that are zero wherever `constraints` allow no edge; the same `seed`
    /// gives the same. Once `stop` is set, the weights reached are returned.
    ///
    /// Rows are taken in their order, as the authors' program does, so chance enters by the first weights alone.
    #[must_use]
    pub fn fit(&self, columns: &[&[f64]], constraints: &Constraints, seed: u64, stop: &StopFlag) -> Weighted {
        let nodes = columns.len();
        let rows = columns.first().map_or(0, |column| column.len());
        let table: Vec<f64> =
            (0..rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        let mut rng = stream(seed, Stream::Parameters { layer: 0 });
        let mut fit = Fit {
            model: Autoencoder::new(constraints, self.hidden, &mut rng),
            adam: Adam::new(Autoencoder::parameter_count(nodes, self.hidden)),
            table,
            batch: self.batch_size.max(1) * nodes.max(1),
            stop,
        };
        fit.solve(self);
        let h = fit.model.h();
        Weighted::new(nodes, fit.model.weights(), f64::NAN, h)
    }
}

/// A fit on its way.
struct Fit<'a> {
    model: Autoencoder,
    adam: Adam<f64>,
    /// Row after row.
    table: Vec<f64>,
    /// Numbers a step.
    batch: usize,
    stop: &'a StopFlag,
}

impl Fit<'_> {
    fn solve(&mut self, settings: &DagGnn) {
        let mut multipliers = Multipliers { lambda: 0.0, mu: 1.0 };
        let (mut h, mut h_before, mut best) = (1.0, f64::INFINITY, f64::INFINITY);
        for _ in 0..MAX_ROUNDS {
            while multipliers.mu < MAX_C {
                let Some(loss) = self.inner(settings, multipliers, &mut best) else { return };
                if loss > DIVERGED * best {
                    break;
                }
                h = self.model.h();
                if h <= PROGRESS * h_before {
                    break;
                }
                multipliers.mu *= 10.0;
            }
            h_before = h;
            multipliers.lambda = multipliers.slope(h);
            if h <= H_TOLERANCE || multipliers.mu >= MAX_C {
                return;
            }
        }
    }

    /// The mean loss of the last of the epochs under these multipliers; none if the fit is to stop.
    fn inner(&mut self, settings: &DagGnn, multipliers: Multipliers, best: &mut f64) -> Option<f64> {
        let learning_rate = learning_rate(settings.learning_rate, multipliers.mu);
        let mut loss = 0.0;
        for _ in 0..settings.epochs {
            let (mut sum, mut steps) = (0.0, 0.0);
            for batch in self.table.chunks(self.batch) {
                if self.stop.is_set() {
                    return None;
                }
                sum += self.model.evaluate(batch, multipliers);
                steps += 1.0;
                self.adam.step(learning_rate, &self.model.gradient, &mut self.model.parameters);
            }
            loss = sum / steps;
            *best = best.min(loss);
        }
        Some(loss)
    }
}

/// `η / log₁₀ c`, kept from 1e-4 to 1e-2.
fn learning_rate(base: f64, c: f64) -> f64 {
    (base / (c.log10() + 1e-10)).clamp(1e-4, 1e-2)
}

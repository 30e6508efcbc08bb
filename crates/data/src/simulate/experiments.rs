//! Simulated experiments: after the observed rows, some for each target in which it is set from outside.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};
use rand_distr::{Distribution, StandardNormal};
use serde::{Serialize, Serializer};

use super::linear::simulate_linear_with;
use super::{Equations, Simulated, Simulation, SimulationError, Weights, observe};
use crate::table::{Column, MISSING_CODE};

/// The standard deviation of the values that a target is set to.
const SPREAD: f64 = 2.0;

/// The column that names the target of each row.
const COLUMN: &str = "intervention";

/// How many targets there are, and how many rows for each; written `8x60`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Experiments {
    /// How many variables are set, one at a time.
    pub targets: usize,
    /// In how many rows each.
    pub rows: usize,
}

impl FromStr for Experiments {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('x').and_then(|(targets, rows)| {
            Some(Self { targets: targets.trim().parse().ok()?, rows: rows.trim().parse().ok()? })
        });
        let positive = parsed.filter(|plan| plan.targets > 0 && plan.rows > 0);
        positive.ok_or_else(|| "give targets and rows for each, such as 8x60".to_owned())
    }
}

impl fmt::Display for Experiments {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}x{}", self.targets, self.rows)
    }
}

impl Serialize for Experiments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The data of `config`, and after its rows those of `experiments`: targets are drawn at random, and each is set to normal values of
/// standard deviation 2 whatever its causes are. The column says which variable was set in each row.
///
/// ```
/// use gflowcausal_data::{Experiments, Simulation, simulate_experiments};
/// let config = Simulation { nodes: 5, degree: Some(1), rows: 50, ..Simulation::default() };
/// let (data, targets) = simulate_experiments(&config, Experiments { targets: 2, rows: 10 })?;
/// assert_eq!((data.table.rows(), targets.values.missing()), (70, 50));
/// # Ok::<(), gflowcausal_data::SimulationError>(())
/// ```
///
/// # Errors
/// As for [`simulate`](crate::simulate), a model that is not linear, or more targets than variables.
pub fn simulate_experiments(
    config: &Simulation,
    experiments: Experiments,
) -> Result<(Simulated, Column), SimulationError> {
    let Experiments { targets, rows } = experiments;
    let set = targets.checked_mul(rows).and_then(|more| config.rows.checked_add(more));
    let valid = Simulation { rows: set.unwrap_or(usize::MAX), ..config.clone() }.validate()?;
    let Equations::Linear(noise) = valid.equations else {
        return Err(SimulationError::NoEffect { option: "interventions", model: config.model });
    };
    if targets > config.nodes {
        return Err(SimulationError::Targets { targets, nodes: config.nodes });
    }
    let weights = Weights::random(valid.graph.draw(config.seed), config.seed);
    let chosen = chosen(config.nodes, targets, config.seed);
    let block = |k: usize| config.rows + k * rows..config.rows + (k + 1) * rows;
    let table = simulate_linear_with(&weights, &noise, valid.rows, config.seed, |node, column| {
        if let Some(k) = chosen.iter().position(|&target| target == node) {
            set_values(&mut column[block(k)], node, config.seed);
        }
    })?;
    let data = Simulated { table, dag: weights.dag().clone(), weights: Some(weights) };
    let names: Vec<String> = data.table.names().map(str::to_owned).collect();
    let column = targets_column(&names, &chosen, valid.rows, block);
    Ok((observe::observed(data, config.standardize, config.missing_rate, config.seed), column))
}

/// `count` of the variables, in the order in which they are set.
fn chosen(nodes: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = stream(seed, Stream::ExperimentTargets);
    let mut left: Vec<usize> = (0..nodes).collect();
    (0..count).map(|_| left.swap_remove(rng.random_range(0..left.len()))).collect()
}

fn set_values(values: &mut [f64], node: usize, seed: u64) {
    let mut rng = stream(seed, Stream::Experiment { node: node as u64 });
    for value in values {
        let drawn: f64 = StandardNormal.sample(&mut rng);
        *value = SPREAD * drawn;
    }
}

fn targets_column(
    names: &[String],
    chosen: &[usize],
    rows: usize,
    block: impl Fn(usize) -> Range<usize>,
) -> Column {
    let mut codes = vec![MISSING_CODE; rows];
    (0..chosen.len()).for_each(|k| codes[block(k)].fill(k as u32));
    Column::categorical(COLUMN, codes, chosen.iter().map(|&node| names[node].clone()).collect())
}

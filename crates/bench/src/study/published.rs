//! How far the paper's algorithm, as published, ends from the distribution it aims at: over all orders of few variables.

use gflowcausal::data::{Simulated, Simulation};
use gflowcausal::flow::{FlowScale, Policy, StateSpace, TrainError, Walk};
use gflowcausal::{Config, Error, Problem, discover};
use serde::Deserialize;

use super::findings::{Cell, Outcome, cells};
use super::policy::{simulated, timed};
use crate::{BenchError, Control};

/// The most states that are enumerated.
const MOST_STATES: usize = 200_000;

/// The paper's Case 2 and Case 3.
const CASES: [(Walk, &str); 2] = [(Walk::Edges, "Case 2 (edges)"), (Walk::Chain, "Case 3 (chain)")];

/// Paper mode at each size, in each case, on raw flows and on their logarithms.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    rows: usize,
    size: Vec<Size>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    nodes: usize,
    degree: usize,
    iterations: usize,
}

impl Published {
    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let columns = [
            "variables",
            "draws",
            "flows",
            "iterations",
            "orders",
            "last loss",
            "TV",
            "TV, all alike",
            "CPU s",
        ];
        let mut outcome = Outcome::new(&columns);
        for size in &self.size {
            let Size { nodes, degree, .. } = *size;
            let simulation = Simulation { nodes, rows: self.rows, ..Simulation::default() };
            let data = simulated(&Simulation { degree: Some(degree), ..simulation }, 1)?;
            for (walk, name) in CASES {
                for scale in FlowScale::ALL.iter().rev() {
                    control.report(&format!("{nodes} variables, {name}, {scale}"));
                    control.check()?;
                    outcome.row(size.compare(&data, (walk, name), *scale)?);
                }
            }
        }
        outcome.note("varsort, batch 64, learning rate 1e-4, perceptron 2 × 256, no helpers: `discover --paper`; the policy's distribution is computed over all states, not sampled");
        outcome.note("TV: total variation from P ∝ r over orders; all alike: what drawing every order with the same probability has");
        Ok(outcome)
    }
}

impl Size {
    fn compare(
        &self,
        data: &Simulated,
        (walk, name): (Walk, &str),
        scale: FlowScale,
    ) -> Result<Vec<Cell>, BenchError> {
        let config = Config {
            paper: true,
            walk,
            flow_scale: Some(scale),
            iterations: Some(self.iterations),
            samples: 1,
            ..Config::default()
        };
        let (found, seconds) = timed(|| discover(&data.table, &config));
        let training = found?.training.ok_or(BenchError::Interrupted)?;
        let problem = Problem::new(&data.table, &config)?;
        let constraints = problem.model.constraints();
        let refused = |error| Error::from(TrainError::from(error));
        let environment = walk.environment(constraints.clone()).map_err(refused)?;
        let space = StateSpace::enumerate(&*environment, MOST_STATES)
            .map_err(|error| BenchError::TooManyStates(error.to_string()))?;
        let target = space.target(&*problem.log_reward(walk)?);
        let policy = Policy::parse(training.policy, constraints).map_err(Error::from)?;
        let sampler = policy.sampler(None).ok_or(BenchError::Interrupted)?;
        let learned = space.policy_outcome(&sampler.log_flows(&space));
        let orders = target.outcomes().len();
        let from_alike = |log: &f64| (log.exp() - 1.0 / orders as f64).abs() / 2.0;
        Ok(cells![
            self.nodes,
            name,
            if scale == FlowScale::Linear { "raw" } else { "logarithms" },
            self.iterations,
            orders,
            training.final_loss,
            learned.total_variation(&target),
            target.log_probabilities().iter().map(from_alike).sum::<f64>(),
            seconds
        ])
    }
}

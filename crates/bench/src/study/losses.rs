//! The course of the loss in training.

use gflowcausal::ScoreName;
use gflowcausal::data::Simulation;
use gflowcausal::flow::{ObjectiveName, Walk};
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use super::policy::{Effort, mean, scored, simulated, timed, trained};
use crate::{BenchError, Control};

/// How many points a line has: each the mean of as many iterations as fall on it.
const POINTS: usize = 60;

/// Training runs of which the loss is drawn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Losses {
    /// What the figure and its files are called.
    pub(super) figure: String,
    pub(super) heading: String,
    pub(super) curve: Vec<Curve>,
}

/// One training run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curve {
    name: String,
    simulate: Simulation,
    score: ScoreName,
    walk: Walk,
    objective: ObjectiveName,
    temperature: f64,
    effort: Effort,
}

impl Losses {
    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let columns = ["run", "iterations", "batch", "first loss", "last loss", "ratio", "CPU s"];
        let mut outcome = Outcome::new(&columns);
        let mut series = Vec::new();
        for curve in &self.curve {
            control.report(&curve.name);
            let (points, seconds) = timed(|| curve.points(control));
            let points = points?;
            let (first, last) = (points[0].1, points[points.len() - 1].1);
            let Effort { iterations, batch_size, .. } = curve.effort;
            outcome.row(cells![
                curve.name.as_str(),
                iterations,
                batch_size,
                first,
                last,
                last / first,
                seconds
            ]);
            series.push(Series { name: curve.name.clone(), points });
        }
        let figure = Figure {
            heading: self.heading.clone(),
            across: FigureAxis::new("iteration", AxisRange::FromZero),
            up: FigureAxis::new("mean loss (nats²)", AxisRange::Values),
            series,
        };
        outcome.figures.insert(self.figure.clone(), figure);
        outcome.note(format!(
            "losses are means over a {POINTS}th of the iterations, at the final temperature from the start"
        ));
        Ok(outcome)
    }
}

impl Curve {
    /// The mean loss of each stretch of iterations.
    fn points(&self, control: &Control<'_>) -> Result<Vec<(f64, f64)>, BenchError> {
        let data = simulated(&self.simulate, 1)?;
        let problem = scored(&data, self.score)?;
        let reward = problem.log_reward(self.walk)?;
        let mut config = self.effort.config(self.walk, self.objective, self.temperature, 1);
        // A target that moves would move the loss.
        config.temperature.iterations = 0;
        let mut losses = Vec::new();
        trained(control, config, &problem, &*reward, &mut |progress| losses.push(progress.loss))?;
        Ok(stretches(&losses))
    }
}

/// The ends of equal stretches of iterations, and the mean loss of each.
fn stretches(losses: &[f64]) -> Vec<(f64, f64)> {
    let count = losses.len().min(POINTS);
    let end = |stretch: usize| stretch * losses.len() / count;
    (0..count).map(|k| (end(k + 1) as f64, mean(losses[end(k)..end(k + 1)].iter().copied()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loss_is_in_one_stretch() {
        let losses: Vec<f64> = (0..400).map(f64::from).collect();
        let points = stretches(&losses);
        assert_eq!((points.len(), points[0], points[59].0), (60, (6.0, 2.5), 400.0));
        assert_eq!(stretches(&losses[..2]), [(1.0, 0.0), (2.0, 1.0)]);
    }
}

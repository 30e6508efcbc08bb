//! The course of the loss in training.

use gflowcausal::data::Simulation;
use gflowcausal::flow::{ObjectiveName, Walk};
use gflowcausal::{Figure, FigureAxis, ScoreName, Series, Span};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use super::policy::{Effort, mean, scored, simulated, timed, trained};
use crate::failure::Failure;

/// How many points a line has: each the mean of as many iterations as fall on it.
const POINTS: usize = 60;

/// Training runs of which the loss is drawn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::bench) struct Losses {
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
    /// Whether the temperature falls to that in the first third, which moves the target and so the loss.
    #[serde(default)]
    annealed: bool,
    effort: Effort,
}

impl Losses {
    pub(super) fn measure(&self, tell: &dyn Fn(&str)) -> Result<Outcome, Failure> {
        let columns = ["run", "iterations", "batch", "first loss", "last loss", "ratio", "CPU s"];
        let mut outcome = Outcome::new(&columns);
        let mut series = Vec::new();
        for curve in &self.curve {
            tell(&curve.name);
            let (points, seconds) = timed(|| curve.points());
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
            across: FigureAxis::new("iteration", Span::FromZero),
            up: FigureAxis::new("mean loss (nats²)", Span::Values),
            series,
        };
        outcome.figures.insert(self.figure.clone(), figure);
        outcome.note(format!(
            "losses are means over a {POINTS}th of the iterations; where a run is annealed, the target gets sharper in the first third"
        ));
        Ok(outcome)
    }
}

impl Curve {
    /// The mean loss of each stretch of iterations.
    fn points(&self) -> Result<Vec<(f64, f64)>, Failure> {
        let data = simulated(&self.simulate, 1)?;
        let problem = scored(&data, self.score)?;
        let reward = problem.log_reward(self.walk)?;
        let mut config = self.effort.config(self.walk, self.objective, self.temperature, 1);
        if !self.annealed {
            config.temperature.iterations = 0;
        }
        let mut losses = Vec::new();
        trained(config, &problem, &*reward, &mut |progress| losses.push(progress.loss))?;
        let length = losses.len().div_ceil(POINTS).max(1);
        let stretches = losses.chunks(length).enumerate();
        Ok(stretches
            .map(|(at, stretch)| ((at * length + stretch.len()) as f64, mean(stretch.iter().copied())))
            .collect())
    }
}

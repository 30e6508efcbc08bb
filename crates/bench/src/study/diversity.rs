//! How many distinct good graphs a trained policy draws.

use std::collections::HashSet;

use gflowcausal::ScoreName;
use gflowcausal::data::Simulation;
use gflowcausal::flow::{ObjectiveName, Terminal, Walk};
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use super::policy::{Effort, Watched, mean, recall, scored, simulated, trained};
use crate::{BenchError, Control};

/// Policies trained at several sizes and temperatures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Diversity {
    /// How many graphs are drawn.
    draws: usize,
    /// From which share of the true edges on a graph is good.
    good: f64,
    temperatures: Vec<f64>,
    size: Vec<Size>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    simulate: Simulation,
    effort: Effort,
}

/// What a policy drew, in order: the order and its recall.
struct Drawn {
    draws: Vec<(Terminal, f64)>,
    /// The best recall met in training.
    best: f64,
}

impl Diversity {
    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let good = format!("distinct, TPR > {}", self.good);
        let columns = [
            "variables",
            "temperature",
            "draws",
            "distinct",
            "mean TPR",
            good.as_str(),
            "best TPR in training",
            "distinct, better",
        ];
        let mut outcome = Outcome::new(&columns);
        let mut series = Vec::new();
        for size in &self.size {
            for &temperature in &self.temperatures {
                let nodes = size.simulate.nodes;
                control.report(&format!("{nodes} variables, temperature {temperature}"));
                let drawn = size.draw(control, temperature, self.draws)?;
                let (course, better) = (drawn.distinct_above(self.good), drawn.distinct_above(drawn.best));
                outcome.row(cells![
                    nodes,
                    temperature,
                    drawn.draws.len(),
                    last(&drawn.distinct_above(-1.0)),
                    mean(drawn.draws.iter().map(|draw| draw.1)),
                    last(&course),
                    drawn.best,
                    last(&better),
                ]);
                series.push(line(format!("{nodes} variables, T = {temperature}"), course));
            }
        }
        outcome.figures.insert("fig-diverse".to_owned(), self.figure(series));
        outcome.note("one data set and one training a row; a graph is the fully connected one of a drawn order; TPR: the share of true edges that go along the order");
        outcome.note("T = 1 draws in proportion to the reward itself, which is nearly flat over orders (1/2 on average, 1 at most)");
        Ok(outcome)
    }

    fn figure(&self, series: Vec<Series>) -> Figure {
        Figure {
            heading: "Distinct good graphs among those drawn, ER2, varsort".to_owned(),
            across: FigureAxis::new("graphs drawn", AxisRange::FromZero),
            up: FigureAxis::new(&format!("distinct graphs with TPR > {}", self.good), AxisRange::Values),
            series,
        }
    }
}

impl Size {
    fn draw(&self, control: &Control<'_>, temperature: f64, count: usize) -> Result<Drawn, BenchError> {
        let data = simulated(&self.simulate, 1)?;
        let problem = scored(&data, ScoreName::Varsort)?;
        let reward = problem.log_reward(Walk::Chain)?;
        let watched = Watched::new(&*reward, &data.dag);
        let config = self.effort.config(Walk::Chain, ObjectiveName::Tb, temperature, 1);
        let mut best: f64 = 0.0;
        let trainer = trained(control, config, &problem, &watched, &mut |_| {
            best = watched.take().into_iter().fold(best, f64::max);
        })?;
        let samples = trainer.sampler().sample(count, 1);
        let recalled = |terminal: Terminal| {
            let recall = recall(&terminal, &data.dag);
            (terminal, recall)
        };
        Ok(Drawn { draws: samples.into_iter().map(|sample| recalled(sample.terminal)).collect(), best })
    }
}

impl Drawn {
    /// After each draw, how many distinct ones had a recall above `bound`.
    fn distinct_above(&self, bound: f64) -> Vec<(f64, f64)> {
        let mut found = HashSet::new();
        let mut course = Vec::with_capacity(self.draws.len());
        for (at, (terminal, recall)) in self.draws.iter().enumerate() {
            if *recall > bound {
                found.insert(terminal);
            }
            course.push(((at + 1) as f64, found.len() as f64));
        }
        course
    }
}

/// The line of a course from the first good graph on: before it there is nothing to show by powers of ten.
fn line(name: String, course: Vec<(f64, f64)>) -> Series {
    let points: Vec<(f64, f64)> = course.into_iter().filter(|point| point.1 > 0.0).collect();
    let name = if points.is_empty() { format!("{name} (none)") } else { name };
    Series { name, points }
}

fn last(course: &[(f64, f64)]) -> f64 {
    course.last().map_or(0.0, |point| point.1)
}

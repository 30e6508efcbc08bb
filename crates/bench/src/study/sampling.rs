//! How many good graphs are sampled in the course of training.

use gflowcausal::data::{Column, Simulated, Simulation};
use gflowcausal::flow::{ExplorationConfig, ObjectiveName, Walk};
use gflowcausal::neural::{Corl, OrderRewards};
use gflowcausal::{ScoreName, StopFlag};
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use super::policy::{Effort, Watched, mean, order_recall, scored, simulated, trained};
use crate::{BenchError, Control};

/// Training runs whose samples are held against the truth.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sampling {
    simulate: Simulation,
    effort: Effort,
    /// From which share of the true edges on a graph is good.
    good: f64,
    policy: Vec<Policy>,
}

/// A policy to sample from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    name: String,
    #[serde(default = "tb")]
    objective: ObjectiveName,
    #[serde(default = "one")]
    temperature: f64,
    /// Whether CORL is trained instead of a GFlowNet, on the same reward.
    #[serde(default)]
    corl: bool,
    /// Whether every action is drawn at random.
    #[serde(default)]
    uniform: bool,
}

fn tb() -> ObjectiveName {
    ObjectiveName::Tb
}

fn one() -> f64 {
    1.0
}

/// What was sampled in one run: the recalls of each iteration.
type Run = Vec<Vec<f64>>;

impl Sampling {
    pub(super) fn measure(&self, seeds: u64, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let good = format!("TPR > {}", self.good);
        let columns = [
            "policy",
            "runs",
            "sampled",
            &good,
            "in the last tenth",
            "mean TPR of the last tenth",
            "best TPR",
        ];
        let mut outcome = Outcome::new(&columns);
        let (mut series, mut best) = (Vec::new(), Vec::new());
        for policy in &self.policy {
            let mut runs = Vec::new();
            for seed in 1..=seeds {
                control.report(&format!("{}, {seed} of {seeds}", policy.name));
                runs.push(self.run(control, policy, seed)?);
            }
            outcome.row(self.row(policy, &runs));
            series.push(Series { name: policy.name.clone(), points: self.course(&runs) });
            best.push(Series { name: policy.name.clone(), points: best_so_far(&runs) });
        }
        let figure = Figure {
            heading: format!("Good graphs sampled while training, {} variables", self.simulate.nodes),
            across: FigureAxis::new("iteration", AxisRange::FromZero),
            up: FigureAxis::new(&format!("sampled graphs with {good} so far"), AxisRange::FromZero),
            series,
        };
        outcome.figures.insert("fig-sampling".to_owned(), figure);
        let figure = Figure {
            heading: format!("The best TPR sampled so far, {} variables", self.simulate.nodes),
            across: FigureAxis::new("iteration", AxisRange::FromZero),
            up: FigureAxis::new("largest TPR so far, mean over the runs", AxisRange::Values),
            series: best,
        };
        outcome.figures.insert("fig-max-tpr".to_owned(), figure);
        outcome.note(format!(
            "means over the runs, but for the best TPR of all; {} graphs an iteration; TPR of a sampled order: the share of true edges that go along it",
            self.effort.batch_size
        ));
        outcome.note("the paper prints no numbers of CORL's curve");
        Ok(outcome)
    }

    fn run(&self, control: &Control<'_>, policy: &Policy, seed: u64) -> Result<Run, BenchError> {
        let data = simulated(&self.simulate, seed)?;
        if policy.corl {
            return self.run_corl(control, &data, seed);
        }
        let problem = scored(&data, ScoreName::Varsort)?;
        let reward = problem.log_reward(Walk::Chain)?;
        let watched = Watched::new(&*reward, &data.dag);
        let mut config = self.effort.config(Walk::Chain, policy.objective, policy.temperature, seed);
        // Only what is sampled is to be seen.
        config.replay.share = 0.0;
        config.replay.capacity = 0;
        if policy.uniform {
            config.exploration = ExplorationConfig { start: 1.0, end: 1.0, iterations: 0 };
        }
        let mut run = Vec::new();
        trained(control, config, &problem, &watched, &mut |progress| {
            // The first call also brings the random walks that the start evaluates.
            let mut seen = watched.take();
            if progress.iteration == 1 {
                seen.drain(..seen.len() - self.effort.batch_size);
            }
            run.push(seen);
        })?;
        Ok(run)
    }

    /// CORL with as many orders an iteration.
    fn run_corl(&self, control: &Control<'_>, data: &Simulated, seed: u64) -> Result<Run, BenchError> {
        let problem = scored(data, ScoreName::Varsort)?;
        let columns: Vec<&[f64]> = data.table.columns().iter().filter_map(Column::as_continuous).collect();
        let Effort { iterations, batch_size, .. } = self.effort;
        let settings = Corl { iterations, batch_size, ..Corl::default() };
        let model = &problem.model;
        let rewards = OrderRewards::Episodic(model.order_score());
        let mut run = Vec::new();
        let stop = StopFlag::new();
        let mut stopped = Ok(());
        settings.search(&columns, model.constraints(), rewards, seed, &stop, &mut |done| {
            run.push(done.orders.iter().map(|order| order_recall(order, &data.dag)).collect());
            stopped = control.check();
            if stopped.is_err() {
                stop.set();
            }
        });
        stopped.map(|()| run)
    }

    fn row(&self, policy: &Policy, runs: &[Run]) -> Vec<super::findings::Cell> {
        let late = |run: &Run| run[run.len() * 9 / 10..].concat();
        let all: Vec<f64> = runs.iter().flatten().flatten().copied().collect();
        let good = |values: &[f64]| values.iter().filter(|&&recall| recall > self.good).count() as f64;
        cells![
            policy.name.as_str(),
            runs.len(),
            all.len() / runs.len(),
            good(&all) / runs.len() as f64,
            mean(runs.iter().map(|run| good(&late(run)) / late(run).len() as f64)),
            mean(runs.iter().flat_map(late)),
            all.iter().copied().fold(0.0, f64::max),
        ]
    }

    /// The mean over the runs of how many were good up to each iteration.
    fn course(&self, runs: &[Run]) -> Vec<(f64, f64)> {
        let mut total = 0.0;
        let at = |iteration: usize| {
            let good = runs.iter().flat_map(|run| &run[iteration]).filter(|&&recall| recall > self.good);
            total += good.count() as f64 / runs.len() as f64;
            ((iteration + 1) as f64, total)
        };
        (0..runs[0].len()).map(at).collect()
    }
}

/// The mean over the runs of the best up to each iteration.
fn best_so_far(runs: &[Run]) -> Vec<(f64, f64)> {
    let mut best = vec![0.0; runs.len()];
    let at = |iteration: usize| {
        for (best, run) in best.iter_mut().zip(runs) {
            *best = run[iteration].iter().copied().fold(*best, f64::max);
        }
        ((iteration + 1) as f64, mean(best.iter().copied()))
    };
    (0..runs[0].len()).map(at).collect()
}

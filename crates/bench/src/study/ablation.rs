//! The paper's ablation: graphs drawn by trained policies, compared with the exact distribution and the true graph.

use std::collections::HashSet;

use gflowcausal::ScoreName;
use gflowcausal::data::{Simulated, Simulation};
use gflowcausal::flow::{Lattice, LogReward, ObjectiveName, Sampler, Terminal, Walk};
use gflowcausal::graph::pluralize;
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::actor::Actor;
use super::cases::{Course, course};
use super::findings::{Cell, Outcome, cells};
use super::losses::Losses;
use super::policy::{Effort, Watched, line_through, mean, recall, scored, simulated, timed, trained};
use crate::{BenchError, Control};

/// From which share of the true edges on the paper counts a drawn graph.
const GOOD: f64 = 0.6;

/// Policies with and without the mask, at several temperatures, and soft actor–critic.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ablation {
    simulate: Simulation,
    /// How many graphs each policy draws.
    draws: usize,
    policy: Vec<Policy>,
    /// What the paper reports.
    #[serde(default)]
    reported: Vec<Reported>,
    /// Training runs whose flow loss is drawn.
    pub(super) loss: Losses,
}

/// A policy to train.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    name: String,
    score: ScoreName,
    walk: Walk,
    #[serde(default = "one")]
    temperature: f64,
    effort: Effort,
    /// Soft actor–critic instead of a GFlowNet.
    actor: Option<Actor>,
}

fn one() -> f64 {
    1.0
}

/// A row of the paper's table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reported {
    name: String,
    milliseconds: f64,
    distinct: f64,
    tpr: f64,
}

/// What one policy's draws are like.
#[derive(Debug, Clone)]
struct Measured {
    milliseconds: f64,
    /// Graphs drawn so far and the seconds they took.
    course: Course,
    distinct: f64,
    /// Of each draw.
    recalls: Vec<f64>,
    /// The best recall that was met in training.
    best_in_training: f64,
    /// None where the probability of a draw is a sum over too many trajectories.
    fit: Option<Fit>,
}

/// How far draws with known probabilities are from a target.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fit {
    total_variation: f64,
    divergence: f64,
    slope: f64,
    explained: f64,
}

impl Ablation {
    pub(super) fn measure(&self, seeds: u64, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let columns = [
            "policy",
            "temperature",
            "graphs",
            "distinct",
            "TPR",
            "CPU ms a graph",
            "TPR > 0.6",
            "best TPR",
            "best TPR in training",
            "TV (estimate)",
            "KL (estimate)",
            "slope ln P on ln r",
            "R²",
        ];
        let mut outcome = Outcome::new(&columns);
        let (mut series, mut good) = (Vec::new(), Vec::new());
        for policy in &self.policy {
            let mut runs = Vec::new();
            for seed in 1..=seeds {
                control.report(&format!("{}, {seed} of {seeds}", policy.name));
                let data = simulated(&self.simulate, seed)?;
                runs.push(policy.measure(control, &data, (self.draws, seed))?);
            }
            outcome.row(row(policy, self.draws, &runs));
            let name = policy.title();
            good.push(Series { name: name.clone(), points: good_so_far(&runs) });
            series.extend(runs.first().map(|run| Series { name, points: run.course.clone() }));
        }
        for Reported { name, milliseconds, distinct, tpr } in &self.reported {
            let mut row = cells![name.as_str(), "", self.draws, *distinct, *tpr, *milliseconds];
            row.resize(columns.len(), Cell::from(""));
            outcome.row(row);
        }
        outcome.figures.insert("ablation-time".to_owned(), accumulated(series));
        outcome.figures.insert("ablation-resampling".to_owned(), resampled(good));
        control.report("flow loss");
        let losses = self.loss.measure(control)?;
        outcome.figures.extend(losses.figures);
        self.explain(&mut outcome, seeds);
        Ok(outcome)
    }

    fn explain(&self, outcome: &mut Outcome, seeds: u64) {
        let size = pluralize(self.simulate.nodes, "variable");
        outcome.note(format!(
            "{}, means over {seeds} data sets; a graph is the fully connected one of a drawn order (of `free`: what was drawn, cycles and all), its TPR the share of true edges in it",
            self.simulate.degree.map_or_else(|| size.clone(), |degree| format!("ER{degree}, {size}"))
        ));
        outcome.note("TV and KL of policy to target from the draws' exact probabilities (summed over all trajectories to an order); \
ln Σ r is exact: ln d!/2 for varsort at temperature 1, by the subset lattice for bic; at other temperatures it is the mean weight of the draws");
        outcome.note("soft actor-critic: the same states, actions, mask and reward as the walk's policies; the entropy counts so much in units of the spread of the reward among random orders, or is tuned to 0.98 of that of drawing actions alike; its optimum draws trajectories, and not orders, in proportion to exp(r / weight)");
        outcome.note("best TPR in training: among all graphs that training evaluated, the 256 random ones at its start with them; both best TPRs are means over the data sets");
        outcome.note(
            "an exact sampler has TV 0 and slope 1; R² is low where ln r hardly differs among the draws",
        );
    }
}

fn accumulated(series: Vec<Series>) -> Figure {
    Figure {
        heading: "Accumulated time of drawing graphs, with and without the mask".to_owned(),
        across: FigureAxis::new("graphs drawn", AxisRange::FromZero),
        up: FigureAxis::new("CPU seconds", AxisRange::Values),
        series,
    }
}

fn resampled(series: Vec<Series>) -> Figure {
    Figure {
        heading: "Good graphs among those drawn after training".to_owned(),
        across: FigureAxis::new("graphs drawn", AxisRange::FromZero),
        up: FigureAxis::new(&format!("graphs with TPR > {GOOD} so far, mean"), AxisRange::FromZero),
        series,
    }
}

/// The mean over the runs of how many draws were good up to each tenth of them.
fn good_so_far(runs: &[Measured]) -> Vec<(f64, f64)> {
    let draws = runs.first().map_or(0, |run| run.recalls.len());
    let at = |tenth: usize| {
        let end = draws * tenth / 10;
        (end as f64, mean(runs.iter().map(|run| good(&run.recalls[..end]))))
    };
    (1..=10).map(at).collect()
}

/// How many of them the paper counts.
fn good(recalls: &[f64]) -> f64 {
    recalls.iter().filter(|&&recall| recall > GOOD).count() as f64
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn row(policy: &Policy, draws: usize, runs: &[Measured]) -> Vec<Cell> {
    let over = |field: fn(&Measured) -> f64| mean(runs.iter().map(field));
    let fits = |field: fn(&Fit) -> f64| mean(runs.iter().filter_map(|run| run.fit.as_ref()).map(field));
    cells![
        policy.name.as_str(),
        policy.actor.is_none().then_some(policy.temperature),
        draws,
        over(|run| run.distinct),
        over(|run| mean(run.recalls.iter().copied())),
        over(|run| run.milliseconds),
        over(|run| good(&run.recalls)),
        over(|run| largest(&run.recalls)),
        over(|run| run.best_in_training),
        fits(|fit| fit.total_variation),
        fits(|fit| fit.divergence),
        fits(|fit| fit.slope),
        fits(|fit| fit.explained),
    ]
}

impl Policy {
    fn title(&self) -> String {
        match self.actor {
            Some(_) => self.name.clone(),
            None => format!("{}, T = {}", self.name, self.temperature),
        }
    }

    fn measure(
        &self,
        control: &Control<'_>,
        data: &Simulated,
        (draws, seed): (usize, u64),
    ) -> Result<Measured, BenchError> {
        let problem = scored(data, self.score)?;
        let reward = problem.log_reward(self.walk)?;
        let watched = Watched::new(&*reward, &data.dag);
        let log_partition = match (self.score, reward.local()) {
            (_, Some(local)) if self.walk == Walk::Order => Some(
                Lattice::new(local, problem.model.constraints())
                    .map_err(gflowcausal::Error::from)?
                    .log_partition(),
            ),
            (ScoreName::Varsort, _) => Some(log_half_factorial(data.dag.nodes())),
            _ => None,
        };
        let known = log_partition.filter(|_| self.temperature == 1.0);
        let mut measured = match &self.actor {
            Some(actor) => {
                let actor = actor.trained(control, (self.walk, self.effort, seed), &problem, &watched)?;
                self.draw(control, &actor.sampler(), (data, &*reward, known), (draws, seed))?
            }
            None => {
                let config = self.effort.config(self.walk, ObjectiveName::Tb, self.temperature, seed);
                let trainer = trained(control, config, &problem, &watched, &mut |_| {})?;
                self.draw(control, &trainer.sampler(), (data, &*reward, known), (draws, seed))?
            }
        };
        measured.best_in_training = largest(&watched.take());
        Ok(measured)
    }

    fn draw(
        &self,
        control: &Control<'_>,
        sampler: &Sampler<'_>,
        (data, reward, log_partition): (&Simulated, &dyn LogReward, Option<f64>),
        (draws, seed): (usize, u64),
    ) -> Result<Measured, BenchError> {
        let terminals = drawn(sampler, draws, seed);
        let pairs: Option<Vec<(f64, f64)>> = terminals
            .iter()
            .map(|end| Some((reward.log_reward(end) / self.temperature, sampler.log_probability(end)?)))
            .collect();
        Ok(Measured {
            milliseconds: milliseconds(sampler, draws),
            course: course(control, draws, |part, count| drop(sampler.sample(count, part)))?,
            distinct: terminals.iter().collect::<HashSet<_>>().len() as f64,
            recalls: terminals.iter().map(|end| recall(end, &data.dag)).collect(),
            best_in_training: 0.0,
            fit: pairs.map(|pairs| Fit::of(&pairs, log_partition)),
        })
    }
}

fn drawn(sampler: &Sampler<'_>, draws: usize, seed: u64) -> Vec<Terminal> {
    let samples = sampler.sample(draws, seed);
    samples.into_iter().map(|sample| sample.terminal).collect()
}

/// CPU milliseconds of a draw, fastest of five tries.
fn milliseconds(sampler: &Sampler<'_>, draws: usize) -> f64 {
    let try_once = |seed| timed(|| drawn(sampler, draws, seed)).1;
    1e3 * (0..5).map(try_once).fold(f64::INFINITY, f64::min) / draws as f64
}

/// `ln Σ r` of varsort over all orders: the rewards of an order and its reverse sum to one.
fn log_half_factorial(nodes: usize) -> f64 {
    (3..=nodes).map(|factor| (factor as f64).ln()).sum()
}

impl Fit {
    /// From `ln r` and `ln P` of draws from `P`, and `ln Σ r` where it is known.
    fn of(pairs: &[(f64, f64)], log_partition: Option<f64>) -> Self {
        let log_weights: Vec<f64> = pairs.iter().map(|(reward, probability)| reward - probability).collect();
        let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let estimate = || largest + mean(log_weights.iter().map(|weight| (weight - largest).exp())).ln();
        let log_partition = log_partition.unwrap_or_else(estimate);
        let (slope, explained) = line_through(pairs);
        Self {
            total_variation: 0.5
                * mean(log_weights.iter().map(|weight| (weight - log_partition).exp_m1().abs())),
            divergence: log_partition - mean(log_weights.iter().copied()),
            slope,
            explained,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws from (¼, ¾) where (½, ½) is wanted: TV is ¼, KL is ¼ ln ½ + ¾ ln 3/2.
    #[test]
    fn distances_from_draws_of_a_known_policy() {
        let (rare, often) = ((0.0, 0.25_f64.ln()), (0.0, 0.75_f64.ln()));
        let fit = Fit::of(&[rare, often, often, often], Some(2.0_f64.ln()));
        assert!((fit.total_variation - 0.25).abs() < 1e-12);
        assert!((fit.divergence - (0.25 * 0.5_f64.ln() + 0.75 * 1.5_f64.ln())).abs() < 1e-12);
        let estimated = Fit::of(&[rare, often, often, often], None);
        assert!((estimated.total_variation - 0.25).abs() < 1e-12, "the mean weight is ln Σ r here");
    }

    #[test]
    fn the_rewards_of_all_orders_sum_to_half_their_number() {
        use gflowcausal::graph::all_orders;
        let data = simulated(&Simulation { nodes: 5, rows: 50, ..Simulation::default() }, 1).expect("data");
        let problem = scored(&data, ScoreName::Varsort).expect("a problem");
        let total: f64 = all_orders(5).map(|order| problem.model.order_score().score(&order).exp()).sum();
        // The worst order of all is given a quarter of a path of the twenty.
        assert!((total - log_half_factorial(5).exp() - 0.0125).abs() < 1e-9, "{total}");
    }
}

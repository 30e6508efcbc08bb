//! Whether intervals of causal effects hold the true effects as often as they claim, and how far estimates are off.

use gflowcausal::data::{Moments, NoiseScale, Simulated, Simulation, simulate};
use gflowcausal::graph::{Cpdag, Dag, Edge};
use gflowcausal::posterior::{EffectSettings, LinearData, LinearEffects, Scale, WeightedDag};
use gflowcausal::score::Correlation;
use gflowcausal::{Config, Error, discover};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use crate::{BenchError, Control};

/// The most members of a class that are looked at.
const MOST_MEMBERS: usize = 500;

/// Linear problems, solved with the default settings; effects of all ordered pairs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Effects {
    problems: usize,
    nodes: usize,
    /// Edges a variable; taken in turn.
    degrees: Vec<usize>,
    rows: usize,
    /// How much of the distribution an interval holds.
    level: f64,
}

/// What one way to choose graphs gave over all problems.
#[derive(Default, Clone, Copy)]
struct Sums {
    pairs: usize,
    covered: usize,
    /// The pairs with a true effect, and those of them whose interval holds it.
    causal: usize,
    causal_covered: usize,
    error: f64,
    width: f64,
    least: f64,
    /// Tables with fewer pairs covered than [`AIM`].
    short: usize,
}

/// The share of the pairs of each table that intervals should hold.
const AIM: f64 = 0.85;

/// The ways to choose graphs.
const WAYS: [&str; 5] = [
    "all drawn graphs",
    "all drawn graphs, penalty 1",
    "class of the best graph (as IDA)",
    "best graph alone",
    "true graph (regression)",
];

impl Effects {
    /// Refuses a study of nothing.
    pub(super) fn validate(&self) -> Result<(), String> {
        let nothing = self.problems == 0 || self.degrees.is_empty() || self.rows == 0;
        let is_level = self.level > 0.0 && self.level < 1.0;
        if nothing || !is_level {
            Err("effects need problems, degrees, rows and a level".to_owned())
        } else {
            Ok(())
        }
    }

    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let mut sums = [Sums { least: 1.0, ..Sums::default() }; 5];
        for k in 0..self.problems {
            control.tell(&format!("problem {} of {}", k + 1, self.problems));
            control.check()?;
            let simulated = simulate(&self.problem(k)).map_err(Error::from)?;
            let config = Config { seed: k as u64, ..Config::default() };
            let found = discover(&simulated.table, &config)?;
            let denser = discover(&simulated.table, &Config { penalty: Some(1.0), ..config })?;
            let members: Vec<Dag> = Cpdag::of(&found.graph).members().take(MOST_MEMBERS).collect();
            let ways = [
                WeightedDag::of_draws(&found.draws),
                WeightedDag::of_draws(&denser.draws),
                alike(members),
                alike(vec![found.graph.clone()]),
                alike(vec![simulated.dag.clone()]),
            ];
            let moments = Moments::of_table(&simulated.table).map_err(Error::from)?;
            for (sums, graphs) in sums.iter_mut().zip(&ways) {
                sums.add(&self.estimate(graphs, &moments, k as u64)?, &true_effects(&simulated), self.nodes);
            }
        }
        Ok(self.outcome(&sums))
    }

    fn problem(&self, k: usize) -> Simulation {
        Simulation {
            nodes: self.nodes,
            degree: Some(self.degrees[k % self.degrees.len()]),
            rows: self.rows,
            noise_scale: Some(NoiseScale::Between(0.5, 2.0)),
            seed: 1000 + k as u64,
            ..Simulation::default()
        }
    }

    /// Mean, lower and upper end for each ordered pair.
    fn estimate(
        &self,
        graphs: &[WeightedDag],
        moments: &Moments,
        seed: u64,
    ) -> Result<Vec<[f64; 3]>, BenchError> {
        let correlation = Correlation::of_moments(moments).map_err(Error::from)?;
        let data = LinearData { correlation: &correlation, means: moments.mean(), rows: moments.rows() };
        let model = LinearEffects::new(graphs, data, EffectSettings { seed, ..EffectSettings::default() });
        let effects = (0..self.nodes).flat_map(|cause| model.total(cause, Scale::Units));
        Ok(effects
            .map(|effect| {
                let (low, high) = effect.interval(self.level);
                [effect.mean(), low, high]
            })
            .collect())
    }

    fn outcome(&self, sums: &[Sums]) -> Outcome {
        let columns = [
            "graphs",
            "coverage",
            "least of a table",
            "tables below 0.85",
            "coverage of true effects",
            "mean error",
            "mean width",
        ];
        let mut outcome = Outcome::new(&columns);
        for (way, sums) in WAYS.iter().zip(sums) {
            let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
            outcome.row(cells![
                way.to_string(),
                share(sums.covered, sums.pairs),
                sums.least,
                sums.short,
                share(sums.causal_covered, sums.causal),
                sums.error / sums.pairs as f64,
                sums.width / sums.pairs as f64
            ]);
        }
        outcome.note(format!(
            "{} problems of {} variables and {} rows, noise of standard deviation 0.5 to 2; total effects of one unit, all ordered pairs, \
             zeros included; intervals of {} (aim: 0.85 of the pairs of each table)",
            self.problems, self.nodes, self.rows, self.level
        ));
        outcome.note(
            "error: mean of |estimate − true effect|, in units; a graph without a directed path says 0",
        );
        outcome
    }
}

impl Sums {
    fn add(&mut self, estimates: &[[f64; 3]], truth: &[f64], nodes: usize) {
        let (mut pairs, mut covered) = (0, 0);
        for pair in (0..nodes * nodes).filter(|pair| pair / nodes != pair % nodes) {
            let ([mean, low, high], true_effect) = (estimates[pair], truth[pair]);
            let holds = low - 1e-9 <= true_effect && true_effect <= high + 1e-9;
            (pairs, covered) = (pairs + 1, covered + usize::from(holds));
            if true_effect != 0.0 {
                self.causal += 1;
                self.causal_covered += usize::from(holds);
            }
            self.error += (mean - true_effect).abs();
            self.width += high - low;
        }
        self.pairs += pairs;
        self.covered += covered;
        let share = covered as f64 / pairs as f64;
        self.least = self.least.min(share);
        self.short += usize::from(share < AIM);
    }
}

/// Graphs of one weight.
fn alike(dags: Vec<Dag>) -> Vec<WeightedDag> {
    let weight = 1.0 / dags.len() as f64;
    dags.into_iter().map(|dag| WeightedDag { dag, weight }).collect()
}

/// `(I − W)⁻¹` by sums over directed paths, row causes column.
fn true_effects(simulated: &Simulated) -> Vec<f64> {
    let nodes = simulated.dag.nodes();
    let mut effects = vec![0.0; nodes * nodes];
    let Some(weights) = &simulated.weights else { return effects };
    for cause in 0..nodes {
        effects[cause * nodes + cause] = 1.0;
        for node in simulated.dag.topological_order().iter().filter(|&node| node != cause) {
            let from = |parent: usize| effects[cause * nodes + parent] * weights.get(Edge::new(parent, node));
            effects[cause * nodes + node] = simulated.dag.parents(node).iter().map(from).sum();
        }
    }
    effects
}

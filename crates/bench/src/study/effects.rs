//! Whether intervals of causal effects hold the true effects as often as they claim, and how far estimates are off.

use gflowcausal::data::{Moments, NoiseFamily, NoiseScale, Simulated, Simulation, simulate};
use gflowcausal::graph::{Cpdag, Dag, Edge};
use gflowcausal::posterior::{
    EffectDistribution, EffectSettings, LinearData, LinearEffects, Scale, WeightedDag,
};
use gflowcausal::score::Correlation;
use gflowcausal::{Config, Error, discover};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use crate::{BenchError, Control};

/// The most members of a class that are used.
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
    /// The shapes of the noise; each has its own tables.
    #[serde(default = "gaussian")]
    noises: Vec<NoiseFamily>,
}

fn gaussian() -> Vec<NoiseFamily> {
    vec![NoiseFamily::Gauss]
}

/// What one choice of graphs gave over all problems.
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
    /// How many such tables there would be if each truth were drawn from the posterior itself.
    expected_short: f64,
}

/// The share of the pairs of each table that intervals should hold.
const AIM: f64 = 0.85;

/// The choices of graphs.
const CHOICES: [&str; 6] = [
    "all drawn graphs",
    "all drawn graphs, penalty 1",
    "class of the best graph (as IDA)",
    "best graph alone (as dowhy)",
    "graph of DirectLiNGAM",
    "true graph (regression)",
];

/// How many truths are drawn from each posterior, to see how often its own intervals hold them.
const OWN_TRUTHS: usize = 100;

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
        let mut outcome = self.heading();
        for &noise in &self.noises {
            let mut sums = [Sums { least: 1.0, ..Sums::default() }; CHOICES.len()];
            for k in 0..self.problems {
                control.report(&format!("{noise} noise, problem {} of {}", k + 1, self.problems));
                control.check()?;
                self.add_problem(k, noise, &mut sums)?;
            }
            self.add_rows(&mut outcome, noise, &sums);
        }
        self.add_notes(&mut outcome);
        Ok(outcome)
    }

    fn add_problem(&self, k: usize, noise: NoiseFamily, sums: &mut [Sums]) -> Result<(), BenchError> {
        let simulated = simulate(&self.problem(k, noise)).map_err(Error::from)?;
        let config = Config { seed: k as u64, ..Config::default() };
        let found = discover(&simulated.table, &config)?;
        let lingam =
            discover(&simulated.table, &Config { method: "direct-lingam".to_owned(), ..config.clone() })?;
        let denser = discover(&simulated.table, &Config { penalty: Some(1.0), ..config })?;
        let members: Vec<Dag> = Cpdag::of(&found.graph).members().take(MOST_MEMBERS).collect();
        let choices = [
            WeightedDag::of_draws(&found.draws),
            WeightedDag::of_draws(&denser.draws),
            alike(members),
            alike(vec![found.graph.clone()]),
            alike(vec![lingam.graph]),
            alike(vec![simulated.dag.clone()]),
        ];
        let moments = Moments::of_table(&simulated.table).map_err(Error::from)?;
        for (sums, graphs) in sums.iter_mut().zip(&choices) {
            let estimates = self.estimate(graphs, &moments, k as u64)?;
            sums.add(&estimates, &true_effects(&simulated), self.nodes);
            sums.expected_short += self.own_share_short(&estimates, graphs, &moments)?;
        }
        Ok(())
    }

    /// How often intervals would hold less than [`AIM`] of the pairs if the truth were drawn from `graphs` and their parameters.
    fn own_share_short(
        &self,
        estimates: &[[f64; 3]],
        graphs: &[WeightedDag],
        moments: &Moments,
    ) -> Result<f64, BenchError> {
        let mut short = 0;
        for k in 0..OWN_TRUTHS {
            // The quantiles of the weights: each graph as often as it is likely.
            let mut left = (k as f64 + 0.5) / OWN_TRUTHS as f64;
            let graph = graphs.iter().find(|graph| {
                left -= graph.weight;
                left <= 0.0
            });
            let Some(WeightedDag { dag, .. }) = graph.or(graphs.last()) else { break };
            let one = alike(vec![dag.clone()]);
            let truth = self.drawn(&one, moments, EffectSettings { seed: k as u64, draws: 1 })?;
            let truth: Vec<f64> = truth.iter().map(EffectDistribution::mean).collect();
            let mut sums = Sums { least: 1.0, ..Sums::default() };
            sums.add(estimates, &truth, self.nodes);
            short += sums.short;
        }
        Ok(short as f64 / OWN_TRUTHS as f64)
    }

    fn problem(&self, k: usize, noise: NoiseFamily) -> Simulation {
        Simulation {
            noise: Some(noise),
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
        let effects = self.drawn(graphs, moments, EffectSettings { seed, ..EffectSettings::default() })?;
        let ends = |effect: &EffectDistribution| {
            let (low, high) = effect.interval(self.level);
            [effect.mean(), low, high]
        };
        Ok(effects.iter().map(ends).collect())
    }

    /// The total effects of all ordered pairs.
    fn drawn(
        &self,
        graphs: &[WeightedDag],
        moments: &Moments,
        settings: EffectSettings,
    ) -> Result<Vec<EffectDistribution>, BenchError> {
        let correlation = Correlation::of_moments(moments).map_err(Error::from)?;
        let data = LinearData { correlation: &correlation, means: moments.mean(), rows: moments.rows() };
        let model = LinearEffects::new(graphs, data, settings);
        Ok((0..self.nodes).flat_map(|cause| model.total(cause, Scale::Units)).collect())
    }

    fn heading(&self) -> Outcome {
        Outcome::new(&[
            "noise",
            "graphs",
            "coverage",
            "least of a table",
            "tables below 0.85",
            "expected below 0.85",
            "coverage of true effects",
            "mean error",
            "mean width",
        ])
    }

    fn add_rows(&self, outcome: &mut Outcome, noise: NoiseFamily, sums: &[Sums]) {
        for (choice, sums) in CHOICES.iter().zip(sums) {
            let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
            outcome.row(cells![
                noise.to_string(),
                choice.to_string(),
                share(sums.covered, sums.pairs),
                sums.least,
                sums.short,
                sums.expected_short,
                share(sums.causal_covered, sums.causal),
                sums.error / sums.pairs as f64,
                sums.width / sums.pairs as f64
            ]);
        }
    }

    fn add_notes(&self, outcome: &mut Outcome) {
        outcome.note(format!(
            "{} problems of {} variables and {} rows, noise of standard deviation 0.5 to 2; total effects of one unit, all ordered pairs, \
             zeros included; intervals of {} (aim: 0.85 of the pairs of each table)",
            self.problems, self.nodes, self.rows, self.level
        ));
        outcome.note(
            "error: mean of |estimate − true effect|, in units; a graph without a directed path says 0",
        );
        outcome.note(
            "expected below 0.85: how many tables would be if each true graph and its parameters were drawn from the posterior that the \
             intervals are of; effects along one graph are correlated, so even then whole tables fall short",
        );
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

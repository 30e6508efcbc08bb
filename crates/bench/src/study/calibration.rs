//! Whether edge probabilities are right as often as they claim.

use std::collections::BTreeMap;

use gflowcausal::data::{Model, NoiseFamily, Simulation, simulate};
use gflowcausal::graph::{Cpdag, Dag, Edge};
use gflowcausal::{Config, Discovery, Error, discover};
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::findings::{Outcome, cells, significant};
use crate::{BenchError, Control};

/// How many bins probabilities fall into.
const BINS: usize = 10;

/// Many small problems, solved with the default settings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Calibration {
    problems: usize,
    nodes: usize,
    /// Edges a variable; taken in turn.
    degrees: Vec<usize>,
    /// Taken in turn, slower.
    rows: Vec<usize>,
    /// Training iterations; by the size of the problem if not given.
    iterations: Option<usize>,
    /// As many problems of each; linear equations and normal noise alone if none is named.
    #[serde(default)]
    family: Vec<DataFamily>,
}

/// Data of one family of densities.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct DataFamily {
    name: String,
    #[serde(default)]
    model: Model,
    noise: Option<NoiseFamily>,
}

impl DataFamily {
    fn linear_gaussian() -> Self {
        Self { name: "linear Gaussian".to_owned(), model: Model::Linear, noise: None }
    }

    /// Whether equivalent graphs make the same data, so that no data tell them apart.
    fn is_equivalent(&self) -> bool {
        matches!(self.model, Model::Linear | Model::Discrete | Model::Mixed)
            && matches!(self.noise, None | Some(NoiseFamily::Gauss))
    }
}

/// Probabilities that fall into one bin, and how true the edges are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Bin {
    pairs: usize,
    claimed: f64,
    held: f64,
}

/// What all problems gave.
#[derive(Default)]
struct Sums {
    bins: [Bin; BINS],
    effective: Vec<f64>,
    /// The sum of `(claimed − true)²`, in expectation over what is equivalent to the truth.
    squares: f64,
    /// How often each score was chosen.
    scores: BTreeMap<String, usize>,
}

impl Calibration {
    /// Refuses a study of nothing.
    pub(super) fn validate(&self) -> Result<(), String> {
        let nothing = self.problems == 0 || self.degrees.is_empty() || self.rows.is_empty();
        if nothing { Err("calibration needs problems, degrees and rows".to_owned()) } else { Ok(()) }
    }

    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let families = match &self.family[..] {
            [] => vec![DataFamily::linear_gaussian()],
            families => families.to_vec(),
        };
        let mut all = Vec::new();
        for family in families {
            let mut sums = Sums::default();
            for k in 0..self.problems {
                control.report(&format!("{}, problem {} of {}", family.name, k + 1, self.problems));
                control.check()?;
                let simulated = simulate(&self.problem(&family, k)).map_err(Error::from)?;
                // Of few rows of categories a column may be constant, or the copy of another.
                let ignore = vec!["constant-column".to_owned(), "duplicate-columns".to_owned()];
                let config =
                    Config { iterations: self.iterations, seed: k as u64, ignore, ..Config::default() };
                let found = discover(&simulated.table, &config)?;
                sums.add(&found, &equivalent(&simulated.dag, family.is_equivalent()));
            }
            all.push((family.name, sums));
        }
        Ok(self.outcome(&all))
    }

    fn problem(&self, family: &DataFamily, k: usize) -> Simulation {
        Simulation {
            nodes: self.nodes,
            degree: Some(self.degrees[k % self.degrees.len()]),
            rows: self.rows[k / self.degrees.len() % self.rows.len()],
            seed: k as u64,
            model: family.model,
            noise: family.noise,
            standardize: family.model != Model::Discrete,
            ..Simulation::default()
        }
    }

    fn outcome(&self, all: &[(String, Sums)]) -> Outcome {
        let mut outcome = match all {
            [(_, sums)] => by_probability(sums),
            _ => by_family(all),
        };
        let least = all.iter().flat_map(|(_, sums)| &sums.effective).copied().fold(f64::INFINITY, f64::min);
        for (name, sums) in all {
            outcome.note(format!(
                "{name}: expected calibration error {} (aim 0.05), Brier score {} over {} problems of {} variables, {} rows",
                significant(sums.expected_error()),
                significant(sums.brier()),
                self.problems,
                self.nodes,
                self.rows.iter().map(usize::to_string).collect::<Vec<_>>().join("/"),
            ));
        }
        outcome.note(format!("effective sample size {} of 1000 at least", significant(least.round())));
        outcome.note(
            "how true an edge is: the share of the graphs equivalent to the truth that have it; where data of a family tell \
             equivalent graphs apart, whether the truth has it",
        );
        outcome.figures.insert("calibration".to_owned(), reliability(all));
        outcome
    }
}

/// The graphs that data of the truth cannot tell from it.
fn equivalent(truth: &Dag, is_class: bool) -> Vec<Dag> {
    if is_class { Cpdag::of(truth).members().collect() } else { vec![truth.clone()] }
}

fn by_probability(sums: &Sums) -> Outcome {
    let columns = ["probability", "ordered pairs", "mean claimed", "true up to equivalence", "gap"];
    let mut outcome = Outcome::new(&columns);
    for (at, bin) in sums.bins.iter().enumerate().filter(|(_, bin)| bin.pairs > 0) {
        let (claimed, held) = bin.means();
        let range = format!("{:.1} to {:.1}", at as f64 / BINS as f64, (at + 1) as f64 / BINS as f64);
        outcome.row(cells![range, bin.pairs, claimed, held, claimed - held]);
    }
    outcome
}

fn by_family(all: &[(String, Sums)]) -> Outcome {
    let columns = [
        "data",
        "scores chosen",
        "ordered pairs",
        "Brier score",
        "calibration error",
        "claimed 0.1 to 0.9",
        "of these true",
        "claimed 0.9 and more",
        "of these true",
    ];
    let mut outcome = Outcome::new(&columns);
    for (name, sums) in all {
        let chosen = sums.scores.iter().map(|(score, times)| format!("{score} {times}")).collect::<Vec<_>>();
        let (doubtful, doubtful_held) = Bin::sum(&sums.bins[1..BINS - 1]).means();
        let (sure, sure_held) = sums.bins[BINS - 1].means();
        outcome.row(cells![
            name.as_str(),
            chosen.join(", "),
            Bin::sum(&sums.bins).pairs,
            sums.brier(),
            sums.expected_error(),
            doubtful,
            doubtful_held,
            sure,
            sure_held
        ]);
    }
    outcome
}

impl Bin {
    fn sum(bins: &[Self]) -> Self {
        bins.iter().fold(Self::default(), |sum, bin| Self {
            pairs: sum.pairs + bin.pairs,
            claimed: sum.claimed + bin.claimed,
            held: sum.held + bin.held,
        })
    }

    fn means(self) -> (f64, f64) {
        (self.claimed / self.pairs as f64, self.held / self.pairs as f64)
    }
}

impl Sums {
    fn add(&mut self, found: &Discovery, class: &[Dag]) {
        let nodes = found.graph.nodes();
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            if from == to {
                continue;
            }
            let edge = Edge::new(from, to);
            let held = class.iter().filter(|dag| dag.contains(edge)).count() as f64 / class.len() as f64;
            self.count(found.posterior.edge(edge), held);
        }
        self.effective.push(found.posterior.effective_sample_size);
        *self.scores.entry(found.model.score_name().name().to_owned()).or_default() += 1;
    }

    fn count(&mut self, claimed: f64, held: f64) {
        let bin = &mut self.bins[((claimed * BINS as f64) as usize).min(BINS - 1)];
        bin.pairs += 1;
        bin.claimed += claimed;
        bin.held += held;
        self.squares += (claimed - held).powi(2) + held * (1.0 - held);
    }

    fn brier(&self) -> f64 {
        self.squares / Bin::sum(&self.bins).pairs as f64
    }

    /// The mean gap between what is claimed and what is true, each bin by how many fall into it.
    fn expected_error(&self) -> f64 {
        let gaps: f64 = self.bins.iter().map(|bin| (bin.claimed - bin.held).abs()).sum();
        gaps / self.bins.iter().map(|bin| bin.pairs).sum::<usize>() as f64
    }
}

/// How often edges are true against how probable they are said to be.
fn reliability(all: &[(String, Sums)]) -> Figure {
    let curve = |(name, sums): &(String, Sums)| {
        let points = sums.bins.iter().filter(|bin| bin.pairs > 0).map(|bin| bin.means()).collect();
        Series { name: name.clone(), points }
    };
    let perfect = Series { name: "perfect calibration".to_owned(), points: vec![(0.0, 0.0), (1.0, 1.0)] };
    Figure {
        heading: "Edge probabilities against how often they are right".to_owned(),
        across: FigureAxis::new("mean probability claimed", AxisRange::Share),
        up: FigureAxis::new("share that is true", AxisRange::Share),
        series: all.iter().map(curve).chain([perfect]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_weighs_bins_by_how_many_fall_into_them() {
        let mut sums = Sums::default();
        for (claimed, held) in [(0.05, 0.0), (0.05, 0.0), (0.95, 1.0), (1.0, 0.0)] {
            sums.count(claimed, held);
        }
        // (0.1 + |1.95 − 1|) / 4
        assert!((sums.expected_error() - 0.2625).abs() < 1e-12);
        // (2 · 0.05² + 0.05² + 1) / 4; and for an edge that half of the class has, (p − ½)² + ¼.
        assert!((sums.brier() - 0.251875).abs() < 1e-12);
        let mut half = Sums::default();
        half.count(0.7, 0.5);
        assert!((half.brier() - 0.29).abs() < 1e-12);
    }
}

//! Whether edge probabilities are right as often as they claim.

use gflowcausal::data::{Simulation, simulate};
use gflowcausal::graph::{Cpdag, Dag, Edge};
use gflowcausal::{Config, Discovery, Error, discover};
use gflowcausal_report::{Figure, FigureAxis, Series, Span};
use serde::Deserialize;

use super::findings::{Outcome, cells, significant};
use super::policy::mean;
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
    distances: Vec<f64>,
    effective: Vec<f64>,
}

impl Calibration {
    /// Refuses a study of nothing.
    pub(super) fn validate(&self) -> Result<(), String> {
        let nothing = self.problems == 0 || self.degrees.is_empty() || self.rows.is_empty();
        if nothing { Err("calibration needs problems, degrees and rows".to_owned()) } else { Ok(()) }
    }

    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let mut sums = Sums::default();
        for k in 0..self.problems {
            control.tell(&format!("problem {} of {}", k + 1, self.problems));
            control.check()?;
            let simulated = simulate(&self.problem(k)).map_err(Error::from)?;
            let config = Config { iterations: self.iterations, seed: k as u64, ..Config::default() };
            sums.add(&discover(&simulated.table, &config)?, &simulated.dag);
        }
        Ok(self.outcome(&sums))
    }

    fn problem(&self, k: usize) -> Simulation {
        Simulation {
            nodes: self.nodes,
            degree: Some(self.degrees[k % self.degrees.len()]),
            rows: self.rows[k / self.degrees.len() % self.rows.len()],
            seed: k as u64,
            standardize: true,
            ..Simulation::default()
        }
    }

    fn outcome(&self, sums: &Sums) -> Outcome {
        let mut outcome =
            Outcome::new(&["probability", "ordered pairs", "mean claimed", "true up to equivalence", "gap"]);
        for (at, bin) in sums.bins.iter().enumerate().filter(|(_, bin)| bin.pairs > 0) {
            let (claimed, held) = bin.means();
            let range = format!("{:.1} to {:.1}", at as f64 / BINS as f64, (at + 1) as f64 / BINS as f64);
            outcome.row(cells![range, bin.pairs, claimed, held, claimed - held]);
        }
        let least = sums.effective.iter().copied().fold(f64::INFINITY, f64::min);
        outcome.note(format!(
            "expected calibration error {} (aim 0.05) over {} problems of {} variables, {} rows",
            significant(sums.expected_error()),
            self.problems,
            self.nodes,
            self.rows.iter().map(usize::to_string).collect::<Vec<_>>().join("/"),
        ));
        outcome.note(format!(
            "mean distance to the exact probabilities {} (aim 0.02); effective sample size {} of 1000 at least",
            significant(mean(sums.distances.iter().copied())),
            significant(least.round()),
        ));
        outcome.note("how true an edge is: the share of the graphs equivalent to the truth that have it");
        outcome.figures.insert("calibration".to_owned(), reliability(sums));
        outcome
    }
}

impl Bin {
    fn means(self) -> (f64, f64) {
        (self.claimed / self.pairs as f64, self.held / self.pairs as f64)
    }
}

impl Sums {
    fn add(&mut self, found: &Discovery, truth: &Dag) {
        let class: Vec<Dag> = Cpdag::of(truth).members().collect();
        let nodes = truth.nodes();
        for (from, to) in (0..nodes * nodes).map(|pair| (pair / nodes, pair % nodes)) {
            if from == to {
                continue;
            }
            let edge = Edge::new(from, to);
            let held = class.iter().filter(|dag| dag.contains(edge)).count() as f64 / class.len() as f64;
            self.count(found.posterior.edge(edge), held);
        }
        self.effective.push(found.posterior.effective_sample_size);
    }

    fn count(&mut self, claimed: f64, held: f64) {
        let bin = &mut self.bins[((claimed * BINS as f64) as usize).min(BINS - 1)];
        bin.pairs += 1;
        bin.claimed += claimed;
        bin.held += held;
    }

    /// The mean gap between what is claimed and what is true, each bin by how many fall into it.
    fn expected_error(&self) -> f64 {
        let gaps: f64 = self.bins.iter().map(|bin| (bin.claimed - bin.held).abs()).sum();
        gaps / self.bins.iter().map(|bin| bin.pairs).sum::<usize>() as f64
    }
}

/// How often edges are true against how probable they are said to be.
fn reliability(sums: &Sums) -> Figure {
    let points = sums.bins.iter().filter(|bin| bin.pairs > 0).map(|bin| bin.means()).collect();
    Figure {
        heading: "Edge probabilities against how often they are right".to_owned(),
        across: FigureAxis::new("mean probability claimed", Span::Share),
        up: FigureAxis::new("share that is true up to equivalence", Span::Share),
        series: vec![
            Series { name: "gflowcausal, default settings".to_owned(), points },
            Series { name: "perfect calibration".to_owned(), points: vec![(0.0, 0.0), (1.0, 1.0)] },
        ],
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
    }
}

//! What training adds: exact sums, chains and a trained policy on the same tables, with what each costs.

use gflowcausal::data::{Simulation, simulate};
use gflowcausal::{Config, Discovery, Error, PosteriorName, RunDir, discover};
use serde::Deserialize;

use super::findings::{Cell, Outcome, cells};
use super::policy::timed;
use crate::runs::{digest, program_stamp};
use crate::{BenchError, Control};

/// Up to how many variables the exact posterior is the reference.
const MOST_EXACT: usize = 18;

/// How many draws the chains keep that are the reference beyond.
const REFERENCE_DRAWS: usize = 10_000;

/// Standardised random graphs of each size.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    sizes: Vec<Size>,
    degree: usize,
    rows: Vec<usize>,
    /// The seed of the data.
    seed: u64,
}

/// How many variables, and how long a policy over them is trained.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    nodes: usize,
    /// By the number of variables if not given.
    iterations: Option<usize>,
}

impl Training {
    /// What is measured of one table stays in `kept`, so that a study which was stopped goes on.
    pub(super) fn measure(&self, kept: &RunDir, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let mut outcome = Outcome::new(&[
            "variables",
            "rows",
            "probabilities by",
            "CPU s",
            "mean difference",
            "largest difference",
            "effective sample size",
            "Δ ln Z",
            "agrees",
        ]);
        for &size in &self.sizes {
            for &rows in &self.rows {
                control.report(&format!("{} variables, {rows} rows", size.nodes));
                for row in self.kept_table(size, rows, kept, control)? {
                    outcome.row(row);
                }
            }
        }
        outcome.note(format!(
            "ER{}, standardised, seed {}; one thread, CPU seconds of the whole run; differences of edge probabilities from the \
             exact posterior up to {MOST_EXACT} variables, beyond from chains of another seed with {REFERENCE_DRAWS} draws",
            self.degree, self.seed
        ));
        outcome.note(
            "the effective sample size of a policy is that of 1000 draws, of chains that of the least certain edge; \
             Δ ln Z: the policy's less that of exact sums, or of bridge sampling between its draws and those of its chains",
        );
        let given = |size: &Size| Some(format!("{} at {} variables", size.iterations?, size.nodes));
        let given: Vec<String> = self.sizes.iter().filter_map(given).collect();
        if !given.is_empty() {
            outcome.note(format!("training iterations other than the default: {}", given.join(", ")));
        }
        Ok(outcome)
    }

    /// The rows of one table of data, measured unless the same program has.
    fn kept_table(
        &self,
        size: Size,
        rows: usize,
        kept: &RunDir,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<Cell>>, BenchError> {
        let of = format!("{} {size:?} {rows} {} {}", program_stamp(), self.degree, self.seed);
        let name = format!("{}.json", &digest(&of)[..16]);
        let known = kept.read(&name).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(known) = known {
            return Ok(known);
        }
        let measured = self.table(size, rows, control)?;
        let bytes = serde_json::to_vec(&measured).map_err(BenchError::Json)?;
        kept.write(&name, |file| file.write_all(&bytes)).map_err(Error::from)?;
        Ok(measured)
    }

    /// The rows of one table of data.
    fn table(
        &self,
        Size { nodes, iterations }: Size,
        rows: usize,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<Cell>>, BenchError> {
        let simulation = Simulation {
            nodes,
            rows,
            degree: Some(self.degree),
            seed: self.seed,
            standardize: true,
            ..Simulation::default()
        };
        let table = simulate(&simulation).map_err(Error::from)?.table;
        let run = |posterior: PosteriorName, seed: u64, samples: usize| -> Result<_, BenchError> {
            control.check()?;
            let iterations = iterations.filter(|_| posterior == PosteriorName::Policy);
            let ignore = vec!["too-few-rows".to_owned()];
            let config = Config { posterior, seed, samples, iterations, ignore, ..Config::default() };
            let (found, seconds) = timed(|| discover(&table, &config));
            Ok((found?, seconds))
        };
        let samples = Config::default().samples;
        let reference = if nodes <= MOST_EXACT {
            run(PosteriorName::Exact, 0, samples)?
        } else {
            run(PosteriorName::Chains, 1, REFERENCE_DRAWS)?
        };
        let mut cells = Vec::new();
        if nodes <= MOST_EXACT {
            cells.push(row((nodes, rows), "exact sums", &reference, &reference.0));
        }
        for (name, posterior) in [("chains", PosteriorName::Chains), ("policy", PosteriorName::Policy)] {
            cells.push(row((nodes, rows), name, &run(posterior, 0, samples)?, &reference.0));
        }
        Ok(cells)
    }
}

fn row(
    (nodes, rows): (usize, usize),
    name: &str,
    (found, seconds): &(Discovery, f64),
    reference: &Discovery,
) -> Vec<Cell> {
    let (mean, largest) = found.posterior.difference_from(&reference.posterior);
    let coverage = found.posterior.coverage;
    let log_z = coverage.and_then(|coverage| Some(coverage.log_z_policy - coverage.log_z_reference?));
    let agrees = coverage.map_or("", |coverage| if coverage.agrees() { "yes" } else { "no" });
    let effective = found.posterior.effective_sample_size.round();
    cells![nodes, rows, name, *seconds, mean, largest, effective, log_z, agrees]
}

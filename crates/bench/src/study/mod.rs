//! Studies: measurements inside the program, with figures, where a table of runs is not enough.

mod ablation;
mod actor;
mod calibration;
mod cases;
mod diversity;
mod effects;
mod exactness;
mod findings;
mod losses;
mod naive;
mod policy;
mod published;
mod sampling;
mod speed;
mod training;

use std::path::Path;

use gflowcausal::{Error, RunDir, with_threads};
use serde::Deserialize;

use self::ablation::Ablation;
use self::calibration::Calibration;
use self::cases::Cases;
use self::diversity::Diversity;
use self::effects::Effects;
use self::exactness::Exactness;
pub(super) use self::findings::{Findings, Outcome};
use self::losses::Losses;
pub(super) use self::policy::line_through;
use self::published::Published;
use self::sampling::Sampling;
use self::speed::Speed;
use self::training::Training;
use super::runs::{digest, program_stamp};
use super::suite::Suite;
use crate::{BenchError, Control};

/// What a suite measures beside its runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Study {
    Ablation(Ablation),
    Calibration(Calibration),
    Cases(Cases),
    Diversity(Diversity),
    Effects(Effects),
    Exactness(Exactness),
    Losses(Losses),
    Published(Published),
    Sampling(Sampling),
    Speed(Speed),
    Training(Training),
}

impl Study {
    /// Measures, unless `out` keeps what the same program measured before; writes table and figures there.
    pub(super) fn perform(
        &self,
        suite: &Suite,
        out: &Path,
        control: &Control<'_>,
    ) -> Result<Findings, BenchError> {
        let kept = RunDir::create(out.join("studies")).map_err(Error::from)?;
        let seeds = self.takes_seeds().then_some(suite.seeds);
        let name = format!("{}.json", &digest(&format!("{} {self:?} {seeds:?}", program_stamp()))[..16]);
        let known = kept.read(&name).ok().and_then(|bytes| serde_json::from_slice::<Outcome>(&bytes).ok());
        let known = known.filter(Outcome::is_whole);
        let mut outcome = match known {
            Some(outcome) => outcome,
            None => self.measure(suite.seeds, &kept, control)?,
        };
        let bytes = serde_json::to_vec(&outcome).map_err(BenchError::Json)?;
        kept.write(&name, |file| file.write_all(&bytes)).map_err(Error::from)?;
        outcome.findings.suite.clone_from(&suite.name);
        outcome.findings.title.clone_from(&suite.title);
        outcome.findings.figures = outcome.figures.keys().cloned().collect();
        write(&outcome, out)?;
        Ok(outcome.findings)
    }

    /// Says what is wrong with the study.
    pub(super) fn validate(&self) -> Result<(), String> {
        let figure = match self {
            Self::Losses(losses) => &losses.figure,
            Self::Ablation(ablation) => &ablation.loss.figure,
            Self::Calibration(calibration) => return calibration.validate(),
            Self::Effects(effects) => return effects.validate(),
            _ => return Ok(()),
        };
        let is_name = !figure.is_empty() && figure.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        if is_name { Ok(()) } else { Err(format!("'{figure}' is no name for a file")) }
    }

    /// Whether it is repeated on as many graphs as a suite has; the others have one, or settle it themselves.
    pub(super) fn takes_seeds(&self) -> bool {
        matches!(self, Self::Ablation(_) | Self::Sampling(_))
    }

    /// Times are those of one thread, so all but the calibration and the effects, which ask for none, run on one.
    fn measure(&self, seeds: u64, kept: &RunDir, control: &Control<'_>) -> Result<Outcome, BenchError> {
        match self {
            Self::Ablation(study) => with_threads(1, || study.measure(seeds, control)),
            Self::Calibration(study) => study.measure(control),
            Self::Effects(study) => study.measure(control),
            Self::Cases(study) => with_threads(1, || study.measure(control)),
            Self::Diversity(study) => with_threads(1, || study.measure(control)),
            Self::Exactness(study) => with_threads(1, || study.measure(control)),
            Self::Losses(study) => with_threads(1, || study.measure(control)),
            Self::Published(study) => with_threads(1, || study.measure(control)),
            Self::Sampling(study) => with_threads(1, || study.measure(seeds, control)),
            Self::Speed(study) => with_threads(1, || study.measure(control)),
            Self::Training(study) => with_threads(1, || study.measure(kept, control)),
        }
    }
}

/// The table as CSV; each figure as SVG, PNG and the CSV of its points.
fn write(outcome: &Outcome, out: &Path) -> Result<(), BenchError> {
    let mut files = vec![(format!("{}.csv", outcome.findings.suite), outcome.findings.csv().into_bytes())];
    for (name, figure) in &outcome.figures {
        files.push((format!("{name}.svg"), figure.svg().into_bytes()));
        files.push((format!("{name}.png"), figure.png()?));
        files.push((format!("{name}-points.csv"), figure.csv().into_bytes()));
    }
    let dir = RunDir::open(out).map_err(Error::from)?;
    for (name, bytes) in files {
        dir.write(&name, |file| file.write_all(&bytes)).map_err(Error::from)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::findings::Cell;
    use super::*;

    /// What the quick form of a suite's study finds, and the files it leaves.
    fn quick(suite: &str) -> (Findings, Vec<String>) {
        let suites = Suite::named(&[suite.to_owned()]).expect("a suite");
        let suite = suites.into_iter().next().expect("one suite").quick();
        let home = tempfile::TempDir::new().expect("a directory");
        let study = suite.study.as_ref().expect("a study");
        let findings = study
            .perform(&suite, home.path(), &Control { stop: &AtomicBool::new(false), report: &|_| {} })
            .unwrap_or_else(|failure| panic!("{failure:?}"));
        let files = std::fs::read_dir(home.path()).expect("it can be listed");
        let name = |file: std::io::Result<std::fs::DirEntry>| file.expect("a file").file_name();
        (findings, files.map(|file| name(file).to_string_lossy().into_owned()).collect())
    }

    /// The numbers of a column, top to bottom.
    fn column(findings: &Findings, name: &str) -> Vec<f64> {
        let at = findings.columns.iter().position(|column| column == name).expect("a column");
        let number = |row: &Vec<Cell>| match row[at] {
            Cell::Number(value) => value,
            Cell::Text(_) => f64::NAN,
        };
        findings.rows.iter().map(number).collect()
    }

    #[test]
    fn cases_are_timed_and_drawn() {
        let (findings, files) = quick("fig-case");
        assert_eq!(column(&findings, "steps a graph")[..2], [28.0, 28.0], "Case 1 joins all pairs");
        assert_eq!(column(&findings, "steps a graph")[4..], [7.0, 7.0, 8.0]);
        assert!(column(&findings, "CPU ms a graph").iter().all(|&each| each > 0.0));
        for file in ["fig-case.csv", "fig-case-8.svg", "fig-case-8.png", "fig-case-8-points.csv"] {
            assert!(files.iter().any(|name| name == file), "no {file} in {files:?}");
        }
    }

    #[test]
    fn a_colder_policy_draws_better_graphs() {
        let (findings, _) = quick("fig-diverse");
        let recalls = column(&findings, "mean TPR");
        assert!(recalls[1] > recalls[0] + 0.05, "{recalls:?}");
        let distinct = column(&findings, "distinct");
        assert!(distinct.iter().all(|&count| (1.0..=500.0).contains(&count)), "{distinct:?}");
    }

    #[test]
    fn training_samples_more_good_graphs_than_chance() {
        let (findings, _) = quick("fig-sampling");
        assert_eq!(column(&findings, "sampled"), [1800.0; 3]);
        let good = column(&findings, "TPR > 0.6");
        assert!(good[0] > good[2] && good[1] > good[2], "{good:?}");
    }

    #[test]
    fn the_loss_falls() {
        let (findings, _) = quick("fig-loss");
        assert!(column(&findings, "ratio").iter().all(|&ratio| ratio < 0.9), "{:?}", findings.rows);
    }

    #[test]
    fn every_walk_with_every_objective_is_timed_or_named_as_left_out() {
        let (findings, _) = quick("speed");
        let left_out = findings.notes[1].split(": ").nth(1).expect("a list").split(", ").count();
        assert_eq!(findings.rows.len() + left_out, 7 * 4 + 1, "{:?}", findings.notes);
        assert!(column(&findings, "of the peak, %").iter().all(|&share| share > 0.0));
    }

    #[test]
    fn exact_sums_chains_and_a_policy_stand_side_by_side() {
        let (findings, _) = quick("training");
        assert_eq!(findings.rows.len(), 3);
        let differences = column(&findings, "mean difference");
        assert_eq!(differences[0], 0.0, "exact sums are the reference");
        assert!(differences[1] < 0.01 && differences[2] < 0.01, "{differences:?}");
        assert_eq!(findings.rows[2].last(), Some(&Cell::from("yes")), "{:?}", findings.rows);
    }

    #[test]
    fn every_ordered_pair_falls_into_a_bin() {
        let (findings, files) = quick("calibration");
        assert_eq!(column(&findings, "ordered pairs").iter().sum::<f64>(), 8.0 * 20.0);
        assert!(files.contains(&"calibration.svg".to_owned()));
    }

    #[test]
    fn intervals_of_effects_hold_the_true_ones() {
        let (findings, files) = quick("effects");
        let coverage = column(&findings, "coverage");
        assert!(coverage[0] >= 0.85 && coverage[5] >= 0.85, "{coverage:?}");
        assert!(column(&findings, "mean error")[5] > 0.0 && files.contains(&"effects.csv".to_owned()));
    }

    #[test]
    fn trajectory_balance_comes_near_the_exact_distribution_on_every_walk_over_orders() {
        let (findings, _) = quick("exactness");
        let mut near = 0;
        for (row, distance) in findings.rows.iter().zip(column(&findings, "TV")) {
            let is = |place: usize, words: &[&str]| words.iter().any(|word| row[place] == Cell::from(*word));
            if is(1, &["complete", "edges", "chain", "order"]) && is(2, &["tb"]) {
                assert!(distance < 0.02, "{row:?}");
                near += 1;
            }
        }
        assert_eq!(near, 4, "every walk over orders");
    }

    #[test]
    fn draws_of_the_ablation_are_in_proportion_to_the_reward() {
        let (findings, files) = quick("ablation");
        let distances = column(&findings, "TV (estimate)");
        assert!(distances[0] < 0.1 && distances[1] < 0.1, "{distances:?}");
        assert!(distances[2].is_nan(), "the walk with cycles has too many trajectories to one graph");
        let distinct = column(&findings, "distinct");
        assert!(distinct[3] < distinct[0] / 2.0, "with little entropy an actor draws few: {distinct:?}");
        assert!(files.contains(&"ablation-resampling.svg".to_owned()));
        assert!(files.contains(&"ablation-loss.svg".to_owned()));
    }
}

//! A score that is left to the data: by evidence where families can be compared, else by the types of the columns.

use gflowcausal_data::{Moments, Table};
use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_graph::Constraints;

use super::family_choice::{FamilyChoice, FamilyEvidence, choose, obstacle};
use super::{ScoreName, bdeu_sample_size};
use crate::Error;
use crate::options::Config;

/// How a score that is left to the data was chosen.
pub(crate) enum Chosen {
    /// By comparing families.
    ByEvidence(FamilyChoice),
    /// By the types of the columns, and why families were not compared.
    ByTypes(Option<String>),
}

impl Chosen {
    pub(crate) fn not(why: &str) -> Self {
        Self::ByTypes(Some(why.to_owned()))
    }
}

impl Config {
    /// These options with `score`, and with what else the evidence for it chose where they leave that to the data.
    pub(crate) fn with_chosen_score(&self, score: ScoreName, evidence: Option<&FamilyEvidence>) -> Self {
        let sample_size = self.sample_size.or(evidence.and_then(|evidence| evidence.sample_size));
        Self { score, sample_size, ..self.clone() }
    }
}

/// What evidence adds to the fingerprint of a problem: a run that goes on must have come to the same score.
pub(crate) fn fingerprint_suffix(score: &str, evidence: Option<&FamilyEvidence>) -> String {
    evidence.map_or_else(String::new, |_| format!(":{score}"))
}

/// The score that evidence chooses, where it is left to the data and the method takes any for up to `most` variables; by
/// the columns' types once `stop` is set.
///
/// # Errors
/// Columns that no score can be made of.
pub(crate) fn chosen(
    (table, moments): (&Table, Option<&Moments>),
    constraints: &Constraints,
    (config, most): (&Config, usize),
    stop: &StopFlag,
) -> Result<Chosen, Error> {
    if config.score == ScoreName::Auto && most > 0 && bdeu_sample_size::is_open(table, config) {
        let choice = interruptible(stop, || bdeu_sample_size::choose(table, constraints)).transpose()?;
        return Ok(choice.map_or_else(|| Chosen::not("there was no time"), Chosen::ByEvidence));
    }
    let Some(moments) = moments.filter(|_| config.score == ScoreName::Auto && most > 0) else {
        return Ok(Chosen::ByTypes(None));
    };
    if let Some(why) = obstacle(table, config, most) {
        let asked =
            interruptible(stop, || complete_rows_ask(table, constraints, config, most)).transpose()?;
        let asked = asked.flatten().map_or_else(String::new, |asked| format!("; {asked}"));
        return Ok(Chosen::ByTypes(Some(why + &asked)));
    }
    let choice = interruptible(stop, || choose((table, moments), constraints, config)).transpose()?;
    Ok(choice.map_or_else(|| Chosen::not("there was no time"), Chosen::ByEvidence))
}

/// What the complete rows of a table with missing cells ask for, where that is another score than the one that needs no rows.
fn complete_rows_ask(
    table: &Table,
    constraints: &Constraints,
    config: &Config,
    most: usize,
) -> Result<Option<String>, Error> {
    let complete = table.drop_incomplete().ok().map(|(complete, _)| complete);
    let is_smaller = |complete: &Table| complete.rows() < table.rows();
    let Some(complete) = complete.filter(|rows| is_smaller(rows) && obstacle(rows, config, most).is_none())
    else {
        return Ok(None);
    };
    let choice = choose((&complete, &Moments::of_table(&complete)?), constraints, config)?;
    let asked =
        || format!("the {} complete rows alone ask for score {}", complete.rows(), choice.score.name());
    Ok((choice.score != ScoreName::Bic).then(asked))
}

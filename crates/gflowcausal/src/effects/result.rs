//! Effects as JSON, CSV, the report and other languages show them.

use std::io::{self, Write};

use gflowcausal_graph_io::csv_name;
use gflowcausal_posterior::{EffectDistribution, Outcome};
use serde::{Deserialize, Serialize};

use crate::posterior::Source;
use crate::{Error, RunResult};

/// Effects with the uncertainty of graph and parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectsResult {
    /// The program's version.
    pub version: String,
    /// What the user calls the data.
    pub data: String,
    /// The method that found the graphs.
    pub method: String,
    /// The score, which says how a variable depends on its parents.
    pub score: String,
    /// `total` along all directed paths, or `direct` along the edge alone.
    pub kind: String,
    /// `units` of the data, `standardized` in standard deviations, or `probability`.
    pub scale: String,
    /// How much of the distribution is between `low` and `high`.
    pub level: f64,
    /// The graphs that effects are averaged over.
    pub graphs: GraphsResult,
    /// What has to hold for the effects to be right.
    pub assumptions: String,
    /// Pairs, by cause and then by effect.
    pub effects: Vec<EffectResult>,
    /// What becomes of the other variables under the interventions that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeResult>,
}

/// The graphs that effects are averaged over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphsResult {
    /// How many were drawn.
    pub drawn: u64,
    /// How many different ones.
    pub distinct: usize,
    /// Where their probabilities come from; with `none` there is one graph, and its own uncertainty is not counted.
    pub by: Source,
}

/// The effect of one variable on another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectResult {
    /// What is changed.
    pub cause: String,
    /// What changes with it.
    pub effect: String,
    /// The level that the cause is set to, for categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause_level: Option<String>,
    /// The level that it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_level: Option<String>,
    /// The level of the effect whose probability changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_level: Option<String>,
    /// The mean over all graphs; those without a directed path count as zero.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// Half of the distribution is not above it.
    pub median: f64,
    /// The standard deviation of the mixture.
    pub standard_deviation: f64,
    /// The probability that no directed path leads from the cause to the effect.
    pub probability_none: f64,
    /// The probability of an effect above zero.
    pub probability_positive: f64,
    /// The probability of an effect below zero.
    pub probability_negative: f64,
    /// The mean over the graphs that have a directed path.
    pub mean_given_path: Option<f64>,
    /// The mean in standard deviations of the effect for one of the cause, to rank causes by; for numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standardized_mean: Option<f64>,
    /// Whether graphs disagree so much that the mean describes none of them.
    pub is_split: bool,
    /// The dose–response curve, where one pair was asked for and the score is not linear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<DoseResult>,
    /// The distribution where it is split or one pair was asked for; without the mass at zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<HistogramResult>,
}

/// One point of a dose–response curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoseResult {
    /// What the cause is set to.
    pub dose: f64,
    /// The expected value of the effect.
    pub mean: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}

/// The probability of equal parts of the line from `low` to `high`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistogramResult {
    /// Where the first bar begins.
    pub low: f64,
    /// Where the last bar ends.
    pub high: f64,
    /// The probability of each bar.
    pub weights: Vec<f64>,
}

/// What becomes of a variable under interventions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeResult {
    /// The variable.
    pub variable: String,
    /// The level whose probability this is, for categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The expected value, or the probability of the level.
    pub mean: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// The same in the data, without an intervention.
    pub observed: f64,
    /// How far the mean is moved.
    pub change: f64,
    /// The lower end of the interval of the change.
    pub change_low: f64,
    /// The upper end of the interval of the change.
    pub change_high: f64,
    /// The probability that no directed path leads here.
    pub probability_none: f64,
    /// The probability of a change above zero.
    pub probability_positive: f64,
}

impl EffectsResult {
    pub(super) fn about(result: &RunResult, distinct: usize, assumptions: &str) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: result.data.name.clone(),
            method: result.method.clone(),
            score: result.score.name.clone(),
            kind: "total".to_owned(),
            scale: "units".to_owned(),
            level: 0.9,
            graphs: GraphsResult { drawn: result.posterior.samples, distinct, by: result.posterior.by },
            assumptions: assumptions.to_owned(),
            effects: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// The pairs, or the outcomes where interventions were asked for, as CSV with a header.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_csv(&self, out: &mut dyn Write) -> Result<(), Error> {
        let failed = |error: csv::Error| Error::Table(error.to_string());
        let mut table = csv::Writer::from_writer(out);
        for effect in &self.effects {
            table.serialize(EffectLine::from(effect)).map_err(failed)?;
        }
        for outcome in &self.outcomes {
            let variable = csv_name(&outcome.variable).into_owned();
            table.serialize(OutcomeResult { variable, ..outcome.clone() }).map_err(failed)?;
        }
        table.flush().map_err(|error: io::Error| Error::Table(error.to_string()))
    }
}

/// An effect as a line of CSV: every column always there.
#[derive(Serialize)]
struct EffectLine<'a> {
    cause: String,
    effect: String,
    cause_level: Option<&'a str>,
    reference_level: Option<&'a str>,
    effect_level: Option<&'a str>,
    mean: f64,
    low: f64,
    high: f64,
    median: f64,
    standard_deviation: f64,
    probability_none: f64,
    probability_positive: f64,
    probability_negative: f64,
    mean_given_path: Option<f64>,
    standardized_mean: Option<f64>,
    is_split: bool,
}

impl<'a> From<&'a EffectResult> for EffectLine<'a> {
    fn from(effect: &'a EffectResult) -> Self {
        Self {
            cause: csv_name(&effect.cause).into_owned(),
            effect: csv_name(&effect.effect).into_owned(),
            cause_level: effect.cause_level.as_deref(),
            reference_level: effect.reference_level.as_deref(),
            effect_level: effect.effect_level.as_deref(),
            mean: effect.mean,
            low: effect.low,
            high: effect.high,
            median: effect.median,
            standard_deviation: effect.standard_deviation,
            probability_none: effect.probability_none,
            probability_positive: effect.probability_positive,
            probability_negative: effect.probability_negative,
            mean_given_path: effect.mean_given_path,
            standardized_mean: effect.standardized_mean,
            is_split: effect.is_split,
        }
    }
}

impl EffectResult {
    /// The effect of `cause` on `effect` with the distribution `drawn`; its bars are kept if `keep_bars` or if it is split.
    pub(super) fn new(
        (cause, effect): (&str, &str),
        drawn: &EffectDistribution,
        level: f64,
        keep_bars: bool,
    ) -> Self {
        let (low, high) = drawn.interval(level);
        let is_split = drawn.is_split();
        let bars = if keep_bars || is_split { drawn.histogram() } else { None };
        Self {
            cause: cause.to_owned(),
            effect: effect.to_owned(),
            cause_level: None,
            reference_level: None,
            effect_level: None,
            mean: drawn.mean(),
            low,
            high,
            median: drawn.quantile(0.5),
            standard_deviation: drawn.standard_deviation(),
            probability_none: drawn.probability_none(),
            probability_positive: drawn.probability_positive(),
            probability_negative: drawn.probability_negative(),
            mean_given_path: drawn.mean_given_path(),
            standardized_mean: None,
            is_split,
            curve: Vec::new(),
            histogram: bars.map(|bars| HistogramResult {
                low: bars.low,
                high: bars.high,
                weights: bars.weights,
            }),
        }
    }
}

impl OutcomeResult {
    pub(super) fn new(variable: &str, outcome: &Outcome, observed: f64, level: f64) -> Self {
        let (low, high) = outcome.value.interval(level);
        let (change_low, change_high) = outcome.change.interval(level);
        Self {
            variable: variable.to_owned(),
            level: None,
            mean: outcome.value.mean(),
            low,
            high,
            observed,
            change: outcome.change.mean(),
            change_low,
            change_high,
            probability_none: outcome.change.probability_none(),
            probability_positive: outcome.change.probability_positive(),
        }
    }
}

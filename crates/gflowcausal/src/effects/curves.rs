//! The effects of scores without straight lines: mean slopes, dose–response curves, and interventions.

use gflowcausal_determinism::map;
use gflowcausal_posterior::{CurveEffect, CurveEffects, EffectDistribution, EffectSettings, Outcome};
use gflowcausal_score::DoseResponses;

use super::evaluate::{Asked, Found, WITH_INTERVENTIONS, number};
use super::{DoseResult, EffectModel, EffectResult, OutcomeResult};
use crate::Error;

/// Parameter draws of curves: each pair has its own.
const DRAWS_OF_CURVES: usize = 1000;

/// A pair that more likely has no path than this keeps no curve among all pairs.
const LIKELY_NONE: f64 = 0.9;

impl EffectModel {
    pub(super) fn curves(&self, data: &DoseResponses, asked: &Asked<'_>) -> Result<Found, Error> {
        let request = asked.request;
        Error::if_without_effect(&[("direct", request.is_direct)], &self.score())?;
        let settings = EffectSettings { seed: request.seed, draws: DRAWS_OF_CURVES };
        let model = CurveEffects::new(&self.graphs, data, settings);
        let mut found = Found::new(if request.is_standardized { "standardized" } else { "units" });
        match self.interventions(request, number)?.as_slice() {
            [] => {
                let pairs = asked.causes.iter().flat_map(|&cause| {
                    let others = asked.effects.iter().filter(move |&&effect| effect != cause);
                    others.map(move |&effect| (cause, effect))
                });
                let pairs: Vec<(usize, usize)> = pairs.collect();
                found.effects = map(pairs.len(), |k| {
                    let (cause, effect) = pairs[k];
                    self.slope((cause, effect), &model.total(cause, effect), data, asked)
                });
            }
            set => {
                Error::if_without_effect(&[("standardized", request.is_standardized)], WITH_INTERVENTIONS)?;
                for &(node, value) in set {
                    self.refuse_beyond(node, value, &data.doses(node))?;
                }
                let others: Vec<usize> = asked.others(set).collect();
                found.outcomes = map(others.len(), |k| {
                    self.outcome(others[k], model.under(set, others[k]), data, request.level)
                });
            }
        }
        Ok(found)
    }

    fn slope(
        &self,
        (cause, effect): (usize, usize),
        curve: &CurveEffect,
        data: &DoseResponses,
        asked: &Asked<'_>,
    ) -> EffectResult {
        let (names, level) = ((self.names[cause].as_str(), self.names[effect].as_str()), asked.request.level);
        let unit = data.scale(cause) / data.scale(effect);
        let factor = if asked.request.is_standardized { unit } else { 1.0 };
        let result = EffectResult::new(names, &curve.slope.scaled(factor), level, asked.is_one_pair());
        let point = |(&dose, change): (&f64, &EffectDistribution)| {
            let ((low, high), mean) = (change.interval(level), data.mean(effect));
            DoseResult { dose, mean: mean + change.mean(), low: mean + low, high: mean + high }
        };
        let is_likely = curve.slope.probability_none() < LIKELY_NONE;
        let is_kept = asked.is_one_pair() || (asked.request.keeps_curves && is_likely);
        let points = curve.doses.iter().zip(&curve.changes).filter(|_| is_kept);
        EffectResult {
            standardized_mean: Some(result.mean * unit / factor),
            curve: points.map(point).collect(),
            ..result
        }
    }

    fn outcome(
        &self,
        node: usize,
        change: EffectDistribution,
        data: &DoseResponses,
        level: f64,
    ) -> OutcomeResult {
        let value = change.as_values().shifted(data.mean(node));
        OutcomeResult::new(&self.names[node], &Outcome { value, change }, data.mean(node), level)
    }

    /// Refuses a value where there are hardly any rows.
    fn refuse_beyond(&self, node: usize, value: f64, doses: &[f64]) -> Result<(), Error> {
        let reason = match doses {
            [first, .., last] if first < last && (*first..=*last).contains(&value) => return Ok(()),
            [first, .., last] if first < last => {
                format!("curves reach from {first:.4} to {last:.4}, where nine of ten rows are")
            }
            _ => "the variable is constant".to_owned(),
        };
        Err(Error::Intervention { text: format!("{}={value}", self.names[node]), reason })
    }
}

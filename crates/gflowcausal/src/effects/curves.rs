//! The effects of scores without straight lines: mean slopes, dose–response curves, and one intervention.

use gflowcausal_determinism::map;
use gflowcausal_posterior::{CurveEffect, CurveEffects, EffectDistribution, EffectSettings, Outcome};
use gflowcausal_score::DoseResponses;

use super::evaluate::{Asked, Found, number};
use super::{DoseResult, EffectModel, EffectResult, OutcomeResult};
use crate::Error;

/// Parameter draws of curves: each pair has its own.
const DRAWS_OF_CURVES: usize = 1000;

impl EffectModel {
    pub(super) fn curves(&self, data: &DoseResponses, asked: &Asked<'_>) -> Result<Found, Error> {
        let request = asked.request;
        let with = || format!("score {}", self.about.score);
        if request.is_direct {
            return Err(Error::NoEffect { option: "direct", with: with() });
        }
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
            &[(cause, value)] if !request.is_standardized => {
                let others: Vec<usize> =
                    asked.effects.iter().copied().filter(|&node| node != cause).collect();
                let outcomes = map(others.len(), |k| {
                    let curve = model.total(cause, others[k]);
                    let change = at(&curve, value).ok_or_else(|| self.beyond(cause, value, &curve.doses))?;
                    Ok(self.outcome(others[k], change, data, request.level))
                });
                found.outcomes = outcomes.into_iter().collect::<Result<_, Error>>()?;
            }
            [_] => {
                return Err(Error::NoEffect { option: "standardized", with: "interventions".to_owned() });
            }
            _ => return Err(Error::NoEffect { option: "do", with: format!("{} more than once", with()) }),
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
        let points = curve.doses.iter().zip(&curve.changes).filter(|_| asked.is_one_pair());
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

    fn beyond(&self, cause: usize, value: f64, doses: &[f64]) -> Error {
        let reason = match doses {
            [first, .., last] => {
                format!("curves reach from {first:.4} to {last:.4}, where nine of ten rows are")
            }
            _ => "the variable is constant".to_owned(),
        };
        Error::Intervention { text: format!("{}={value}", self.names[cause]), reason }
    }
}

/// The change at `value`, between two doses that of the nearer one; none beyond the doses.
fn at(curve: &CurveEffect, value: f64) -> Option<EffectDistribution> {
    let (first, last) = (curve.doses.first()?, curve.doses.last()?);
    if !(*first..=*last).contains(&value) {
        return None;
    }
    let distance = |k: &usize| (curve.doses[*k] - value).abs();
    let nearest = (0..curve.doses.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some(curve.changes[nearest].clone())
}

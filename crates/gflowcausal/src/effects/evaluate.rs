//! The effects that a request asks for.

use gflowcausal_data::{Moments, Table, Values};
use gflowcausal_determinism::map;
use gflowcausal_posterior::{
    Categories, DiscreteEffects, EffectDistribution, EffectSettings, LevelEffects, LinearData, LinearEffects,
    Outcome, Scale,
};
use gflowcausal_score::Correlation;

use super::{EffectData, EffectModel, EffectRequest, EffectResult, EffectsResult, OutcomeResult};
use crate::Error;

/// Parameter draws among categories: each pair has its own.
const DRAWS_OF_TABLES: usize = 1000;

/// What options of effects without interventions have no effect with.
pub(super) const WITH_INTERVENTIONS: &str = "interventions";

impl EffectModel {
    /// The effects that `request` asks for; all pairs if it names no variables and no interventions.
    ///
    /// # Errors
    /// A variable, a level or a value that there is not, or an option that the score has no use for.
    pub fn evaluate(&self, request: &EffectRequest) -> Result<EffectsResult, Error> {
        if !(request.level > 0.0 && request.level < 1.0) {
            let range = "above 0 and below 1".to_owned();
            return Err(Error::Value { option: "level", value: request.level, range });
        }
        let causes = self.selected("cause", &request.causes)?;
        let effects = self.selected("effect", &request.effects)?;
        let asked = Asked { request, causes, effects };
        let found = match &self.data {
            EffectData::Linear(moments) => self.linear(moments, &asked)?,
            EffectData::Categories(table) => self.categories(table, &asked)?,
            EffectData::Curves(curves) => self.curves(curves, &asked)?,
            EffectData::Mixed(embedding) => self.mixed(embedding, &asked)?,
        };
        Ok(EffectsResult {
            kind: if request.is_direct { "direct" } else { "total" }.to_owned(),
            level: request.level,
            scale: found.scale.to_owned(),
            effects: found.effects,
            outcomes: found.outcomes,
            ..self.about.clone()
        })
    }

    /// The score as refusals name it.
    pub(super) fn score(&self) -> String {
        format!("score {}", self.about.score)
    }

    /// The variables `names`, by index; all if there are none.
    fn selected(&self, option: &'static str, names: &[String]) -> Result<Vec<usize>, Error> {
        if names.is_empty() {
            return Ok((0..self.names.len()).collect());
        }
        names.iter().map(|name| self.position(option, name)).collect()
    }

    fn position(&self, option: &'static str, name: &str) -> Result<usize, Error> {
        let unknown = || Error::unknown(option, name, "variable", &self.names);
        self.names.iter().position(|known| known == name).ok_or_else(unknown)
    }

    fn linear(&self, moments: &Moments, asked: &Asked<'_>) -> Result<Found, Error> {
        let request = asked.request;
        let correlation = Correlation::of_moments(moments)?;
        let data = LinearData { correlation: &correlation, means: moments.mean(), rows: moments.rows() };
        let settings = EffectSettings { seed: request.seed, ..EffectSettings::default() };
        let interventions = self.interventions(request, number)?;
        let model = LinearEffects::new(&self.graphs, data, settings);
        let mut found = Found::new(if request.is_standardized { "standardized" } else { "units" });
        if !interventions.is_empty() {
            Error::if_without_effect(&request.refinements(), WITH_INTERVENTIONS)?;
            let outcomes = model.under(&interventions);
            let outcome = |node: usize| {
                OutcomeResult::new(&self.names[node], &outcomes[node], moments.mean()[node], request.level)
            };
            found.outcomes = asked.others(&interventions).map(outcome).collect();
            return Ok(found);
        }
        let scale = if request.is_standardized { Scale::Standardized } else { Scale::Units };
        let by_cause = map(asked.causes.len(), |k| {
            let cause = asked.causes[k];
            let drawn =
                if request.is_direct { model.direct(cause, scale) } else { model.total(cause, scale) };
            let deviation = |node: usize| correlation.log_scale(node).exp();
            let others = asked.effects.iter().copied().filter(|&effect| effect != cause);
            others
                .map(|effect| {
                    let names = (self.names[cause].as_str(), self.names[effect].as_str());
                    let result = EffectResult::new(names, &drawn[effect], request.level, asked.is_one_pair());
                    let unit = match scale {
                        Scale::Units => deviation(cause) / deviation(effect),
                        Scale::Standardized => 1.0,
                    };
                    EffectResult { standardized_mean: Some(result.mean * unit), ..result }
                })
                .collect::<Vec<_>>()
        });
        found.effects = by_cause.into_iter().flatten().collect();
        Ok(found)
    }

    fn categories(&self, table: &Table, asked: &Asked<'_>) -> Result<Found, Error> {
        let request = asked.request;
        Error::if_without_effect(&request.refinements(), &self.score())?;
        let columns = Coded::of_table(table)?;
        let settings = EffectSettings { seed: request.seed, draws: DRAWS_OF_TABLES };
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes).collect();
        let levels: Vec<usize> = columns.iter().map(|column| column.levels.len()).collect();
        let data = Categories { codes: &codes, levels: &levels };
        let model = DiscreteEffects::new(&self.graphs, data, settings);
        let level = |node: usize, text: &str| columns[node].levels.iter().position(|known| known == text);
        let interventions = self.interventions(request, |node, text| {
            level(node, text).ok_or_else(|| format!("its levels are {}", columns[node].levels.join(", ")))
        })?;
        let mut found = Found::new("probability");
        match interventions.as_slice() {
            [] => {
                for &cause in &asked.causes {
                    let drawn = model.total(cause);
                    for &effect in &asked.effects {
                        if let Some(drawn) = &drawn[effect] {
                            found.effects.extend(self.contrasts((cause, effect), drawn, &columns, asked));
                        }
                    }
                }
            }
            &[(cause, to)] => {
                let drawn = model.total(cause);
                for &effect in &asked.effects {
                    let Some(drawn) = &drawn[effect] else { continue };
                    found.outcomes.extend(self.level_outcomes((effect, to), drawn, &columns, request.level));
                }
            }
            several => {
                let others: Vec<usize> = asked.others(several).collect();
                let drawn = map(others.len(), |k| model.under(several, others[k]));
                for (effect, drawn) in others.into_iter().zip(drawn) {
                    let drawn =
                        drawn.ok_or_else(|| Error::TooManyValues { variable: self.names[effect].clone() })?;
                    found.outcomes.extend(self.outcomes_of(effect, &drawn, &columns[effect], request.level));
                }
            }
        }
        Ok(found)
    }

    /// The outcomes of the levels of `effect`.
    fn outcomes_of(
        &self,
        effect: usize,
        drawn: &[Outcome],
        column: &Coded<'_>,
        level: f64,
    ) -> Vec<OutcomeResult> {
        let levels = drawn.iter().zip(column.levels).enumerate();
        let result = |(y, (outcome, name)): (usize, (&Outcome, &String))| {
            let result = OutcomeResult::new(&self.names[effect], outcome, column.share(y), level);
            OutcomeResult { level: Some(name.clone()), ..result }
        };
        levels.map(result).collect()
    }

    /// One effect for each level of the cause but the first and each level of the effect; of two levels the second alone.
    fn contrasts(
        &self,
        (cause, effect): (usize, usize),
        drawn: &LevelEffects,
        columns: &[Coded<'_>],
        asked: &Asked<'_>,
    ) -> Vec<EffectResult> {
        let names = (self.names[cause].as_str(), self.names[effect].as_str());
        let (of, on) = (&columns[cause].levels, &columns[effect].levels);
        let first = usize::from(on.len() == 2);
        let cells = (1..of.len()).flat_map(|x| (first..on.len()).map(move |y| (x, y)));
        cells
            .map(|(x, y)| {
                let contrast = &drawn.contrasts[x][y];
                let result = EffectResult::new(names, contrast, asked.request.level, asked.is_one_pair());
                EffectResult {
                    cause_level: Some(of[x].clone()),
                    reference_level: Some(of[0].clone()),
                    effect_level: Some(on[y].clone()),
                    ..result
                }
            })
            .collect()
    }

    /// The probability of each level of `effect` when the cause is set to its level `to`.
    fn level_outcomes(
        &self,
        (effect, to): (usize, usize),
        drawn: &LevelEffects,
        columns: &[Coded<'_>],
        level: f64,
    ) -> Vec<OutcomeResult> {
        let outcome = |(value, change): (&EffectDistribution, &EffectDistribution)| Outcome {
            value: value.clone(),
            change: change.clone(),
        };
        let cells = drawn.probabilities[to].iter().zip(&drawn.changes[to]);
        self.outcomes_of(effect, &cells.map(outcome).collect::<Vec<_>>(), &columns[effect], level)
    }

    /// The variables that are set, each with the value that `read` makes of the text.
    pub(super) fn interventions<T>(
        &self,
        request: &EffectRequest,
        read: impl Fn(usize, &str) -> Result<T, String>,
    ) -> Result<Vec<(usize, T)>, Error> {
        let mut set: Vec<(usize, T)> = Vec::new();
        for (name, value) in &request.interventions {
            let node = self.position("do", name)?;
            let refused = |reason: String| Error::Intervention { text: format!("{name}={value}"), reason };
            if set.iter().any(|(known, _)| *known == node) {
                return Err(refused("the variable is set twice".to_owned()));
            }
            set.push((node, read(node, value).map_err(refused)?));
        }
        Ok(set)
    }
}

pub(super) fn number(_: usize, text: &str) -> Result<f64, String> {
    let parsed: Option<f64> = text.trim().parse().ok();
    parsed.filter(|value| value.is_finite()).ok_or_else(|| "the value is not a number".to_owned())
}

/// A request with its variables by index.
pub(super) struct Asked<'a> {
    pub(super) request: &'a EffectRequest,
    pub(super) causes: Vec<usize>,
    pub(super) effects: Vec<usize>,
}

impl Asked<'_> {
    pub(super) fn is_one_pair(&self) -> bool {
        self.request.causes.len() == 1 && self.request.effects.len() == 1
    }

    /// The effects asked for that no intervention sets.
    pub(super) fn others<T>(&self, interventions: &[(usize, T)]) -> impl Iterator<Item = usize> {
        let is_free = |effect: &usize| interventions.iter().all(|(set, _)| set != effect);
        self.effects.iter().copied().filter(is_free)
    }
}

/// What was found, before it is put beside what the run is.
pub(super) struct Found {
    scale: &'static str,
    pub(super) effects: Vec<EffectResult>,
    pub(super) outcomes: Vec<OutcomeResult>,
}

impl Found {
    pub(super) fn new(scale: &'static str) -> Self {
        Self { scale, effects: Vec::new(), outcomes: Vec::new() }
    }
}

/// A categorical column.
struct Coded<'a> {
    codes: &'a [u32],
    levels: &'a [String],
}

impl<'a> Coded<'a> {
    /// The share of the rows that have level `y`.
    fn share(&self, y: usize) -> f64 {
        let count = self.codes.iter().filter(|&&code| code as usize == y).count();
        count as f64 / self.codes.len().max(1) as f64
    }

    fn of_table(table: &'a Table) -> Result<Vec<Self>, Error> {
        let coded = |column: &'a gflowcausal_data::Column| match &column.values {
            Values::Categorical { codes, levels } => Ok(Self { codes, levels }),
            Values::Continuous(_) => Err(Error::NoEffects { score: "bdeu".to_owned() }),
        };
        table.columns().iter().map(coded).collect()
    }
}

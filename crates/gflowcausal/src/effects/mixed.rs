//! Effects among numbers and categories: linear equations of numbers and of an indicator for each level, as in the score `dg`.

use gflowcausal_data::{Moments, Table, Values};
use gflowcausal_determinism::map;
use gflowcausal_graph::{Dag, Edge};
use gflowcausal_posterior::{EffectDistribution, EffectSettings, LinearData, LinearEffects, WeightedDag};
use gflowcausal_score::Correlation;

use super::evaluate::{Asked, Found, WITH_INTERVENTIONS, number};
use super::{EffectModel, EffectResult, OutcomeResult};
use crate::Error;

/// A table as numbers: a column of numbers is itself, one of categories an indicator for each level that occurs.
pub(super) struct Embedding {
    moments: Moments,
    blocks: Vec<Block>,
}

/// The columns that stand for one variable.
struct Block {
    /// Where they begin.
    start: usize,
    /// The levels, one for each column; none for a number.
    levels: Option<Vec<String>>,
}

/// What a cause is compared with.
struct Contrast {
    cause: usize,
    /// The level it is set to, and the first one; none for a number, which rises by one unit.
    levels: Option<(usize, String, String)>,
}

impl Embedding {
    /// The embedding of a table of complete columns.
    pub(super) fn of_table(table: &Table) -> Self {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut blocks = Vec::new();
        for column in table.columns() {
            let start = columns.len();
            let levels = match &column.values {
                Values::Continuous(values) => {
                    columns.push(values.clone());
                    None
                }
                Values::Categorical { codes, levels } => {
                    let occurs = |level: &usize| codes.iter().any(|&code| code as usize == *level);
                    let present: Vec<usize> = (0..levels.len()).filter(occurs).collect();
                    for &level in &present {
                        let is_it = |&code: &u32| f64::from(u8::from(code as usize == level));
                        columns.push(codes.iter().map(is_it).collect());
                    }
                    Some(present.into_iter().map(|level| levels[level].clone()).collect())
                }
            };
            blocks.push(Block { start, levels });
        }
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Self { moments: Moments::of_columns(&slices), blocks }
    }

    /// The graph over the columns: those of a parent but the last level, which is one minus the others, lead to each of the child's.
    fn expanded(&self, dag: &Dag) -> Dag {
        let edges = dag.edges().flat_map(|edge| {
            let (from, to) = (&self.blocks[edge.from], &self.blocks[edge.to]);
            from.free().flat_map(move |cause| to.columns().map(move |effect| Edge::new(cause, effect)))
        });
        Dag::from_edges(self.moments.columns(), edges).expect("columns are ordered as their variables are")
    }
}

impl Block {
    fn columns(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.levels.as_ref().map_or(1, Vec::len)
    }

    /// The columns that the others do not determine.
    fn free(&self) -> std::ops::Range<usize> {
        let columns = self.columns();
        match self.levels {
            Some(_) => columns.start..columns.end.saturating_sub(1).max(columns.start),
            None => columns,
        }
    }

    /// The columns that are reported, each with its level: of two levels the second alone.
    fn reported(&self) -> Vec<(usize, Option<&str>)> {
        match &self.levels {
            None => vec![(self.start, None)],
            Some(levels) => {
                let first = usize::from(levels.len() == 2);
                (first..levels.len()).map(|at| (self.start + at, Some(levels[at].as_str()))).collect()
            }
        }
    }

    /// The comparisons in which the variable is the cause: one unit more, or each level but the first against the first.
    fn contrasts(&self, cause: usize) -> Vec<Contrast> {
        match &self.levels {
            None => vec![Contrast { cause, levels: None }],
            Some(levels) => (1..levels.len())
                .map(|at| Contrast { cause, levels: Some((at, levels[at].clone(), levels[0].clone())) })
                .collect(),
        }
    }

    /// The changes of the columns in a comparison.
    fn changes(&self, contrast: &Contrast) -> Vec<(usize, f64)> {
        let Some((level, ..)) = &contrast.levels else { return vec![(self.start, 1.0)] };
        let change = |at: usize| f64::from(i8::from(at == *level) - i8::from(at == 0));
        self.columns().enumerate().map(|(at, column)| (column, change(at))).collect()
    }

    /// The values of the columns when the variable is set to what `text` says.
    fn values(&self, text: &str) -> Result<Vec<(usize, f64)>, String> {
        let Some(levels) = &self.levels else { return Ok(vec![(self.start, number(0, text)?)]) };
        let unknown = || format!("its levels are {}", levels.join(", "));
        let chosen = levels.iter().position(|level| level == text).ok_or_else(unknown)?;
        Ok(self
            .columns()
            .enumerate()
            .map(|(at, column)| (column, f64::from(u8::from(at == chosen))))
            .collect())
    }
}

impl EffectModel {
    pub(super) fn mixed(&self, embedding: &Embedding, asked: &Asked<'_>) -> Result<Found, Error> {
        let request = asked.request;
        Error::if_without_effect(&[("standardized", request.is_standardized)], &self.score())?;
        let correlation = Correlation::of_moments(&embedding.moments)?;
        let (means, rows) = (embedding.moments.mean(), embedding.moments.rows());
        let data = LinearData { correlation: &correlation, means, rows };
        let settings = EffectSettings { seed: request.seed, ..EffectSettings::default() };
        let expand =
            |graph: &WeightedDag| WeightedDag { dag: embedding.expanded(&graph.dag), weight: graph.weight };
        let graphs: Vec<WeightedDag> = self.graphs.iter().map(expand).collect();
        let interventions = self.interventions(request, |node, text| embedding.blocks[node].values(text))?;
        let model = LinearEffects::new(&graphs, data, settings);
        let mut found = Found::new("units");
        if interventions.is_empty() {
            let contrasts = asked.causes.iter().flat_map(|&cause| embedding.blocks[cause].contrasts(cause));
            let contrasts: Vec<Contrast> = contrasts.collect();
            let results = map(contrasts.len(), |k| {
                let changes = embedding.blocks[contrasts[k].cause].changes(&contrasts[k]);
                let drawn = model.contrast(&changes, request.is_direct);
                self.contrast_results(&contrasts[k], &drawn, embedding, (asked, &correlation))
            });
            found.effects = results.into_iter().flatten().collect();
        } else {
            Error::if_without_effect(&[("direct", request.is_direct)], WITH_INTERVENTIONS)?;
            let set: Vec<(usize, f64)> =
                interventions.iter().flat_map(|(_, values)| values.clone()).collect();
            let outcomes = model.under(&set);
            let is_free = |node: &&usize| interventions.iter().all(|(set, _)| set != *node);
            for &node in asked.effects.iter().filter(is_free) {
                for (column, level) in embedding.blocks[node].reported() {
                    let (name, outcome) = (&self.names[node], &outcomes[column]);
                    let result = OutcomeResult::new(name, outcome, means[column], request.level);
                    found.outcomes.push(OutcomeResult { level: level.map(str::to_owned), ..result });
                }
            }
        }
        Ok(found)
    }

    /// The results of one comparison for each variable that was asked for, and each of its levels.
    fn contrast_results(
        &self,
        contrast: &Contrast,
        drawn: &[EffectDistribution],
        embedding: &Embedding,
        (asked, correlation): (&Asked<'_>, &Correlation),
    ) -> Vec<EffectResult> {
        let deviation = |column: usize| correlation.log_scale(column).exp();
        let mut results = Vec::new();
        for &effect in asked.effects.iter().filter(|&&effect| effect != contrast.cause) {
            for (column, level) in embedding.blocks[effect].reported() {
                let names = (self.names[contrast.cause].as_str(), self.names[effect].as_str());
                let result =
                    EffectResult::new(names, &drawn[column], asked.request.level, asked.is_one_pair());
                // A level changes as a whole, a number by one standard deviation.
                let unit = match contrast.levels {
                    Some(_) => 1.0,
                    None => deviation(embedding.blocks[contrast.cause].start),
                };
                results.push(EffectResult {
                    cause_level: contrast.levels.as_ref().map(|(_, level, _)| level.clone()),
                    reference_level: contrast.levels.as_ref().map(|(.., first)| first.clone()),
                    effect_level: level.map(str::to_owned),
                    standardized_mean: Some(result.mean * unit / deviation(column)),
                    ..result
                });
            }
        }
        results
    }
}

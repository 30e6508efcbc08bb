//! Causal effects of a run: the effect of an intervention in each drawn graph, and the mixture over the graphs.

mod curves;
mod evaluate;
mod mixed;
mod result;
mod stored;

use gflowcausal_data::{Moments, Table};
use gflowcausal_score::DoseResponses;

pub(crate) use stored::{EFFECTS, MOMENTS, StoredMoments};

use mixed::Embedding;

pub use result::{DoseResult, EffectResult, EffectsResult, GraphsResult, HistogramResult, OutcomeResult};

use crate::model::Mechanism;
use crate::posterior::WeightedDag;
use crate::{Error, RunResult};

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectRequest {
    /// Only of these causes; of all if there are none.
    pub causes: Vec<String>,
    /// Only on these variables; on all if there are none.
    pub effects: Vec<String>,
    /// Variables that are set to a value, all at once; then the result is what becomes of the others, and no pairs.
    pub interventions: Vec<(String, String)>,
    /// How much of the distribution an interval holds.
    pub level: f64,
    /// Effects along the edge alone, and not along all directed paths.
    pub is_direct: bool,
    /// In standard deviations, and not in the data's units.
    pub is_standardized: bool,
    /// Dose–response curves of all pairs that likely have a path, where the score has curves; else of one pair that is asked for.
    pub keeps_curves: bool,
    /// Where random numbers come from.
    pub seed: u64,
}

impl EffectRequest {
    /// The options that refine effects of pairs, and whether they are set.
    fn refinements(&self) -> [(&'static str, bool); 2] {
        [("direct", self.is_direct), ("standardized", self.is_standardized)]
    }
}

impl Default for EffectRequest {
    fn default() -> Self {
        Self {
            causes: Vec::new(),
            effects: Vec::new(),
            interventions: Vec::new(),
            level: 0.9,
            is_direct: false,
            is_standardized: false,
            keeps_curves: false,
            seed: 0,
        }
    }
}

/// The graphs of a run, and the data that their parameters are estimated from.
pub struct EffectModel {
    names: Vec<String>,
    graphs: Vec<WeightedDag>,
    data: EffectData,
    /// What the run is, without any effects.
    about: EffectsResult,
}

/// What the parameters of a graph are estimated from.
enum EffectData {
    /// Linear equations.
    Linear(Moments),
    /// Tables of probabilities.
    Categories(Table),
    /// Smooth curves.
    Curves(Box<DoseResponses>),
    /// Linear equations of numbers and of indicators of levels.
    Mixed(Embedding),
}

impl Mechanism {
    /// What has to hold for the effects to be right, in one sentence.
    fn assumptions(self) -> &'static str {
        match self {
            Self::Linear => {
                "assumes no hidden common causes, no cycles, no selection of rows, and linear relations"
            }
            Self::Nonlinear(_) => {
                "assumes no hidden common causes, no cycles, no selection of rows, and curves as the score has them"
            }
            Self::Categories => "assumes no hidden common causes, no cycles, and no selection of rows",
            Self::Mixed => {
                "assumes no hidden common causes, no cycles, no selection of rows, and relations that are linear, also in probabilities"
            }
        }
    }
}

impl EffectModel {
    /// The effects of the run `result` with the drawn `graphs`; `moments` or `table` are of the rows that the run worked on.
    ///
    /// # Errors
    /// When the score has no effects, or what they are estimated from is not there.
    pub(crate) fn new(
        result: &RunResult,
        graphs: Vec<WeightedDag>,
        moments: Option<&Moments>,
        table: Option<&Table>,
    ) -> Result<Self, Error> {
        let refused = || Error::NoEffects { score: result.score.name.clone() };
        let mechanism = Mechanism::of(&result.score.name);
        let data = match mechanism {
            Mechanism::Linear => EffectData::Linear(moments.ok_or_else(refused)?.clone()),
            Mechanism::Categories => EffectData::Categories(table.ok_or_else(refused)?.clone()),
            Mechanism::Nonlinear(regressor) => {
                let table = table.ok_or_else(refused)?;
                EffectData::Curves(Box::new(DoseResponses::new(table, regressor)?))
            }
            Mechanism::Mixed => EffectData::Mixed(Embedding::of_table(table.ok_or_else(refused)?)),
        };
        let names = result.data.variables.clone();
        let about = EffectsResult::about(result, graphs.len(), mechanism.assumptions());
        Ok(Self { names, graphs, data, about })
    }
}

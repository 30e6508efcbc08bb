//! Soft actor–critic in a study: trained on the data and the walk of the policies beside it.

use gflowcausal::Error;
use gflowcausal::flow::{
    EntropyWeight, Event, LogReward, Problem as FlowProblem, RewardForm, SacConfig, SoftActorCritic, Walk,
};
use gflowcausal::{Problem, ScoreName};
use serde::Deserialize;

use super::policy::Effort;
use crate::{BenchError, Control};

/// How an actor is trained beside what it has in common with other policies.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Actor {
    /// The weight of the entropy; tuned where there is none.
    entropy: Option<f64>,
}

impl Actor {
    /// Trains to the end.
    pub(super) fn trained<'a>(
        &self,
        control: &Control<'_>,
        (walk, effort, seed): (Walk, Effort, u64),
        problem: &'a Problem<'_>,
        reward: &'a dyn LogReward,
    ) -> Result<SoftActorCritic<'a>, BenchError> {
        let usual = SacConfig::default();
        let mut config = SacConfig {
            walk,
            seed,
            iterations: effort.iterations,
            batch_size: effort.batch_size,
            learning_rate: effort.learning_rate,
            entropy: self.entropy.map_or(usual.entropy, EntropyWeight::Fixed),
            ..usual
        };
        if problem.model.score_name() == ScoreName::Varsort {
            config.reward = RewardForm::Plain;
        }
        config.network.width = effort.width;
        let constraints = problem.model.constraints();
        let flow = FlowProblem { constraints, reward, local_search: None };
        let config = config.validate().map_err(Error::from)?;
        let mut actor = SoftActorCritic::new(config, flow).map_err(Error::from)?;
        while actor.step(&mut |_: &Event<'_>| {}).map_err(Error::from)?.is_none() {
            control.check()?;
        }
        Ok(actor)
    }
}

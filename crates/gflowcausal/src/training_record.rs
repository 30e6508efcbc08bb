//! What a run keeps of the training of a policy.

use gflowcausal_flow::{Progress, Stopped, Trainer};
use gflowcausal_graph::Dag;
use serde::{Deserialize, Serialize};

use crate::training_log::write_log;

/// How training went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// How many iterations were done.
    pub iterations: usize,
    /// Why it stopped.
    pub stopped: Stopped,
    /// `ln Z` at the final temperature, where the objective learns it.
    pub log_partition: Option<f64>,
    /// The loss of the last iteration.
    pub final_loss: Option<f64>,
    /// How graphs were grown.
    pub walk: String,
    /// Which balance of flows was learned.
    pub objective: String,
    /// The most iterations there could have been.
    pub most_iterations: usize,
    /// Trajectories an iteration.
    pub batch_size: usize,
    /// Adam's step.
    pub learning_rate: f64,
    /// The network that was trained.
    pub network: String,
    /// Its width: units of each hidden layer.
    pub hidden: usize,
    /// What each iteration brought.
    #[serde(skip)]
    pub history: Vec<Progress>,
    /// The trained policy, in the bytes that `Policy::parse` reads.
    #[serde(skip)]
    pub policy: Vec<u8>,
    /// The graphs that the parent-set tables of its reward were built around; none where it had no tables.
    #[serde(skip)]
    pub tables_around: Vec<Dag>,
}

impl Training {
    /// What each iteration brought, as the bytes of `training.csv`.
    ///
    /// # Errors
    /// None that a list in memory can have.
    pub fn log(&self) -> std::io::Result<Vec<u8>> {
        let mut log = Vec::new();
        write_log(&mut log, &self.history)?;
        Ok(log)
    }

    pub(crate) fn new(trainer: &Trainer<'_>, stopped: Stopped, history: Vec<Progress>) -> Self {
        let config = trainer.config();
        Self {
            iterations: trainer.iteration(),
            stopped,
            log_partition: trainer.log_partition(),
            final_loss: history.last().map(|progress| progress.loss),
            walk: config.walk.to_string(),
            objective: config.objective.to_string(),
            most_iterations: config.iterations,
            batch_size: config.batch_size,
            learning_rate: config.optimizer.learning_rate,
            network: config.network.name.to_string(),
            hidden: config.network.width,
            history,
            policy: trainer.policy_bytes(""),
            tables_around: Vec::new(),
        }
    }
}

//! Training on disk: saved so that it can go on to the same end, bit for bit.

use gflowcausal_flow::{Problem, Progress, ResumeError, Trainer, ValidTrainConfig};
use gflowcausal_graph::{Dag, Edge};
use gflowcausal_posterior::ChainsState;
use serde::{Deserialize, Serialize};

use crate::training_log::{read_log, write_log};
use crate::{Error, RunDir};

/// The trainer's state.
const CHECKPOINT: &str = "checkpoint";

/// What each iteration brought.
const LOG: &str = "training.csv";

/// The policy alone.
pub(crate) const POLICY: &str = "model.safetensors";

/// The state of chains.
const CHAINS: &str = "chains.json";

/// Chains as they were saved, and the graphs that their tables were built around.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredChains {
    fingerprint: String,
    graphs: Vec<Vec<(usize, usize)>>,
    pub(crate) state: ChainsState,
}

impl StoredChains {
    /// The graphs that searches had found.
    ///
    /// # Errors
    /// When they are no DAGs of `nodes` variables.
    pub(crate) fn graphs(&self, nodes: usize) -> Result<Vec<Dag>, Error> {
        let damaged = |reason: String| Error::DamagedRun { path: CHAINS.into(), reason };
        let graph = |edges: &Vec<(usize, usize)>| {
            if let Some((from, to)) = edges.iter().find(|&&(from, to)| from.max(to) >= nodes) {
                return Err(damaged(format!("there is no edge from {from} to {to}")));
            }
            Dag::from_edges(nodes, edges.iter().copied().map(Edge::from))
                .map_err(|error| damaged(error.to_string()))
        };
        self.graphs.iter().map(graph).collect()
    }
}

/// Where a run saves its training.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoints<'a> {
    /// The directory.
    pub dir: &'a RunDir,
    /// What the reward is made of; a checkpoint of anything else is refused.
    pub fingerprint: &'a str,
    /// Whether to go on from what is there.
    pub resumes: bool,
}

impl Checkpoints<'_> {
    /// The trainer and its history as they were saved; none if nothing was, or nothing is wanted.
    pub(crate) fn resume<'p>(
        &self,
        settings: ValidTrainConfig,
        problem: Problem<'p>,
    ) -> Result<Option<(Trainer<'p>, Vec<Progress>)>, Error> {
        let path = self.dir.file(CHECKPOINT);
        if !self.resumes || !path.exists() {
            return Ok(None);
        }
        let trainer =
            Trainer::resume(&path, settings, problem, self.fingerprint).map_err(|error| match error {
                ResumeError::Checkpoint(error) => Error::Checkpoint(error),
                ResumeError::Train(error) => Error::Train(error),
            })?;
        let log = self.dir.read(LOG)?;
        let mut history = read_log(&log).ok_or_else(|| Error::DamagedLog(self.dir.file(LOG)))?;
        // The log is written first, so it may be one save ahead of the checkpoint.
        history.truncate(trainer.iteration());
        if history.len() < trainer.iteration() {
            return Err(Error::DamagedLog(self.dir.file(LOG)));
        }
        Ok(Some((trainer, history)))
    }

    /// Saves everything that the rest of the run depends on.
    pub(crate) fn save(&self, trainer: &Trainer<'_>, history: &[Progress]) -> Result<(), Error> {
        self.dir.write(LOG, |out| write_log(out, history))?;
        Ok(trainer.save(&self.dir.file(CHECKPOINT), self.fingerprint)?)
    }

    /// The chains as they were saved; none if nothing was, or nothing is wanted.
    pub(crate) fn resume_chains(&self) -> Result<Option<StoredChains>, Error> {
        let path = self.dir.file(CHAINS);
        if !self.resumes || !path.exists() {
            return Ok(None);
        }
        let parsed = serde_json::from_slice(&self.dir.read(CHAINS)?);
        let stored: StoredChains =
            parsed.map_err(|error| Error::DamagedRun { path: path.clone(), reason: error.to_string() })?;
        if stored.fingerprint == self.fingerprint { Ok(Some(stored)) } else { Err(Error::OtherData { path }) }
    }

    /// Saves chains and the `graphs` that searches found.
    pub(crate) fn save_chains(&self, graphs: &[Dag], state: ChainsState) -> Result<(), Error> {
        let edges = |graph: &Dag| graph.edges().map(|edge| (edge.from, edge.to)).collect();
        let graphs = graphs.iter().map(edges).collect();
        let stored = StoredChains { fingerprint: self.fingerprint.to_owned(), graphs, state };
        Ok(self.dir.write(CHAINS, |out| Ok(serde_json::to_writer(out, &stored)?))?)
    }

    /// Saves the policy alone.
    pub(crate) fn save_policy(&self, trainer: &Trainer<'_>) -> Result<(), Error> {
        Ok(trainer.save_policy(&self.dir.file(POLICY), self.fingerprint)?)
    }
}

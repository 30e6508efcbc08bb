//! Training on disk: saved so that it can go on to the same end, bit for bit.

use std::cell::RefCell;
use std::io::{self, Write};

use gflowcausal_flow::{Problem, Progress, ResumeError, Trainer, ValidTrainConfig, check_checkpoint};
use gflowcausal_graph::{Dag, Edge};
use gflowcausal_posterior::ChainsState;
use serde::{Deserialize, Serialize};

use crate::fingerprint::digest;
use crate::run_file::check_version;
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
    version: String,
    /// Of everything else, as it is written.
    sha256: String,
    fingerprint: String,
    graphs: Vec<Vec<(usize, usize)>>,
    /// How often graphs were added for parents that the tables had left out.
    pub(crate) widened: usize,
    pub(crate) state: ChainsState,
}

impl StoredChains {
    /// The checksum of everything else.
    fn checksum(&self) -> String {
        let rest = (&self.version, &self.fingerprint, &self.graphs, self.widened, &self.state);
        digest(&serde_json::to_vec(&rest).expect("every value has a JSON form"))
    }

    /// The graphs that the tables were built around.
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
    /// The first failure to write: the run goes on without, and has a result.
    unsaved: &'a RefCell<Option<Error>>,
}

impl<'a> Checkpoints<'a> {
    /// Saves to `dir`; the first failure to do so is kept in `unsaved`.
    pub(crate) fn new(
        dir: &'a RunDir,
        fingerprint: &'a str,
        resumes: bool,
        unsaved: &'a RefCell<Option<Error>>,
    ) -> Self {
        Self { dir, fingerprint, resumes, unsaved }
    }

    /// Writes a file, unless one could not be written before.
    fn write(&self, name: &str, content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) {
        let mut unsaved = self.unsaved.borrow_mut();
        if unsaved.is_none() {
            *unsaved = self.dir.write(name, content).err().map(Error::from);
        }
    }

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
        let (trainer, log_sha256) =
            Trainer::resume(&path, settings, problem, self.fingerprint).map_err(|error| match error {
                ResumeError::Checkpoint(error) => Error::Checkpoint(error),
                ResumeError::Train(error) => Error::Train(error),
            })?;
        let log = self.dir.read(LOG)?;
        let mut history = read_log(&log).ok_or_else(|| Error::DamagedLog(self.dir.file(LOG)))?;
        // The log is written first, so it may be one save ahead of the checkpoint.
        history.truncate(trainer.iteration());
        if log_checksum(&history) != log_sha256 {
            return Err(Error::DamagedLog(self.dir.file(LOG)));
        }
        Ok(Some((trainer, history)))
    }

    /// Whether there is training to go on with.
    pub(crate) fn has_training(&self) -> bool {
        self.resumes && self.dir.file(CHECKPOINT).exists()
    }

    /// Refuses damaged files before anything is computed.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.resumes && self.dir.file(CHECKPOINT).exists() {
            check_checkpoint(&self.dir.file(CHECKPOINT))?;
            read_log(&self.dir.read(LOG)?).ok_or_else(|| Error::DamagedLog(self.dir.file(LOG)))?;
        }
        self.resume_chains().map(|_| ())
    }

    /// Saves everything that the rest of the run depends on.
    pub(crate) fn save(&self, trainer: &Trainer<'_>, history: &[Progress]) {
        self.write(LOG, |out| write_log(out, history));
        let bytes = trainer.checkpoint_bytes(self.fingerprint, &log_checksum(history));
        self.write(CHECKPOINT, |out| out.write_all(&bytes));
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
        if stored.checksum() != stored.sha256 {
            let reason = "its checksum does not fit what it holds".to_owned();
            return Err(Error::DamagedRun { path, reason });
        }
        check_version(&path, Some(&stored.version))?;
        if stored.fingerprint == self.fingerprint { Ok(Some(stored)) } else { Err(Error::OtherData { path }) }
    }

    /// Saves chains and the `graphs` that their tables were built around, which were added to `widened` times.
    pub(crate) fn save_chains(&self, (graphs, widened): (&[Dag], usize), state: ChainsState) {
        let edges = |graph: &Dag| graph.edges().map(|edge| (edge.from, edge.to)).collect();
        let graphs = graphs.iter().map(edges).collect();
        let (version, fingerprint) = (env!("CARGO_PKG_VERSION").to_owned(), self.fingerprint.to_owned());
        let mut stored = StoredChains { version, sha256: String::new(), fingerprint, graphs, widened, state };
        stored.sha256 = stored.checksum();
        self.write(CHAINS, |out| Ok(serde_json::to_writer(out, &stored)?));
    }

    /// Saves the policy alone, in the bytes that belong to the fingerprint.
    pub(crate) fn save_policy(&self, bytes: impl FnOnce(&str) -> Vec<u8>) {
        let bytes = bytes(self.fingerprint);
        self.write(POLICY, |out| out.write_all(&bytes));
    }
}

/// The checksum of the log of training.
fn log_checksum(history: &[Progress]) -> String {
    let mut log = Vec::new();
    write_log(&mut log, history).expect("memory takes every line");
    digest(&log)
}

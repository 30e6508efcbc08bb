//! Training on disk: saved so that it can go on to the same end, bit for bit.

use gflowcausal_flow::{Problem, Progress, ResumeError, Trainer, ValidTrainConfig};

use crate::training_log::{read_log, write_log};
use crate::{Error, RunDir};

/// The trainer's state.
const CHECKPOINT: &str = "checkpoint";

/// What each iteration brought.
const LOG: &str = "training.csv";

/// The policy alone.
pub(crate) const POLICY: &str = "model.safetensors";

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

    /// Saves the policy alone.
    pub(crate) fn save_policy(&self, trainer: &Trainer<'_>) -> Result<(), Error> {
        Ok(trainer.save_policy(&self.dir.file(POLICY), self.fingerprint)?)
    }
}

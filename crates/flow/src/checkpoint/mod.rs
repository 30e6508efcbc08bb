//! A training run on disk: stop at any iteration, go on, and end with the same bits.
//!
//! The file is in the safetensors format. Its one metadata entry is a JSON header with a version, the settings and the
//! caller's fingerprint of the problem; everything that is a number is a tensor, so that no digit is lost.

mod file;

use std::path::Path;

use gflowcausal_graph::Constraints;

use self::file::{Header, Reader, Writer};
use crate::adam::{Adam, ScalarAdam};
use crate::replay::{Remembered, ReplayBuffer};
use crate::trainer::{Convergence, RewardStats};
use crate::{
    Best, Environment, EnvironmentError, LogReward, Network, Problem, Sampler, TrainConfig, TrainError,
    Trainer, ValidTrainConfig,
};

pub use self::file::CheckpointError;

/// What the tensors of averaged parameters are called in a checkpoint; a policy has those alone, as its network.
const AVERAGE: &str = "average";

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The file is not a checkpoint of this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The problem cannot be trained on.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl<'a> Trainer<'a> {
    /// All that the rest of the run depends on, as the bytes of a file.
    ///
    /// `fingerprint` says what the reward is made of (data, score, knowledge); [`Trainer::resume`] asks for the same.
    /// `log_sha256` is given back by it: the caller's checksum of a log that it keeps itself.
    #[must_use]
    pub fn checkpoint_bytes(&self, fingerprint: &str, log_sha256: &str) -> Vec<u8> {
        let mut header = Header::new(&self.config, self.environment.nodes(), fingerprint);
        header.log_sha256 = log_sha256.to_owned();
        let mut writer = Writer::new(header);
        writer.network("network", &*self.network, self.network.parameters());
        writer.network("adam.means", &*self.network, &self.adam.means);
        writer.network("adam.squares", &*self.network, &self.adam.squares);
        if let Some(average) = &self.average {
            writer.network(AVERAGE, average.network(), average.network().parameters());
        }
        writer.numbers("scalars", &self.scalars());
        let best: Vec<Remembered> = self.best.iter().map(Remembered::from).collect();
        writer.terminals("best", best.iter());
        let (kept, recent) = self.replay.parts();
        writer.terminals("replay.best", kept.iter());
        writer.terminals("replay.recent", recent.into_iter());
        writer.terminals("reference", self.reference.iter());
        writer.bytes().expect("every tensor has the size of its shape")
    }

    /// Goes on where the run that wrote `path` stopped: the rest is the same, bit for bit. With the checksum of the log.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or was written by a run with other settings or another fingerprint.
    pub fn resume(
        path: &Path,
        config: ValidTrainConfig,
        problem: Problem<'a>,
        fingerprint: &str,
    ) -> Result<(Self, String), ResumeError> {
        let reader = Reader::open(path)?;
        reader.expect(&Header::new(&config, problem.constraints.nodes(), fingerprint))?;
        let mut trainer = Self::blank(config, problem)?;
        trainer.restore(&reader)?;
        Ok((trainer, reader.header().log_sha256.clone()))
    }

    fn restore(&mut self, reader: &Reader) -> Result<(), CheckpointError> {
        let parameters = reader.network("network", &*self.network)?;
        self.network.parameters_mut().copy_from_slice(&parameters);
        let means = reader.network("adam.means", &*self.network)?;
        let squares = reader.network("adam.squares", &*self.network)?;
        self.adam = Adam { steps: 0, means, squares };
        if let Some(average) = &mut self.average {
            let parameters = reader.network(AVERAGE, average.network())?;
            average.parameters_mut().copy_from_slice(&parameters);
        }
        let scalars = reader.numbers("scalars", self.scalars().len())?;
        let counts = [scalars[0], scalars[1], scalars[3]];
        if !counts.into_iter().all(is_count) {
            return Err(reader.damaged("a number of steps that no run has taken"));
        }
        self.restore_scalars(&scalars);
        self.best = reader.terminals("best", &*self.environment)?.pop().map(Best::from);
        let kept = reader.terminals("replay.best", &*self.environment)?;
        let recent = reader.terminals("replay.recent", &*self.environment)?;
        self.reference = reader.terminals("reference", &*self.environment)?;
        self.replay = ReplayBuffer::restore(self.config.replay.capacity, kept, recent);
        Ok(())
    }

    fn scalars(&self) -> [f64; 15] {
        let RewardStats { mean, deviation, mean_log_ratio } = self.reward_stats;
        let Convergence { count, sum, previous, best_before, reached } = self.convergence;
        let ScalarAdam { steps, mean: grad, square } = self.log_partition_adam;
        [
            self.iteration as f64,
            self.adam.steps as f64,
            self.log_partition,
            steps,
            grad,
            square,
            mean,
            deviation,
            mean_log_ratio,
            count,
            sum,
            previous,
            best_before,
            reached,
            f64::from(u8::from(self.holds_log_partition)),
        ]
    }

    /// Undoes [`Self::scalars`].
    fn restore_scalars(&mut self, scalars: &[f64]) {
        self.iteration = scalars[0] as usize;
        self.adam.steps = scalars[1] as u64;
        self.log_partition = scalars[2];
        self.log_partition_adam = ScalarAdam { steps: scalars[3], mean: scalars[4], square: scalars[5] };
        self.reward_stats =
            RewardStats { mean: scalars[6], deviation: scalars[7], mean_log_ratio: scalars[8] };
        self.convergence = Convergence {
            count: scalars[9],
            sum: scalars[10],
            previous: scalars[11],
            best_before: scalars[12],
            reached: scalars[13],
        };
        self.holds_log_partition = scalars[14] > 0.0;
    }

    /// The policy alone as the bytes of a file, to draw from later: see [`Policy::open`] and [`Policy::parse`].
    #[must_use]
    pub fn policy_bytes(&self, fingerprint: &str) -> Vec<u8> {
        policy_bytes(&self.config, self.environment.nodes(), self.policy_network(), fingerprint)
    }
}

/// A policy over `nodes` variables as the bytes of a file.
pub(crate) fn policy_bytes(
    config: &TrainConfig,
    nodes: usize,
    network: &dyn Network,
    fingerprint: &str,
) -> Vec<u8> {
    let mut writer = Writer::new(Header::new(config, nodes, fingerprint));
    writer.network("network", network, network.parameters());
    writer.bytes().expect("every tensor has the size of its shape")
}

/// Whether `number` counts something: whole, and small enough for one more to be another number.
fn is_count(number: f64) -> bool {
    number.fract() == 0.0 && (0.0..1e15).contains(&number)
}

/// Refuses a file that is no whole checkpoint of this program, whatever run it is of.
///
/// # Errors
/// When the file cannot be read, is damaged, or was written by another program.
pub fn check_checkpoint(path: &Path) -> Result<(), CheckpointError> {
    Reader::open(path).map(|_| ())
}

impl From<&Best> for Remembered {
    fn from(best: &Best) -> Self {
        Self { terminal: best.terminal.clone(), log_reward: best.log_reward }
    }
}

impl From<Remembered> for Best {
    fn from(kept: Remembered) -> Self {
        Self { terminal: kept.terminal, log_reward: kept.log_reward }
    }
}

/// A trained policy on its own, without the reward it was trained on.
pub struct Policy {
    environment: Box<dyn Environment>,
    network: Box<dyn Network>,
    sees_reward: bool,
    fingerprint: String,
}

impl Policy {
    /// Reads the policy of a run, from a file of [`Trainer::policy_bytes`] or [`Trainer::checkpoint_bytes`].
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is about another number of variables than `constraints`.
    pub fn open(path: &Path, constraints: &Constraints) -> Result<Self, CheckpointError> {
        Self::read(&Reader::open(path)?, constraints)
    }

    /// The policy in the bytes of [`Trainer::policy_bytes`].
    ///
    /// # Errors
    /// When the bytes are damaged or about another number of variables than `constraints`.
    pub fn parse(bytes: Vec<u8>, constraints: &Constraints) -> Result<Self, CheckpointError> {
        Self::read(&Reader::parse(Path::new("policy"), bytes)?, constraints)
    }

    fn read(reader: &Reader, constraints: &Constraints) -> Result<Self, CheckpointError> {
        let Header { config, nodes, fingerprint, .. } = reader.header().clone();
        reader.expect_nodes(constraints.nodes())?;
        let environment = config
            .walk
            .environment(constraints.clone())
            .map_err(|EnvironmentError::TooFewNodes(_)| reader.damaged(&format!("{nodes} variables")))?;
        if config.clone().validate().is_err() {
            return Err(reader.damaged("settings"));
        }
        let size = config.network.parameters(&*environment, config.sees_reward);
        if size != Some(reader.network_size()) {
            return Err(
                reader.damaged("the tensors of the network do not have the size that the settings say")
            );
        }
        let mut network = config.network.network(&*environment, config.sees_reward, config.seed);
        let averaged = config.optimizer.averaging.map(|_| AVERAGE).filter(|name| reader.has_network(name));
        let parameters = reader.network(averaged.unwrap_or("network"), &*network)?;
        network.parameters_mut().copy_from_slice(&parameters);
        Ok(Self { environment, network, sees_reward: config.sees_reward, fingerprint })
    }

    /// The policy to draw from; `reward` is what it was trained on. None without it if the network sees it.
    #[must_use]
    pub fn sampler<'a>(&'a self, reward: Option<&'a dyn LogReward>) -> Option<Sampler<'a>> {
        let sampler = Sampler::new(&*self.environment, &*self.network);
        if self.sees_reward { reward.map(|reward| sampler.viewing(reward)) } else { Some(sampler) }
    }

    /// What the caller said the reward was made of.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

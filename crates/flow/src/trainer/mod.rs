//! Training: Algorithm 1 of the paper, line by line, on a batch of trajectories at a time.

mod average;
mod batch;
mod progress;
mod shard;

use gflowcausal_determinism::{StreamRng, map_slices, uninterrupted};
use gflowcausal_graph::Constraints;

use crate::adam::{Adam, ScalarAdam};
use crate::replay::{Remembered, ReplayBuffer};
use crate::rollout::Guide;
use crate::{
    Environment, EnvironmentError, Event, LogReward, Network, ObjectiveName, Observer, Progress, Sampler,
    Stopped, Terminal, ValidTrainConfig, Walk,
};
pub(crate) use average::Average;
pub(crate) use progress::{Convergence, RewardStats};
use shard::{BatchShard, End, Outcome, Task};

/// The share of an iteration in the running mean of log-weights.
const LOG_WEIGHT_SHARE: f64 = 0.1;

/// The most parameters of a network: twice those of the largest published one.
const MOST_PARAMETERS: usize = 1 << 28;

/// What to learn: which terminal states there are, and their rewards.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// What every graph or order has to satisfy.
    pub constraints: &'a Constraints,
    /// The reward of terminal states.
    pub reward: &'a dyn LogReward,
    /// A search that improves terminal states.
    pub local_search: Option<&'a dyn LocalSearch>,
}

/// A local search among terminal states.
pub trait LocalSearch: Sync {
    /// A terminal state to learn from beside `start`, if one is found.
    ///
    /// `temperature` is that of the iteration: a search that is to help the present policy aims at states of high
    /// `ln r / temperature`, not at the best alone. States that the environment does not lead to, because knowledge
    /// forbids them, are ignored.
    fn improve(&self, start: &Terminal, temperature: f64, rng: &mut StreamRng) -> Option<Terminal>;
}

/// Why training cannot start or go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum TrainError {
    /// No environment over these variables.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// An objective that needs the reward of each step.
    #[error("objective {objective} on walk {walk} needs a reward that is a sum of local terms; use tb")]
    NeedsLocalReward { objective: ObjectiveName, walk: Walk },
    /// A setting that needs a local search where there is none.
    #[error("improvements is {0}, but there is no local search to make them")]
    NoLocalSearch(usize),
    /// A network that would not fit into memory.
    #[error("the network would have more than {} parameters", MOST_PARAMETERS)]
    TooLarge,
    /// A log-reward that is no finite number.
    #[error("the log-reward of a terminal state is {0}")]
    Reward(f64),
    /// Steps so long that they lead to no numbers.
    #[error(
        "training diverged in iteration {iteration}: the loss or a weight of the network is no finite number"
    )]
    Diverged { iteration: usize },
}

/// A terminal state and its log-reward at temperature 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The state.
    pub terminal: Terminal,
    /// Its log-reward.
    pub log_reward: f64,
}

/// A training run: everything that changes from one iteration to the next.
pub struct Trainer<'a> {
    pub(crate) config: ValidTrainConfig,
    pub(crate) environment: Box<dyn Environment>,
    problem: Problem<'a>,
    shards: Vec<BatchShard>,
    pub(crate) network: Box<dyn Network>,
    /// The network whose policy is drawn from, where that is not the one that learns.
    pub(crate) average: Option<Average>,
    pub(crate) adam: Adam,
    pub(crate) log_partition: f64,
    pub(crate) log_partition_adam: ScalarAdam,
    pub(crate) iteration: usize,
    pub(crate) reward_stats: RewardStats,
    pub(crate) best: Option<Best>,
    pub(crate) replay: ReplayBuffer,
    pub(crate) convergence: Convergence,
    /// Draws of the target.
    pub(crate) reference: Vec<Remembered>,
    /// Whether `log_partition` is known, and not learned.
    pub(crate) holds_log_partition: bool,
}

impl<'a> Trainer<'a> {
    /// Readies a run: the network at its first values, the temperature by the rewards of random terminal states.
    ///
    /// # Errors
    /// When the problem and the settings do not fit, or a random terminal state has no finite log-reward.
    pub fn new(config: ValidTrainConfig, problem: Problem<'a>) -> Result<Self, TrainError> {
        let mut trainer = Self::blank(config, problem)?;
        trainer.reward_stats =
            RewardStats::of_random_trajectories(&*trainer.environment, problem.reward, trainer.config.seed)?;
        trainer.log_partition = trainer.first_log_partition();
        Ok(trainer)
    }

    /// A run that has evaluated no reward yet.
    pub(crate) fn blank(config: ValidTrainConfig, problem: Problem<'a>) -> Result<Self, TrainError> {
        let environment = config.walk.environment(problem.constraints.clone())?;
        check(&config, &problem, &*environment)?;
        let network = config.network.network(&*environment, config.sees_reward, config.seed);
        let copy = || config.network.network(&*environment, config.sees_reward, config.seed);
        let average = config.optimizer.averaging.map(|share_kept| Average::new(copy(), share_kept));
        Ok(Self {
            average,
            shards: BatchShard::split(&*environment, &config, &*network),
            adam: Adam::new(network.parameters().len()),
            replay: ReplayBuffer::new(config.replay.capacity),
            log_partition: 0.0,
            log_partition_adam: ScalarAdam::default(),
            iteration: 0,
            best: None,
            convergence: Convergence::default(),
            reference: Vec::new(),
            holds_log_partition: false,
            reward_stats: RewardStats::default(),
            network,
            config,
            environment,
            problem,
        })
    }

    /// One iteration of Algorithm 1; says if it was not needed because training is over.
    ///
    /// # Errors
    /// When a terminal state has no finite log-reward.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Stopped>, TrainError> {
        if let Some(reason) = self.is_over() {
            return Ok(Some(reason));
        }
        // Sample trajectories action by action until each is terminal; compare flows; sum up the gradient.
        let outcome = self.sample_and_compare()?;
        let diverged = TrainError::Diverged { iteration: self.iteration + 1 };
        if !outcome.loss.is_finite() {
            return Err(diverged);
        }
        let ends = self.ends(&outcome)?;
        // All of the rest or nothing: a run that is stopped goes on from a whole number of iterations.
        uninterrupted(|| self.learn(&outcome, &ends, observer));
        let is_finite = self.network.parameters().iter().all(|weight| weight.is_finite());
        if is_finite && self.log_partition.is_finite() { Ok(None) } else { Err(diverged) }
    }

    fn learn(&mut self, outcome: &Outcome, ends: &[(Terminal, f64)], observer: &mut dyn Observer) {
        // Keep the best terminal state. It starts at none, that is at a reward of zero (errata: not at a score of 0).
        self.note(ends, observer);
        // Update the network's parameters along the gradient.
        self.descend(outcome);
        let progress = self.progress(outcome);
        self.cool(outcome);
        self.iteration += 1;
        self.convergence.record(&self.config, &progress);
        observer.observe(&Event::Iteration(progress));
    }

    /// Why there is nothing more to do, if there is not.
    #[must_use]
    pub fn is_over(&self) -> Option<Stopped> {
        if self.convergence.is_reached() {
            Some(Stopped::Plateau)
        } else {
            (self.iteration >= self.config.iterations).then_some(Stopped::Iterations)
        }
    }

    /// The best terminal state so far.
    #[must_use]
    pub fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    /// How many iterations are done.
    #[must_use]
    pub fn iteration(&self) -> usize {
        self.iteration
    }

    /// The temperature of the next iteration, and so of the policy as it is.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.config.temperature.at(self.iteration, self.reward_stats.deviation)
    }

    /// `ln Z` as far as it is known. Exact once training has converged; modified DB does not learn it.
    #[must_use]
    pub fn log_partition(&self) -> Option<f64> {
        match self.config.objective {
            ObjectiveName::Mdb => None,
            ObjectiveName::Tb => Some(self.log_partition),
            _ => Some(self.log_partition + self.sampler().log_initial_flow()),
        }
    }

    /// The policy as it is.
    #[must_use]
    pub fn sampler(&self) -> Sampler<'_> {
        let sampler = Sampler::new(&*self.environment, self.policy_network());
        if self.config.sees_reward { sampler.viewing(self.problem.reward) } else { sampler }
    }

    /// The network whose policy is drawn from.
    pub(crate) fn policy_network(&self) -> &dyn Network {
        self.average.as_ref().map_or(&*self.network, Average::network)
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &ValidTrainConfig {
        &self.config
    }

    /// `ln Z` if the policy were uniform and all rewards like those of random trajectories; the other objectives' constant
    /// that makes the last flow right.
    fn first_log_partition(&self) -> f64 {
        let mean = self.reward_stats.mean / self.temperature();
        if self.config.objective == ObjectiveName::Tb {
            mean - self.reward_stats.mean_log_ratio
        } else {
            mean
        }
    }

    fn sample_and_compare(&mut self) -> Result<Outcome, TrainError> {
        let guides = self.guides();
        let task = Task {
            environment: &*self.environment,
            network: &*self.network,
            reward: self.problem.reward,
            objective: self.config.objective(),
            is_likelihood: self.is_likelihood(),
            residual_limit: self.config.residual_limit.unwrap_or(f64::INFINITY),
            viewed: self.config.sees_reward.then_some(self.problem.reward),
            name: self.config.objective,
            exploration: self.exploration(),
            temperature: self.temperature(),
            log_partition: self.log_partition,
            batch_size: self.config.batch_size,
        };
        let mut work: Vec<(&mut BatchShard, Vec<Guide>)> = Vec::new();
        let mut rest = guides.into_iter();
        for shard in &mut self.shards {
            let guides = rest.by_ref().take(shard.size).collect();
            work.push((shard, guides));
        }
        let outcomes = map_slices(&mut work, 1, |_, work| {
            let (shard, guides) = &mut work[0];
            shard.run(&task, guides)
        });
        let mut total = Outcome::default();
        for outcome in outcomes {
            total.extend(outcome?);
        }
        Ok(total)
    }

    /// Takes `ln Z` as known: it is not learned.
    pub fn hold_log_partition(&mut self, log_partition: f64) {
        (self.log_partition, self.holds_log_partition) = (log_partition, true);
    }

    fn descend(&mut self, outcome: &Outcome) {
        let optimizer = &self.config.optimizer;
        let shrinkage = optimizer.shrinkage(self.iteration, self.config.iterations);
        let gradient = BatchShard::total_gradient(&mut self.shards);
        let rate = shrinkage * optimizer.learning_rate;
        self.adam.step(rate, gradient, self.network.parameters_mut());
        if let Some(average) = &mut self.average {
            average.take_in(self.network.parameters(), self.iteration);
        }
        if self.holds_log_partition {
            return;
        }
        if self.is_likelihood() {
            self.follow_log_weights(outcome);
            return;
        }
        let rate = shrinkage * self.config.log_partition_learning_rate();
        self.log_partition += self.log_partition_adam.step(rate, outcome.log_partition_grad);
    }

    /// Brings `ln Z` of TB to where the loss will be lowest once it is learned: to the running mean of the log-weights.
    fn follow_log_weights(&mut self, outcome: &Outcome) {
        if self.config.objective == ObjectiveName::Tb {
            let share = if self.iteration == 0 { 1.0 } else { LOG_WEIGHT_SHARE };
            self.log_partition += share * (outcome.mean_log_weight - self.log_partition);
        }
    }

    /// Moves the constant along with the log-rewards as the temperature decreases.
    fn cool(&mut self, outcome: &Outcome) {
        if self.holds_log_partition {
            return;
        }
        let next = self.config.temperature.at(self.iteration + 1, self.reward_stats.deviation);
        let mean = outcome.ends.iter().map(|end| end.log_reward).sum::<f64>() / outcome.ends.len() as f64;
        self.log_partition += mean / next - mean / self.temperature();
    }

    fn exploration(&self) -> f64 {
        self.config.exploration.at(self.iteration)
    }

    fn progress(&self, outcome: &Outcome) -> Progress {
        let add = |(sum, count): (f64, f64), end: &End| (sum + end.log_reward, count + 1.0);
        let (sum, count) = match outcome.sampled().fold((0.0, 0.0), add) {
            (_, 0.0) => outcome.ends.iter().fold((0.0, 0.0), add),
            sampled => sampled,
        };
        Progress {
            iteration: self.iteration + 1,
            loss: outcome.loss,
            mean_log_reward: sum / count,
            best_log_reward: self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.log_reward),
            temperature: self.temperature(),
            exploration: self.exploration(),
            log_partition: self.log_partition,
        }
    }
}

fn check(
    config: &ValidTrainConfig,
    problem: &Problem<'_>,
    environment: &dyn Environment,
) -> Result<(), TrainError> {
    let (objective, walk) = (config.objective, config.walk);
    if objective.needs_partial_reward(walk) && !environment.has_partial_rewards(problem.reward) {
        return Err(TrainError::NeedsLocalReward { objective, walk });
    }
    check_parameters(config.network.parameters(environment, config.sees_reward))?;
    if config.improvements > 0 && problem.local_search.is_none() {
        return Err(TrainError::NoLocalSearch(config.improvements));
    }
    Ok(())
}

/// Refuses networks that have more parameters than can be kept.
pub(crate) fn check_parameters(parameters: Option<usize>) -> Result<(), TrainError> {
    let fits = parameters.is_some_and(|parameters| parameters <= MOST_PARAMETERS);
    if fits { Ok(()) } else { Err(TrainError::TooLarge) }
}

/// Refuses log-rewards that no flow can balance.
pub(crate) fn finite(log_rewards: Vec<f64>) -> Result<Vec<f64>, TrainError> {
    match log_rewards.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(TrainError::Reward(value)),
        None => Ok(log_rewards),
    }
}

//! Soft actor–critic over discrete actions: a policy of high expected reward and high entropy, on the same environments.
//!
//! Haarnoja et al. (2018), with the sums over actions of Christodoulou (2019): an actor `π`, two critics `Q₁, Q₂` with slowly
//! following targets, a weight `α` of the entropy, a memory of transitions. It maximises `E[r + α Σ H(π(·|s))]`, whose optimum
//! draws *trajectories* with probability ∝ `exp(r / α)`: a terminal state counts once for each trajectory to it. Without
//! knowledge every order is reached by as many.

mod config;
mod critic;
mod losses;
mod transitions;

use std::sync::Arc;

use gflowcausal_determinism::{
    Stream, cancellation_point, map, map_slices, rand::RngExt, stream, uninterrupted,
};

use crate::adam::{Adam, ScalarAdam};
use crate::checkpoint::policy_bytes;
use crate::rollout::{Guide, Recording, roll_out};
use crate::trainer::{RewardStats, finite};
use crate::{
    Best, Environment, Event, LogReward, Network, Observer, Problem, Progress, Sampler, StateSpace, Stopped,
    Tape, Terminal, TrainError, Walk,
};
pub use config::{EntropyWeight, RewardForm, SacConfig, ValidSacConfig};
use critic::Critic;
use losses::{actor_loss, critic_loss, entropy, soft_value};
use transitions::{Memory, Minibatch, Transition};

/// How many trajectories grow in lock step.
const ROLL_OUT: usize = 32;

/// One trajectory that the actor took.
struct Episode {
    actions: Arc<[crate::Action]>,
    terminal: Terminal,
    log_reward: f64,
}

/// What a gradient step is made of.
struct Gradients {
    critics: [Vec<f32>; 2],
    actor: Vec<f32>,
    /// The mean of the critics' losses.
    loss: f64,
    /// The mean of the policy's entropy above its target.
    excess_entropy: f64,
}

/// A run of soft actor–critic.
pub struct SoftActorCritic<'a> {
    config: ValidSacConfig,
    environment: Box<dyn Environment>,
    problem: Problem<'a>,
    actor: Box<dyn Network>,
    actor_adam: Adam,
    critics: [Critic; 2],
    log_alpha: f64,
    alpha_adam: ScalarAdam,
    memory: Memory,
    /// The mean and the spread of the reward of random terminal states: the unit in which rewards are learned.
    reward_scale: (f64, f64),
    iteration: usize,
    best: Option<Best>,
}

impl<'a> SoftActorCritic<'a> {
    /// Readies a run: networks at their first values, the unit of the reward by random terminal states.
    ///
    /// # Errors
    /// When there is no environment over these variables, a network is too large, or a reward is no finite number.
    pub fn new(config: ValidSacConfig, problem: Problem<'a>) -> Result<Self, TrainError> {
        let environment = config.walk.environment(problem.constraints.clone())?;
        config.check_size(&*environment)?;
        let network = |k: u64| {
            let seed = stream(config.seed, Stream::Part { k }).random();
            config.network.network(&*environment, false, seed)
        };
        let actor = config.network.network(&*environment, false, config.seed);
        let stats = RewardStats::of_random_trajectories(
            &*environment,
            &Reward { inner: problem.reward, form: config.reward },
            config.seed,
        )?;
        let spread = if stats.deviation > 0.0 { stats.deviation } else { 1.0 };
        Ok(Self {
            actor_adam: Adam::new(actor.parameters().len()),
            critics: [0, 1].map(|k| Critic::new(network(k), network(k))),
            log_alpha: config.entropy.first_weight().ln(),
            alpha_adam: ScalarAdam::default(),
            memory: Memory::new(config.capacity),
            reward_scale: (stats.mean, spread),
            iteration: 0,
            best: None,
            actor,
            environment,
            problem,
            config,
        })
    }

    /// One iteration: a batch of trajectories by the actor, then gradient steps on remembered transitions.
    ///
    /// # Errors
    /// When a terminal state has no finite reward, or the loss is no finite number.
    pub fn step(&mut self, observer: &mut dyn Observer) -> Result<Option<Stopped>, TrainError> {
        if self.iteration >= self.config.iterations {
            return Ok(Some(Stopped::Iterations));
        }
        let episodes = self.explore()?;
        uninterrupted(|| self.remember(&episodes, observer));
        let mut loss = 0.0;
        for update in 0..self.config.updates {
            let gradients = self.gradients(update);
            if !gradients.loss.is_finite() {
                return Err(TrainError::Diverged { iteration: self.iteration + 1 });
            }
            loss += gradients.loss / self.config.updates as f64;
            uninterrupted(|| self.descend(&gradients));
        }
        self.iteration += 1;
        observer.observe(&Event::Iteration(self.progress(&episodes, loss)));
        Ok(None)
    }

    /// The actor's policy.
    #[must_use]
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler::new(&*self.environment, &*self.actor)
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

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &SacConfig {
        &self.config
    }

    /// The weight of the entropy as it is, in units of the reward's spread.
    #[must_use]
    pub fn entropy_weight(&self) -> f64 {
        self.log_alpha.exp()
    }

    /// The mean and the spread of the reward of random terminal states, in units of which the actor is rewarded.
    #[must_use]
    pub fn reward_scale(&self) -> (f64, f64) {
        self.reward_scale
    }

    /// The smaller of the two critics' values of each action at every state of `space`.
    #[must_use]
    pub fn action_values(&self, space: &StateSpace) -> Vec<Vec<f64>> {
        let [first, second] =
            [0, 1].map(|k| Sampler::new(&*self.environment, &*self.critics[k].network).log_flows(space));
        let smaller = |(a, b): (Vec<f64>, Vec<f64>)| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect();
        first.into_iter().zip(second).map(smaller).collect()
    }

    /// The actor alone as the bytes of a file, in the format of every trained policy.
    #[must_use]
    pub fn policy_bytes(&self, fingerprint: &str) -> Vec<u8> {
        policy_bytes(&self.config.train_config(), self.environment.nodes(), &*self.actor, fingerprint)
    }

    /// A batch of trajectories by the actor.
    fn explore(&self) -> Result<Vec<Episode>, TrainError> {
        let (count, iteration) = (self.config.batch_size, self.iteration as u64);
        let recording = Recording { for_gradient: false, parents: false, viewed: None, partial_reward: None };
        let parts = map(count.div_ceil(ROLL_OUT), |part| {
            let numbers = part * ROLL_OUT..count.min((part + 1) * ROLL_OUT);
            let guide = |k: usize| Guide {
                script: None,
                rng: stream(self.config.seed, Stream::Trajectory { iteration, k: k as u64 }),
            };
            let mut guides: Vec<Guide> = numbers.map(guide).collect();
            let (environment, actor) = (&*self.environment, &*self.actor);
            roll_out(environment, actor, 0.0, recording, &mut guides, &mut Tape::default())
        });
        let (actions, terminals): (Vec<_>, Vec<Terminal>) = parts
            .into_iter()
            .flatten()
            .map(|taken| (taken.actions, taken.terminal.expect("a trajectory ends in a terminal state")))
            .unzip();
        let log_rewards = finite(self.problem.reward.log_rewards(&terminals))?;
        let episode = |((actions, terminal), log_reward): ((Vec<_>, Terminal), f64)| Episode {
            actions: actions.into(),
            terminal,
            log_reward,
        };
        Ok(actions.into_iter().zip(terminals).zip(log_rewards).map(episode).collect())
    }

    fn remember(&mut self, episodes: &[Episode], observer: &mut dyn Observer) {
        for Episode { actions, terminal, log_reward } in episodes {
            let reward = self.scaled(self.config.reward.of_log(*log_reward));
            for step in 0..actions.len() {
                self.memory.insert(Transition { actions: Arc::clone(actions), step, reward });
            }
            if self.best.as_ref().is_none_or(|best| *log_reward > best.log_reward) {
                self.best = Some(Best { terminal: terminal.clone(), log_reward: *log_reward });
                let iteration = self.iteration;
                observer.observe(&Event::Best { iteration, terminal, log_reward: *log_reward });
            }
        }
    }

    /// A reward in units of the spread of random ones.
    fn scaled(&self, reward: f64) -> f64 {
        let (mean, spread) = self.reward_scale;
        (reward - mean) / spread
    }

    /// The gradients of the critics' and the actor's losses on a batch of remembered transitions.
    fn gradients(&self, update: usize) -> Gradients {
        let iteration = (self.iteration * self.config.updates + update) as u64;
        let mut rng = stream(self.config.seed, Stream::Batch { iteration });
        let batch = Minibatch::draw(&self.memory, &*self.environment, self.config.transitions, &mut rng);
        let [first, second] = &self.critics;
        let after = evaluated(&batch.after, [&*self.actor, &*first.target, &*second.target]);
        let targets = self.targets(&batch, &after);
        let mut before = evaluated(&batch.before, [&*self.actor, &*first.network, &*second.network]);
        let loss = self.compare_critics(&batch, &targets, &mut before);
        let excess_entropy = self.compare_actor(&batch, &mut before);
        let networks = [&*self.actor, &*first.network, &*second.network];
        let mut gradients = map_slices(&mut before, 1, |k, tape| {
            let mut gradient = vec![0.0; networks[k].parameters().len()];
            networks[k].backward(&mut tape[0], 0, &mut gradient);
            gradient
        });
        let mut next = || gradients.pop().expect("one for each network");
        let (second, first, actor) = (next(), next(), next());
        Gradients { critics: [first, second], actor, loss, excess_entropy }
    }

    /// `r + V(s′)` of each transition: the reward at the end of a trajectory, the soft value of the next state before.
    fn targets(&self, batch: &Minibatch, after: &[Tape]) -> Vec<f64> {
        let alpha = self.entropy_weight();
        let target = |next: &Result<usize, f64>| match *next {
            Err(reward) => reward,
            Ok(row) => soft_value(&log_policy(&after[0], row), &smaller(&after[1], &after[2], row), alpha),
        };
        batch.next.iter().map(target).collect()
    }

    /// Hands the gradients of the critics' losses to their tapes; the mean loss.
    fn compare_critics(&self, batch: &Minibatch, targets: &[f64], before: &mut [Tape]) -> f64 {
        let count = targets.len() as f64;
        let mut total = 0.0;
        for tape in &mut before[1..] {
            for (row, (&place, &target)) in batch.places.iter().zip(targets).enumerate() {
                let (loss, slope) = critic_loss(f64::from(tape.log_flows(row)[place]), target);
                total += loss / (2.0 * count);
                tape.grad_mut(row)[place] += (slope / count) as f32;
            }
        }
        total
    }

    /// Hands the gradient of the actor's loss to its tape; the mean entropy above the target.
    fn compare_actor(&self, batch: &Minibatch, before: &mut [Tape]) -> f64 {
        let (alpha, count) = (self.entropy_weight(), batch.places.len() as f64);
        let mut excess = 0.0;
        for row in 0..batch.places.len() {
            let (log_policy, values) = (log_policy(&before[0], row), smaller(&before[1], &before[2], row));
            let (_, slopes) = actor_loss(&log_policy, &values, alpha);
            excess += (entropy(&log_policy) - self.config.entropy.target(log_policy.len())) / count;
            let grads = before[0].grad_mut(row).iter_mut();
            grads.zip(slopes).for_each(|(sum, slope)| *sum += (slope / count) as f32);
        }
        excess
    }

    fn descend(&mut self, gradients: &Gradients) {
        let rate = self.config.learning_rate;
        for (critic, gradient) in self.critics.iter_mut().zip(&gradients.critics) {
            critic.descend(rate, gradient, self.config.target_rate);
        }
        self.actor_adam.step(rate, &gradients.actor, self.actor.parameters_mut());
        if let EntropyWeight::Tuned { .. } = self.config.entropy {
            // J(α) = ln α · (H − target): more weight where the policy is surer than it is to be.
            self.log_alpha += self.alpha_adam.step(rate, gradients.excess_entropy);
        }
    }

    fn progress(&self, episodes: &[Episode], loss: f64) -> Progress {
        let sum: f64 = episodes.iter().map(|episode| episode.log_reward).sum();
        Progress {
            iteration: self.iteration,
            loss,
            mean_log_reward: sum / episodes.len() as f64,
            best_log_reward: self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.log_reward),
            temperature: self.entropy_weight(),
            exploration: 0.0,
            log_partition: 0.0,
        }
    }
}

/// `rows` as each of the networks sees them.
fn evaluated(rows: &Tape, networks: [&dyn Network; 3]) -> Vec<Tape> {
    map(networks.len(), |k| {
        cancellation_point();
        let mut tape = rows.clone();
        networks[k].forward(&mut tape, 0);
        tape.normalize();
        tape
    })
}

/// `ln π(a|s)` of the actions allowed at a row of the actor's tape.
fn log_policy(tape: &Tape, row: usize) -> Vec<f64> {
    let log_outflow = tape.log_outflow(row);
    tape.log_flows(row).iter().map(|&logit| f64::from(logit) - log_outflow).collect()
}

/// The smaller of the two critics' values at a row of their tapes.
fn smaller(first: &Tape, second: &Tape, row: usize) -> Vec<f64> {
    let pairs = first.log_flows(row).iter().zip(second.log_flows(row));
    pairs.map(|(&a, &b)| f64::from(a.min(b))).collect()
}

/// What is maximised, in the place of a log-reward: for its statistics.
struct Reward<'a> {
    inner: &'a dyn LogReward,
    form: RewardForm,
}

impl LogReward for Reward<'_> {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        self.form.of_log(self.inner.log_reward(terminal))
    }
}

impl Walk {
    /// Whether actors and critics can be trained on it: states with the same inputs are the same state.
    #[must_use]
    pub fn tells_states_apart(self) -> bool {
        self.shows_matrix() && !self.shares_inputs()
    }
}

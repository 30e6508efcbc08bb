//! CORL (Wang et al. 2021): an actor that puts variables in order, one after the other, rewarded by the score of the order.

mod pointer_decoder;
mod rewards;

use gflowcausal_autodiff::{EncoderSize, Linear, Real, Tape, Var};
use gflowcausal_determinism::{StopFlag, interruptible};
use gflowcausal_graph::{Constraints, Order};

use self::pointer_decoder::{Actor, Rollout};
pub use self::rewards::OrderRewards;
use self::rewards::{CachedRewards, Rewarded, Scale};
use crate::policy_gradient::PolicyGradient;

/// CORL: an encoder, a pointer network with an LSTM, and a critic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corl {
    /// The transformer.
    pub encoder: EncoderSize,
    /// Orders an iteration.
    pub batch_size: usize,
    /// The most iterations.
    pub iterations: usize,
    /// The learning rate of encoder and decoder.
    pub actor_rate: f64,
    /// The learning rate of the critic.
    pub critic_rate: f64,
    /// The discount factor of rewards (`γ`).
    pub discount: f64,
    /// Whether all orders see the same rows of the table, so that these are encoded once an iteration.
    pub shares_rows: bool,
}

impl Default for Corl {
    /// Sized for a minute with 30 variables. The same rows are read throughout: then a variable looks the same in every
    /// iteration, and the policy settles in a few hundred of them; with new rows it takes thousands.
    fn default() -> Self {
        Self {
            encoder: EncoderSize { inputs: 64, width: 64, inner: 256, blocks: 2, heads: 4 },
            batch_size: 64,
            iterations: 1000,
            actor_rate: 1e-3,
            critic_rate: 1e-3,
            discount: 0.98,
            shares_rows: true,
        }
    }
}

impl Corl {
    /// The authors' sizes; every order reads rows of its own.
    #[must_use]
    pub fn published() -> Self {
        Self {
            encoder: EncoderSize { inputs: 100, width: 256, inner: 1024, blocks: 3, heads: 8 },
            iterations: 10_000,
            actor_rate: 1e-4,
            shares_rows: false,
            ..Self::default()
        }
    }

    /// The best order that was visited, with its score; none if `stop` is set before the first batch is evaluated.
    ///
    /// `observe` is called after each iteration. The same `seed` gives the same, whatever the number of threads.
    pub fn search(
        &self,
        columns: &[&[f64]],
        constraints: &Constraints,
        rewards: OrderRewards<'_>,
        seed: u64,
        stop: &StopFlag,
        observe: &mut dyn FnMut(&OrderIteration<'_>),
    ) -> Option<(Order, f64)> {
        let mut training: Training<'_, f32> = Training::new(self, columns, constraints, rewards, seed);
        for iteration in 0..self.iterations {
            if stop.is_set() {
                break;
            }
            let Some((rollout, rewarded)) = interruptible(stop, || training.sample(iteration)) else { break };
            let loss = training.learn(&rollout, &rewarded);
            observe(&OrderIteration {
                iteration: iteration + 1,
                loss,
                mean: rewarded.totals.iter().sum::<f64>() / rewarded.totals.len() as f64,
                best: training.best.as_ref().map_or(f64::NAN, |(_, score)| *score),
                orders: &rewarded.orders,
            });
        }
        training.best
    }
}

/// What an iteration brought.
#[derive(Debug, Clone, Copy)]
pub struct OrderIteration<'a> {
    /// Its number, from 1.
    pub iteration: usize,
    /// The mean squared error of the critic.
    pub loss: f64,
    /// The mean score of its orders.
    pub mean: f64,
    /// The best score so far.
    pub best: f64,
    /// Its orders.
    pub orders: &'a [Order],
}

/// Predicts rewards from the input of a decoding step.
#[derive(Debug, Clone, Copy)]
struct Critic {
    layers: [Linear; 3],
}

impl Critic {
    fn forward<R: Real>(self, tape: &mut Tape<R>, x: Var) -> Var {
        let [first, second, last] = self.layers;
        let x = first.rectified(tape, x);
        let x = second.rectified(tape, x);
        last.forward(tape, x)
    }
}

/// Everything that training moves.
struct Training<'a, R> {
    settings: &'a Corl,
    seed: u64,
    rewards: CachedRewards<'a>,
    policy: PolicyGradient<R>,
    actor: Actor<'a>,
    critic: Critic,
    /// How many parameters the actor has; those of the critic follow.
    actor_parameters: usize,
    scale: Option<Scale>,
    best: Option<(Order, f64)>,
}

impl<'a, R: Real> Training<'a, R> {
    fn new(
        settings: &'a Corl,
        columns: &[&[f64]],
        constraints: &'a Constraints,
        rewards: OrderRewards<'a>,
        seed: u64,
    ) -> Self {
        let width = settings.encoder.width;
        let (policy, (actor, actor_parameters, critic)) =
            PolicyGradient::new(columns, settings.encoder, (seed, 0), 0.0, |tape, rng| {
                let actor = Actor::new(tape, width, constraints, rng);
                let actor_parameters = tape.parameters().count();
                let sizes = [(width, 2 * width), (2 * width, width), (width, 1)];
                let layers = sizes.map(|(from, to)| Linear::new(tape, from, to, rng));
                (actor, actor_parameters, Critic { layers })
            });
        let rewards = CachedRewards::new(rewards);
        Self { settings, seed, rewards, policy, actor, critic, actor_parameters, scale: None, best: None }
    }

    /// A batch of orders and what they are rewarded.
    fn sample(&mut self, iteration: usize) -> (Rollout, Rewarded) {
        let Corl { batch_size, shares_rows, .. } = *self.settings;
        let (groups, draw) = if shares_rows { (1, 0) } else { (batch_size, iteration) };
        let encoded = self.policy.encode(groups, draw);
        let rollout = self.actor.rollout(&mut self.policy.tape, encoded, self.seed, iteration, batch_size);
        let rewarded = self.rewards.evaluate(&rollout.orders());
        for (order, &score) in rewarded.orders.iter().zip(&rewarded.totals) {
            if self.best.as_ref().is_none_or(|(_, best)| score > *best) {
                self.best = Some((order.clone(), score));
            }
        }
        (rollout, rewarded)
    }

    /// One step of actor and critic; returns the critic's loss.
    fn learn(&mut self, rollout: &Rollout, rewarded: &Rewarded) -> f64 {
        let mut returns = rewarded.returns(self.settings.discount);
        self.scale.get_or_insert_with(|| Scale::of(&returns.values)).apply(&mut returns.values);
        let values = self.values(rollout, returns.steps);
        if returns.steps == 1 {
            let mean = returns.values.iter().sum::<f64>() / returns.values.len() as f64;
            self.policy.move_baseline(mean);
        }
        let predicted = self.policy.tape.value(values);
        let shifted = returns.values.iter().map(|value| value - self.policy.baseline);
        let advantages: Vec<f64> =
            shifted.zip(predicted).map(|(value, guess)| value - guess.wide()).collect();
        let count = advantages.len() as f64;
        let by_values = self.policy.tape.grad_mut(values).iter_mut().zip(&advantages);
        by_values.for_each(|(grad, advantage)| *grad = R::of(-2.0 * advantage / count));
        rollout.seed_gradient(&mut self.policy.tape, &advantages, returns.steps);
        let Corl { actor_rate, critic_rate, .. } = *self.settings;
        let actor_parameters = self.actor_parameters;
        self.policy.step(|k| if k < actor_parameters { actor_rate } else { critic_rate });
        advantages.iter().map(|advantage| advantage * advantage).sum::<f64>() / count
    }

    /// What the critic expects at each of the first `steps` of each order.
    fn values(&mut self, rollout: &Rollout, steps: usize) -> Var {
        let width = self.settings.encoder.width;
        let tape = &mut self.policy.tape;
        let states = rollout.states(tape, steps, width);
        let states = tape.constant(width, &states);
        self.critic.forward(tape, states)
    }
}

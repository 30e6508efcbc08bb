//! One shard's part of an iteration: its trajectories, their loss, its gradient.

use gflowcausal_determinism::{cancellation_point, log_sum_exp, map_slices};

use super::{TrainError, finite};
use crate::network::{add_scaled, vectorised};
use crate::objective::likelihood;
use crate::rollout::{Guide, Parents, Recording, Trajectory, roll_out};
use crate::{
    Action, Environment, FlowGradient, LogReward, Network, Objective, ObjectiveName, Tape, Terminal,
    TrajectoryFlows, ValidTrainConfig,
};

/// How many trajectories share a shard, the most shards allowing.
const SHARD_SIZE: usize = 32;

/// The same where states with the same inputs are evaluated once: the more trajectories, the more states share theirs.
const SHARING_SHARD_SIZE: usize = 128;

/// The most shards. Each has a gradient of its own.
const MOST_SHARDS: usize = 8;

/// How many bytes of states and outputs a shard may keep at a time.
const MOST_BYTES: usize = 1 << 29;

/// How many rows of parents are worked on at a time.
const PARENT_ROWS: usize = 1024;

/// How many parameters one task adds up.
const SLICE: usize = 1 << 14;

/// What all shards of an iteration have in common.
pub(super) struct Task<'a> {
    pub(super) environment: &'a dyn Environment,
    pub(super) network: &'a dyn Network,
    pub(super) reward: &'a dyn LogReward,
    pub(super) objective: Objective,
    /// The batch is learned by maximum likelihood instead.
    pub(super) is_likelihood: bool,
    pub(super) residual_limit: f64,
    /// The reward that the network sees.
    pub(super) viewed: Option<&'a dyn LogReward>,
    pub(super) name: ObjectiveName,
    pub(super) exploration: f64,
    pub(super) temperature: f64,
    pub(super) log_partition: f64,
    pub(super) batch_size: usize,
}

/// The end of one trajectory.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) terminal: Terminal,
    pub(super) log_reward: f64,
    is_replayed: bool,
}

/// What trajectories brought: sums over the batch, divided by its size.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub(super) loss: f64,
    pub(super) log_partition_grad: f64,
    /// The mean of `ln r − ln P_F + ln P_B`, in maximum likelihood alone.
    pub(super) mean_log_weight: f64,
    pub(super) ends: Vec<End>,
}

impl Outcome {
    pub(super) fn extend(&mut self, other: Self) {
        self.loss += other.loss;
        self.log_partition_grad += other.log_partition_grad;
        self.mean_log_weight += other.mean_log_weight;
        self.ends.extend(other.ends);
    }

    /// The ends that the policy came to by itself.
    pub(super) fn sampled(&self) -> impl Iterator<Item = &End> + '_ {
        self.ends.iter().filter(|end| !end.is_replayed)
    }
}

/// A fixed part of the batch and the memory to work on it.
///
/// How the batch is split depends on the problem alone, never on the number of threads, and shards are added up in
/// their order.
pub(super) struct BatchShard {
    /// How many trajectories are this shard's.
    pub(super) size: usize,
    /// How many of them it works on at a time.
    pass: usize,
    tape: Tape,
    gradient: Vec<f32>,
    flows: TrajectoryFlows,
    flow_gradient: FlowGradient,
}

impl BatchShard {
    /// Splits the batch into shards.
    pub(super) fn split(
        environment: &dyn Environment,
        config: &ValidTrainConfig,
        network: &dyn Network,
    ) -> Vec<Self> {
        let most = if environment.walk().shares_inputs() { SHARING_SHARD_SIZE } else { SHARD_SIZE };
        let count = config.batch_size.div_ceil(most).min(MOST_SHARDS);
        let row = 4 * network.numbers_per_row() + 8 * environment.actions();
        let pass = (MOST_BYTES / (row * environment.longest_trajectory())).clamp(1, most);
        let shard = |index: usize| Self {
            size: (index + 1) * config.batch_size / count - index * config.batch_size / count,
            pass,
            tape: Tape::default(),
            gradient: vec![0.0; network.parameters().len()],
            flows: TrajectoryFlows::default(),
            flow_gradient: FlowGradient::default(),
        };
        (0..count).map(shard).collect()
    }

    /// Adds the gradients of all shards into the first and returns it.
    pub(super) fn total_gradient(shards: &mut [Self]) -> &mut [f32] {
        let (first, others) = shards.split_first_mut().expect("there is at least one shard");
        map_slices(&mut first.gradient, SLICE, |index, sums| {
            for other in &*others {
                let values = &other.gradient[index * SLICE..];
                vectorised(
                    #[inline(always)]
                    || add_scaled(1.0, &values[..sums.len()], sums),
                );
            }
        });
        &mut first.gradient
    }

    /// Samples this shard's trajectories, evaluates the loss and sums up the gradient.
    pub(super) fn run(&mut self, task: &Task<'_>, guides: &mut [Guide]) -> Result<Outcome, TrainError> {
        self.gradient.fill(0.0);
        let mut total = Outcome::default();
        for guides in guides.chunks_mut(self.pass) {
            total.extend(self.run_pass(task, guides)?);
        }
        Ok(total)
    }

    fn run_pass(&mut self, task: &Task<'_>, guides: &mut [Guide]) -> Result<Outcome, TrainError> {
        let trajectories = self.sample(task, guides);
        let terminals: Vec<Terminal> = trajectories
            .iter()
            .map(|t| t.terminal.clone().expect("a trajectory ends in a terminal state"))
            .collect();
        let log_rewards = finite(task.reward.log_rewards(&terminals))?;
        let mut outcome = Outcome::default();
        if matches!(task.objective, Objective::Fm(_)) && !task.is_likelihood {
            self.compare_with_parents(task, &trajectories, &log_rewards, &mut outcome);
        } else {
            for (trajectory, &log_reward) in trajectories.iter().zip(&log_rewards) {
                cancellation_point();
                self.compare(task, trajectory, log_reward, &mut outcome);
            }
        }
        task.network.backward(&mut self.tape, 0, &mut self.gradient);
        outcome.ends = terminals
            .into_iter()
            .zip(log_rewards)
            .zip(guides)
            .map(|((terminal, log_reward), guide)| End {
                terminal,
                log_reward,
                is_replayed: guide.script.is_some(),
            })
            .collect();
        Ok(outcome)
    }

    fn sample(&mut self, task: &Task<'_>, guides: &mut [Guide]) -> Vec<Trajectory> {
        let recording = Recording {
            for_gradient: true,
            viewed: task.viewed,
            parents: matches!(task.objective, Objective::Fm(_)),
            partial_reward: task.name.needs_partial_reward(task.environment.walk()).then_some(task.reward),
        };
        roll_out(task.environment, task.network, task.exploration, recording, guides, &mut self.tape)
    }

    /// Evaluates the objective on one trajectory and hands its gradient to the tape.
    fn compare(&mut self, task: &Task<'_>, trajectory: &Trajectory, log_reward: f64, outcome: &mut Outcome) {
        self.read_flows(task, trajectory, log_reward);
        let mut weight = 1.0 / task.batch_size as f64;
        if task.is_likelihood {
            outcome.loss += weight * likelihood::evaluate(&self.flows, &mut self.flow_gradient);
            outcome.mean_log_weight += weight * (self.flows.log_reward - self.flows.log_ratio());
            self.write_grad(trajectory, weight);
            return;
        }
        let loss = task.objective.evaluate(&self.flows, &mut self.flow_gradient);
        // Modified DB limits the imbalance of each step by itself.
        let limit = if task.name == ObjectiveName::Mdb { f64::INFINITY } else { task.residual_limit };
        let (loss, grad_scale) = huber(loss, limit);
        outcome.loss += weight * loss;
        weight *= grad_scale;
        outcome.log_partition_grad += weight * self.flow_gradient.log_partition;
        self.write_grad(trajectory, weight);
    }

    fn read_flows(&mut self, task: &Task<'_>, trajectory: &Trajectory, log_reward: f64) {
        let (tape, flows) = (&self.tape, &mut self.flows);
        let steps = || trajectory.rows.iter().zip(&trajectory.places);
        refill(&mut flows.log_edge_flow, steps().map(|(&row, &place)| f64::from(tape.log_flows(row)[place])));
        refill(&mut flows.log_outflow, steps().map(|(&row, _)| tape.log_outflow(row)));
        // Stopping has the highest number, so it is the last of the allowed actions.
        let last = |row: usize| tape.log_flows(row).last().map_or(f64::NAN, |&flow| f64::from(flow));
        refill(&mut flows.log_stop_flow, steps().map(|(&row, _)| last(row)));
        refill(&mut flows.log_pb, trajectory.log_pb.iter().copied());
        let partial = trajectory.partial_log_reward.iter().map(|partial| partial / task.temperature);
        refill(&mut flows.partial_log_reward, partial);
        flows.log_reward = log_reward / task.temperature;
        flows.log_partition = task.log_partition;
    }

    fn write_grad(&mut self, trajectory: &Trajectory, weight: f64) {
        for (step, (&row, &place)) in trajectory.rows.iter().zip(&trajectory.places).enumerate() {
            self.tape.add_log_outflow_grad(row, (weight * self.flow_gradient.log_outflow[step]) as f32);
            let grad = self.tape.grad_mut(row);
            grad[place] += (weight * self.flow_gradient.log_edge_flow[step]) as f32;
            if let Some(stop) = grad.last_mut() {
                *stop += (weight * self.flow_gradient.log_stop_flow[step]) as f32;
            }
        }
    }

    /// Flow matching: evaluates the parents of all states, a few trajectories at a time, and compares.
    ///
    /// The state that the trajectory came from is a parent whose log-flow is known already.
    fn compare_with_parents(
        &mut self,
        task: &Task<'_>,
        trajectories: &[Trajectory],
        log_rewards: &[f64],
        outcome: &mut Outcome,
    ) {
        let states = self.tape.len();
        let ends = self.push_terminal_rows(trajectories);
        task.network.forward(&mut self.tape, states);
        let base = self.tape.len();
        let mut waiting: Vec<(usize, Vec<Vec<usize>>)> = Vec::new();
        for (index, trajectory) in trajectories.iter().enumerate() {
            cancellation_point();
            waiting.push((index, self.push_parents(trajectory, ends[index])));
            if self.tape.len() - base >= PARENT_ROWS || index + 1 == trajectories.len() {
                task.network.forward(&mut self.tape, base);
                for (index, parents) in waiting.drain(..) {
                    self.compare_inflows(task, &trajectories[index], log_rewards[index], &parents, outcome);
                }
                task.network.backward(&mut self.tape, base, &mut self.gradient);
                self.tape.truncate(base);
            }
        }
        task.network.backward(&mut self.tape, states, &mut self.gradient);
        self.tape.truncate(states);
    }

    /// Rows for the terminal states, of which nothing is requested but which have parents. None where the last action
    /// switched no input.
    fn push_terminal_rows(&mut self, trajectories: &[Trajectory]) -> Vec<Option<usize>> {
        let mut push = |trajectory: &Trajectory| {
            let (&row, changes) = (trajectory.rows.last()?, &trajectory.last_changes);
            (!changes.is_empty()).then(|| self.tape.push(Some(row), changes, &[]))
        };
        trajectories.iter().map(&mut push).collect()
    }

    /// For each state but the first, the rows of its parents other than the one on the trajectory.
    fn push_parents(&mut self, trajectory: &Trajectory, end: Option<usize>) -> Vec<Vec<usize>> {
        let states = trajectory.rows.iter().skip(1).copied().map(Some).chain([end]);
        let steps = states.zip(&trajectory.actions).zip(&trajectory.parents);
        let mut others = |state: Option<usize>, taken: Action, parents: &Parents| -> Vec<usize> {
            let Some(state) = state else { return vec![] };
            let others = parents.iter().filter(|&(action, _)| action != taken);
            others.map(|(action, changes)| self.tape.push(Some(state), changes, &[action])).collect()
        };
        steps.map(|((state, &taken), parents)| others(state, taken, parents)).collect()
    }

    fn compare_inflows(
        &mut self,
        task: &Task<'_>,
        trajectory: &Trajectory,
        log_reward: f64,
        parents: &[Vec<usize>],
        outcome: &mut Outcome,
    ) {
        let tape = &self.tape;
        let other_flow = |&row: &usize| f64::from(tape.log_flows(row)[0]);
        let steps = trajectory.rows.iter().zip(&trajectory.places).zip(parents);
        let inflow = steps.map(|((&row, &place), parents)| {
            let own = f64::from(tape.log_flows(row)[place]);
            log_sum_exp(std::iter::once(own).chain(parents.iter().map(other_flow)))
        });
        refill(&mut self.flows.log_inflow, inflow);
        self.compare(task, trajectory, log_reward, outcome);
        self.write_inflow_grad(trajectory, parents, 1.0 / task.batch_size as f64);
    }

    /// Each parent's share of the inflow times the derivative by the log-inflow.
    fn write_inflow_grad(&mut self, trajectory: &Trajectory, parents: &[Vec<usize>], weight: f64) {
        for (step, parents) in parents.iter().enumerate() {
            let grad = weight * self.flow_gradient.log_inflow[step];
            let own = (trajectory.rows[step], trajectory.places[step]);
            for (row, place) in std::iter::once(own).chain(parents.iter().map(|&row| (row, 0))) {
                let share = (f64::from(self.tape.log_flows(row)[place]) - self.flows.log_inflow[step]).exp();
                self.tape.grad_mut(row)[place] += (grad * share) as f32;
            }
        }
    }
}

/// Huber's loss of an imbalance that is beyond `limit`, given its square: `limit·(2r − limit)`; and by what its gradient is
/// smaller than that of the square.
///
/// It is what is minimised. The square itself says nothing of training: one layering among a hundred that lies thousands of nats
/// below the others makes it a hundred thousand.
fn huber(square: f64, limit: f64) -> (f64, f64) {
    let residual = square.sqrt();
    if residual > limit { (limit * (2.0 * residual - limit), limit / residual) } else { (square, 1.0) }
}

fn refill(vector: &mut Vec<f64>, values: impl Iterator<Item = f64>) {
    vector.clear();
    vector.extend(values);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imbalance_beyond_the_limit_counts_in_proportion() {
        assert_eq!(huber(4.0, 3.0), (4.0, 1.0));
        assert_eq!(huber(9.0, 3.0), (9.0, 1.0));
        assert_eq!(huber(36.0, 3.0), (27.0, 0.5));
        assert_eq!(huber(36.0, f64::INFINITY), (36.0, 1.0));
        // The scale is that of the derivatives: (h(r + ε) − h(r − ε)) / 2ε over 2r.
        let slope = (huber(6.001_f64.powi(2), 3.0).0 - huber(5.999_f64.powi(2), 3.0).0) / 0.002;
        assert!((slope / 12.0 - 0.5).abs() < 1e-9, "{slope}");
    }
}

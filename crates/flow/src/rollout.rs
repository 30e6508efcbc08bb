//! Trajectories in lock step: all of them take one action, then the network sees all their states at once.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{StreamRng, categorical, log_sum_exp};

use crate::{Action, LogReward, Network, Row, State, Tape, Terminal, Terrain};

/// How an action is drawn from the shares of the outflow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Draw {
    /// By the shares, but with this probability any allowed action.
    Exploring(f64),
    /// By the shares to the power of one over this temperature.
    Tempered(f64),
    /// The largest flow, the first of equals.
    Greedy,
}

impl Draw {
    /// The place of the drawn action among those allowed at a settled row.
    fn place(self, tape: &Tape, row: usize, rng: &mut StreamRng) -> usize {
        let shares = tape.shares(row);
        match self {
            Self::Exploring(exploration) if exploration > 0.0 && rng.random_bool(exploration) => {
                rng.random_range(0..shares.len())
            }
            Self::Exploring(_) => draw_place(shares.iter().map(|&share| f64::from(share)), rng.random()),
            Self::Tempered(temperature) => {
                let total = tempered_outflow(tape.log_flows(row), temperature);
                let flows = tape.log_flows(row).iter();
                draw_place(flows.map(|&flow| (f64::from(flow) / temperature - total).exp()), rng.random())
            }
            Self::Greedy => largest_place(tape.log_flows(row)),
        }
    }

    /// `ln` of the probability that [`Self::place`] returns `place`.
    fn log_probability(self, tape: &Tape, row: usize, place: usize) -> f64 {
        let log_flow = f64::from(tape.log_flows(row)[place]);
        match self {
            Self::Exploring(0.0) => log_flow - tape.outflow(row),
            Self::Exploring(exploration) => {
                let share = (log_flow - tape.outflow(row)).exp();
                (exploration / tape.wanted(row).len() as f64 + (1.0 - exploration) * share).ln()
            }
            Self::Tempered(temperature) => {
                log_flow / temperature - tempered_outflow(tape.log_flows(row), temperature)
            }
            Self::Greedy => 0.0,
        }
    }
}

fn tempered_outflow(log_flows: &[f32], temperature: f64) -> f64 {
    log_sum_exp(log_flows.iter().map(|&flow| f64::from(flow) / temperature))
}

/// The place in whose share of the unit interval `target` lies.
fn draw_place(probabilities: impl Iterator<Item = f64>, target: f64) -> usize {
    categorical(probabilities.enumerate(), target).unwrap_or(0)
}

fn largest_place(flows: &[f32]) -> usize {
    (1..flows.len()).fold(0, |best, place| if flows[place] > flows[best] { place } else { best })
}

/// One way from the initial to a terminal state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trajectory {
    pub(crate) actions: Vec<Action>,
    /// The tape's row of each state but the last.
    pub(crate) rows: Vec<usize>,
    /// Where each action stands among those that were allowed.
    pub(crate) places: Vec<usize>,
    /// `ln P_B` of each step.
    pub(crate) backward: Vec<f64>,
    /// The log-reward gathered at each state but the last, if asked for; else zeros.
    pub(crate) gathered: Vec<f64>,
    /// The actions that lead to each state but the first, the one taken among them, if asked for.
    pub(crate) parents: Vec<Vec<Action>>,
    /// `ln` of the probability with which the actions were drawn.
    pub(crate) log_drawn: f64,
    pub(crate) terminal: Option<Terminal>,
}

/// What is to be recorded of each step.
#[derive(Clone, Copy)]
pub(crate) struct Recording<'a> {
    /// Rows are kept for a gradient.
    pub(crate) for_gradient: bool,
    /// The parents of each state.
    pub(crate) parents: bool,
    /// The reward gathered at each state.
    pub(crate) gathered: Option<&'a dyn LogReward>,
}

/// A walker: where it is and how it goes on.
pub(crate) struct Walker {
    pub(crate) rng: StreamRng,
    /// The actions to take; drawn from the policy where there are none.
    pub(crate) script: Option<Vec<Action>>,
}

struct Going<'a> {
    walker: &'a mut Walker,
    trajectory: Trajectory,
    state: Box<dyn State>,
    row: usize,
    gathered: f64,
}

/// Lets all `walkers` go from the initial state to the end, one action each at a time.
pub(crate) fn roll_out(
    terrain: &Terrain,
    network: &dyn Network,
    draw: Draw,
    recording: Recording<'_>,
    walkers: &mut [Walker],
    tape: &mut Tape,
) -> Vec<Trajectory> {
    let mut allowed = Vec::new();
    terrain.initial().allowed(&mut allowed);
    tape.truncate(0);
    tape.push(Row::blank(), &allowed);
    let mut going: Vec<Going<'_>> = walkers
        .iter_mut()
        .map(|walker| Going {
            walker,
            trajectory: Trajectory::default(),
            state: terrain.initial(),
            row: 0,
            gathered: 0.0,
        })
        .collect();
    let mut first = 0;
    while first < tape.len() {
        network.forward(tape, first);
        tape.settle();
        if !recording.for_gradient {
            tape.forget_before(first);
            going.iter_mut().for_each(|going| going.row = going.row.saturating_sub(first));
        }
        first = tape.len();
        for going in going.iter_mut().filter(|going| !going.state.is_terminal()) {
            going.step(draw, recording, tape, &mut allowed);
        }
    }
    going.into_iter().map(Going::finish).collect()
}

impl Going<'_> {
    fn step(&mut self, draw: Draw, recording: Recording<'_>, tape: &mut Tape, allowed: &mut Vec<Action>) {
        let place = self.choose(draw, tape);
        let action = tape.wanted(self.row)[place];
        self.record(place, action, recording);
        self.state.apply(action);
        self.state.parents(allowed);
        self.trajectory.backward.push(-(allowed.len() as f64).ln());
        if recording.parents {
            self.trajectory.parents.push(allowed.clone());
        }
        if !self.state.is_terminal() {
            self.state.allowed(allowed);
            self.row = tape.push(Row::with(self.row, action), allowed);
        }
    }

    fn choose(&mut self, draw: Draw, tape: &Tape) -> usize {
        let step = self.trajectory.actions.len();
        if let Some(script) = &self.walker.script {
            return tape
                .wanted(self.row)
                .binary_search(&script[step])
                .expect("scripts keep to allowed actions");
        }
        let place = draw.place(tape, self.row, &mut self.walker.rng);
        self.trajectory.log_drawn += draw.log_probability(tape, self.row, place);
        place
    }

    fn record(&mut self, place: usize, action: Action, recording: Recording<'_>) {
        self.trajectory.actions.push(action);
        self.trajectory.rows.push(self.row);
        self.trajectory.places.push(place);
        self.trajectory.gathered.push(self.gathered);
        if let Some(reward) = recording.gathered {
            self.gathered += self.state.gain(action, reward).expect("walks that need it know what is gained");
        }
    }

    fn finish(mut self) -> Trajectory {
        self.trajectory.terminal = self.state.terminal();
        self.trajectory
    }
}

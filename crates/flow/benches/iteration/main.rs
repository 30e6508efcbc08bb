//! One training iteration of 64 trajectories, MLP 2×256, beside the plain network and the machine's matrix product.
//!
//! `cargo bench --workspace --bench iteration` prints, for each case: the fastest and the median iteration on one thread
//! (CPU time); the aim; the speed of its matrix products and their share of the speed of a large product measured in the
//! same run; the plain network on the same states and parents; and the gain of a second thread (wall clock, fastest of
//! alternating runs). A name after `--` picks cases.

#![expect(clippy::print_stdout, reason = "a bench prints")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod plain;
mod states;

use std::time::Instant;

use cpu_time::ThreadTime;
use gflowcausal_determinism::with_threads;
use gflowcausal_flow::{
    Environment, Event, LocalLogReward, LogReward, MlpConfig, ObjectiveName, Problem, ReplayConfig, Terminal,
    TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, NodeSet};
use plain::{Plain, product};
use states::{States, parents_on_tape};

pub(crate) const BATCH: usize = 64;
const WIDTH: usize = 256;

/// A reward that costs nothing, so that the engine alone is measured.
struct Nothing;

impl LogReward for Nothing {
    fn log_reward(&self, _: &Terminal) -> f64 {
        0.0
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }
}

impl LocalLogReward for Nothing {
    fn log_local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

/// What is measured, and the milliseconds that are aimed at.
struct Case {
    walk: Walk,
    objective: ObjectiveName,
    nodes: usize,
    aim: Option<f64>,
    count: usize,
}

const fn case(walk: Walk, objective: ObjectiveName, nodes: usize, aim: Option<f64>, count: usize) -> Case {
    Case { walk, objective, nodes, aim, count }
}

const CASES: [Case; 7] = [
    case(Walk::Chain, ObjectiveName::Fm, 12, Some(3.0), 200),
    case(Walk::Chain, ObjectiveName::Fm, 30, Some(15.0), 60),
    case(Walk::Chain, ObjectiveName::Fm, 100, Some(300.0), 10),
    case(Walk::Order, ObjectiveName::Tb, 30, Some(12.0), 100),
    case(Walk::Order, ObjectiveName::Tb, 100, Some(80.0), 20),
    case(Walk::Edges, ObjectiveName::Tb, 12, Some(40.0), 30),
    case(Walk::Edges, ObjectiveName::Fm, 12, None, 6),
];

/// Floating-point operations a second of a square matrix product.
fn product_speed() -> f64 {
    let n = 512;
    let (a, b, mut c) = (vec![1.0_f32; n * n], vec![1.0_f32; n * n], vec![0.0_f32; n * n]);
    let times = cpu_seconds(40, || product((n, n, n), (&a, false), (&b, false), &mut c));
    2.0 * (n as f64).powi(3) / times[0]
}

/// CPU seconds of each of `count` calls, fastest first.
fn cpu_seconds(count: usize, mut work: impl FnMut()) -> Vec<f64> {
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            let start = ThreadTime::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// The fewest seconds on the wall of `count` calls.
fn wall_seconds(count: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..count).map(time).fold(f64::INFINITY, f64::min)
}

impl Case {
    fn name(&self) -> String {
        format!("{}-{}-{}", self.walk, self.objective, self.nodes)
    }

    fn environment(&self) -> Box<dyn Environment> {
        self.walk.environment(Constraints::none(self.nodes)).unwrap()
    }

    /// Hands a training step to `measure`.
    fn with_step<R>(&self, measure: impl FnOnce(&mut dyn FnMut()) -> R) -> R {
        let Self { walk, objective, nodes, .. } = *self;
        let (constraints, reward) = (Constraints::none(nodes), Nothing);
        let replay = ReplayConfig { capacity: 0, share: 0.0 };
        let config =
            TrainConfig { walk, objective, iterations: usize::MAX, replay, ..TrainConfig::default() };
        let problem = Problem { constraints: &constraints, reward: &reward, local_search: None };
        let mut trainer = Trainer::new(config.validate().unwrap(), problem).unwrap();
        measure(&mut || {
            trainer.step(&mut |_: &Event<'_>| {}).unwrap();
        })
    }

    /// The gain of a second thread: the better of two tries each, one after the other.
    fn gain(&self) -> f64 {
        let wall = |threads| with_threads(threads, || self.with_step(|step| wall_seconds(self.count, step)));
        let [mut one, mut two] = [f64::INFINITY; 2];
        for _ in 0..3 {
            one = wall(1).min(one);
            two = wall(2).min(two);
        }
        one / two
    }

    fn report(&self, speed: f64) {
        let times = with_threads(1, || self.with_step(|step| cpu_seconds(self.count, step)));
        let environment = self.environment();
        let states = States::random(&*environment, self.objective == ObjectiveName::Fm);
        let mut plain = Plain::new(&[environment.inputs(), WIDTH, WIDTH, environment.actions()]);
        let plain = cpu_seconds(2, || states.dense_blocks(|rows| plain.forward_and_backward(rows)))[0];
        let operations = states.operations(WIDTH) / times[0];
        println!(
            "{:13} {:8.2} ({:7.2}) {:>5} {:8.1} {:5.0} % {:9.1} {:6.1}× {:8.2}×",
            self.name(),
            times[0] * 1e3,
            times[self.count / 2] * 1e3,
            self.aim.map_or("–".into(), |aim| format!("{aim}")),
            operations * 1e-9,
            100.0 * operations / speed,
            plain * 1e3,
            plain / times[0],
            self.gain(),
        );
    }
}

/// All parents of 64 walks of `edges`, forward and backward: by single bits and outputs, and by the plain network.
fn report_parents(nodes: usize) {
    let environment = Walk::Edges.environment(Constraints::none(nodes)).unwrap();
    let states = States::random(&*environment, true);
    let single = cpu_seconds(3, parents_on_tape(&*environment, &MlpConfig::default()))[0];
    let mut plain = Plain::new(&[environment.inputs(), WIDTH, WIDTH, environment.actions()]);
    let mut plain = |rows: &[f32]| plain.forward_and_backward(rows);
    let by_state = cpu_seconds(2, || states.dense_parents(&mut plain))[0];
    let by_block = cpu_seconds(2, || states.dense_parent_blocks(&mut plain))[0];
    println!(
        "edges-{nodes}, {} parents alone: {:.0} ms; plain, state by state {:.0} ms ({:.1}×), in blocks {:.0} ms ({:.1}×)",
        states.parents.len(),
        single * 1e3,
        by_state * 1e3,
        by_state / single,
        by_block * 1e3,
        by_block / single
    );
}

fn main() {
    let only = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    let is_picked = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let speed = product_speed();
    println!("matrix product 512³, one thread: {:.1} GFLOP/s", speed * 1e-9);
    println!("case          iteration ms (median)  aim  GFLOP/s   peak  plain ms   ratio  2 threads");
    for case in CASES.iter().filter(|case| is_picked(&case.name())) {
        case.report(speed);
    }
    for nodes in [12, 20] {
        if is_picked(&format!("parents-{nodes}")) {
            report_parents(nodes);
        }
    }
}

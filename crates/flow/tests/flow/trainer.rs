//! The course of training: what it finds, what it says, when it stops.

use std::sync::Mutex;

use gflowcausal_determinism::StreamRng;
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_flow::{
    Event, Lattice, LocalSearch, LogReward, ObjectiveName, Observer, Problem, Progress, ReplayConfig,
    Stopped, TemperatureConfig, Terminal, TrainConfig, TrainError, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge, Order};

use crate::tables::{Table, local_table};

fn small(iterations: usize) -> TrainConfig {
    let mut config = TrainConfig { iterations, batch_size: 32, ..TrainConfig::default() };
    config.network.width = 64;
    config.temperature.iterations = iterations * 6 / 10;
    config.exploration.iterations = iterations / 2;
    config
}

fn problem<'a>(constraints: &'a Constraints, reward: &'a dyn LogReward) -> Problem<'a> {
    Problem { constraints, reward, local_search: None }
}

fn to_the_end(trainer: &mut Trainer<'_>, watch: &mut dyn Observer) -> Stopped {
    loop {
        if let Some(reason) = trainer.step(watch).unwrap() {
            break reason;
        }
    }
}

/// Runs to the end and returns what was said in each iteration.
fn run(trainer: &mut Trainer<'_>) -> (Stopped, Vec<Progress>) {
    let mut said = vec![];
    let mut watch = |event: &Event<'_>| {
        if let Event::Iteration(progress) = event {
            said.push(*progress);
        }
    };
    let stopped = to_the_end(trainer, &mut watch);
    (stopped, said)
}

/// Log-rewards that differ by hundreds: hopeless at temperature 1 from the start.
#[test]
fn annealing_copes_with_rewards_hundreds_apart_and_learns_the_partition() {
    let constraints = Constraints::none(8);
    for seed in 0..2 {
        let reward = local_table(seed, 60.0);
        let lattice = Lattice::new(reward.local().unwrap(), &constraints).unwrap();
        let mut config = TrainConfig { seed, batch_size: 64, ..small(1000) };
        config.network.width = 128;
        config.optimizer.learning_rate = 3e-3;
        config.replay.share = 0.5;
        let mut trainer = Trainer::new(config.validate().unwrap(), problem(&constraints, &reward)).unwrap();
        let (_, said) = run(&mut trainer);
        assert!(said[0].temperature > 30.0 && said[999].temperature == 1.0);
        let (order, log_reward) = lattice.best_order();
        let best = trainer.best().unwrap();
        assert_eq!(best.terminal, Terminal::Order(order), "{} of {log_reward}", best.log_reward);
        let learned = trainer.log_partition().unwrap();
        assert!((learned - lattice.log_partition()).abs() < 1.0, "{learned} {}", lattice.log_partition());
    }
}

/// All orders but one have a negligible reward; only the search knows that one.
struct Needle(Order);

impl LogReward for Needle {
    fn log_reward(&self, terminal: &Terminal) -> f64 {
        if terminal.as_order() == Some(&self.0) { 0.0 } else { -1e6 }
    }
}

impl LocalSearch for Needle {
    fn improve(&self, _: &Terminal, _: f64, rng: &mut StreamRng) -> Option<Terminal> {
        rng.random_bool(0.2).then(|| Terminal::Order(self.0.clone()))
    }
}

#[test]
fn what_local_search_finds_is_kept_and_learned_from() {
    let constraints = Constraints::none(12);
    let needle = Needle(Order::new((0..12).rev().collect()).unwrap());
    let mut config = TrainConfig { improvements: 2, ..small(300) };
    config.temperature.target = 1e5;
    config.replay = ReplayConfig { capacity: 16, share: 0.5 };
    let given = Problem { constraints: &constraints, reward: &needle, local_search: Some(&needle) };
    let mut trainer = Trainer::new(config.clone().validate().unwrap(), given).unwrap();
    run(&mut trainer);
    assert_eq!(trainer.best().unwrap().terminal, Terminal::Order(needle.0.clone()));
    let uniform = -(1..=12).map(|i| f64::from(i).ln()).sum::<f64>();
    let learned = trainer.sampler().log_probability(&Terminal::Order(needle.0.clone())).unwrap();
    assert!(learned > uniform + 5.0, "{learned} against {uniform}: replay taught nothing");
    let refused = Trainer::new(config.validate().unwrap(), problem(&constraints, &needle)).err();
    assert_eq!(refused, Some(TrainError::NoLocalSearch(2)));
}

/// A search that finds nothing but knows what it was asked.
#[derive(Default)]
struct Asked(Mutex<Vec<(Terminal, f64)>>);

impl LocalSearch for Asked {
    fn improve(&self, start: &Terminal, temperature: f64, _: &mut StreamRng) -> Option<Terminal> {
        self.0.lock().unwrap().push((start.clone(), temperature));
        None
    }
}

#[test]
fn local_search_starts_from_sampled_and_remembered_states_at_the_temperature_of_the_iteration() {
    let (constraints, reward, asked) = (Constraints::none(5), local_table(1, 9.0), Asked::default());
    let mut config = TrainConfig { improvements: 5, ..small(4) };
    config.temperature = TemperatureConfig { start: Some(8.0), iterations: 3, target: 1.0 };
    let given = Problem { local_search: Some(&asked), ..problem(&constraints, &reward) };
    let mut trainer = Trainer::new(config.validate().unwrap(), given).unwrap();
    for (starts, temperature) in [(3, 8.0), (5, 4.0), (5, 2.0), (5, 1.0)] {
        trainer.step(&mut |_: &Event<'_>| {}).unwrap();
        let asked = std::mem::take(&mut *asked.0.lock().unwrap());
        assert_eq!(asked.len(), starts, "three sampled, and two remembered once there are any");
        assert!(asked.iter().all(|(_, at)| (at - temperature).abs() < 1e-9), "{asked:?} {temperature}");
    }
}

/// A search that knows nothing of knowledge.
struct Reverse;

impl LocalSearch for Reverse {
    fn improve(&self, start: &Terminal, _: f64, _: &mut StreamRng) -> Option<Terminal> {
        let sequence = start.as_order()?.iter().rev().collect();
        Some(Terminal::Order(Order::new(sequence).unwrap()))
    }
}

#[test]
fn what_knowledge_forbids_is_not_taken_from_local_search() {
    let mut knowledge = Knowledge::default();
    knowledge.require("a->c");
    let constraints = knowledge.compile(&["a", "b", "c"]).unwrap();
    // The forbidden orders have the largest rewards.
    struct AgainstKnowledge;
    impl LogReward for AgainstKnowledge {
        fn log_reward(&self, terminal: &Terminal) -> f64 {
            let positions = terminal.as_order().unwrap().positions();
            if positions[2] < positions[0] { 1.0 } else { 0.0 }
        }
    }
    let given = Problem { local_search: Some(&Reverse), ..problem(&constraints, &AgainstKnowledge) };
    let config = TrainConfig { improvements: 4, ..small(10) };
    let mut trainer = Trainer::new(config.validate().unwrap(), given).unwrap();
    run(&mut trainer);
    assert_eq!(trainer.best().unwrap().log_reward, 0.0);
}

#[test]
fn the_best_starts_at_nothing_and_every_better_one_is_reported() {
    struct Low;
    impl LogReward for Low {
        fn log_reward(&self, terminal: &Terminal) -> f64 {
            -1e9 + terminal.as_order().map_or(0.0, |order| order.as_slice()[0] as f64)
        }
    }
    let constraints = Constraints::none(6);
    let mut trainer = Trainer::new(small(5).validate().unwrap(), problem(&constraints, &Low)).unwrap();
    assert!(trainer.best().is_none());
    let mut reported = vec![];
    let mut watch = |event: &Event<'_>| {
        if let Event::Best { log_reward, .. } = event {
            reported.push(*log_reward);
        }
    };
    to_the_end(&mut trainer, &mut watch);
    assert!(!reported.is_empty() && reported.is_sorted());
    assert_eq!(reported.last(), Some(&(-1e9 + 5.0)));
    assert_eq!(trainer.best().unwrap().log_reward, -1e9 + 5.0);
}

#[test]
fn training_that_stands_still_stops_early() {
    let (constraints, reward) = (Constraints::none(4), local_table(0, 2.0));
    let mut config = TrainConfig { patience: Some(40), ..small(5000) };
    config.temperature.iterations = 50;
    config.optimizer.learning_rate = 5e-3;
    let mut trainer = Trainer::new(config.validate().unwrap(), problem(&constraints, &reward)).unwrap();
    let (stopped, said) = run(&mut trainer);
    assert_eq!(stopped, Stopped::Plateau);
    assert!(said.len() < 5000, "{}", said.len());
    assert!(said.last().unwrap().loss < 1e-3 * said[60].loss, "stopped before the loss was down");
    assert_eq!(trainer.is_over(), Some(Stopped::Plateau));
    assert_eq!(trainer.step(&mut |_: &Event<'_>| {}).unwrap(), Some(Stopped::Plateau));
}

#[test]
fn rewards_that_do_not_fit_are_refused() {
    let (constraints, table) = (Constraints::none(4), Table { seed: 0, spread: 1.0 });
    let config = TrainConfig { objective: ObjectiveName::Subtb, ..small(10) };
    let refused = Trainer::new(config.validate().unwrap(), problem(&constraints, &table)).err();
    assert_eq!(
        refused.unwrap().to_string(),
        "objective subtb on walk order needs a reward that is a sum of local terms; use tb"
    );
    struct Broken;
    impl LogReward for Broken {
        fn log_reward(&self, _: &Terminal) -> f64 {
            f64::NEG_INFINITY
        }
    }
    let refused = Trainer::new(small(10).validate().unwrap(), problem(&constraints, &Broken)).err();
    assert_eq!(refused, Some(TrainError::Reward(f64::NEG_INFINITY)));
}

#[test]
fn the_partition_is_learned_by_every_objective_that_has_one() {
    let (constraints, reward) = (Constraints::none(4), local_table(9, 3.0));
    let exact = Lattice::new(reward.local().unwrap(), &constraints).unwrap().log_partition();
    for objective in [ObjectiveName::Fm, ObjectiveName::Db, ObjectiveName::Tb, ObjectiveName::Subtb] {
        let mut config = TrainConfig { walk: Walk::Order, objective, ..small(500) };
        config.optimizer.learning_rate = 1e-2;
        config.optimizer.final_learning_rate = Some(1e-3);
        let mut trainer = Trainer::new(config.validate().unwrap(), problem(&constraints, &reward)).unwrap();
        run(&mut trainer);
        let learned = trainer.log_partition().unwrap();
        assert!((learned - exact).abs() < 0.05, "{objective}: {learned} for {exact}");
    }
}

//! Soft actor–critic against the exact solution of the soft Bellman equation, over all states.

use gflowcausal_determinism::{log_sum_exp, with_threads};
use gflowcausal_flow::{
    EntropyWeight, Event, LogReward, NetworkConfig, Problem, RewardForm, SacConfig, Sample, SoftActorCritic,
    StateSpace, Walk,
};
use gflowcausal_graph::{Constraints, Knowledge};

use crate::tables::Table;

const REWARD: Table = Table { seed: 5, spread: 2.0 };

fn settings(walk: Walk, iterations: usize, entropy: EntropyWeight) -> SacConfig {
    SacConfig {
        walk,
        iterations,
        entropy,
        batch_size: 16,
        transitions: 64,
        learning_rate: 3e-3,
        target_rate: 0.02,
        network: NetworkConfig { width: 64, ..NetworkConfig::default() },
        ..SacConfig::default()
    }
}

fn trained<'a>(config: SacConfig, constraints: &'a Constraints) -> SoftActorCritic<'a> {
    let problem = Problem { constraints, reward: &REWARD, local_search: None };
    let mut actor = SoftActorCritic::new(config.validate().unwrap(), problem).unwrap();
    while actor.step(&mut |_: &Event<'_>| {}).unwrap().is_none() {}
    actor
}

/// `Q(s, a) = V(s′)`, `V(s) = α ln Σ exp(Q(s, a) / α)`, from the terminal states upwards.
fn soft_bellman(space: &StateSpace, reward: impl Fn(f64) -> f64, alpha: f64) -> Vec<Vec<f64>> {
    let mut state_values = vec![0.0; space.len()];
    for (at, terminal) in space.terminals() {
        state_values[at] = reward(REWARD.log_reward(terminal));
    }
    let mut action_values = vec![vec![]; space.len()];
    for at in (0..space.len()).rev().filter(|&at| !space.next(at).is_empty()) {
        action_values[at] = space.next(at).iter().map(|&(_, next)| state_values[next]).collect();
        state_values[at] = alpha * log_sum_exp(action_values[at].iter().map(|value| value / alpha));
    }
    action_values
}

/// The mean and the largest error of a soft value, the total variation of the policy's ends from the optimum's, and the policy's share of
/// the best end.
fn compared(walk: Walk, nodes: usize, iterations: usize, alpha: f64) -> ([f64; 2], f64, f64) {
    let constraints = Constraints::none(nodes);
    let actor = trained(settings(walk, iterations, EntropyWeight::Fixed(alpha)), &constraints);
    let environment = walk.environment(constraints.clone()).unwrap();
    let space = StateSpace::enumerate(&*environment, 100_000).unwrap();
    let (mean, spread) = actor.reward_scale();
    let exact = soft_bellman(&space, |log_reward| (log_reward - mean) / spread, alpha);
    let learned = actor.action_values(&space);
    let errors: Vec<f64> =
        exact.iter().flatten().zip(learned.iter().flatten()).map(|(a, b)| (a - b).abs()).collect();
    let mean_error = errors.iter().sum::<f64>() / errors.len() as f64;
    let scaled: Vec<Vec<f64>> = exact.iter().map(|row| row.iter().map(|q| q / alpha).collect()).collect();
    let policy = space.policy_outcome(&actor.sampler().log_flows(&space));
    let best = space.terminals().max_by(|a, b| REWARD.log_reward(a.1).total_cmp(&REWARD.log_reward(b.1)));
    let distance = policy.total_variation(&space.policy_outcome(&scaled));
    ([mean_error, errors.into_iter().fold(0.0, f64::max)], distance, policy.probability(best.unwrap().1))
}

#[test]
fn values_and_policy_are_those_of_the_soft_bellman_equation() {
    let ([mean, largest], distance, _) = compared(Walk::Edges, 3, 400, 0.5);
    // In units of the spread of rewards, which spans four of them; the largest is at a state that is hardly visited.
    assert!(mean < 0.1 && largest < 0.25, "values: mean {mean}, largest {largest}");
    assert!(distance < 0.02, "ends: {distance}");
}

#[test]
fn with_little_entropy_it_concentrates_on_high_rewards() {
    let (_, distance, best) = compared(Walk::Chain, 4, 400, 0.02);
    assert!(best > 0.8 || distance < 0.1, "the best end has {best}; {distance} from the optimum");
}

/// Every order is reached by as many trajectories, so that drawing trajectories in proportion to the reward draws orders so.
#[test]
fn without_knowledge_the_optimum_of_ln_r_at_weight_one_is_that_of_a_gflownet() {
    for (walk, nodes) in [(Walk::Edges, 3), (Walk::Edges, 4), (Walk::Chain, 4), (Walk::Complete, 4)] {
        let environment = walk.environment(Constraints::none(nodes)).unwrap();
        let space = StateSpace::enumerate(&*environment, 1000).unwrap();
        let optimum = space.policy_outcome(&soft_bellman(&space, |log_reward| log_reward, 1.0));
        let distance = optimum.total_variation(&space.target(&REWARD));
        assert!(distance < 1e-9, "{walk}, {nodes} variables: {distance}");
    }
}

#[test]
fn tuning_keeps_the_entropy_near_its_target() {
    let constraints = Constraints::none(3);
    let low = trained(settings(Walk::Edges, 150, EntropyWeight::Tuned { share: 0.3 }), &constraints);
    let high = trained(settings(Walk::Edges, 150, EntropyWeight::Tuned { share: 0.98 }), &constraints);
    assert!(low.entropy_weight() < high.entropy_weight());
    assert!(low.entropy_weight() < 1.0, "{}", low.entropy_weight());
}

fn run(threads: usize) -> (Vec<u8>, Vec<Sample>) {
    with_threads(threads, || {
        let constraints = Constraints::none(4);
        let config = SacConfig {
            batch_size: 70,
            reward: RewardForm::Plain,
            ..settings(Walk::Edges, 3, EntropyWeight::Tuned { share: 0.5 })
        };
        let actor = trained(config, &constraints);
        (actor.policy_bytes(""), actor.sampler().sample(50, 1))
    })
}

#[test]
fn the_number_of_threads_changes_no_bit_of_an_actor() {
    assert!(run(1) == run(2));
}

#[test]
fn knowledge_is_a_mask() {
    let mut knowledge = Knowledge::default();
    knowledge.require("c->a");
    let constraints = knowledge.compile(&["a", "b", "c", "d"]).unwrap();
    let actor = trained(settings(Walk::Edges, 3, EntropyWeight::Fixed(0.1)), &constraints);
    for sample in actor.sampler().sample(100, 1) {
        let positions = sample.terminal.as_order().unwrap().positions();
        assert!(positions[2] < positions[0]);
    }
}

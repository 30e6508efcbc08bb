//! CPU milliseconds of one iteration of the policies of RL-BIC2 and CORL on one thread, 1000 rows: default and published
//! sizes, 12 and 30 variables. The difference between a long and a short run, so that what is done once does not count.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints what it measures, and fails by panicking"
)]

use cpu_time::ProcessTime;
use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_determinism::{StopFlag, with_threads};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_neural::{Corl, OrderRewards, RlBic};
use gflowcausal_score::{BicEqual, Penalty};

fn main() {
    with_threads(1, || {
        for nodes in [12, 30] {
            let sizes = [("default", RlBic::default(), Corl::default(), 10)];
            let published = ("published", RlBic::published(nodes), Corl::published(), 1);
            for (size, rl_bic, corl, longer) in sizes.into_iter().chain([published]) {
                let [actor, pointer] = milliseconds(nodes, &rl_bic, &corl, longer);
                println!("{nodes} variables, {size}: rl-bic {actor:.2} ms, corl {pointer:.2} ms");
            }
        }
    });
}

/// Of one iteration of each.
fn milliseconds(nodes: usize, rl_bic: &RlBic, corl: &Corl, longer: usize) -> [f64; 2] {
    let data = simulate(&Simulation { nodes, seed: 1, ..Simulation::default() }).unwrap().table;
    let columns: Vec<&[f64]> = data.columns().iter().filter_map(|column| column.as_continuous()).collect();
    let score = BicEqual::new(&Moments::of_table(&data).unwrap(), Penalty::Factor(1.0)).unwrap();
    let (constraints, stop) = (Constraints::none(nodes), StopFlag::new());
    let value = |parents: &[NodeSet]| score.of_parents(parents);
    let actor = |iterations| {
        let settings = RlBic { iterations, ..*rl_bic };
        settings.search(&columns, &constraints, &value, 1, &stop, &mut |_| ());
    };
    let pointer = |iterations| {
        let settings = Corl { iterations, ..*corl };
        let rewards = OrderRewards::Episodic(&score);
        settings.search(&columns, &constraints, rewards, 1, &stop, &mut |_| ());
    };
    [per_iteration(20 * longer, actor), per_iteration(6 * longer, pointer)]
}

fn per_iteration(iterations: usize, run: impl Fn(usize)) -> f64 {
    let seconds = |iterations| {
        let start = ProcessTime::now();
        run(iterations);
        start.elapsed().as_secs_f64()
    };
    let short = seconds(1);
    1000.0 * (seconds(1 + iterations) - short) / iterations as f64
}

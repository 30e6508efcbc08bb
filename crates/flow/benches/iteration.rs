//! One training iteration of 64 trajectories, MLP 2×256, beside the machine's matrix product and the plain network.
//!
//! `cargo bench -p gflowcausal-flow --bench iteration` prints, for each case, the fastest and the median iteration,
//! and the share of the matrix product's speed that was reached, both on one thread and in the same run.

#![expect(clippy::print_stdout, reason = "a bench prints")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use cpu_time::ThreadTime;
use gflowcausal_determinism::with_threads;
use gflowcausal_flow::{
    LocalLogReward, LogReward, ObjectiveName, Problem, ReplayConfig, SumOfLocal, TrainConfig, Trainer, Walk,
};
use gflowcausal_graph::{Constraints, NodeSet};

/// A reward that costs nothing, so that the engine alone is measured.
struct Nothing;

impl LocalLogReward for Nothing {
    fn log_local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

/// Floating-point operations a second of a square matrix product.
fn gemm_peak() -> f64 {
    let n = 512;
    let (a, b, mut c) = (vec![1.0_f32; n * n], vec![1.0_f32; n * n], vec![0.0_f32; n * n]);
    let times = times(20, || gemm(n, &a, &b, &mut c));
    2.0 * (n as f64).powi(3) / times[0]
}

#[expect(unsafe_code, reason = "the product is computed behind raw pointers")]
fn gemm(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let s = n as isize;
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    // SAFETY: three square matrices of side `n`, row after row.
    unsafe {
        matrixmultiply::sgemm(n, n, n, 1.0, a.as_ptr(), s, 1, b.as_ptr(), s, 1, 0.0, c.as_mut_ptr(), s, 1);
    }
}

/// Seconds of each of `count` calls, fastest first.
fn times(count: usize, mut work: impl FnMut()) -> Vec<f64> {
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

fn measure(walk: Walk, objective: ObjectiveName, nodes: usize, count: usize) -> Vec<f64> {
    let reward = SumOfLocal(Nothing);
    let constraints = Constraints::none(nodes);
    let replay = ReplayConfig { capacity: 0, share: 0.0 };
    let config = TrainConfig { walk, objective, iterations: usize::MAX, replay, ..TrainConfig::default() }
        .validate()
        .unwrap();
    let reward: &dyn LogReward = &reward;
    let problem = Problem { constraints: &constraints, reward, improve: None };
    let mut trainer = Trainer::new(config, problem).unwrap();
    times(count, || {
        trainer.step(&mut |_: &gflowcausal_flow::Event<'_>| {}).unwrap();
    })
}

fn main() {
    let only = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    let peak = with_threads(1, gemm_peak);
    println!("matrix product 512³, one thread: {:.1} GFLOP/s", peak * 1e-9);
    let cases = [
        (Walk::Chain, ObjectiveName::Fm, 12, 200),
        (Walk::Chain, ObjectiveName::Fm, 30, 50),
        (Walk::Chain, ObjectiveName::Fm, 100, 8),
        (Walk::Order, ObjectiveName::Tb, 30, 50),
        (Walk::Order, ObjectiveName::Tb, 100, 10),
        (Walk::Edges, ObjectiveName::Tb, 12, 20),
        (Walk::Edges, ObjectiveName::Fm, 12, 5),
    ];
    for (walk, objective, nodes, count) in cases {
        let name = format!("{walk}-{objective}-{nodes}");
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let one = with_threads(1, || measure(walk, objective, nodes, count));
        let two = with_threads(2, || measure(walk, objective, nodes, count));
        println!(
            "{name:14} one thread {:8.2} ms (median {:.2}), two threads {:8.2} ms: {:.2}×",
            one[0] * 1e3,
            one[count / 2] * 1e3,
            two[0] * 1e3,
            one[0] / two[0]
        );
    }
}

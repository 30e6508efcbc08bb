//! CPU milliseconds of one iteration of the policies of RL-BIC2 and CORL on one thread, 1000 rows: default and published
//! sizes, 12 and 30 variables. The difference between a long and a short run, so that what is done once does not count.
//!
//! Beside CORL: how many multiplications and additions its matrix products have, how many that is a second, and how many a
//! second the products alone reach on CORL's largest layer.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints what it measures, and fails by panicking"
)]

use cpu_time::ProcessTime;
use gflowcausal_autodiff::{Matrix, add_product};
use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_determinism::{StopFlag, with_threads};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_neural::{Corl, OrderRewards, RlBic};
use gflowcausal_score::{BicEqual, Penalty};

fn main() {
    with_threads(1, || {
        println!("products of the widest layer: {:.0} GFLOP/s", product_rate() / 1e9);
        for nodes in [12, 30] {
            let sizes = [("default", RlBic::default(), Corl::default(), 10)];
            let published = ("published", RlBic::published(nodes), Corl::published(), 1);
            for (size, rl_bic, corl, longer) in sizes.into_iter().chain([published]) {
                let [actor, pointer] = milliseconds(nodes, &rl_bic, &corl, longer);
                let operations = 2.0 * multiply_adds(nodes, &corl);
                println!(
                    "{nodes} variables, {size}: rl-bic {actor:.2} ms, corl {pointer:.2} ms, {:.3} GFLOP, {:.0} GFLOP/s",
                    operations / 1e9,
                    operations / pointer / 1e6
                );
            }
        }
    });
}

/// The multiply-adds of all matrix products in an iteration of CORL, whose orders are rewarded at their end. The backward pass has
/// two products for each: by the input, unless that is given, and by the weights.
fn multiply_adds(nodes: usize, corl: &Corl) -> f64 {
    let [inputs, width, inner, blocks, batch, nodes] = [
        corl.encoder.inputs,
        corl.encoder.width,
        corl.encoder.inner,
        corl.encoder.blocks,
        corl.batch_size,
        nodes,
    ]
    .map(|count| count as f64);
    let square = width * width;
    let groups = if corl.shares_rows { 1.0 } else { batch };
    let attention = 2.0 * nodes * width;
    let block = 3.0 * square + attention + 2.0 * width * inner;
    let references = (4.0 + 2.0) * square;
    let token = 2.0 * inputs * width + 3.0 * (blocks * block + references);
    let steps = 3.0 * ((nodes - 2.0) * 4.0 + (nodes - 1.0) * 2.0) * square;
    let critic = 2.0 * 2.0 * square + 3.0 * (2.0 * square + width);
    groups * nodes * token + batch * (steps + critic)
}

/// Operations a second in the three products of a layer from 256 to 1024 for 768 tokens: forward, by the input, by the weights.
fn product_rate() -> f64 {
    let [tokens, width, inner] = [768, 256, 1024];
    const TIMES: usize = 100;
    let numbers = |count: usize| (0..count).map(|k| (k % 13) as f32 - 6.0).collect::<Vec<_>>();
    let (x, w, g) = (numbers(tokens * width), numbers(width * inner), numbers(tokens * inner));
    let [mut forward, mut by_x, mut by_w] =
        [tokens * inner, tokens * width, width * inner].map(|count| vec![0.0_f32; count]);
    let mut run = || {
        add_product(Matrix::new(&x, width), Matrix::new(&w, inner), &mut forward);
        add_product(Matrix::new(&g, inner), Matrix::new(&w, inner).transposed(), &mut by_x);
        add_product(Matrix::new(&x, width).transposed(), Matrix::new(&g, inner), &mut by_w);
    };
    run();
    let start = ProcessTime::now();
    (0..TIMES).for_each(|_| run());
    6.0 * (tokens * width * inner * TIMES) as f64 / start.elapsed().as_secs_f64()
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

//! How good a score can be: SHD of the true order pruned, and of the best graph there is under the score.
//!
//! `cargo run --release -p gflowcausal-score --example limits -- gp gp 5` simulates five graphs of 10 variables and 40
//! edges with 1000 rows from the first model and scores them by the second word. The best graph is exact: a dynamic
//! programme over the `2^d` sets of variables, best parents for each (Silander and Myllymäki 2006).
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use std::error::Error;

use gflowcausal_data::{Model, Simulated, Simulation, Table, simulate};
use gflowcausal_determinism::map;
use gflowcausal_graph::{Constraints, Dag, NodeSet, Pdag, shd};
use gflowcausal_score::{
    ByScore, Cam, GpMarginal, KernelRidge, LocalScore, Penalty, Quadratic, Spline, prune_order, score_graph,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let model: Model = words.next().as_deref().unwrap_or("gp").parse()?;
    let score = words.next().unwrap_or_else(|| "gp".into());
    let seeds: u64 = words.next().as_deref().unwrap_or("5").parse()?;
    println!("seed  true order: none  cam  score | best graph  its score  true graph's");
    for seed in 0..seeds {
        let data = simulate(&Simulation {
            nodes: 10,
            edges: Some(40),
            rows: 1000,
            model,
            seed,
            ..Default::default()
        })?;
        report(seed, &data, &*named(&score, &data.table)?)?;
    }
    Ok(())
}

fn named(name: &str, table: &Table) -> Result<Box<dyn LocalScore>, Box<dyn Error>> {
    Ok(match name {
        "gp" => Box::new(GpMarginal::new(table)?),
        "kernel-ridge" => Box::new(KernelRidge::new(table, Penalty::Factor(1.0))?),
        "spline" => Box::new(Spline::new(table, Penalty::Auto)?),
        "quadratic" => Box::new(Quadratic::new(table, Penalty::Auto)?),
        _ => return Err(format!("no score is called '{name}': gp, kernel-ridge, spline, quadratic").into()),
    })
}

fn report(seed: u64, data: &Simulated, score: &dyn LocalScore) -> Result<(), Box<dyn Error>> {
    let order = data.dag.topological_order();
    let free = Constraints::none(score.nodes());
    let distance = |dag: &Dag| shd(&Pdag::from(dag), &data.dag);
    let cam = prune_order(&Cam::new(&data.table, Cam::ALPHA)?, &order, &free);
    let by_score = prune_order(&ByScore(score), &order, &free);
    let best = best_graph(score)?;
    let [found, truth] = [&best, &data.dag].map(|dag| score_graph(score, dag).total);
    let complete = distance(&order.complete_dag());
    let [cam, by_score, best] = [&cam, &by_score, &best].map(distance);
    println!("{seed:4}  {complete:16}  {cam:3}  {by_score:5} | {best:10}  {found:9.1}  {truth:12.1}");
    Ok(())
}

/// The graph with the highest score: `d·2^(d−1)` terms.
fn best_graph(score: &dyn LocalScore) -> Result<Dag, Box<dyn Error>> {
    let d = score.nodes();
    let set_of = |bits: usize| NodeSet::of(d, (0..d).filter(|node| bits >> node & 1 == 1));
    let terms = map(1 << d, |bits| {
        let outside = (0..d).map(|node| {
            if bits >> node & 1 == 1 { f64::NEG_INFINITY } else { score.local(node, &set_of(bits)) }
        });
        outside.collect::<Vec<f64>>()
    });
    // For each set and variable outside it: the best parents within the set, and their term.
    let mut parents: Vec<Vec<(f64, usize)>> = Vec::with_capacity(1 << d);
    for (bits, terms) in terms.iter().enumerate() {
        let mut best: Vec<(f64, usize)> = terms.iter().map(|&term| (term, bits)).collect();
        for smaller in (0..d).filter(|node| bits >> node & 1 == 1).map(|node| bits & !(1 << node)) {
            for (mine, theirs) in best.iter_mut().zip(&parents[smaller]) {
                if theirs.0 >= mine.0 && mine.0 > f64::NEG_INFINITY {
                    *mine = *theirs;
                }
            }
        }
        parents.push(best);
    }
    let mut last = vec![(f64::NEG_INFINITY, 0); 1 << d];
    last[0].0 = 0.0;
    for bits in 0..1 << d {
        for node in (0..d).filter(|node| bits >> node & 1 == 0) {
            let total = last[bits].0 + parents[bits][node].0;
            let next = bits | 1 << node;
            if total > last[next].0 {
                last[next] = (total, node);
            }
        }
    }
    let mut chosen = vec![NodeSet::empty(d); d];
    let mut bits = (1 << d) - 1;
    while bits != 0 {
        let node = last[bits].1;
        bits &= !(1 << node);
        chosen[node] = set_of(parents[bits][node].1);
    }
    Ok(Dag::from_parents(&chosen)?)
}

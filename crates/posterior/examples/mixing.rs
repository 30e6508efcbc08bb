//! How fast chains mix: two seeds against each other at 30 variables, or one against exact edge probabilities from a file.
//!
//! `mixing` simulates; `mixing DATA.csv EDGES.csv` compares with a matrix of edge probabilities (row causes column).

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example for the terminal")]

use std::sync::atomic::AtomicBool;

use cpu_time::ProcessTime;
use gflowcausal_data::{Moments, ReadOptions, Simulation, Source, Table, read_table, simulate};
use gflowcausal_graph::{Constraints, Dag};
use gflowcausal_posterior::{Chains, ChainsConfig};
use gflowcausal_score::{
    Bge, BgePrior, Bic, LocalScore, ParentSetTables, Penalty, TableSettings, candidate_parents,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [data, edges] => against_file(data, edges),
        _ => two_seeds(),
    }
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn config(seed: u64) -> ChainsConfig {
    let default = ChainsConfig::default();
    ChainsConfig {
        seed,
        starts: setting("STARTS", default.starts),
        copies: setting("COPIES", default.copies),
        hottest: setting("HOTTEST", default.hottest),
        proposals: setting("PROPOSALS", default.proposals),
        ..default
    }
}

fn tables(score: &dyn LocalScore, graphs: &[Dag]) -> ParentSetTables {
    let nodes = score.nodes();
    let constraints = Constraints::none(nodes);
    let settings = TableSettings {
        temperature: 1.0,
        edge_log_odds: 0.0,
        max_candidates: setting("K", nodes.saturating_sub(1).min(16)),
    };
    let candidates = candidate_parents(score, &constraints, graphs, settings.max_candidates);
    let begun = ProcessTime::now();
    let tables =
        ParentSetTables::new(score, &constraints, &candidates, graphs, &settings, &AtomicBool::new(false));
    println!("tables: {:.2} CPU s", begun.elapsed().as_secs_f64());
    tables.unwrap()
}

/// Edge probabilities after each doubling of the rounds.
fn run(tables: &ParentSetTables, starts: &[Dag], seed: u64, rounds: &[u64]) -> Vec<Vec<f64>> {
    let stop = AtomicBool::new(false);
    let mut chains = Chains::new(tables, &Constraints::none(tables.nodes()), starts, config(seed)).unwrap();
    let begun = ProcessTime::now();
    let mut results = Vec::new();
    for &until in rounds {
        chains.advance(until - chains.rounds(), &stop);
        let summary = chains.summary().unwrap();
        println!(
            "seed {seed} rounds {until:5} {:6.2} CPU s: R-hat {:.3} mean {:.4}, ESS {:.0} median {:.0}, error {:.4} mean {:.5}",
            begun.elapsed().as_secs_f64(),
            summary.largest_r_hat,
            summary.mean_r_hat,
            summary.smallest_ess,
            summary.median_ess,
            summary.largest_error,
            summary.mean_error,
        );
        results.push(summary.edge_probabilities);
    }
    results
}

fn difference(a: &[f64], b: &[f64]) -> (f64, f64) {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    let nodes = (a.len() as f64).sqrt();
    (differences.clone().sum::<f64>() / (nodes * (nodes - 1.0)), differences.fold(0.0, f64::max))
}

fn two_seeds() {
    let nodes = setting("NODES", 30);
    let rounds = [setting("ROUNDS", 20), 4 * setting("ROUNDS", 20)];
    for degree in [1, 2] {
        for rows in [100, 1000] {
            let problem = Simulation {
                nodes,
                degree: Some(degree),
                rows,
                seed: setting("SEED", 1),
                ..Simulation::default()
            };
            let data = simulate(&problem).unwrap();
            println!("\nER{degree}, {nodes} variables, {rows} rows");
            let score = Bic::new(&Moments::of_table(&data.table).unwrap(), penalty()).unwrap();
            let graphs = [data.dag.clone()];
            let tables = tables(&score, &graphs);
            let [first, second] = [1, 2].map(|seed| run(&tables, &graphs, seed, &rounds));
            for (first, second) in first.iter().zip(&second) {
                let (mean, largest) = difference(first, second);
                println!("two seeds differ by {mean:.5} on average, {largest:.4} at most");
            }
        }
    }
}

fn penalty() -> Penalty {
    if setting("EXTENDED", 0) == 1 { Penalty::Auto } else { Penalty::Factor(1.0) }
}

fn against_file(data: &str, edges: &str) {
    let read =
        |path: &str| -> Table { read_table(&Source::Path(path.into()), &ReadOptions::default()).unwrap() };
    let moments = Moments::of_table(&read(data)).unwrap();
    let columns = read(edges);
    let nodes = columns.columns().len();
    let cell = |i: usize| columns.columns()[i % nodes].as_continuous().unwrap()[i / nodes];
    let exact: Vec<f64> = (0..nodes * nodes).map(cell).collect();
    let score: Box<dyn LocalScore> = if data.contains("bge") {
        Box::new(Bge::new(&moments, BgePrior::default()).unwrap())
    } else {
        Box::new(Bic::new(&moments, Penalty::Factor(1.0)).unwrap())
    };
    let tables = tables(score.as_ref(), &[]);
    let rounds = [1, 2, 5, 10, 20, 50, 100, 200].map(|rounds| rounds * setting("ROUNDS", 1));
    for seed in 1..=setting("SEEDS", 1) {
        for found in run(&tables, &[], seed, &rounds) {
            let (mean, largest) = difference(&found, &exact);
            println!("from exact {mean:.5} on average, {largest:.4} at most");
        }
    }
}

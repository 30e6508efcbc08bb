//! How good a score and a pruning can be: mean SHD with the true order, and with the best there is under the score.
//!
//! `cargo run --release -p gflowcausal-score --example limits -- 5` writes the tables of `docs/benchmarks.md` from five
//! graphs each; a second word picks a line by its beginning, such as `gp-additive`.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod exact;

use std::error::Error;

use cpu_time::ProcessTime;
use gflowcausal_data::{GraphFamily, Model, Moments, Simulated, Simulation, Table, simulate};
use gflowcausal_graph::{Constraints, Dag, Order, Pdag, shd};
use gflowcausal_score::{
    Bic, ByScore, Cam, GpMarginal, GrowShrinkTrees, LinearModel, LocalScore, Penalty, Prune, Quadratic,
    ScoreError, Selected, Spline, TTest, Threshold, prune_order,
};

use crate::exact::Terms;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Makes a score of a table.
type Make = fn(&Table) -> Result<Box<dyn LocalScore>, ScoreError>;

/// What is simulated, what it is scored by, and how to make that.
const LINES: [(Model, &str, Make); 6] = [
    (Model::Gp, "gp", |table| Ok(Box::new(GpMarginal::new(table)?))),
    (Model::GpAdditive, "gp", |table| Ok(Box::new(GpMarginal::new(table)?))),
    (Model::GpQuiet, "gp", |table| Ok(Box::new(GpMarginal::new(table)?))),
    (Model::GpAdditive, "spline", |table| Ok(Box::new(Spline::new(table, Penalty::Auto)?))),
    (Model::Quadratic, "quadratic", |table| Ok(Box::new(Quadratic::new(table, Penalty::Auto)?))),
    (Model::Quadratic, "quadratic-equal", |table| {
        Ok(Box::new(Quadratic::with_equal_noise(table, Penalty::Auto)?))
    }),
];

fn main() -> Outcome<()> {
    let mut words = std::env::args().skip(1);
    let graphs: u64 = words.next().as_deref().unwrap_or("5").parse()?;
    let wanted = words.next().unwrap_or_default();
    if "linear".starts_with(&wanted) {
        linear(graphs)?;
    }
    println!(
        "\n| data, score | none | cam | score | best order + score | best graph | CPU s |\n|---|---|---|---|---|---|---|"
    );
    for (model, score, make) in LINES {
        if format!("{} {score}", model.name()).starts_with(&wanted) {
            nonlinear(graphs, model, score, make)?;
        }
    }
    Ok(())
}

/// True order of linear graphs, raw and standardised.
fn linear(graphs: u64) -> Outcome<()> {
    println!(
        "| graph | t-test | t-test, standardised | threshold 0.3 | selected by bic |\n|---|---|---|---|---|"
    );
    for (graph, degree, nodes) in [
        (GraphFamily::ErdosRenyi, 2, 30),
        (GraphFamily::ErdosRenyi, 5, 30),
        (GraphFamily::ScaleFree, 2, 30),
        (GraphFamily::ScaleFree, 5, 30),
        (GraphFamily::ErdosRenyi, 5, 100),
        (GraphFamily::ScaleFree, 5, 100),
    ] {
        let config = Simulation { graph, nodes, degree: Some(degree), rows: 1000, ..Simulation::default() };
        let means =
            means(graphs, |seed| linear_distances(&simulate(&Simulation { seed, ..config.clone() })?))?;
        println!("| {}{degree}-{nodes} | {} |", graph.name(), cells(&means));
    }
    Ok(())
}

fn linear_distances(data: &Simulated) -> Outcome<[f64; 4]> {
    let moments = Moments::of_table(&data.table)?;
    let (order, free) = (data.dag.topological_order(), Constraints::none(data.dag.nodes()));
    let [raw, standardized] = [LinearModel::new(&moments)?, LinearModel::new(&moments.standardized())?];
    let trees = GrowShrinkTrees::new(Bic::new(&moments, Penalty::Auto)?, free);
    Ok([
        pruned(&TTest { model: &raw, alpha: 0.001 }, &order),
        pruned(&TTest { model: &standardized, alpha: 0.001 }, &order),
        pruned(&Threshold { model: &raw, threshold: 0.3 }, &order),
        pruned(&Selected(&trees), &order),
    ]
    .map(|dag| distance(&dag, data)))
}

/// Ten variables, forty edges.
fn nonlinear(graphs: u64, model: Model, name: &str, make: Make) -> Outcome<()> {
    let config = Simulation { nodes: 10, edges: Some(40), rows: 1000, model, ..Simulation::default() };
    let means = means(graphs, |seed| {
        let data = simulate(&Simulation { seed, ..config.clone() })?;
        let start = ProcessTime::now();
        let terms = Terms::of(&*make(&data.table)?);
        nonlinear_distances(&data, &terms, start.elapsed().as_secs_f64())
    })?;
    println!("| {} {name} | {} |", model.name(), cells(&means));
    Ok(())
}

fn nonlinear_distances(data: &Simulated, terms: &Terms, seconds: f64) -> Outcome<[f64; 6]> {
    let order = data.dag.topological_order();
    let [none, cam, score, best_order, best_graph] = [
        order.complete_dag(),
        pruned(&Cam::new(&data.table, Cam::ALPHA)?, &order),
        pruned(&ByScore(terms), &order),
        pruned(&ByScore(terms), &terms.best_order()?),
        terms.best_graph()?,
    ]
    .map(|dag| distance(&dag, data));
    Ok([none, cam, score, best_order, best_graph, seconds])
}

fn pruned(rule: &impl Prune, order: &Order) -> Dag {
    prune_order(rule, order, &Constraints::none(order.nodes()))
}

fn distance(dag: &Dag, data: &Simulated) -> f64 {
    shd(&Pdag::from(dag), &data.dag) as f64
}

fn means<const K: usize>(graphs: u64, row: impl Fn(u64) -> Outcome<[f64; K]>) -> Outcome<[f64; K]> {
    let rows = (0..graphs).map(row).collect::<Outcome<Vec<[f64; K]>>>()?;
    Ok(std::array::from_fn(|k| rows.iter().map(|row| row[k]).sum::<f64>() / graphs as f64))
}

fn cells(means: &[f64]) -> String {
    means.iter().map(|mean| format!("{mean:.1}")).collect::<Vec<_>>().join(" | ")
}

//! `score`: the score of a given graph on a table, variable by variable and edge by edge.

use std::path::PathBuf;

use clap::Args;
use gflowcausal::graph_io::{Orientation, ReadOptions};
use gflowcausal::{DataResult, GraphReport, RunResult, fingerprint, read_truth, score_graph};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::{DataArguments, graph_path, one_of, open_run};
use crate::output::{Common, Shape, aligned, print_json, print_text};
use crate::settings::Scoring;

/// Score a given graph, node by node and edge by edge.
#[derive(Debug, Args)]
#[command(
    after_help = "Scores are natural logarithms, higher is better. An edge that loses less than nothing is better left \
out. Graph files as for `evaluate`; every edge needs a direction, and the variables are those of the table.

Examples:
  gflowcausal score sachs --graph truth.csv
  gflowcausal score data.csv --graph run/graph.json --score bge --format json"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The graph to score: a file, or a run for its best graph and the score it chose.
    #[arg(long, value_name = "FILE")]
    graph: PathBuf,
    /// How to read the graph if it is a bare matrix.
    #[arg(long, default_value_t, value_parser = one_of::<Orientation>())]
    orientation: Orientation,
    #[command(flatten)]
    scoring: Scoring,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Serialize)]
struct ScoreResult<'a> {
    version: &'static str,
    data: DataResult,
    score: Value,
    nodes: &'a [gflowcausal::NodeReport],
    graph: Graph<'a>,
}

#[derive(Serialize)]
struct Value {
    name: &'static str,
    value: f64,
}

#[derive(Serialize)]
struct Graph<'a> {
    edges: &'a [gflowcausal::EdgeReport],
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let data = arguments.data.read()?;
    let mut config = arguments.scoring.config()?;
    if arguments.graph.join("result.json").is_file() {
        config = RunResult::read(&open_run(&arguments.graph)?)?.score.applied_to(&config);
    }
    let names: Vec<&str> = data.table.names().filter(|name| config.is_variable(name)).collect();
    let options = ReadOptions { orientation: arguments.orientation, names: None };
    let dag = read_truth(&graph_path(&arguments.graph), &options, &names)?;
    let report = score_graph(&data.table, &dag, &config)?;
    if arguments.format == Shape::Text {
        return print_text(&text(&data.name, &report));
    }
    print_json(&ScoreResult {
        version: env!("CARGO_PKG_VERSION"),
        data: DataResult {
            name: data.name.clone(),
            rows: report.rows,
            rows_used: report.rows_used,
            variables: names.iter().map(|&name| name.to_owned()).collect(),
            sha256: fingerprint(&data.table),
        },
        score: Value { name: report.score, value: report.value },
        nodes: &report.nodes,
        graph: Graph { edges: &report.edges },
    })
}

fn text(name: &str, report: &GraphReport) -> String {
    format!(
        "{name}: {} rows{}, {} variables, {} edges; score {} {:.1}\n{}{}{}",
        report.rows,
        report.rows_used.map(|used| format!(" ({used} used)")).unwrap_or_default(),
        report.nodes.len(),
        report.edges.len(),
        report.score,
        report.value,
        variables(report),
        edges(report),
        verdict(report)
    )
}

fn variables(report: &GraphReport) -> String {
    let row = |node: &gflowcausal::NodeReport| {
        let score = node.score.map_or_else(|| "-".to_owned(), |score| format!("{score:.1}"));
        vec![node.name.clone(), score, node.parents.join(", ")]
    };
    let rows: Vec<Vec<String>> = report.nodes.iter().map(row).collect();
    aligned(&["variable", "score", "parents"], &rows, &[1])
}

fn edges(report: &GraphReport) -> String {
    if report.edges.is_empty() {
        return String::new();
    }
    let row = |edge: &gflowcausal::EdgeReport| {
        vec![format!("{} -> {}", edge.from, edge.to), format!("{:.1}", edge.delta_score)]
    };
    let rows: Vec<Vec<String>> = report.edges.iter().map(row).collect();
    aligned(&["edge", "score lost without"], &rows, &[1])
}

/// A sentence about the edges that cost more than they explain.
fn verdict(report: &GraphReport) -> String {
    match report.edges.iter().filter(|edge| edge.delta_score < 0.0).count() {
        0 => String::new(),
        1 => "1 edge alone is better left out\n".to_owned(),
        many => format!("{many} edges, each alone, are better left out\n"),
    }
}

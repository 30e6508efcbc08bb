//! `discover`: the main job, data in, graphs out.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use gflowcausal::data::Missing;
use gflowcausal::flow::{ObjectiveName, Walk};
use gflowcausal::graph::{Dag, ReadOptions};
use gflowcausal::{
    Config, DataObject, Discovery, PruneName, ResultObject, ScoreName, Step, discover_with, fingerprint,
    read_truth,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::{Data, DataArguments, choice};
use crate::output::{Common, Shape, aligned, print_json, print_text};
use crate::progress::Progress;

/// Find causal graphs in a table.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs
  gflowcausal discover data.csv --truth truth.csv --format json
  gflowcausal discover data.parquet --forbid 'Age->Sex' --max-parents 4 --time-budget 60s --out run")]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The way to find a graph.
    #[arg(long, default_value = "gflowcausal", value_parser = ["gflowcausal"])]
    method: String,
    /// What graphs are judged by.
    #[arg(long, default_value = "auto", value_parser = choice(ScoreName::ALL, ScoreName::name))]
    score: ScoreName,
    /// What a parent costs, in multiples of ln n; `auto` grows with the number of variables.
    #[arg(long, default_value = "auto", value_parser = penalty)]
    penalty: Penalty,
    /// How graphs are grown.
    #[arg(long, default_value = "order", value_parser = choice(&ORDER_WALKS, Walk::name))]
    walk: Walk,
    /// Which balance of flows is learned [default: tb].
    #[arg(long, value_parser = choice(&OBJECTIVES, ObjectiveName::name))]
    objective: Option<ObjectiveName>,
    /// How an order becomes a graph.
    #[arg(long, default_value = "auto", value_parser = choice(PruneName::ALL, PruneName::name))]
    prune: PruneName,
    /// How large a slope must be, with --prune threshold [default: 0.3].
    #[arg(long, value_name = "W")]
    threshold: Option<f64>,
    /// The largest p-value, with --prune t-test or cam [default: 0.001].
    #[arg(long, value_name = "P")]
    alpha: Option<f64>,
    /// The most training iterations [default: by the number of variables].
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// Trajectories an iteration [default: 64].
    #[arg(long, value_name = "N")]
    batch_size: Option<usize>,
    /// Adam's step [default: 0.001].
    #[arg(long, value_name = "RATE")]
    learning_rate: Option<f64>,
    /// Units of each hidden layer [default: by the number of variables].
    #[arg(long, value_name = "N")]
    hidden: Option<usize>,
    /// Graphs are drawn ∝ exp(score / T).
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    temperature: f64,
    /// How many graphs are drawn for the probabilities.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    samples: usize,
    /// Stop in time with the best so far, such as 60s, 5m or 1h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_budget: Option<Duration>,
    /// An edge that must be there; may be repeated.
    #[arg(long, value_name = "A->B", help_heading = "Knowledge")]
    require: Vec<String>,
    /// An edge that must not be there; may be repeated.
    #[arg(long, value_name = "A->B", help_heading = "Knowledge")]
    forbid: Vec<String>,
    /// The most parents of a variable.
    #[arg(long, value_name = "K", help_heading = "Knowledge")]
    max_parents: Option<usize>,
    /// A knowledge file in Tetrad's format.
    #[arg(long, value_name = "FILE", help_heading = "Knowledge")]
    knowledge: Option<PathBuf>,
    /// What to do about missing values.
    #[arg(long, default_value = "error", value_parser = choice(&MISSING, missing_name), help_heading = "Reading")]
    missing: Missing,
    /// Scale each column to mean 0 and standard deviation 1 first.
    #[arg(long, help_heading = "Reading")]
    standardize: bool,
    /// The true graph, to print metrics too.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// The same seed gives the same result.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Walks whose end is an order.
const ORDER_WALKS: [Walk; 4] = [Walk::Order, Walk::Edges, Walk::Chain, Walk::Complete];

/// Objectives that apply to them.
const OBJECTIVES: [ObjectiveName; 4] =
    [ObjectiveName::Tb, ObjectiveName::Subtb, ObjectiveName::Db, ObjectiveName::Fm];

pub(crate) const MISSING: [Missing; 3] = [Missing::Error, Missing::Drop, Missing::Em];

pub(crate) fn missing_name(missing: Missing) -> &'static str {
    match missing {
        Missing::Error => "error",
        Missing::Drop => "drop",
        Missing::Em => "em",
    }
}

/// A multiplier, or none for `auto`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Penalty(pub(crate) Option<f64>);

pub(crate) fn penalty(text: &str) -> Result<Penalty, String> {
    match text {
        "auto" => Ok(Penalty(None)),
        number => {
            number.parse().map(|factor| Penalty(Some(factor))).map_err(|_| "give auto or a number".into())
        }
    }
}

/// `90`, `90s`, `1.5m`, `2h`, `500ms`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("there is no unit '{other}': use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| "give a number and a unit, such as 60s".to_owned())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| "give a time that is not negative".to_owned())
}

impl Arguments {
    fn config(&self) -> Result<Config, Failure> {
        let knowledge = self.knowledge.as_deref().map(read_text).transpose()?;
        Ok(Config {
            method: self.method.clone(),
            score: self.score,
            penalty: self.penalty.0,
            walk: self.walk,
            objective: self.objective,
            prune: self.prune,
            threshold: self.threshold,
            alpha: self.alpha,
            iterations: self.iterations,
            batch_size: self.batch_size,
            learning_rate: self.learning_rate,
            hidden: self.hidden,
            temperature: self.temperature,
            samples: self.samples,
            require: self.require.clone(),
            forbid: self.forbid.clone(),
            max_parents: self.max_parents,
            knowledge,
            missing: self.missing,
            standardize: self.standardize,
            seed: self.seed,
        })
    }

    fn truth(&self, data: &Data) -> Result<Option<Dag>, Failure> {
        let names: Vec<&str> = data.table.names().collect();
        match &self.truth {
            Some(path) => Ok(Some(read_truth(path, &ReadOptions::default(), &names)?)),
            None => Ok(data.truth.clone()),
        }
    }
}

fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::input("bad-knowledge-file", format!("cannot read '{}': {error}", path.display()))
    })
}

/// How long each part took.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Seconds {
    total: f64,
    score: f64,
    train: f64,
    sample: f64,
}

#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    result: &'a ResultObject,
    seconds: Seconds,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let config = arguments.config()?;
    let data = arguments.data.read()?;
    let truth = arguments.truth(&data)?;
    let stop = AtomicBool::new(false);
    let (found, seconds) = timed(arguments, &config, &data, &stop)?;
    let info = DataObject {
        name: data.name.clone(),
        rows: data.table.rows(),
        variables: found.names.clone(),
        sha256: fingerprint(&data.table),
    };
    let result = found.to_object(&config, info, truth.as_ref());
    match arguments.format {
        Shape::Json => print_json(&Timed { result: &result, seconds }),
        Shape::Text => print_text(&text(&result, seconds)),
    }
}

fn timed(
    arguments: &Arguments,
    config: &Config,
    data: &Data,
    stop: &AtomicBool,
) -> Result<(Discovery, Seconds), Failure> {
    let start = Instant::now();
    let mut seconds = Seconds::default();
    let mut progress = Progress::new(&arguments.common);
    let mut last = 0.0;
    let mut watch = |step: Step| {
        let now = start.elapsed().as_secs_f64();
        match step {
            Step::Training { .. } => seconds.score = now - last,
            Step::Sampling => seconds.train = now - last,
            Step::Done => seconds.sample = now - last,
            _ => {}
        }
        if !matches!(step, Step::Iteration(_)) {
            last = now;
        }
        if arguments.time_budget.is_some_and(|budget| start.elapsed() >= budget) {
            stop.store(true, Ordering::Relaxed);
        }
        progress.show(step);
    };
    let found = discover_with(&data.table, config, &mut watch, stop)?;
    seconds.total = start.elapsed().as_secs_f64();
    Ok((found, seconds))
}

fn text(result: &ResultObject, seconds: Seconds) -> String {
    let rows: Vec<Vec<String>> = result
        .graph
        .edges
        .iter()
        .map(|edge| {
            vec![
                format!("{} -> {}", edge.from, edge.to),
                format!("{:.2}", edge.probability),
                if edge.compelled {
                    "compelled".into()
                } else {
                    format!("reversible ({:.2})", edge.reversed_probability)
                },
                edge.weight.map_or(String::new(), |weight| format!("{weight:.3}")),
                edge.delta_score.map_or(String::new(), |delta| format!("{delta:.1}")),
            ]
        })
        .collect();
    let mut text = format!(
        "{}: {} rows, {} variables; score {} {:.1}, pruning {}\n",
        result.data.name,
        result.data.rows,
        result.data.variables.len(),
        result.score.name,
        result.score.value,
        result.score.prune
    );
    text.push_str(&aligned(
        &["edge", "probability", "direction", "weight", "score lost without"],
        &rows,
        &[1, 3, 4],
    ));
    text.push_str(&format!(
        "{} edges; {} of {} drawn graphs are distinct, worth {:.0} independent draws\n",
        rows.len(),
        result.posterior.distinct,
        result.posterior.samples,
        result.posterior.effective_sample_size
    ));
    if let Some(sortability) = &result.sortability {
        text.push_str(&format!("{}\n", sortability.verdict));
    }
    if let Some(metrics) = &result.metrics {
        text.push_str(&format!(
            "against the truth: SHD {}, CPDAG-SHD {}, TPR {:.2}, FDR {:.2}, AUROC {:.2}\n",
            metrics.graph.shd, metrics.graph.cpdag_shd, metrics.graph.tpr, metrics.graph.fdr, metrics.auroc
        ));
    }
    text.push_str(&format!("{:.1} s\n", seconds.total));
    text
}

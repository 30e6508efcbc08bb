//! `sample`: more graphs from the posterior of a run that `discover --out` wrote.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use gflowcausal::{
    DataFile, GraphSample, RunFile, RunResult, Source, log_add, log_sum_exp, sample, write_samples,
};
use gflowcausal_report::wrapped;

use crate::failure::Failure;
use crate::input::{free_memory, open_run};
use crate::interrupt;
use crate::output::{Common, Shape, print_bytes, print_text};

/// More graphs than anybody reads.
const MOST: u64 = 1_000_000_000;

/// How many of the likeliest graphs the text lists.
const LISTED: usize = 10;

/// Draw more graphs from the posterior of a run.
///
/// Text lists the likeliest graphs; JSON gives one line for each distinct draw, as in the run's samples.jsonl, 20,000 draws
/// at a time: any number is drawn in bounded memory.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs --out run && gflowcausal sample run -n 5000
  gflowcausal sample run -n 100000 --seed 7 --format json > more.jsonl")]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// How many graphs to draw.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    number: u64,
    /// Where random numbers come from [default: the run's seed plus one, so that the draws are new].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The data of the run, where they have moved.
    #[arg(long, value_name = "FILE")]
    data: Option<String>,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let dir = open_run(&arguments.run)?;
    let file = RunFile::read_run(&dir)?;
    let stored = file.about.data.clone().unwrap_or_default();
    let data_file = DataFile { path: arguments.data.clone().unwrap_or(stored.path.clone()), ..stored };
    let data = data_file.read(free_memory())?;
    let seed = arguments.seed.unwrap_or(file.config.seed.wrapping_add(1));
    let names: Vec<String> =
        data.table.names().filter(|name| file.config.is_variable(name)).map(str::to_owned).collect();
    let asked = (arguments.number, seed);
    let stop = interrupt::listen();
    let mut tally = Tally::default();
    sample(&dir, (&data.table, &file.config), asked, stop, |draws| match arguments.format {
        Shape::Json => {
            let mut lines = Vec::new();
            write_samples(&mut lines, &names, &draws)
                .map_err(|error| Failure::running("json", error.to_string()))?;
            print_bytes(&lines)
        }
        Shape::Text => {
            tally.add(draws);
            Ok(())
        }
    })?;
    if arguments.format == Shape::Text {
        let source = RunResult::read(&dir)?.posterior.by;
        print_text(&tally.text(&names, source))?;
    }
    if interrupt::is_requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// The most graphs that are counted one by one.
const COUNTED: usize = 100_000;

/// The edges of a graph, sorted.
type Edges = Box<[[u32; 2]]>;

/// How often each graph was drawn, as far as memory for [`COUNTED`] of them goes.
#[derive(Default)]
struct Tally {
    /// The logarithm of the sum of the weights of each graph.
    graphs: HashMap<Edges, f64>,
    /// The logarithm of the sum of all weights and of their squares, draw by draw.
    log_sums: Option<[f64; 2]>,
    drawn: u64,
    is_partial: bool,
}

impl Tally {
    fn add(&mut self, draws: Vec<GraphSample>) {
        let power = |power: f64| {
            log_sum_exp(draws.iter().map(|draw| power * draw.log_weight + f64::from(draw.count).ln()))
        };
        let [sum, squares] = self.log_sums.unwrap_or([f64::NEG_INFINITY; 2]);
        self.log_sums = Some([log_add(sum, power(1.0)), log_add(squares, power(2.0))]);
        for draw in draws {
            self.drawn += u64::from(draw.count);
            let log_weight = draw.log_weight + f64::from(draw.count).ln();
            let edges = draw.dag.edges().map(|edge| [edge.from, edge.to].map(|node| node as u32)).collect();
            let sum = self.graphs.entry(edges).or_insert(f64::NEG_INFINITY);
            *sum = log_add(*sum, log_weight);
        }
        // The lightest half of too many graphs is forgotten.
        if self.graphs.len() > COUNTED {
            let mut weights: Vec<f64> = self.graphs.values().copied().collect();
            weights.sort_by(f64::total_cmp);
            let least = weights[weights.len() / 2];
            self.graphs.retain(|_, weight| *weight > least);
            self.is_partial = true;
        }
    }

    fn text(&self, names: &[String], source: Source) -> String {
        let [total, squares] = self.log_sums.unwrap_or_default();
        let effective = (2.0 * total - squares).exp();
        let drawn = self.drawn as f64;
        // Weights are target over policy, so that their mean is Z; where draws are of the target itself, all are 1.
        let log_z = if effective < drawn * (1.0 - 1e-9) {
            let error = (1.0 / effective - 1.0 / drawn).sqrt();
            format!("; log Z {:.3} with a standard error of {error:.3}", total - drawn.ln())
        } else {
            String::new()
        };
        let mut graphs: Vec<(&Edges, f64)> =
            self.graphs.iter().map(|(edges, weight)| (edges, *weight)).collect();
        graphs.sort_by(|(edges, a), (others, b)| b.total_cmp(a).then_with(|| edges.cmp(others)));
        let row = |(edges, weight): &(&Edges, f64)| {
            let name = |node: u32| &names[node as usize];
            let edges = edges.iter().map(|&[from, to]| format!("{}->{}", name(from), name(to)));
            let line = format!("{:>13.4}  {}", (weight - total).exp(), edges.collect::<Vec<_>>().join(" "));
            format!("{}\n", wrapped(&line, &" ".repeat(15)))
        };
        let rows: String = graphs.iter().take(LISTED).map(row).collect();
        let distinct = match self.is_partial {
            true => format!("more than {}", self.graphs.len()),
            false => self.graphs.len().to_string(),
        };
        let quality = match source {
            Source::Chains => "draws of one chain resemble each other".to_owned(),
            _ => format!("effective sample size {effective:.0}{log_z}"),
        };
        let head = format!("{} graphs drawn, {distinct} distinct, {quality}; the likeliest:", self.drawn);
        format!("{}\n    probability  edges\n{rows}", wrapped(&head, "  "))
    }
}

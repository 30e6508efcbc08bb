//! `sample`: more graphs from a policy that `discover --out` trained.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gflowcausal::{DataFile, Error, RunDir, RunFile, sample, write_samples};

use crate::failure::Failure;
use crate::input::free_memory;
use crate::output::{Common, Shape, aligned, print_bytes, print_text};

/// How many of the likeliest graphs the text lists.
const LISTED: usize = 10;

/// Draw more graphs from a trained run.
///
/// Text lists the likeliest graphs; JSON gives one line for each distinct draw, as in the run's samples.jsonl.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gflowcausal discover sachs --out run && gflowcausal sample run -n 5000
  gflowcausal sample run -n 100000 --seed 7 --format json > more.jsonl")]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// How many graphs to draw.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
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
    let dir = RunDir::open(&arguments.run).map_err(Error::from)?;
    let file = RunFile::read(&dir.file("config.toml"))?;
    let stored = file.about.data.clone().unwrap_or_default();
    let data_file = DataFile { path: arguments.data.clone().unwrap_or(stored.path.clone()), ..stored };
    let data = data_file.read(free_memory())?;
    let seed = arguments.seed.unwrap_or(file.config.seed.wrapping_add(1));
    let (draws, posterior) = sample(&dir, &data.table, &file.config, arguments.number as usize, seed)?;
    let names: Vec<String> = data
        .table
        .names()
        .filter(|name| !file.config.exclude.iter().any(|other| other == name))
        .map(str::to_owned)
        .collect();
    match arguments.format {
        Shape::Json => {
            let mut lines = Vec::new();
            write_samples(&mut lines, &names, &draws)
                .map_err(|error| Failure::running("json", error.to_string()))?;
            print_bytes(&lines)
        }
        Shape::Text => {
            let rows: Vec<Vec<String>> = posterior
                .candidates
                .iter()
                .take(LISTED)
                .map(|graph| {
                    let edges =
                        graph.dag.edges().map(|edge| format!("{}->{}", names[edge.from], names[edge.to]));
                    vec![format!("{:.4}", graph.weight), edges.collect::<Vec<_>>().join(" ")]
                })
                .collect();
            let mut text = Vec::new();
            let _ = writeln!(
                text,
                "{} graphs drawn, {} distinct, worth {:.0} independent ones; the likeliest:",
                posterior.samples,
                posterior.candidates.len(),
                posterior.effective_sample_size
            );
            text.extend(aligned(&["probability", "edges"], &rows, &[0]).bytes());
            print_text(&String::from_utf8_lossy(&text))
        }
    }
}

//! `effect`: causal effects of a run, with the uncertainty of its graphs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gflowcausal::{EffectModel, EffectRequest, RunFile, interruptible};
use gflowcausal_report::effects_text;

use crate::failure::Failure;
use crate::input::{free_memory, open_run};
use crate::interrupt;
use crate::output::{Common, print_bytes, print_json, print_text};

/// Causal effects with the graph's uncertainty.
///
/// For each graph of the run the effect of an intervention is drawn from the posterior of the graph's parameters; the mixture over
/// the graphs gives mean, interval, the probability that there is no directed path, and the probability that the effect is
/// positive. Where graphs disagree, the distribution is shown and not only its mean.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a name all pairs are computed. Linear scores work from the moments in the run directory; curves, \
categories and mixed tables need the data of the run.

Examples:
  gflowcausal discover sachs --out run && gflowcausal effect run
  gflowcausal effect run --effect Akt           # what moves Akt?
  gflowcausal effect run --cause PKA --effect Akt --format json
  gflowcausal effect run --do PKA=6 --do PKC=2  # what becomes of the others?
  gflowcausal effect run --standardized --format csv > effects.csv"
)]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Only effects of this variable; may be given more than once.
    #[arg(long, value_name = "NAME")]
    cause: Vec<String>,
    /// Only effects on this variable; may be given more than once.
    #[arg(long, value_name = "NAME")]
    effect: Vec<String>,
    /// Set a variable to a value and say what becomes of the others; may be given more than once.
    #[arg(long = "do", value_name = "NAME=VALUE", value_parser = intervention, conflicts_with = "cause")]
    interventions: Vec<(String, String)>,
    /// How much of the distribution the intervals hold.
    #[arg(long, value_name = "P", default_value_t = 0.9)]
    level: f64,
    /// Effects along the edge alone, and not along all directed paths.
    #[arg(long)]
    direct: bool,
    /// In standard deviations, and not in the data's units.
    #[arg(long)]
    standardized: bool,
    /// Where random numbers come from [default: the run's seed].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The data of the run, where they have moved and are needed.
    #[arg(long, value_name = "FILE")]
    data: Option<String>,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The shape of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// A table for people.
    Text,
    /// One object for programs.
    Json,
    /// One line for each pair.
    Csv,
}

/// A variable and the value it is set to; a name may hold an equals sign, a value may not.
fn intervention(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.rsplit_once('=').ok_or("give a variable and its value, such as dose=1.5")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let ([cause], [effect]) = (arguments.cause.as_slice(), arguments.effect.as_slice())
        && cause == effect
    {
        let failure = Failure::input("bad-option", format!("cause and effect are both {cause}"));
        return Err(failure.with_help("name two variables, or leave one of the options out"));
    }
    let dir = open_run(&arguments.run)?;
    let seed = match arguments.seed {
        Some(seed) => seed,
        None => RunFile::read_run(&dir)?.config.seed,
    };
    let request = EffectRequest {
        causes: arguments.cause.clone(),
        effects: arguments.effect.clone(),
        interventions: arguments.interventions.clone(),
        level: arguments.level,
        is_direct: arguments.direct,
        is_standardized: arguments.standardized,
        keeps_curves: false,
        seed,
    };
    let evaluated = interruptible(interrupt::listen(), || {
        EffectModel::of_run(&dir, arguments.data.clone(), free_memory())?.evaluate(&request)
    });
    // Effects over a part of the graphs would be others: there is nothing to show.
    let result = evaluated.ok_or_else(Failure::interrupted)??;
    match arguments.format {
        Shape::Json => print_json(&result),
        Shape::Csv => {
            let mut lines = Vec::new();
            result.write_csv(&mut lines)?;
            print_bytes(&lines)
        }
        Shape::Text => {
            let is_chosen = !arguments.cause.is_empty() || !arguments.effect.is_empty();
            print_text(&effects_text(&result, is_chosen))
        }
    }
}

//! `plot`: one picture of a run, for papers and slides.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use gflowcausal::{Error, RunDir, RunResult};
use gflowcausal_report::{PlotKind, plot_png, plot_svg};

use crate::failure::Failure;
use crate::input::one_of;
use crate::output::{Common, print_text, write_file};

/// Draw one picture of a run as SVG or PNG.
#[derive(Debug, Args)]
#[command(after_help = "Kinds:
  graph          the best graph in layers: the wider and darker an edge, the more probable; a full head for a
                 compelled direction, a hollow one for a reversible direction
  probabilities  the probability of every edge in causal order: the row causes the column
  training       loss, mean and best log-reward, and temperature of each iteration

Examples:
  gflowcausal discover sachs --out run && gflowcausal plot run --out graph.svg
  gflowcausal plot run --kind probabilities --out probabilities.png
  gflowcausal plot run --kind training --out training.svg")]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// What to draw.
    #[arg(long, default_value_t, value_parser = one_of::<PlotKind>())]
    kind: PlotKind,
    /// The picture's file; its ending says the format: .svg or .png.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let is_png = is_png(&arguments.out)?;
    let result = RunResult::read(&RunDir::open(&arguments.run).map_err(Error::from)?)?;
    let picture = if is_png {
        plot_png(&result, arguments.kind)?
    } else {
        plot_svg(&result, arguments.kind)?.into_bytes()
    };
    write_file(&arguments.out, &picture)?;
    print_text(&format!("{}\n", arguments.out.display()))
}

/// What the ending says.
fn is_png(path: &Path) -> Result<bool, Failure> {
    match path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase).as_deref() {
        Some("png") => Ok(true),
        Some("svg") => Ok(false),
        _ => {
            let message = format!("'{}' does not say which kind of picture to write", path.display());
            Err(Failure::input("unknown-extension", message).with_help("end the name in .svg or .png"))
        }
    }
}

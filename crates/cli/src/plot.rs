//! `plot`: one picture of a run, for papers and slides.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args;
use gflowcausal::RunResult;
use gflowcausal_report::{PlotKind, plot_pdf, plot_png, plot_svg};

use crate::failure::Failure;
use crate::input::{one_of, open_run};
use crate::output::{Common, print_text, write_file};

/// Draw one picture of a run as SVG, PNG or PDF.
#[derive(Debug, Args)]
#[command(after_help = "Kinds:
  graph          the best graph in layers: the wider and darker an edge, the
                 more probable; a full head for a compelled direction, a hollow
                 one for a reversible direction
  consensus      for each pair the likeliest of both directions and no edge;
                 dashed where that is unsure
  cpdag          the best graph's class: arrows that all equivalent graphs
                 share, plain lines for the others
  probabilities  the probability of every edge in causal order: the row causes
                 the column
  effects        the strongest causal effects with their intervals, in standard
                 deviations
  training       loss, mean and best log-reward, temperature of each iteration

Examples:
  gflowcausal discover sachs --out run && gflowcausal plot run --out graph.svg
  gflowcausal plot run --kind probabilities --out probabilities.png
  gflowcausal plot run --kind consensus --least 0.5 --out consensus.pdf
  gflowcausal plot run --kind effects --out effects.svg
  gflowcausal plot run --kind training --out training.svg")]
pub(crate) struct Arguments {
    /// The directory of a run that `discover --out` wrote.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// What to draw.
    #[arg(long, default_value_t, value_parser = one_of::<PlotKind>())]
    kind: PlotKind,
    /// Leave out edges of a graph, or paths of effects, that are less probable than this.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    least: f64,
    /// The picture's file; its ending says the format: .svg, .png or .pdf.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { kind, least, .. } = *arguments;
    if least > 0.0 && matches!(kind, PlotKind::Probabilities | PlotKind::Training) {
        let message = format!("--least has no effect with --kind {kind}");
        return Err(Failure::input("option-without-effect", message).with_help("leave the option out"));
    }
    let format = format_of(&arguments.out)?;
    let result = RunResult::read(&open_run(&arguments.run)?)?;
    let picture = match format {
        PictureFormat::Png => plot_png(&result, kind, least)?,
        PictureFormat::Pdf => plot_pdf(&result, kind, least)?,
        PictureFormat::Svg => plot_svg(&result, kind, least)?.into_bytes(),
    };
    write_file(&arguments.out, &picture)?;
    print_text(&format!("{}\n", arguments.out.display()))
}

/// A probability.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

/// How a picture is written.
enum PictureFormat {
    Svg,
    Png,
    Pdf,
}

/// What the ending says.
fn format_of(path: &Path) -> Result<PictureFormat, Failure> {
    match path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase).as_deref() {
        Some("png") => Ok(PictureFormat::Png),
        Some("pdf") => Ok(PictureFormat::Pdf),
        Some("svg") => Ok(PictureFormat::Svg),
        _ => {
            let message = format!("'{}' does not say which kind of picture to write", path.display());
            Err(Failure::input("unknown-extension", message).with_help("end the name in .svg, .png or .pdf"))
        }
    }
}

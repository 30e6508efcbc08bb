//! What a run found, for people: text, pictures and one HTML page.

mod compare;
mod effects_text;
mod html;
mod indexed;
mod layout;
mod plot;
mod reliability;
mod text;

use gflowcausal::{Error, RunDir, RunResult};

pub use compare::{ComparedPair, ComparedRun, Comparison, PairVerdict};
pub use effects_text::effects_text;
pub use html::html_page;
pub use plot::{AxisRange, Figure, FigureAxis, PlotKind, Series, graph_svg, plot_pdf, plot_png, plot_svg};
pub use reliability::low_confidence;
pub use text::{ColorMode, Extent, TextStyle, aligned, middle_ellipsis, result_text, wrapped};

/// The name of the report in a run's directory.
pub const REPORT: &str = "report.html";

/// Writes the report of `result` to `dir`, beside the other files of the run.
///
/// # Errors
/// When the result contradicts itself, or the system refuses.
pub fn write_report(dir: &RunDir, result: &RunResult) -> Result<(), Error> {
    let page = html_page(result).map_err(|error| match error {
        Error::DamagedRun { path, reason } => Error::DamagedRun { path: dir.path().join(path), reason },
        other => other,
    })?;
    Ok(dir.write(REPORT, |out| out.write_all(page.as_bytes()))?)
}

//! What a run found, for people: text, pictures and one HTML page.

mod html;
mod layout;
mod plot;
mod record;
mod text;

use gflowcausal::{Error, RunDir};

pub use plot::{Figure, FigureAxis, PlotKind, Series, Span, graph_svg, plot_png, plot_svg};
pub use record::Record;
pub use text::{Look, aligned, result_text};

/// The name of the report in a run's directory.
pub const REPORT: &str = "report.html";

/// Writes the report of `record` to `dir`, beside the other files of the run.
///
/// # Errors
/// When the page cannot be made, or the system refuses.
pub fn write_report(dir: &RunDir, record: &Record) -> Result<(), Error> {
    let page = record.to_html()?;
    Ok(dir.write(REPORT, |out| out.write_all(page.as_bytes()))?)
}

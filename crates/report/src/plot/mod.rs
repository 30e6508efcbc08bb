//! Pictures of a run for papers and slides, and the charts of its report: SVG, and PNG without any system library.

mod chart;
mod distribution;
mod figure;
mod graph;
mod heat_map;
mod png;
mod svg;
mod training;

use gflowcausal::graph::{NamedGraph, choices};

pub(crate) use self::distribution::{edge_counts, scores};
pub use self::figure::{Figure, FigureAxis, Series, Span};
pub(crate) use self::svg::FIGURE_STYLE;
pub(crate) use self::training::panels;

use crate::indexed::IndexedRun;
use gflowcausal::{Error, RunResult};

choices! {
    /// What a picture shows.
    #[derive(Default)]
    pub enum PlotKind: "kind of picture" {
        /// The best graph, drawn in layers.
        #[default]
        Graph = "graph",
        /// The probability of every edge, in causal order.
        Probabilities = "probabilities",
        /// Loss, log-rewards and temperature of each iteration.
        Training = "training",
    }
}

/// A picture of the run as an SVG file.
///
/// # Errors
/// When the run has no such thing.
pub fn plot_svg(result: &RunResult, kind: PlotKind) -> Result<String, Error> {
    let run = &IndexedRun::new(result)?;
    let missing = |what| Err(Error::NotInRun { what, method: result.method.clone() });
    let svg = match kind {
        PlotKind::Graph => graph::best(run),
        PlotKind::Probabilities if run.is_single() => return missing("probabilities"),
        PlotKind::Probabilities => heat_map::heat_map(run),
        PlotKind::Training if run.history().is_empty() => return missing("training"),
        PlotKind::Training => training::stacked(run.history()),
    };
    Ok(svg.into_file())
}

/// The same as a PNG file, two dots for each unit of the SVG; fewer where it would get too large.
///
/// # Errors
/// When the run has no such thing, or the picture does not fit in memory.
pub fn plot_png(result: &RunResult, kind: PlotKind) -> Result<Vec<u8>, Error> {
    png::png(&plot_svg(result, kind)?)
}

/// Any graph as an SVG file, drawn in layers; an edge without direction has no head.
///
/// ```
/// use gflowcausal::graph::{Edge, NamedGraph, Pdag};
///
/// let mut pdag = Pdag::empty(2);
/// pdag.insert_directed(Edge { from: 0, to: 1 })?;
/// let graph = NamedGraph::new(vec!["rain".into(), "wet".into()], pdag)?;
/// assert!(gflowcausal_report::graph_svg(&graph).contains("<title>rain → wet</title>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn graph_svg(graph: &NamedGraph) -> String {
    graph::named(graph).into_file()
}

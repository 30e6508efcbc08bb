//! Pictures of a run for papers and slides, and the charts of its report: SVG, and PNG without any system library.

mod chart;
mod distribution;
mod effects;
mod figure;
mod graph;
mod heat_map;
mod pdf;
mod png;
mod svg;
mod training;

use gflowcausal::graph::{NamedGraph, choices};

pub(crate) use self::distribution::{edge_counts, scores};
pub use self::figure::{AxisRange, Figure, FigureAxis, Series};
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
        /// The consensus graph: for each pair the likeliest of both directions and no edge.
        Consensus = "consensus",
        /// The best graph's class: arrows that all equivalent graphs share, and lines for the others.
        Cpdag = "cpdag",
        /// The probability of every edge, in causal order.
        Probabilities = "probabilities",
        /// The strongest causal effects with their intervals.
        Effects = "effects",
        /// Loss, log-rewards and temperature of each iteration.
        Training = "training",
    }
}

/// The consensus of a run, or its one graph, for a page.
pub(crate) fn comparison_graph(run: &IndexedRun<'_>) -> String {
    let svg = if run.is_single() { graph::best(run, 0.0) } else { graph::consensus(run, 0.0) };
    svg.into_page()
}

/// A picture of the run as an SVG file; edges of graphs that are less probable than `least` are left out.
///
/// # Errors
/// When the run has no such thing.
pub fn plot_svg(result: &RunResult, kind: PlotKind, least: f64) -> Result<String, Error> {
    let run = &IndexedRun::new(result)?;
    let missing = |what| Err(Error::NotInRun { what, method: result.method.clone() });
    let svg = match kind {
        PlotKind::Graph => graph::best(run, least),
        PlotKind::Consensus if run.is_single() => return missing("consensus"),
        PlotKind::Consensus => graph::consensus(run, least),
        PlotKind::Cpdag => graph::cpdag(run, least),
        PlotKind::Probabilities if run.is_single() => return missing("probabilities"),
        PlotKind::Probabilities => heat_map::heat_map(run),
        PlotKind::Effects => match result.effects.as_ref().and_then(|found| effects::effects(found, least)) {
            Some(svg) => svg,
            None => return missing("effects"),
        },
        PlotKind::Training if run.history().is_empty() => return missing("training"),
        PlotKind::Training => training::stacked(run.history()),
    };
    Ok(svg.into_file())
}

/// The same as a PNG file, two dots for each unit of the SVG; fewer where it would get too large.
///
/// # Errors
/// When the run has no such thing, or the picture does not fit in memory.
pub fn plot_png(result: &RunResult, kind: PlotKind, least: f64) -> Result<Vec<u8>, Error> {
    png::png(&plot_svg(result, kind, least)?)
}

/// The same as a PDF file of one page, made of outlines: it looks alike wherever it is printed.
///
/// # Errors
/// When the run has no such thing, or the picture cannot be made.
pub fn plot_pdf(result: &RunResult, kind: PlotKind, least: f64) -> Result<Vec<u8>, Error> {
    pdf::pdf(&plot_svg(result, kind, least)?)
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

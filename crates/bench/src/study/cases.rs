//! The time it takes to draw graphs by the paper's three cases, a naive implementation beside each.

use gflowcausal::Error;
use gflowcausal::flow::{Mlp, MlpConfig, Network, Sampler, Walk};
use gflowcausal::graph::Constraints;
use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
use serde::Deserialize;

use super::findings::{Outcome, cells};
use super::naive::Naive;
use super::policy::timed;
use crate::{BenchError, Control};

/// How many points a line has.
const POINTS: usize = 10;

/// Draws by each case, at each size.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cases {
    size: Vec<Size>,
}

/// How many variables, and how many graphs are drawn by ours and by the naive implementation.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    nodes: usize,
    graphs: usize,
    naive: usize,
}

/// What is called what.
const WALKS: [(Walk, &str); 4] = [
    (Walk::Complete, "Case 1 (complete)"),
    (Walk::Edges, "Case 2 (edges)"),
    (Walk::Chain, "Case 3 (chain)"),
    (Walk::Order, "order (beyond the paper)"),
];

/// Graphs drawn so far and the seconds they took.
pub(super) type Course = Vec<(f64, f64)>;

impl Cases {
    pub(super) fn measure(&self, control: &Control<'_>) -> Result<Outcome, BenchError> {
        let columns = [
            "variables",
            "draws",
            "by",
            "graphs",
            "steps a graph",
            "the paper's steps",
            "CPU ms a graph",
            "of Case 1",
        ];
        let mut outcome = Outcome::new(&columns);
        for size in &self.size {
            control.report(&format!("{} variables", size.nodes));
            size.measure(control, &mut outcome)?;
        }
        outcome.note(
            "one thread, perceptron 2 × 256 at its first values: what the weights are does not change the time",
        );
        outcome.note(
            "naive: dense network, one graph at a time, a search for paths from every node at each step",
        );
        Ok(outcome)
    }
}

impl Size {
    fn measure(&self, control: &Control<'_>, outcome: &mut Outcome) -> Result<(), BenchError> {
        let mut series = Vec::new();
        let mut first = None;
        for (walk, name) in WALKS {
            let environment = walk
                .environment(Constraints::none(self.nodes))
                .map_err(|error| Error::from(gflowcausal::flow::TrainError::from(error)))?;
            let network = Mlp::new(environment.inputs(), environment.actions(), &MlpConfig::default(), 1);
            let naive = if walk == Walk::Order { None } else { Some(self.naively(control, walk, &network)?) };
            let steps = naive.as_ref().map_or(self.nodes as f64, |(_, steps)| *steps);
            let course = self.ours(control, &Sampler::new(&*environment, &network))?;
            let base = *first.get_or_insert(milliseconds(&course));
            for (by, course) in [("ours", Some(course)), ("naive", naive.map(|(course, _)| course))] {
                let Some(course) = course else { continue };
                let (graphs, each) = (course.last().map_or(0.0, |point| point.0), milliseconds(&course));
                outcome.row(cells![
                    self.nodes,
                    name,
                    by,
                    graphs,
                    steps,
                    self.estimate(walk),
                    each,
                    each / base
                ]);
                series.push(Series { name: format!("{name}, {by}"), points: course });
            }
        }
        // The lines of ours first: they are what the figure is about.
        series.sort_by_key(|series| series.name.ends_with("naive"));
        let figure = Figure {
            heading: format!("Accumulated time of drawing graphs of {} variables", self.nodes),
            across: FigureAxis::new("graphs drawn", AxisRange::FromZero),
            up: FigureAxis::new("CPU seconds", AxisRange::Values),
            series,
        };
        outcome.figures.insert(format!("fig-case-{}", self.nodes), figure);
        Ok(())
    }

    /// How many edges the paper expects to be added to a graph.
    fn estimate(&self, walk: Walk) -> Option<f64> {
        let nodes = self.nodes as f64;
        match walk {
            Walk::Complete => Some(nodes * (nodes - 1.0) / 2.0),
            Walk::Edges => Some((nodes + 2.0) * (nodes - 1.0) / 4.0),
            Walk::Chain => Some(nodes - 1.0),
            _ => None,
        }
    }

    fn ours(&self, control: &Control<'_>, sampler: &Sampler<'_>) -> Result<Course, BenchError> {
        course(control, self.graphs, |part, count| drop(sampler.sample(count, part)))
    }

    /// The course of the naive implementation, and the mean number of steps.
    fn naively(
        &self,
        control: &Control<'_>,
        walk: Walk,
        network: &dyn Network,
    ) -> Result<(Course, f64), BenchError> {
        let naive = Naive::new(walk, self.nodes, network);
        let mut steps = 0;
        let course = course(control, self.naive, |part, count| {
            for k in 0..count as u64 {
                steps += naive.draw(part, k).1;
            }
        })?;
        Ok((course, steps as f64 / self.naive as f64))
    }
}

/// Draws in equal parts; `draw` gets the number of the part and how many to draw.
pub(super) fn course(
    control: &Control<'_>,
    graphs: usize,
    mut draw: impl FnMut(u64, usize),
) -> Result<Course, BenchError> {
    let (mut seconds, mut done) = (0.0, 0);
    let mut course = Vec::new();
    for part in 1..=POINTS {
        control.check()?;
        let count = graphs * part / POINTS - done;
        done += count;
        seconds += timed(|| draw(part as u64, count)).1;
        course.push((done as f64, seconds));
    }
    Ok(course)
}

fn milliseconds(course: &Course) -> f64 {
    course.last().map_or(f64::NAN, |(graphs, seconds)| 1e3 * seconds / graphs)
}

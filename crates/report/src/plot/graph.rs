//! Graphs, drawn in layers.

use gflowcausal::EdgeResult;
use gflowcausal::graph::{Dag, Edge, NamedGraph};

use super::svg::{Svg, smooth};
use crate::indexed::IndexedRun;
use crate::layout::{Layout, NODE_HEIGHT, label, width_of};

/// The length of an arrow's head.
const HEAD: f64 = 10.0;

/// Space for the words below the graph.
const LEGEND: f64 = 48.0;

/// What stands at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Head {
    /// An arrow whose direction is certain.
    Full,
    /// An arrow that may as well be reversed.
    Hollow,
    /// Nothing: no direction is claimed.
    None,
}

/// An edge as it is drawn.
struct Line {
    edge: Edge,
    head: Head,
    probability: Option<f64>,
}

/// The best graph of a run.
pub(super) fn best(run: &IndexedRun<'_>) -> Svg {
    let line = |(edge, found): (Edge, &EdgeResult)| Line {
        edge,
        head: if found.compelled { Head::Full } else { Head::Hollow },
        probability: Some(found.probability),
    };
    let lines: Vec<Line> = run.edges().map(line).collect();
    let layout = run.layout();
    let size = (layout.width.max(520.0), layout.height + LEGEND);
    let mut svg = Svg::new(size.0, size.1, &format!("The best graph of {}", run.result.data.name));
    draw(&mut svg, run.names(), &layout, &lines);
    let (x, y) = (24.0, layout.height + 14.0);
    svg.text(
        "small",
        &format!("x=\"{x}\" y=\"{y}\""),
        "Full head: the direction is compelled. Hollow head: it is reversible.",
    );
    if !run.is_single() {
        let shape = format!("x=\"{x}\" y=\"{}\"", y + 17.0);
        svg.text("small", &shape, "The wider and darker, the more probable.");
    }
    svg
}

/// Any graph; an edge without direction has no head, and one that closes a cycle points upwards.
pub(super) fn named(graph: &NamedGraph) -> Svg {
    let pdag = graph.graph();
    let line = |head| move |edge| Line { edge, head, probability: graph.probability(edge) };
    let lines = pdag.directed().map(line(Head::Full)).chain(pdag.undirected().map(line(Head::None)));
    let lines: Vec<Line> = lines.collect();
    let mut dag = Dag::empty(pdag.nodes());
    for Edge { from, to } in lines.iter().map(|line| line.edge) {
        if dag.insert(Edge { from, to }).is_err() {
            // One of both directions is free of cycles.
            let _ = dag.insert(Edge { from: to, to: from });
        }
    }
    let widths: Vec<f64> = graph.names().iter().map(|name| width_of(&label(name))).collect();
    let layout = Layout::new(&dag, &widths);
    let title = format!("{} variables, {} edges", pdag.nodes(), lines.len());
    let mut svg = Svg::new(layout.width, layout.height, &title);
    draw(&mut svg, graph.names(), &layout, &lines);
    svg
}

fn draw(svg: &mut Svg, names: &[String], layout: &Layout, lines: &[Line]) {
    for line in lines {
        draw_line(svg, names, layout, line);
    }
    for (name, place) in names.iter().zip(&layout.nodes) {
        svg.open("node", "");
        svg.title(name);
        let (x, y) = (place.x - place.width / 2.0, place.top());
        let shape =
            format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{NODE_HEIGHT}\" rx=\"8\"", place.width);
        svg.add("rect", "", &shape);
        svg.text("", &format!("x=\"{:.1}\" y=\"{:.1}\"", place.x, place.y + 4.5), &label(name));
        svg.close();
    }
}

/// The points of an edge from its cause to its effect, whichever of both stands higher.
fn points(layout: &Layout, edge: Edge) -> Option<Vec<Point>> {
    if let Some(route) = layout.routes.iter().find(|route| route.edge == edge) {
        return Some(layout.points(route));
    }
    let turned = Edge { from: edge.to, to: edge.from };
    let mut points =
        layout.routes.iter().find(|route| route.edge == turned).map(|route| layout.points(route))?;
    points.reverse();
    Some(points)
}

fn draw_line(svg: &mut Svg, names: &[String], layout: &Layout, line: &Line) {
    let Some(mut points) = points(layout, line.edge) else { return };
    let (tip, base) = if line.head == Head::None { (points[0], [points[0]; 2]) } else { arrow(&mut points) };
    svg.open(if line.head == Head::Hollow { "edge reversible" } else { "edge compelled" }, "");
    svg.title(&words(names, line));
    let probability = line.probability.unwrap_or(1.0);
    let (width, opacity) = (width(probability), opacity(probability));
    // Opacity of the stroke, not of the element: for that the painter needs a sheet as large as the edge.
    let stroke = format!("stroke-width=\"{width:.1}\" stroke-opacity=\"{opacity:.2}\"");
    svg.add("path", "line", &format!("d=\"{}\" {stroke}", smooth(&points)));
    if line.head != Head::None {
        let ((x, y), [(ax, ay), (bx, by)]) = (tip, base);
        let corners = format!("M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}Z");
        let shape = format!("d=\"{corners}\" stroke-width=\"1.2\" opacity=\"{opacity:.2}\"");
        svg.add("path", "head", &shape);
    }
    svg.close();
}

/// The tooltip of an edge.
fn words(names: &[String], line: &Line) -> String {
    let [from, to] = [line.edge.from, line.edge.to].map(|node| &names[node]);
    let joint = if line.head == Head::None { "–" } else { "→" };
    let sure = line.probability.map(|probability| format!(": probability {probability:.2}"));
    format!("{from} {joint} {to}{}", sure.unwrap_or_default())
}

/// How wide an edge is drawn.
fn width(probability: f64) -> f64 {
    0.8 + 1.8 * probability
}

/// How dark an edge is drawn.
fn opacity(probability: f64) -> f64 {
    0.3 + 0.7 * probability
}

/// A point of a drawing.
type Point = (f64, f64);

/// The tip of an arrow and the two corners behind it; the line is cut back to where the head begins.
fn arrow(points: &mut [Point]) -> (Point, [Point; 2]) {
    let [.., before, tip] = points else { return ((0.0, 0.0), [(0.0, 0.0); 2]) };
    let (dx, dy) = (tip.0 - before.0, tip.1 - before.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let end = *tip;
    *tip = (end.0 - HEAD * ux, end.1 - HEAD * uy);
    let half = 0.45 * HEAD;
    let corner = |sign: f64| (tip.0 - sign * half * uy, tip.1 + sign * half * ux);
    (end, [corner(1.0), corner(-1.0)])
}

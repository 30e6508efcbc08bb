//! The best graph, drawn in layers.

use super::svg::{Svg, smooth};
use crate::layout::{Layout, NODE_HEIGHT, label};
use crate::report::{BestEdge, Record};

/// The length of an arrow's head.
const HEAD: f64 = 10.0;

/// Space for the words below the graph.
const LEGEND: f64 = 48.0;

/// The best graph of a run.
pub(super) fn graph(record: &Record) -> Svg {
    let layout = record.layout();
    let (width, height) = (layout.width.max(520.0), layout.height + LEGEND);
    let mut svg = Svg::new(width, height, &format!("The best graph of {}", record.data_name()));
    for edge in record.edges() {
        draw_edge(&mut svg, record, &layout, edge);
    }
    for (name, place) in record.names().iter().zip(&layout.nodes) {
        svg.open("node", "");
        svg.title(name);
        let (x, y) = (place.x - place.width / 2.0, place.top());
        let shape =
            format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{NODE_HEIGHT}\" rx=\"8\"", place.width);
        svg.add("rect", "", &shape);
        svg.text("", &format!("x=\"{:.1}\" y=\"{:.1}\"", place.x, place.y + 4.5), &label(name));
        svg.close();
    }
    let (x, y) = (24.0, layout.height + 14.0);
    svg.text(
        "small",
        &format!("x=\"{x}\" y=\"{y}\""),
        "Full head: the direction is compelled. Hollow head: it is reversible.",
    );
    if !record.is_single() {
        let shape = format!("x=\"{x}\" y=\"{}\"", y + 17.0);
        svg.text("small", &shape, "The wider and darker, the more probable.");
    }
    svg
}

fn draw_edge(svg: &mut Svg, record: &Record, layout: &Layout, best: &BestEdge) {
    let Some(route) = layout.routes.iter().find(|route| route.edge == best.edge) else { return };
    let mut points = layout.points(route);
    let (tip, base) = arrow(&mut points);
    let class = if best.compelled { "edge compelled" } else { "edge reversible" };
    svg.open(class, "");
    let [from, to] = [best.edge.from, best.edge.to].map(|node| &record.names()[node]);
    svg.title(&format!("{from} → {to}: probability {:.2}", best.probability));
    let (width, opacity) = (width(best.probability), opacity(best.probability));
    // Opacity of the stroke, not of the element: for that the painter needs a sheet as large as the edge.
    let look = format!("stroke-width=\"{width:.1}\" stroke-opacity=\"{opacity:.2}\"");
    svg.add("path", "line", &format!("d=\"{}\" {look}", smooth(&points)));
    let ((x, y), [(ax, ay), (bx, by)]) = (tip, base);
    let corners = format!("M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}Z");
    let shape = format!("d=\"{corners}\" stroke-width=\"1.2\" opacity=\"{opacity:.2}\"");
    svg.add("path", "head", &shape);
    svg.close();
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

//! Graphs, drawn in layers.

use gflowcausal::EdgeResult;
use gflowcausal::graph::{Cpdag, Dag, Edge, NamedGraph};

use super::svg::{Svg, smooth};
use crate::indexed::IndexedRun;
use crate::layout::{Layout, NODE_HEIGHT, label, width_of};

/// The length of an arrow's head.
const HEAD: f64 = 10.0;

/// Space around the words below the graph.
const LEGEND: f64 = 14.0;

/// The width of a letter of the legend in the widest of its fonts, on average.
const LETTER: f64 = 6.2;

/// What stands at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Head {
    /// An arrow whose direction is certain.
    Full,
    /// An arrow that may as well be reversed.
    Hollow,
    /// An arrow that may as well not be there.
    Unsure,
    /// Nothing: no direction is claimed.
    None,
}

/// An edge as it is drawn.
struct Line {
    edge: Edge,
    head: Head,
    probability: Option<f64>,
    is_negative: bool,
}

/// The best graph of a run.
pub(super) fn best(run: &IndexedRun<'_>, least: f64) -> Svg {
    let line = |(edge, found): (Edge, &EdgeResult)| Line {
        edge,
        head: if found.compelled { Head::Full } else { Head::Hollow },
        probability: Some(found.probability),
        is_negative: is_negative(run, edge),
    };
    let lines: Vec<Line> = run.edges().map(line).collect();
    let legend = ["Full head: the direction is compelled. Hollow head: it is reversible."];
    of_run(
        run,
        &format!("The best graph of {}", run.result.data.name),
        &run.best_layout(),
        lines,
        (least, &legend),
    )
}

/// The consensus graph of a run.
pub(super) fn consensus(run: &IndexedRun<'_>, least: f64) -> Svg {
    let line = |&edge: &Edge| {
        let probability = run.probability(edge.from, edge.to);
        let either = probability + run.probability(edge.to, edge.from);
        let head = match (probability >= SURE, either >= SURE) {
            (true, _) => Head::Full,
            (false, true) => Head::Hollow,
            (false, false) => Head::Unsure,
        };
        Line { edge, head, probability: Some(probability), is_negative: is_negative(run, edge) }
    };
    let lines: Vec<Line> = run.consensus.iter().map(line).collect();
    let legend = [
        "Full head: the direction has at least 0.9. Hollow head: the edge has, its direction is open.",
        "Dashed: the edge is unsure, but likelier than none.",
    ];
    of_run(
        run,
        &format!("The consensus graph of {}", run.result.data.name),
        &run.layout(),
        lines,
        (least, &legend),
    )
}

/// The class of the best graph: directed and undirected edges.
pub(super) fn cpdag(run: &IndexedRun<'_>, least: f64) -> Svg {
    let line = |(edge, found): (Edge, &EdgeResult)| {
        let (head, probability) = match found.compelled {
            true => (Head::Full, found.probability),
            false => (Head::None, (found.probability + found.reverse_probability).min(1.0)),
        };
        Line { edge, head, probability: Some(probability), is_negative: is_negative(run, edge) }
    };
    let lines: Vec<Line> = run.edges().map(line).collect();
    let legend = ["An arrow has the same direction in all equivalent graphs, a plain line has not."];
    let title = format!("The equivalence class of the best graph of {}", run.result.data.name);
    of_run(run, &title, &run.best_layout(), lines, (least, &legend))
}

/// A probability from which on an edge or its direction is sure.
const SURE: f64 = 0.9;

/// Whether the slope of an edge of the best graph is below zero.
fn is_negative(run: &IndexedRun<'_>, edge: Edge) -> bool {
    run.edges().any(|(other, found)| other == edge && found.weight.is_some_and(|weight| weight < 0.0))
}

/// A graph of a run above its legend; edges below the least probability are left out.
fn of_run(
    run: &IndexedRun<'_>,
    title: &str,
    layout: &Layout,
    mut lines: Vec<Line>,
    (least, legend): (f64, &[&str]),
) -> Svg {
    lines.retain(|line| line.probability.is_none_or(|probability| probability >= least));
    let mut words: Vec<String> = legend.iter().map(|&line| line.to_owned()).collect();
    if lines.iter().any(|line| line.is_negative) {
        words.push("Red, with a bar across: the slope is negative.".to_owned());
    }
    if !run.is_single() {
        let left_out =
            if least > 0.0 { format!(" Edges below {least} are left out.") } else { String::new() };
        words.push(format!("The wider and stronger, the more probable.{left_out}"));
    }
    let longest = words.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let size = (
        layout.width.max(2.0 * 24.0 + LETTER * longest as f64),
        layout.height + LEGEND + 17.0 * words.len() as f64,
    );
    let mut svg = Svg::new(size.0, size.1, title);
    draw(&mut svg, run.names(), layout, &lines);
    for (line, y) in words.iter().zip(0..) {
        let place = format!("x=\"24\" y=\"{}\"", layout.height + 14.0 + 17.0 * f64::from(y));
        svg.text("small", &place, line);
    }
    svg
}

/// Any graph; an edge without direction has no head, one of a DAG that equivalent graphs reverse a hollow one, and one
/// that closes a cycle points upwards.
pub(super) fn named(graph: &NamedGraph) -> Svg {
    let pdag = graph.graph();
    let line = |head| {
        move |edge| Line {
            edge,
            head,
            probability: graph.probability(edge),
            is_negative: graph.weight(edge).is_some_and(|weight| weight < 0.0),
        }
    };
    let class = graph.to_dag().ok().map(|dag| Cpdag::of(&dag).into_pdag());
    let head = |edge: Edge| match &class {
        Some(class) if !class.has_directed(edge) => Head::Hollow,
        _ => Head::Full,
    };
    let directed = pdag.directed().map(|edge| line(head(edge))(edge));
    let lines = directed.chain(pdag.undirected().map(line(Head::None)));
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
    svg.open(&class(line), "");
    svg.title(&words(names, line));
    let probability = line.probability.unwrap_or(1.0);
    let (width, opacity) = (width(probability), opacity(probability));
    // Opacity of the stroke, not of the element: for that the painter needs a sheet as large as the edge.
    let stroke = format!("stroke-width=\"{width:.1}\" stroke-opacity=\"{opacity:.2}\"");
    svg.add("path", "line", &format!("d=\"{}\" {stroke}", smooth(&points)));
    if line.is_negative {
        let [(ax, ay), (bx, by)] = bar(&points);
        svg.add("line", "sign", &format!("x1=\"{ax:.1}\" y1=\"{ay:.1}\" x2=\"{bx:.1}\" y2=\"{by:.1}\""));
    }
    if line.head != Head::None {
        let ((x, y), [(ax, ay), (bx, by)]) = (tip, base);
        let corners = format!("M{x:.1} {y:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}Z");
        let shape = format!("d=\"{corners}\" stroke-width=\"1.2\" opacity=\"{opacity:.2}\"");
        svg.add("path", "head", &shape);
    }
    svg.close();
}

/// How the style calls an edge.
fn class(line: &Line) -> String {
    let kind = match line.head {
        Head::Hollow => "reversible",
        Head::Unsure => "unsure",
        Head::Full | Head::None => "compelled",
    };
    format!("edge {kind}{}", if line.is_negative { " negative" } else { "" })
}

/// The ends of a bar across the middle of a line: the middle of its middle piece.
fn bar(points: &[Point]) -> [Point; 2] {
    let at = (points.len() - 1) / 2;
    let (a, b) = (points[at], points[at + 1]);
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1e-9);
    let (ux, uy) = ((b.0 - a.0) / length * 6.0, (b.1 - a.1) / length * 6.0);
    let (x, y) = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    [(x - uy, y + ux), (x + uy, y - ux)]
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

//! The probability of every edge as a map in causal order: rows cause columns.

use super::svg::Svg;
use crate::indexed::IndexedRun;
use crate::layout::{label, width_of};

/// The side of the map, about.
const SIDE: f64 = 720.0;

/// With more variables than this, names would be too small to read.
const NAMED: usize = 60;

/// What a probability has to be to be seen.
const VISIBLE: f64 = 0.005;

/// The map of a run.
pub(super) fn heat_map(run: &IndexedRun<'_>) -> Svg {
    let (names, order) = (run.names(), run.order());
    let count = order.len().max(1);
    let cell = (SIDE / count as f64).clamp(2.0, 30.0).floor();
    let is_named = count <= NAMED;
    let longest = names.iter().map(|name| width_of(&label(name))).fold(0.0, f64::max);
    let margin = if is_named { longest + 10.0 } else { 34.0 };
    let side = cell * count as f64;
    let title = "The probability of every edge, in causal order: the row causes the column";
    let mut svg = Svg::new((margin + side + 24.0).max(430.0), margin + side + 64.0, title);
    svg.add("rect", "axis", &format!("x=\"{margin}\" y=\"{margin}\" width=\"{side}\" height=\"{side}\""));
    for (row, &from) in order.iter().enumerate() {
        for (column, &to) in order.iter().enumerate() {
            let place = (margin + cell * column as f64, margin + cell * row as f64);
            draw_cell(&mut svg, run, (from, to), place, cell);
        }
    }
    if is_named {
        draw_names(&mut svg, run, margin, cell);
    }
    draw_legend(&mut svg, margin, margin + side + 30.0);
    svg
}

fn draw_cell(svg: &mut Svg, run: &IndexedRun<'_>, (from, to): (usize, usize), (x, y): (f64, f64), cell: f64) {
    let probability = run.probability(from, to);
    if probability >= VISIBLE {
        let shape = format!(
            "x=\"{x}\" y=\"{y}\" width=\"{cell}\" height=\"{cell}\" fill-opacity=\"{probability:.3}\""
        );
        svg.add("rect", "heat", &shape);
    }
    if cell >= 6.0 && run.has_edge(from, to) {
        let side = cell - 2.0;
        let shape = format!("x=\"{}\" y=\"{}\" width=\"{side}\" height=\"{side}\"", x + 1.0, y + 1.0);
        svg.add("rect", "framed", &shape);
    }
}

fn draw_names(svg: &mut Svg, run: &IndexedRun<'_>, margin: f64, cell: f64) {
    for (place, &node) in run.order().iter().enumerate() {
        let name = label(&run.names()[node]);
        let middle = margin + cell * (place as f64 + 0.5);
        svg.text("", &format!("x=\"{}\" y=\"{}\" text-anchor=\"end\"", margin - 6.0, middle + 4.0), &name);
        let (x, y) = (middle + 4.0, margin - 6.0);
        svg.text("", &format!("x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\""), &name);
    }
}

fn draw_legend(svg: &mut Svg, x: f64, y: f64) {
    for step in 0..=10 {
        let at = x + 14.0 * f64::from(step);
        let shape = format!(
            "x=\"{at}\" y=\"{y}\" width=\"14\" height=\"12\" fill-opacity=\"{}\"",
            f64::from(step) / 10.0
        );
        svg.add("rect", "heat", &shape);
    }
    svg.add("rect", "axis", &format!("x=\"{x}\" y=\"{y}\" width=\"154\" height=\"12\""));
    svg.text(
        "small",
        &format!("x=\"{}\" y=\"{}\"", x + 162.0, y + 10.0),
        "probability 0 to 1; the row causes",
    );
    svg.text(
        "small",
        &format!("x=\"{}\" y=\"{}\"", x + 162.0, y + 24.0),
        "the column; framed: the best graph",
    );
}

//! What the page's script works on, as JSON that no name can break out of.

use gflowcausal::graph::Edge;
use gflowcausal::{EdgeResult, Preview, PreviewColumn, RunnerUpResult};
use serde::Serialize;

use super::effects::PageEffects;
use crate::indexed::IndexedRun;
use crate::layout::{Route, label};

/// Probabilities below this are not shown.
const LEAST: f64 = 5e-4;

#[derive(Serialize)]
struct Page<'a> {
    name: &'a str,
    names: &'a [String],
    labels: Vec<String>,
    order: &'a [usize],
    width: f64,
    height: f64,
    /// Centre, width and row of each box.
    places: Vec<(f64, f64, f64, usize)>,
    edges: &'a [EdgeResult],
    /// Ends of an edge that was laid out, and where it passes the rows between them.
    bends: Vec<(usize, usize, Vec<f64>)>,
    /// Cause, effect, probability.
    probabilities: Vec<(usize, usize, f64)>,
    /// Ancestor, descendant, probability.
    ancestors: Vec<(usize, usize, f64)>,
    preview: Option<PagePreview<'a>>,
    /// Ends of the consensus graph's edges.
    consensus: Vec<(usize, usize)>,
    /// How many pairs are unsure; the consensus draws those that are likelier joined than not.
    unsure_pairs: usize,
    runners_up: Vec<PageRunnerUp>,
    truth: Option<Vec<(usize, usize)>>,
    /// Ends of the edges whose direction experiments decide.
    decided: Vec<(&'a str, &'a str)>,
    /// The effects of all pairs, where the run has them.
    effects: Option<PageEffects<'a>>,
    /// Of the best graph itself.
    score: Option<f64>,
    /// Whether there is one graph and no probability.
    single: bool,
}

/// A few rows of the data.
#[derive(Serialize)]
struct PagePreview<'a> {
    of: usize,
    rows: usize,
    columns: &'a [PreviewColumn],
}

/// How many rows of the data a page holds.
pub(super) fn rows_shown(preview: &Preview) -> usize {
    preview.columns.first().map_or(0, |column| match column {
        PreviewColumn::Numbers(values) => values.len(),
        PreviewColumn::Categories { codes, .. } => codes.len(),
    })
}

#[derive(Serialize)]
struct PageRunnerUp {
    /// Of its class; `null` if it is not known.
    probability: Option<f64>,
    score: f64,
    /// Cause, effect, whether the direction is compelled in this graph's class.
    edges: Vec<(usize, usize, bool)>,
}

/// The page's data; `<`, `>`, `&` and line separators are written as escapes, so that it can stand in a script element.
pub(super) fn json(run: &IndexedRun<'_>) -> String {
    let layout = run.layout();
    let places = layout.nodes.iter().map(|place| (tenth(place.x), tenth(place.y), place.width, place.row));
    let page = Page {
        name: &run.result.data.name,
        names: run.names(),
        labels: run.names().iter().map(|name| label(name)).collect(),
        order: run.order(),
        width: tenth(layout.width),
        height: tenth(layout.height),
        places: places.collect(),
        edges: &run.result.graph.edges,
        bends: layout.routes.iter().map(|route| (route.edge.from, route.edge.to, bends(route))).collect(),
        probabilities: pairs(run, IndexedRun::probability),
        ancestors: pairs(run, IndexedRun::ancestor_probability),
        preview: run.result.preview.as_ref().map(|preview| PagePreview {
            of: preview.of,
            rows: rows_shown(preview),
            columns: &preview.columns,
        }),
        consensus: run.consensus.iter().map(|edge| (edge.from, edge.to)).collect(),
        unsure_pairs: run.result.consensus.as_ref().map_or(0, |consensus| consensus.unsure.len()),
        runners_up: runners_up(run),
        truth: run.truth.as_ref().map(|truth| truth.iter().map(|edge| (edge.from, edge.to)).collect()),
        decided: decided(run),
        effects: run.result.effects.as_ref().map(|effects| PageEffects::new(effects, run.names())),
        score: run.result.score.graph,
        single: run.is_single(),
    };
    escaped(&serde_json::to_string(&page).expect("every value has a JSON form"))
}

fn decided<'a>(run: &IndexedRun<'a>) -> Vec<(&'a str, &'a str)> {
    let decided = run.result.interventions.iter().flat_map(|interventions| &interventions.decided);
    decided.map(|(from, to)| (from.as_str(), to.as_str())).collect()
}

fn bends(route: &Route) -> Vec<f64> {
    route.bends.iter().map(|bend| tenth(bend.0)).collect()
}

/// All pairs with a probability that is shown.
fn pairs<'a>(
    run: &IndexedRun<'a>,
    probability: fn(&IndexedRun<'a>, usize, usize) -> f64,
) -> Vec<(usize, usize, f64)> {
    let count = run.names().len();
    let pairs =
        (0..count).flat_map(|from| (0..count).filter(move |to| *to != from).map(move |to| (from, to)));
    let known = pairs.map(|(from, to)| (from, to, probability(run, from, to)));
    known.filter(|pair| pair.2 >= LEAST).map(|(from, to, p)| (from, to, rounded(p))).collect()
}

fn runners_up(run: &IndexedRun<'_>) -> Vec<PageRunnerUp> {
    let graphs = run.result.posterior.runners_up.iter().zip(&run.runners_up);
    let page = |(graph, edges): (&RunnerUpResult, &Vec<Edge>)| PageRunnerUp {
        probability: graph.class.probability.map(rounded),
        score: short(graph.score),
        edges: edges.iter().zip(&graph.compelled).map(|(edge, &is)| (edge.from, edge.to, is)).collect(),
    };
    graphs.map(page).collect()
}

/// Four digits after the point: what a page can show of a probability.
pub(super) fn rounded(probability: f64) -> f64 {
    (probability * 1e4).round() / 1e4
}

fn tenth(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// Six digits.
pub(super) fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_closes_the_script() {
        let name = "</script><!--&\u{2028}";
        let text = escaped(&serde_json::to_string(name).unwrap());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }

    #[test]
    fn numbers_keep_six_digits() {
        assert_eq!(short(-1234.567891), -1234.57);
        assert_eq!(rounded(0.123456), 0.1235);
    }
}

//! The edges of a result: the consensus in three lists, directed paths, the best graph and the runners-up.

use gflowcausal::{ClassResult, ConsensusResult, EdgeResult, PosteriorResult, RunResult, RunnerUpResult};

use super::prose::{aligned, middle_ellipsis, plural, wrapped};
use super::{Extent, TextStyle};

/// A probability from which on an edge or a path is sure.
const SURE: f64 = 0.9;

/// How many edges of a list are shown in a headline.
const LISTED: usize = 20;

/// How many directed paths.
const PATHS: usize = 10;

/// How many runners-up.
const RUNNERS_UP: usize = 3;

/// How many differences of a runner-up.
const CHANGES: usize = 6;

/// Below this probability the best graph's class is not likely.
const LIKELY: f64 = 0.1;

/// The most letters of a name in a table, so that a row has at most 80 columns.
const NAME: usize = 14;

/// What a result says of edges, the consensus first.
pub(super) fn edges(text: &mut String, result: &RunResult, style: TextStyle) {
    match &result.consensus {
        Some(consensus) => {
            lists(text, consensus, style);
            by_shape(text, consensus, style);
            indirect(text, result, style);
            best(text, result, style);
        }
        None => single_graph(text, result, style),
    }
}

impl TextStyle {
    /// How many of `all` items are shown where a headline has `few`.
    fn shown(self, all: usize, few: usize) -> usize {
        match self.extent {
            Extent::Headline => all.min(few),
            Extent::All => all,
        }
    }

    /// A name as tables show it.
    fn name(self, name: &str) -> String {
        match self.extent {
            Extent::Headline => middle_ellipsis(name, NAME),
            Extent::All => name.to_owned(),
        }
    }

    fn arrow(self, edge: &EdgeResult) -> String {
        format!("{} -> {}", self.name(&edge.from), self.name(&edge.to))
    }

    /// An edge that no line break divides.
    fn edge(self, from: &str, to: &str) -> String {
        format!("{} -> {}", self.name(from), self.name(to)).replace(' ', "\u{a0}")
    }

    /// A directed path that no line break divides.
    fn path(self, from: &str, to: &str) -> String {
        format!("{} ~> {}", self.name(from), self.name(to)).replace(' ', "\u{a0}")
    }
}

/// The one graph of a method without probabilities.
fn single_graph(text: &mut String, result: &RunResult, style: TextStyle) {
    let edges = &result.graph.edges;
    let direction = |edge: &EdgeResult| if edge.compelled { "compelled" } else { "reversible" };
    let shown = style.shown(edges.len(), LISTED);
    let row = |edge| [[style.arrow(edge), direction(edge).into()], numbers(edge)].concat();
    let rows: Vec<_> = edges[..shown].iter().map(row).collect();
    text.push_str(&aligned(&["edge", "direction", "slope", "score difference"], &rows, &[2, 3]));
    more(text, edges.len() - shown, style);
}

/// Says how many edges are not shown.
fn more(text: &mut String, hidden: usize, style: TextStyle) {
    if hidden > 0 {
        text.push_str(&format!("  and {hidden} more: {} shows them\n", style.all()));
    }
}

/// The consensus graph in three lists.
fn lists(text: &mut String, consensus: &ConsensusResult, style: TextStyle) {
    let ConsensusResult { sure, direction_open, unsure, .. } = consensus;
    if sure.is_empty() && direction_open.is_empty() && unsure.is_empty() {
        text.push_str("no edge has a probability of 0.1 or more\n\n");
    }
    list(text, "sure", "the direction has a probability of at least 0.9", sure, style);
    let open = "an edge with at least 0.9, its direction open";
    list(text, "direction open", open, direction_open, style);
    list(text, "unsure", "an edge with a probability of 0.1 to 0.9", unsure, style);
}

fn list(text: &mut String, title: &str, meaning: &str, edges: &[EdgeResult], style: TextStyle) {
    if edges.is_empty() {
        return;
    }
    text.push_str(&format!("{} ({}): {meaning}\n", style.color.bold(title), edges.len()));
    let shown = style.shown(edges.len(), LISTED);
    let mut edges: Vec<&EdgeResult> = edges.iter().collect();
    edges.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    let rows = edges[..shown].iter().map(|edge| {
        let chances = [edge.probability, edge.reverse_probability, edge.absent_probability].map(chance);
        [[style.arrow(edge)].as_slice(), &chances, &numbers(edge)].concat()
    });
    let heads = ["edge", "->", "<-", "none", "slope", "score difference"];
    text.push_str(&aligned(&heads, &Vec::from_iter(rows), &[1, 2, 3, 4, 5]));
    more(text, edges.len() - shown, style);
    text.push('\n');
}

/// By what a list is sorted: the probability of the edge as it is printed, and how much the best graph loses without it.
fn strength(edge: &EdgeResult) -> f64 {
    let percent = (100.0 * edge.probability).round();
    percent + edge.delta_score.map_or(0.0, |delta| delta.max(0.0) / (1.0 + delta.abs()))
}

fn numbers(edge: &EdgeResult) -> [String; 2] {
    [
        edge.weight.map_or(String::new(), slope),
        edge.delta_score.map_or(String::new(), |delta| format!("{delta:.1}")),
    ]
}

/// Two decimals, never rounded up to the threshold of a list that the edge is not in.
fn chance(probability: f64) -> String {
    let rounded = (100.0 * probability).round() / 100.0;
    let shown = if probability < SURE && rounded >= SURE { SURE - 0.01 } else { rounded };
    format!("{shown:.2}")
}

/// Three decimals, or as many as three digits of a small slope need; a power of ten where that would be too wide.
fn slope(weight: f64) -> String {
    match weight.abs() {
        0.0 | 0.1..1000.0 => format!("{weight:.3}"),
        0.01..0.1 => format!("{weight:.4}"),
        0.001..0.01 => format!("{weight:.5}"),
        _ => format!("{weight:.1e}"),
    }
}

/// The sure directions that an assumption about shapes tells, and that independence alone would leave open.
fn by_shape(text: &mut String, consensus: &ConsensusResult, style: TextStyle) {
    let ConsensusResult { sure, by_shape, .. } = consensus;
    if by_shape.is_empty() {
        return;
    }
    let count = style.shown(by_shape.len(), PATHS);
    let shown: Vec<String> = by_shape[..count].iter().map(|(from, to)| style.edge(from, to)).collect();
    let line = format!(
        "{} ({} of {} sure): known from what the score assumes of functions and noise alone; by what is independent of what, these directions are open: {}{}",
        style.color.bold("by shape"),
        by_shape.len(),
        sure.len(),
        shown.join(", "),
        others(by_shape.len() - count)
    );
    text.push_str(&format!("{}\n\n", wrapped(&line, "  ")));
}

/// The pairs that are surely joined by a directed path, but not surely by an edge.
fn indirect(text: &mut String, result: &RunResult, style: TextStyle) {
    let names = &result.data.variables;
    let PosteriorResult { ancestor_probabilities, edge_probabilities, .. } = &result.posterior;
    let mut paths = Vec::new();
    for (from, row) in ancestor_probabilities.iter().enumerate() {
        for (to, &probability) in row.iter().enumerate().filter(|&(to, _)| to != from) {
            if probability >= SURE && edge_probabilities[from][to] < SURE {
                paths.push((
                    probability,
                    format!("{} ({probability:.2})", style.path(&names[from], &names[to])),
                ));
            }
        }
    }
    if paths.is_empty() {
        return;
    }
    paths.sort_by(|a, b| b.0.total_cmp(&a.0));
    let count = style.shown(paths.len(), PATHS);
    let shown: Vec<String> = paths[..count].iter().map(|(_, text)| text.clone()).collect();
    let more = others(paths.len() - count);
    let title = format!(
        "{} ({}): a directed path has a probability of at least 0.9, an edge has not: {}{more}",
        style.color.bold("indirect"),
        paths.len(),
        shown.join(", ")
    );
    text.push_str(&format!("{}\n\n", wrapped(&title, "  ")));
}

/// The best graph and how the runners-up differ from it.
fn best(text: &mut String, result: &RunResult, style: TextStyle) {
    let edges = &result.graph.edges;
    let class = match &result.posterior.best {
        Some(class) if is_single(class) => share_text(class),
        class => {
            let compelled = edges.iter().filter(|edge| edge.compelled).count();
            let class = class.as_ref().map_or_else(String::new, class_text);
            format!(", {compelled} compelled within its class{class}")
        }
    };
    let count = style.shown(edges.len(), LISTED);
    let shown: Vec<String> = edges[..count].iter().map(|edge| style.edge(&edge.from, &edge.to)).collect();
    let title = format!(
        "{}: {} {}{class}: {}{}",
        style.color.bold("best graph"),
        edges.len(),
        plural(edges.len(), "edge"),
        shown.join(", "),
        others(edges.len() - count)
    );
    text.push_str(&format!("{}\n", wrapped(&title, "  ")));
    if !is_best_likely(&result.posterior) {
        let warning = "no single graph is likely: go by the probabilities above, not by one graph";
        text.push_str(&format!("{}\n", wrapped(warning, "  ")));
    }
    let runners_up = &result.posterior.runners_up;
    for runner_up in &runners_up[..style.shown(runners_up.len(), RUNNERS_UP)] {
        let score = result.score.graph.unwrap_or(result.score.value);
        let line = runner_up_line(runner_up, edges, score, style);
        text.push_str(&format!("{}\n", wrapped(&line, "  ")));
    }
}

fn others(count: usize) -> String {
    if count > 0 { format!(", and {count} more") } else { String::new() }
}

/// Whether the class has so much of the probability that it is to be inspected. Where its probability is not known, most draws
/// must not differ from each other.
fn is_best_likely(posterior: &PosteriorResult) -> bool {
    match posterior.best.and_then(|class| class.probability) {
        Some(probability) => probability >= LIKELY,
        None => 2 * posterior.distinct as u64 <= posterior.samples,
    }
}

/// Whether the class is one DAG, as with every score that distinguishes equivalent ones.
fn is_single(class: &ClassResult) -> bool {
    class.class_size == Some(1.0)
}

fn class_text(class: &ClassResult) -> String {
    let size = class
        .class_size
        .map_or(String::new(), |size| format!(" of {size:.0} {}", plural(size as usize, "DAG")));
    format!("{size}{}", share_text(class))
}

fn share_text(class: &ClassResult) -> String {
    class.probability.map_or(String::new(), |share| match share {
        share if share < 0.01 => " (probability below 0.01)".to_owned(),
        share => format!(" (probability {share:.2})"),
    })
}

/// How the class of a runner-up differs from that of the best graph: edges, and directions that are compelled in either.
fn runner_up_line(runner_up: &RunnerUpResult, best: &[EdgeResult], score: f64, style: TextStyle) -> String {
    let changes = changes(runner_up, best, style);
    let shown = style.shown(changes.len(), CHANGES);
    let hidden = others(changes.len() - shown);
    let changes =
        if changes.is_empty() { "other directions".to_owned() } else { changes[..shown].join(", ") };
    let class = match &runner_up.class {
        class if is_single(class) => share_text(class),
        class => format!(", a class{}", class_text(class)),
    };
    format!("runner-up, score {:+.1}{class}: {changes}{hidden}", runner_up.score - score)
}

/// What a runner-up has more, the other way round, and less than the best graph.
fn changes(runner_up: &RunnerUpResult, best: &[EdgeResult], style: TextStyle) -> Vec<String> {
    let of_best = |a: &str, b: &str| {
        best.iter().find(|edge| (edge.from == a && edge.to == b) || (edge.from == b && edge.to == a))
    };
    let own = || runner_up.edges.iter().zip(&runner_up.compelled);
    let has =
        |a: &str, b: &str| own().any(|((from, to), _)| (from == a && to == b) || (from == b && to == a));
    let mut changes = Vec::new();
    for ((from, to), &is_compelled) in own() {
        match of_best(from, to) {
            None => changes.push(format!("with {}", style.edge(from, to))),
            Some(edge)
                if edge.from == *to && (is_compelled || edge.compelled || is_single(&runner_up.class)) =>
            {
                changes.push(format!("{} instead", style.edge(from, to)));
            }
            Some(_) => {}
        }
    }
    let missing = best.iter().filter(|edge| !has(&edge.from, &edge.to));
    changes.extend(missing.map(|edge| format!("without {}", style.edge(&edge.from, &edge.to))));
    changes
}

#[cfg(test)]
mod tests {
    use gflowcausal::FrontEnd;

    use super::super::ColorMode;
    use super::*;

    const STYLE: TextStyle =
        TextStyle { color: ColorMode::Plain, extent: Extent::Headline, front_end: FrontEnd::CommandLine };

    fn edge(from: &str, to: &str) -> EdgeResult {
        EdgeResult {
            from: from.to_owned(),
            to: to.to_owned(),
            weight: None,
            standard_error: None,
            standardized_weight: None,
            probability: 0.5,
            reverse_probability: 0.3,
            absent_probability: 0.2,
            compelled: false,
            delta_score: None,
            delta_reversed: None,
        }
    }

    fn runner_up(edges: &[(&str, &str)], class_size: f64) -> RunnerUpResult {
        RunnerUpResult {
            edges: edges.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect(),
            compelled: vec![false; edges.len()],
            score: -12.0,
            class: ClassResult { probability: Some(0.05), class_size: Some(class_size) },
        }
    }

    #[test]
    fn a_runner_up_names_its_directions_where_each_graph_is_a_class() {
        let best = [edge("a", "b")];
        let line = |size: f64| {
            runner_up_line(&runner_up(&[("b", "a")], size), &best, -10.0, STYLE).replace('\u{a0}', " ")
        };
        assert_eq!(line(1.0), "runner-up, score -2.0 (probability 0.05): b -> a instead");
        assert_eq!(
            line(4.0),
            "runner-up, score -2.0, a class of 4 DAGs (probability 0.05): other directions"
        );
    }

    #[test]
    fn slopes_keep_their_size() {
        let shown = [0.0, 0.52, -60.451, 0.00042, -12_345.6, 0.00149, -0.0251].map(slope);
        assert_eq!(shown, ["0.000", "0.520", "-60.451", "4.2e-4", "-1.2e4", "0.00149", "-0.0251"]);
    }

    #[test]
    fn an_edge_that_is_not_sure_does_not_look_so() {
        assert_eq!([0.8961, 0.9, 0.904, 0.9961, 0.004].map(chance), ["0.89", "0.90", "0.90", "1.00", "0.00"]);
    }

    #[test]
    fn a_long_list_of_changes_is_cut_and_long_names_are_shortened() {
        let long = "mean fractal dimension of the cell";
        let names: Vec<String> = (0..30).map(|k| format!("v{k}")).collect();
        let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), long)).collect();
        let line = runner_up_line(&runner_up(&pairs, 1.0), &[], -10.0, STYLE).replace('\u{a0}', " ");
        assert!(line.ends_with(", and 24 more"), "{line}");
        assert!(!line.contains(long) && line.contains("mean fr…e cell"), "{line}");
        let all = TextStyle { extent: Extent::All, ..STYLE };
        assert!(runner_up_line(&runner_up(&pairs, 1.0), &[], -10.0, all).contains("v29"));
    }
}

//! What a run found as text that is read in ten seconds, the same for every front end.

use std::fmt::Write;

use gflowcausal::data::Severity;
use gflowcausal::{
    ClassResult, Config, ConsensusResult, EdgeResult, FindingResult, PosteriorResult, RunResult,
    RunnerUpResult, ScoreName, Source, Training,
};

use crate::trust::{Trust, trust};

/// The most columns of a line of prose.
const WIDTH: usize = 80;

/// A probability from which on an edge or a path is sure.
const SURE: f64 = 0.9;

/// How many edges of a list are shown.
const LISTED: usize = 20;

/// How many runners-up are shown.
const RUNNERS_UP: usize = 3;

/// Whether a text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorMode {
    /// Letters alone.
    Plain,
    /// Colours, by the codes that terminals know.
    Terminal,
}

impl ColorMode {
    fn bold(self, words: &str) -> String {
        self.painted("1", words)
    }

    fn yellow(self, words: &str) -> String {
        self.painted("33", words)
    }

    fn painted(self, colour: &str, words: &str) -> String {
        match self {
            Self::Plain => words.to_owned(),
            Self::Terminal => format!("\x1b[{colour}m{words}\x1b[0m"),
        }
    }
}

/// The data, the checks, the edges, and how far to trust them.
#[must_use]
pub fn result_text(result: &RunResult, config: &Config, color: ColorMode) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut text, result, config, color);
    text.push('\n');
    match &result.consensus {
        Some(consensus) => {
            lists(&mut text, consensus, color);
            indirect(&mut text, result, color);
            best(&mut text, result, color);
        }
        None => text.push_str(&single_graph(result)),
    }
    text.push('\n');
    let _ = foot(&mut text, result, color);
    text
}

fn head(text: &mut String, result: &RunResult, config: &Config, color: ColorMode) -> std::fmt::Result {
    let data = &result.data;
    writeln!(text, "{}: {} rows, {} variables", color.bold(&data.name), data.rows, data.variables.len())?;
    let notes = result.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    let mut is_quiet = true;
    for finding in result.findings.iter().filter(|finding| finding.severity < Severity::Note) {
        is_quiet = false;
        writeln!(text, "{}", wrapped(&finding_line(finding, color), ""))?;
    }
    if notes > 0 {
        let more = if is_quiet { "" } else { "more " };
        writeln!(text, "checks: {notes} {more}{}, see `gflowcausal doctor`", plural(notes, "note"))?;
    } else if result.findings.is_empty() {
        writeln!(text, "checks: nothing wrong or odd")?;
    }
    writeln!(text, "{}", wrapped(&score_line(result, config), "  "))?;
    let method = match &result.training {
        Some(training) => training_line(result, training),
        None => format!("method {}, seed {}", result.method, result.seed),
    };
    writeln!(text, "{}", wrapped(&method, "  "))
}

fn score_line(result: &RunResult, config: &Config) -> String {
    let score = &result.score;
    let why = if config.score == ScoreName::Auto { why(&score.name) } else { "" };
    let prune = match score.prune.as_deref() {
        None | Some("selected") => String::new(),
        Some(prune) => format!("; pruning {prune}"),
    };
    let prior = if is_single(result) {
        String::new()
    } else {
        format!("; temperature {}, edge prior {}", score.temperature, result.posterior.edge_prior)
    };
    format!("score {}{why}: {:.1}{prune}{prior}", score.name, score.value)
}

fn why(score: &str) -> &'static str {
    match score {
        "bdeu" => " (all columns hold categories)",
        "dg" => " (numbers and categories)",
        _ => " (all columns hold numbers)",
    }
}

fn finding_line(finding: &FindingResult, color: ColorMode) -> String {
    format!("{}[{}]: {}", color.yellow(&finding.severity.to_string()), finding.code, finding.what)
}

fn training_line(result: &RunResult, training: &Training) -> String {
    let stopped = serde_json::to_value(training.stopped).unwrap_or_default();
    format!(
        "method {}: walk {}, {}, {} of {} iterations of {} ({}), learning rate {}, {} hidden units, seed {}",
        result.method,
        training.walk,
        training.objective,
        training.iterations,
        training.most_iterations,
        training.batch_size,
        stopped.as_str().unwrap_or("stopped"),
        training.learning_rate,
        training.hidden,
        result.seed
    )
}

/// Whether the method gives one graph and no probabilities.
fn is_single(result: &RunResult) -> bool {
    result.posterior.by == Source::None
}

/// The one graph of a method without probabilities.
fn single_graph(result: &RunResult) -> String {
    let direction = |edge: &EdgeResult| if edge.compelled { "compelled" } else { "reversible" };
    let rows =
        result.graph.edges.iter().map(|edge| [[arrow(edge), direction(edge).into()], numbers(edge)].concat());
    aligned(&["edge", "direction", "slope", "score difference"], &Vec::from_iter(rows), &[2, 3])
}

/// The consensus graph in three lists.
fn lists(text: &mut String, consensus: &ConsensusResult, color: ColorMode) {
    let ConsensusResult { sure, direction_open, unsure, .. } = consensus;
    list(text, &format!("{}: the direction has a probability of at least 0.9", color.bold("sure")), sure);
    list(
        text,
        &format!(
            "{}: an edge with at least 0.9, whose direction the data leave open",
            color.bold("direction open")
        ),
        direction_open,
    );
    list(text, &format!("{}: an edge with a probability of 0.1 to 0.9", color.bold("unsure")), unsure);
}

fn list(text: &mut String, title: &str, edges: &[EdgeResult]) {
    if edges.is_empty() {
        return;
    }
    text.push_str(&format!("{title}\n"));
    let chance = |probability: f64| format!("{probability:.2}");
    let rows = edges.iter().take(LISTED).map(|edge| {
        let chances = [edge.probability, edge.reverse_probability, edge.absent_probability].map(chance);
        [[arrow(edge)].as_slice(), &chances, &numbers(edge)].concat()
    });
    let heads = ["edge", "->", "<-", "none", "slope", "score difference"];
    text.push_str(&aligned(&heads, &Vec::from_iter(rows), &[1, 2, 3, 4, 5]));
    if edges.len() > LISTED {
        text.push_str(&format!(
            "  and {} more: all are in the JSON and in the report\n",
            edges.len() - LISTED
        ));
    }
    text.push('\n');
}

fn arrow(edge: &EdgeResult) -> String {
    format!("{} -> {}", edge.from, edge.to)
}

fn numbers(edge: &EdgeResult) -> [String; 2] {
    [
        edge.weight.map_or(String::new(), |weight| format!("{weight:.3}")),
        edge.delta_score.map_or(String::new(), |delta| format!("{delta:.1}")),
    ]
}

/// The pairs that are surely joined by a directed path, but not surely by an edge.
fn indirect(text: &mut String, result: &RunResult, color: ColorMode) {
    let names = &result.data.variables;
    let PosteriorResult { ancestor_probabilities, edge_probabilities, .. } = &result.posterior;
    let mut paths = Vec::new();
    for (from, row) in ancestor_probabilities.iter().enumerate() {
        for (to, &probability) in row.iter().enumerate().filter(|&(to, _)| to != from) {
            if probability >= SURE && edge_probabilities[from][to] < SURE {
                paths.push((probability, format!("{} ({probability:.2})", path(&names[from], &names[to]))));
            }
        }
    }
    if paths.is_empty() {
        return;
    }
    paths.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shown: Vec<String> = paths.iter().take(LISTED).map(|(_, text)| text.clone()).collect();
    let more =
        if paths.len() > LISTED { format!(", and {} more", paths.len() - LISTED) } else { String::new() };
    let title = format!(
        "{}: a directed path has a probability of at least 0.9, an edge has not: {}{more}",
        color.bold("indirect"),
        shown.join(", ")
    );
    text.push_str(&format!("{}\n\n", wrapped(&title, "  ")));
}

/// The best graph and how the runners-up differ from it.
fn best(text: &mut String, result: &RunResult, color: ColorMode) {
    let edges = &result.graph.edges;
    let compelled = edges.iter().filter(|edge| edge.compelled).count();
    let class = result.posterior.best.map_or_else(String::new, |class| class_text(&class));
    let title = format!(
        "{}: {} {}, {compelled} compelled within its class{class}: {}",
        color.bold("best graph"),
        edges.len(),
        plural(edges.len(), "edge"),
        edges.iter().map(|edge| unbroken(&edge.from, &edge.to)).collect::<Vec<_>>().join(", ")
    );
    text.push_str(&format!("{}\n", wrapped(&title, "  ")));
    for runner_up in result.posterior.runners_up.iter().take(RUNNERS_UP) {
        let line = runner_up_line(runner_up, edges, result.score.graph.unwrap_or(result.score.value));
        text.push_str(&format!("{}\n", wrapped(&line, "  ")));
    }
}

fn class_text(class: &ClassResult) -> String {
    let size = class
        .class_size
        .map_or(String::new(), |size| format!(" of {size:.0} {}", plural(size as usize, "DAG")));
    let share = class.probability.map_or(String::new(), |share| match share {
        share if share < 0.01 => " (probability below 0.01)".to_owned(),
        share => format!(" (probability {share:.2})"),
    });
    format!("{size}{share}")
}

/// How the class of a runner-up differs from that of the best graph: edges, and directions that are compelled in either.
fn runner_up_line(runner_up: &RunnerUpResult, best: &[EdgeResult], score: f64) -> String {
    let of_best = |a: &str, b: &str| {
        best.iter().find(|edge| (edge.from == a && edge.to == b) || (edge.from == b && edge.to == a))
    };
    let own = || runner_up.edges.iter().zip(&runner_up.compelled);
    let has =
        |a: &str, b: &str| own().any(|((from, to), _)| (from == a && to == b) || (from == b && to == a));
    let mut changes = Vec::new();
    for ((from, to), &is_compelled) in own() {
        match of_best(from, to) {
            None => changes.push(format!("with {}", unbroken(from, to))),
            Some(edge) if edge.from == *to && (is_compelled || edge.compelled) => {
                changes.push(format!("{} instead", unbroken(from, to)));
            }
            Some(_) => {}
        }
    }
    let missing = best.iter().filter(|edge| !has(&edge.from, &edge.to));
    changes.extend(missing.map(|edge| format!("without {}", unbroken(&edge.from, &edge.to))));
    let changes = if changes.is_empty() { "other directions".to_owned() } else { changes.join(", ") };
    format!(
        "runner-up, score {:+.1}, a class{}: {changes}",
        runner_up.score - score,
        class_text(&runner_up.class)
    )
}

/// An edge that no line break divides.
fn unbroken(from: &str, to: &str) -> String {
    format!("{from} -> {to}").replace(' ', "\u{a0}")
}

/// A directed path that no line break divides.
fn path(from: &str, to: &str) -> String {
    format!("{from} ~> {to}").replace(' ', "\u{a0}")
}

fn foot(text: &mut String, result: &RunResult, color: ColorMode) -> std::fmt::Result {
    let Trust { is_low, text: trust } = trust(result);
    let warning =
        if is_low { format!("{}: ", color.yellow("warning[low-confidence]")) } else { String::new() };
    writeln!(text, "{}", wrapped(&format!("{warning}probabilities: {trust}"), "  "))?;
    if let Some(sortability) = &result.sortability {
        writeln!(text, "{}", wrapped(&sortability.verdict, "  "))?;
    }
    if let Some(metrics) = &result.metrics {
        let graph = &metrics.graph;
        let line = format!(
            "against the truth: SHD {} ({} with reversible edges either way), CPDAG-SHD {}, TPR {:.2}, FDR {:.2}, AUROC {:.2}, expected SHD {:.1}",
            graph.shd,
            metrics.class_shd,
            graph.cpdag_shd,
            graph.tpr,
            graph.fdr,
            metrics.auroc,
            metrics.expected_shd
        );
        writeln!(text, "{}", wrapped(&line, "  "))?;
    }
    Ok(())
}

/// `prose` in lines of at most [`WIDTH`] columns, broken between words; lines after the first begin with `indent`.
///
/// Colour codes count for nothing, and no-break spaces keep an edge together.
fn wrapped(prose: &str, indent: &str) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in prose.split(' ') {
        let needed = visible_width(word);
        if used > 0 && used + 1 + needed > WIDTH {
            lines.push('\n');
            lines.push_str(indent);
            used = indent.len();
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += needed;
    }
    lines.replace('\u{a0}', " ")
}

/// How many columns `word` takes without its colour codes.
fn visible_width(word: &str) -> usize {
    let mut is_code = false;
    word.chars()
        .filter(|&letter| {
            let hidden = is_code || letter == '\x1b';
            is_code = hidden && letter != 'm';
            !hidden
        })
        .count()
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// Rows of cells as aligned text, two spaces apart; columns listed in `right` are aligned to the right.
#[must_use]
pub fn aligned(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let header = header.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(&header).chain(rows).map(|row| aligned_row(row, &widths, right)).collect()
}

fn aligned_row(row: &[String], widths: &[usize], right: &[usize]) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, &wide))| {
        let gap = " ".repeat(wide - width(cell));
        if right.contains(&column) { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
    });
    let line = cells.collect::<Vec<_>>().join("  ");
    format!("  {}\n", line.trim_end())
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

//! What a run found as text that is read in ten seconds, the same for every front end.

use std::fmt::Write;

use gflowcausal::data::Severity;
use gflowcausal::{Config, EdgeResult, FindingResult, RunResult, ScoreName, Training, Weighting};

use crate::trust::{Trust, trust};

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
    text.push_str(&edges(result));
    text.push('\n');
    let _ = foot(&mut text, result, color);
    text
}

fn head(text: &mut String, result: &RunResult, config: &Config, color: ColorMode) -> std::fmt::Result {
    let data = &result.data;
    writeln!(text, "{}: {} rows, {} variables", color.bold(&data.name), data.rows, data.variables.len())?;
    let notes = result.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    for finding in result.findings.iter().filter(|finding| finding.severity < Severity::Note) {
        writeln!(text, "{}", finding_line(finding, color))?;
    }
    if notes > 0 {
        writeln!(text, "checks: {notes} more {}, see `gflowcausal doctor`", plural(notes, "note"))?;
    } else if result.findings.is_empty() {
        writeln!(text, "checks: nothing wrong or odd")?;
    }
    let score = &result.score;
    writeln!(
        text,
        "score {}{}: {:.1}{}{}",
        score.name,
        if config.score == ScoreName::Auto { why(&score.name) } else { "" },
        score.value,
        score.prune.as_ref().map_or(String::new(), |prune| format!("; pruning {prune}")),
        if is_single(result) { String::new() } else { format!("; temperature {}", score.temperature) }
    )?;
    match &result.training {
        Some(training) => writeln!(text, "{}", training_line(result, training)),
        None => writeln!(text, "method {}", result.method),
    }
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
    result.posterior.weighting == Weighting::Single
}

/// The edges as a table; without probabilities where there are none.
fn edges(result: &RunResult) -> String {
    let listed = &result.graph.edges;
    if is_single(result) {
        let direction = |edge: &EdgeResult| if edge.compelled { "compelled" } else { "reversible" };
        let rows = listed.iter().map(|edge| [[arrow(edge), direction(edge).into()], numbers(edge)].concat());
        return aligned(
            &["edge", "direction", "weight", "score lost without"],
            &Vec::from_iter(rows),
            &[2, 3],
        );
    }
    let rows = listed.iter().map(|edge| {
        let direction = match edge.compelled {
            true => "compelled".to_owned(),
            false => format!("reversible ({:.2})", edge.reverse_probability),
        };
        let chance = [arrow(edge), format!("{:.2}", edge.probability), direction];
        [chance.as_slice(), numbers(edge).as_slice()].concat()
    });
    let heads = ["edge", "probability", "direction", "weight", "score lost without"];
    aligned(&heads, &Vec::from_iter(rows), &[1, 3, 4])
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

fn foot(text: &mut String, result: &RunResult, color: ColorMode) -> std::fmt::Result {
    let posterior = &result.posterior;
    let edges = result.graph.edges.len();
    write!(text, "{edges} {}, {} compelled; ", plural(edges, "edge"), result.cpdag.directed.len())?;
    if !is_single(result) {
        writeln!(text, "{} of {} drawn graphs are distinct", posterior.distinct, posterior.samples)?;
    }
    writeln!(text, "{}", trust_line(result, color))?;
    if let Some(sortability) = &result.sortability {
        writeln!(text, "{}", sortability.verdict)?;
    }
    if let Some(metrics) = &result.metrics {
        let graph = &metrics.graph;
        writeln!(
            text,
            "against the truth: SHD {} ({} with reversible edges either way), CPDAG-SHD {}, TPR {:.2}, FDR {:.2}, AUROC {:.2}, expected SHD {:.1}",
            graph.shd,
            metrics.class_shd,
            graph.cpdag_shd,
            graph.tpr,
            graph.fdr,
            metrics.auroc,
            metrics.expected_shd
        )?;
    }
    Ok(())
}

fn trust_line(result: &RunResult, color: ColorMode) -> String {
    let Trust { is_low, text } = trust(result);
    if is_low {
        format!("{}[low-effective-sample-size]: probabilities: {text}", color.yellow("warning"))
    } else {
        format!("probabilities: {text}")
    }
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

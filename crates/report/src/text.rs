//! What a run found as text that is read in ten seconds, the same for every front end.

use std::fmt::Write;

use gflowcausal::data::{Finding, Severity};
use gflowcausal::{Config, EdgeObject, ResultObject, ScoreName, Training, Weighting};

/// Whether a text has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Letters alone.
    Plain,
    /// Colours, by the codes that terminals know.
    Terminal,
}

impl Look {
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
pub fn result_text(result: &ResultObject, config: &Config, look: Look) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut text, result, config, look);
    text.push('\n');
    text.push_str(&edges(result));
    text.push('\n');
    let _ = foot(&mut text, result, look);
    text
}

fn head(text: &mut String, result: &ResultObject, config: &Config, look: Look) -> std::fmt::Result {
    let data = &result.data;
    writeln!(text, "{}: {} rows, {} variables", look.bold(&data.name), data.rows, data.variables.len())?;
    let notes = result.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    for finding in result.findings.iter().filter(|finding| finding.severity < Severity::Note) {
        writeln!(text, "{}", finding_line(finding, look))?;
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
        if config.score == ScoreName::Auto { why(score.name) } else { "" },
        score.value,
        score.prune.map_or(String::new(), |prune| format!("; pruning {prune}")),
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

fn finding_line(finding: &Finding, look: Look) -> String {
    format!("{}[{}]: {}", look.yellow(&finding.severity.to_string()), finding.code, finding.what)
}

fn training_line(result: &ResultObject, training: &Training) -> String {
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
fn is_single(result: &ResultObject) -> bool {
    result.posterior.weighting == Weighting::Single
}

/// The edges as a table; without probabilities where there are none.
fn edges(result: &ResultObject) -> String {
    let listed = &result.graph.edges;
    if is_single(result) {
        let direction = |edge: &EdgeObject| if edge.compelled { "compelled" } else { "reversible" };
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
            false => format!("reversible ({:.2})", edge.reversed_probability),
        };
        let chance = [arrow(edge), format!("{:.2}", edge.probability), direction];
        [chance.as_slice(), numbers(edge).as_slice()].concat()
    });
    let heads = ["edge", "probability", "direction", "weight", "score lost without"];
    aligned(&heads, &Vec::from_iter(rows), &[1, 3, 4])
}

fn arrow(edge: &EdgeObject) -> String {
    format!("{} -> {}", edge.from, edge.to)
}

fn numbers(edge: &EdgeObject) -> [String; 2] {
    [
        edge.weight.map_or(String::new(), |weight| format!("{weight:.3}")),
        edge.delta_score.map_or(String::new(), |delta| format!("{delta:.1}")),
    ]
}

fn foot(text: &mut String, result: &ResultObject, look: Look) -> std::fmt::Result {
    let posterior = &result.posterior;
    let edges = result.graph.edges.len();
    write!(text, "{edges} {}, {} compelled; ", plural(edges, "edge"), result.cpdag.directed.len())?;
    if !is_single(result) {
        writeln!(text, "{} of {} drawn graphs are distinct", posterior.distinct, posterior.samples)?;
    }
    writeln!(text, "{}", trust(result, look))?;
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

/// How far the probabilities can be trusted.
fn trust(result: &ResultObject, look: Look) -> String {
    let posterior = &result.posterior;
    let ess = posterior.effective_sample_size;
    let warning = || format!("{}[low-effective-sample-size]", look.yellow("warning"));
    let mut text = match posterior.weighting {
        Weighting::Importance => format!("probabilities: the draws are worth {ess:.0} independent ones"),
        Weighting::Equal if result.training.is_none() => "probabilities: exact".to_owned(),
        Weighting::Equal => format!(
            "{}: probabilities are the policy's own, not corrected: weights would rest on {ess:.1} draws",
            warning()
        ),
        Weighting::Single => "probabilities: none, the method gives one graph".to_owned(),
        Weighting::Chains => format!(
            "{}: the policy's draws miss the best order or are worth too little ({ess:.1}); probabilities come from \
             Gibbs steps around the best order instead",
            warning()
        ),
    };
    if let Some(distance) = posterior.distance_to_exact {
        let _ = write!(
            text,
            "; {:.4} from the exact ones on average, {:.3} at most",
            distance.mean, distance.largest
        );
        if let Some(nats) = distance.divergence {
            let _ = write!(text, " (the policy itself: KL {nats:.4})");
        }
    }
    text
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

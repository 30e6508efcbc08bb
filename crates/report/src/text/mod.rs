//! What a run found as text that is read in ten seconds, the same for every front end.

mod families;
mod lists;
mod prose;

use std::fmt::Write;

use gflowcausal::data::{FINDINGS, Severity};
use gflowcausal::{
    Config, FindingResult, FrontEnd, InterventionsResult, RunResult, ScoreName, ScoreResult, Source, Training,
};

pub(crate) use self::families::family_lines;
use self::prose::plural;
pub use self::prose::{aligned, middle_ellipsis, wrapped};
use crate::reliability::{Reliability, reliability};

/// How many variables of a family are named where not everything is listed.
const MOST_NAMED: usize = 8;

/// What every probability is conditional on.
const ASSUMPTIONS: &str = "assumed: no hidden common causes, no cycles, independent rows that were not selected, and the score's kind of noise";

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

/// How much of a result is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first of each list, and how many more there are.
    Headline,
    /// Everything.
    All,
}

/// For whom a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether it has colours.
    pub color: ColorMode,
    /// How much of each list it shows.
    pub extent: Extent,
    /// Whose words tell how to see more.
    pub front_end: FrontEnd,
}

impl TextStyle {
    /// How to see everything.
    fn all(self) -> &'static str {
        match self.front_end {
            FrontEnd::CommandLine => "--all",
            FrontEnd::Python => "summary(all=True)",
        }
    }
}

/// The data, the checks, what is sure, open and unsure, and how far to trust it.
#[must_use]
pub fn result_text(result: &RunResult, config: &Config, style: TextStyle) -> String {
    let mut text = String::new();
    let color = style.color;
    // Writing to a string cannot fail.
    let _ = head(&mut text, result, config, style);
    text.push('\n');
    lists::edges(&mut text, result, style);
    text.push('\n');
    let _ = foot(&mut text, result, color);
    text
}

fn head(text: &mut String, result: &RunResult, config: &Config, style: TextStyle) -> std::fmt::Result {
    let color = style.color;
    let data = &result.data;
    writeln!(text, "{}: {} rows, {} variables", color.bold(&data.name), data.rows, data.variables.len())?;
    let (notes, findings): (Vec<_>, Vec<_>) =
        result.findings.iter().partition(|finding| is_repeated_by_doctor(finding, config));
    for finding in findings {
        writeln!(text, "{}", wrapped(&finding_line(finding, style), "  "))?;
    }
    let notes: Vec<&str> = notes.into_iter().map(|note| note.code.as_str()).collect();
    if !notes.is_empty() {
        let count = format!("{} {}", notes.len(), plural(notes.len(), "note"));
        let line = format!("checks: {count} ({}), see {}", notes.join(", "), style.front_end.verb("doctor"));
        writeln!(text, "{}", wrapped(&line, "  "))?;
    } else if result.findings.is_empty() {
        writeln!(text, "checks: nothing wrong or odd")?;
    }
    if let Some(interventions) = &result.interventions {
        writeln!(text, "{}", wrapped(&interventions_line(interventions), "  "))?;
    }
    writeln!(text, "{}", wrapped(&score_line(result, config), "  "))?;
    let most = if style.extent == Extent::All { usize::MAX } else { MOST_NAMED };
    let families: Vec<String> =
        result.score.evidence.iter().flat_map(|evidence| family_lines(evidence, most)).collect();
    if !families.is_empty() {
        writeln!(text, "  likeliest family of each variable, its gain over linear-gaussian in nats:")?;
    }
    for line in families {
        writeln!(text, "  {}", wrapped(&line, "    "))?;
    }
    let method = match &result.training {
        Some(training) => training_line(result, training),
        None => format!("method {}, seed {}", result.method, result.seed),
    };
    writeln!(text, "{}", wrapped(&method, "  "))
}

fn interventions_line(interventions: &InterventionsResult) -> String {
    let InterventionsResult { rows, targets, decided } = interventions;
    let (set, edges) = (targets.len(), decided.len());
    format!(
        "interventions: {rows} {} set {set} {}; they decide the direction of {edges} {}",
        plural(*rows, "row"),
        plural(set, "variable"),
        plural(edges, "edge")
    )
}

fn score_line(result: &RunResult, config: &Config) -> String {
    let score = &result.score;
    let why = match &score.evidence {
        Some(evidence) => format!(" ({})", evidence.why),
        None if config.paper && config.score == ScoreName::Auto => " (the paper's reward)".to_owned(),
        None if config.score == ScoreName::Auto => why(score),
        None => String::new(),
    };
    let prune = match score.prune.as_deref() {
        None | Some("selected") => String::new(),
        Some(prune) => format!("; pruning {prune}"),
    };
    let prior = if is_single(result) {
        String::new()
    } else {
        format!("; temperature {}, edge prior {}", score.temperature, result.posterior.edge_prior)
    };
    let value = match score.value {
        value if value.is_nan() => "there was no time to compute it".to_owned(),
        value => format!("{value:.1}"),
    };
    format!("score {}{why}: {value}{prune}{prior}", score.name)
}

fn why(score: &ScoreResult) -> String {
    let types = match score.name.as_str() {
        "bdeu" => "all columns hold categories",
        "dg" => "numbers and categories",
        _ => "all columns hold numbers",
    };
    match &score.not_compared {
        Some(reason) => format!(" ({types}; families were not compared: {reason})"),
        None => format!(" ({types})"),
    }
}

/// Whether `doctor` says the same of the data file: it knows nothing of scores, and sees columns as they are there.
fn is_repeated_by_doctor(finding: &FindingResult, config: &Config) -> bool {
    let is_of_file = !config.standardize && config.transform.is_empty();
    finding.severity == Severity::Note && is_of_file && FINDINGS.iter().any(|(code, _)| *code == finding.code)
}

/// A finding in a sentence; a note, which changes nothing by itself, with what it offers.
fn finding_line(finding: &FindingResult, style: TextStyle) -> String {
    let FindingResult { code, severity, what, fix, .. } = finding;
    let offer = match severity {
        Severity::Note => format!("; {}", style.front_end.phrase(fix)),
        _ => String::new(),
    };
    format!("{}[{code}]: {what}{offer}", style.color.yellow(&severity.to_string()))
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

fn foot(text: &mut String, result: &RunResult, color: ColorMode) -> std::fmt::Result {
    let Reliability { doubt, text: reliability } = reliability(result);
    let warning = if doubt.is_some() {
        format!("{}: ", color.yellow("warning[low-confidence]"))
    } else {
        String::new()
    };
    writeln!(text, "{}", wrapped(&format!("{warning}probabilities: {reliability}"), "  "))?;
    if !is_single(result) {
        writeln!(text, "{}", wrapped(ASSUMPTIONS, "  "))?;
    }
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

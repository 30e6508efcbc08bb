//! The top of the report: what to beware of, and what was found, for readers who know no statistics.

use gflowcausal::data::Severity;
use gflowcausal::flow::Stopped;
use gflowcausal::graph::pluralize;
use gflowcausal::{ConsensusResult, EdgeResult, Objects, RunResult, Source};

use super::facts::sentence;
use crate::reliability::{Doubt, reliability};

/// Rows for each variable below which probabilities depend much on the prior.
const ROWS_PER_VARIABLE: usize = 10;

/// How many edges are named.
const NAMED: usize = 3;

/// A kind (`good`, `warning`), a heading and a sentence.
type Line = (&'static str, String, String);

/// What to know before reading on: whether the run was cut short, whether its probabilities hold, whether the data are odd.
pub(super) fn banner(result: &RunResult) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut warn = |heading: &str, text: String| lines.push(("warning", heading.to_owned(), text));
    if was_interrupted(result) {
        warn(
            "This run was stopped early.",
            "It shows the best that was found until then; a longer run may find something else.".to_owned(),
        );
    }
    if let Some(doubt) = reliability(result).doubt {
        let why = format!("{} The card “Probabilities” below has the figures.", in_plain_words(doubt));
        warn("The probabilities are not reliable yet.", why);
    }
    if result.posterior.target == Objects::Orders && result.consensus.is_some() {
        warn(
            "The probabilities are over orders, not graphs.",
            "They tell which variables come first rather than which edges there are.".to_owned(),
        );
    }
    let (rows, variables) = (result.data.rows, result.data.variables.len());
    if rows < ROWS_PER_VARIABLE * variables {
        warn(
            "There are few rows.",
            format!(
                "{rows} rows for {variables} variables: weak effects cannot be seen, and a few rows can decide."
            ),
        );
    }
    for finding in result.findings.iter().filter(|finding| finding.severity == Severity::Warning) {
        if finding.code != "out-of-time" {
            warn("About the data:", sentence(&finding.what));
        }
    }
    if lines.is_empty() && result.consensus.is_some() {
        lines.push(("good", "The checks found nothing wrong.".to_owned(), why_reliable(result)));
    }
    lines
}

/// What a reader without statistics has to know of probabilities that hold.
fn why_reliable(result: &RunResult) -> String {
    let probabilities = match result.posterior.by {
        Source::Exact => "The probabilities are exact sums over all graphs",
        Source::Chains => "Searches through the graphs that started apart agree on the probabilities",
        Source::Policy => "A trained sampler of graphs and an independent method agree on the probabilities",
        Source::None => "The method gives one graph",
    };
    let notes = result.findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    match notes {
        0 => format!("{probabilities}."),
        _ => format!("{probabilities}; {} on the data below.", pluralize(notes, "note")),
    }
}

/// What a reader without statistics has to know of probabilities that do not hold, and what to do.
fn in_plain_words(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Missing => "There was no time for probabilities: let the run go on for longer.",
        Doubt::NotConverged => {
            "Searches through the graphs that started apart do not agree yet: let the run go on for longer, \
             by --resume."
        }
        Doubt::Unconfirmed => "Nothing independent confirms the draws of the trained sampler.",
        Doubt::Unfinished => {
            "Time ran out before all possible causes were weighed: let the run go on for longer."
        }
        Doubt::MissedParents => "Some edges that may well be there were not among those that were weighed.",
    }
}

fn was_interrupted(result: &RunResult) -> bool {
    let stopped = result.training.as_ref().is_some_and(|training| training.stopped == Stopped::Interrupted);
    stopped || result.findings.iter().any(|finding| finding.code == "out-of-time")
}

/// What was found, in sentences without a symbol.
pub(super) fn summary(result: &RunResult) -> String {
    let data = format!(
        "From {} of {}",
        pluralize(result.data.rows, "row"),
        pluralize(result.data.variables.len(), "variable")
    );
    let found = match &result.consensus {
        Some(consensus) => lists(consensus),
        None => single(result),
    };
    format!(
        "{data}: {found} An arrow means that changing the first variable would change the second, provided that nothing \
         which causes both was left out."
    )
}

fn lists(consensus: &ConsensusResult) -> String {
    let ConsensusResult { sure, direction_open, unsure, by_shape, .. } = consensus;
    let shape = match by_shape.len() {
        0 => String::new(),
        1 => " One of these rests on assumptions about functions and noise alone.".to_owned(),
        many => format!(" Of these, {many} rest on assumptions about functions and noise alone."),
    };
    let first = match sure.len() {
        0 => "no direction of cause and effect is sure.".to_owned(),
        1 => format!("one direction of cause and effect is sure, {}.", named(sure)),
        many => format!("{many} directions of cause and effect are sure{} {}.", such_as(many), named(sure)),
    };
    let open = match direction_open.len() {
        0 => String::new(),
        1 => format!(
            " One more pair is connected, {}, but the data cannot tell which is the cause.",
            pairs(direction_open)
        ),
        many => format!(
            " {many} more pairs are connected{} {}, but the data cannot tell which is the cause.",
            such_as(many),
            pairs(direction_open)
        ),
    };
    let unsure = match unsure.len() {
        0 => " All other pairs are most likely not connected directly.".to_owned(),
        1 => format!(" One pair may or may not be connected: {}.", pairs(unsure)),
        many => format!(" {many} pairs may or may not be connected."),
    };
    format!("{first}{shape}{open}{unsure}")
}

fn such_as(many: usize) -> &'static str {
    if many > NAMED { ", such as" } else { ":" }
}

fn single(result: &RunResult) -> String {
    let edges = &result.graph.edges;
    let compelled = edges.iter().filter(|edge| edge.compelled).count();
    format!(
        "method {} gives one graph of {}, and says nothing about how sure it is. The directions of {compelled} follow from \
         the data, the others may as well be reversed.",
        result.method,
        pluralize(edges.len(), "edge")
    )
}

fn named(edges: &[EdgeResult]) -> String {
    joined(edges.iter().map(|edge| format!("{} causes {}", edge.from, edge.to)))
}

fn pairs(edges: &[EdgeResult]) -> String {
    joined(edges.iter().map(|edge| format!("{} and {}", edge.from, edge.to)))
}

/// The first few, with commas between them.
fn joined(items: impl Iterator<Item = String>) -> String {
    items.take(NAMED).collect::<Vec<_>>().join(", ")
}

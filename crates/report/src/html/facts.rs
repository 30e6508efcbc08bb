//! The summary section of the report: what was run and what was found.

use gflowcausal::graph::pluralize;
use gflowcausal::{RunResult, Source, Training};
use serde_json::Value;

use crate::text::family_lines;

/// A name and its value.
type Fact = (&'static str, String);

/// What was run.
pub(super) fn facts(result: &RunResult) -> Vec<Fact> {
    let rows = format!(
        "{} × {}",
        pluralize(result.data.rows, "row"),
        pluralize(result.data.variables.len(), "variable")
    );
    let value = result.score.value;
    let value = if value.is_nan() { String::new() } else { format!(": {value:.1}") };
    let mut facts = vec![
        ("Data", result.data.name.clone()),
        ("Size", rows),
        ("Method", result.method.clone()),
        ("Score", format!("{}{value}", result.score.name)),
    ];
    if let Some(evidence) = &result.score.evidence {
        facts.push(("Why this score", evidence.why.clone()));
        let families = family_lines(evidence, usize::MAX);
        if !families.is_empty() {
            facts.push(("Families, gains in nats", families.join("; ")));
        }
    }
    if let Some(reason) = &result.score.not_compared {
        facts.push(("Why this score", format!("families were not compared: {reason}")));
    }
    facts.extend(result.score.prune.clone().map(|prune| ("Pruning", prune)));
    if result.posterior.by != Source::None {
        facts.push(("Temperature", result.score.temperature.to_string()));
    }
    facts.extend(result.training.iter().flat_map(training_facts));
    facts.push(("Seed", result.seed.to_string()));
    facts.push(("SHA-256 of the data", result.data.sha256.clone()));
    facts
}

fn training_facts(training: &Training) -> [Fact; 5] {
    let stopped = serde_json::to_value(training.stopped).unwrap_or_default();
    let stopped = stopped.as_str().unwrap_or("stopped").to_owned();
    let iterations = format!("{} of {} ({stopped})", training.iterations, training.most_iterations);
    let batch = format!("{} trajectories, learning rate {}", training.batch_size, training.learning_rate);
    [
        ("Walk", training.walk.clone()),
        ("Objective", training.objective.clone()),
        ("Iterations", iterations),
        ("Batch", batch),
        ("Network", format!("two layers of {} units", training.hidden)),
    ]
}

/// `clause` as a sentence of its own.
pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// The metrics that a report shows, in this order, with what they mean.
const METRICS: [(&str, &str); 13] = [
    ("shd", "SHD: missing, extra and reversed edges"),
    ("class_shd", "SHD with reversible edges either way"),
    ("missing", "missing"),
    ("extra", "extra"),
    ("reversed", "reversed"),
    ("cpdag_shd", "CPDAG-SHD: the same between the classes"),
    ("sid", "SID: pairs with a wrong effect of intervention"),
    ("tpr", "TPR: share of the true edges found"),
    ("fdr", "FDR: share of the found edges that are wrong"),
    ("f1", "F1"),
    ("auroc", "AUROC of the probabilities"),
    ("auprc", "AUPRC of the probabilities"),
    ("expected_shd", "mean SHD of the drawn graphs"),
];

/// The best graph and the draws against the truth; empty if that is not known.
pub(super) fn metrics(result: &RunResult) -> Vec<Fact> {
    let Some(metrics) = &result.metrics else { return Vec::new() };
    let metrics = serde_json::to_value(metrics).unwrap_or_default();
    let text = |value: &Value| match value.as_u64() {
        Some(count) => count.to_string(),
        None => value.as_f64().map_or_else(|| "–".to_owned(), |number| format!("{number:.3}")),
    };
    METRICS.iter().filter_map(|(key, label)| Some((*label, text(metrics.get(*key)?)))).collect()
}

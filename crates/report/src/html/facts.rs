//! What was run and how far to trust it, in words and numbers.

use gflowcausal::graph::counted;
use serde_json::Value;

use crate::Record;

/// A name and its value.
type Fact = (&'static str, String);

/// What was run.
pub(super) fn facts(record: &Record) -> Vec<Fact> {
    let result = &record.result;
    let rows =
        format!("{} × {}", counted(result.data.rows, "row"), counted(record.names().len(), "variable"));
    let value = result.score.value.map_or_else(String::new, |value| format!(": {value:.1}"));
    let mut facts = vec![
        ("Data", result.data.name.clone()),
        ("Size", rows),
        ("Method", result.method.clone()),
        ("Score", format!("{}{value}", result.score.name)),
    ];
    facts.extend(result.score.prune.clone().map(|prune| ("Pruning", prune)));
    if !record.is_single() {
        facts.push(("Temperature", result.score.temperature.to_string()));
    }
    if let Some(training) = &result.training {
        let stopped = serde_json::to_value(training.stopped).unwrap_or_default();
        let stopped = stopped.as_str().unwrap_or("stopped").to_owned();
        let iterations = format!("{} of {} ({stopped})", training.iterations, training.most_iterations);
        facts.extend([
            ("Walk", training.walk.clone()),
            ("Objective", training.objective.clone()),
            ("Iterations", iterations),
            (
                "Batch",
                format!("{} trajectories, learning rate {}", training.batch_size, training.learning_rate),
            ),
            ("Network", format!("two layers of {} units", training.hidden)),
        ]);
    }
    facts.push(("Seed", result.seed.to_string()));
    facts.push(("SHA-256 of the data", result.data.sha256.clone()));
    facts
}

/// What was found, in one sentence.
pub(super) fn summary(record: &Record) -> String {
    let compelled = record.edges.iter().filter(|edge| edge.compelled).count();
    let edges = counted(record.edges.len(), "edge");
    let found = format!("The best graph has {edges}, {compelled} of them with a compelled direction.");
    let posterior = &record.result.posterior;
    let drawn = counted(posterior.samples as usize, "graph");
    if record.is_single() {
        found
    } else {
        format!("{found} {drawn} drawn, {} distinct.", posterior.distinct)
    }
}

/// How far the probabilities can be trusted.
pub(super) fn trust(record: &Record) -> String {
    let posterior = &record.result.posterior;
    let worth = posterior.effective_sample_size.unwrap_or(0.0);
    let mut text = match (posterior.weighting.as_str(), &record.result.training) {
        ("importance", _) => format!("The draws are worth {worth:.0} independent ones."),
        ("single", _) => {
            "There are none: the method gives one graph. What is drawn says only which edges are in it."
                .to_owned()
        }
        ("equal", None) => "Probabilities are exact.".to_owned(),
        ("chains", _) => {
            "The policy's draws miss the best order or are worth too little: probabilities come from Gibbs \
                          steps around the best order, and other peaks that are far away are not seen."
                .to_owned()
        }
        _ => format!(
            "Probabilities are the policy's own, not corrected: weights would rest on {worth:.1} draws."
        ),
    };
    if let Some(distance) = &posterior.distance_to_exact {
        text.push_str(&format!(
            " They are {:.4} from the exact ones on average, {:.3} at most.",
            distance.mean, distance.largest
        ));
    }
    text
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
pub(super) fn metrics(record: &Record) -> Vec<Fact> {
    let Some(metrics) = &record.result.metrics else { return Vec::new() };
    let text = |value: &Value| match value.as_u64() {
        Some(count) => count.to_string(),
        None => value.as_f64().map_or_else(|| "–".to_owned(), |number| format!("{number:.3}")),
    };
    METRICS.iter().filter_map(|(key, label)| Some((*label, text(metrics.get(*key)?)))).collect()
}

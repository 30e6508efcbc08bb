//! AUROC and AUPRC of edge probabilities.

use crate::{Dag, Edge};

/// Area under the receiver operating characteristic over the `d(d−1)` off-diagonal cells of `probabilities`, a
/// `d × d` matrix by rows, row causes column.
///
/// The probability that a true edge is ranked above a false one, a tie counting half. With no true edge, or fewer
/// than two variables, there is nothing to rank: 0.5, the level of chance.
///
/// # Panics
/// If `probabilities` is not `d × d`.
///
/// ```
/// use gflowcausal_graph::{Dag, Edge, auroc};
/// let truth = Dag::from_edges(2, [Edge::new(0, 1)])?;
/// assert_eq!(auroc(&[0.0, 0.9, 0.1, 0.0], &truth), 1.0);
/// assert_eq!(auroc(&[0.0, 0.5, 0.5, 0.0], &truth), 0.5);
/// # Ok::<(), gflowcausal_graph::EdgeError>(())
/// ```
#[must_use]
pub fn auroc(probabilities: &[f64], truth: &Dag) -> f64 {
    let steps = descending_steps(probabilities, truth);
    let [positives, negatives] = totals(&steps);
    if positives == 0 || negatives == 0 {
        return 0.5;
    }
    let (mut above, mut ordered_pairs) = (0, 0.0);
    for step in &steps {
        ordered_pairs += step.negatives as f64 * (above as f64 + step.positives as f64 / 2.0);
        above += step.positives;
    }
    ordered_pairs / (positives as f64 * negatives as f64)
}

/// Area under the precision–recall curve over the same cells, as steps (average precision): the precision at each
/// distinct probability, weighted by the recall gained there.
///
/// With no true edge: 0, the share of true edges among the cells, which is the level of chance.
///
/// # Panics
/// If `probabilities` is not `d × d`.
#[must_use]
pub fn auprc(probabilities: &[f64], truth: &Dag) -> f64 {
    let steps = descending_steps(probabilities, truth);
    let [positives, _] = totals(&steps);
    let (mut found, mut predicted, mut area) = (0, 0, 0.0);
    for step in steps.iter() {
        found += step.positives;
        predicted += step.positives + step.negatives;
        area += step.positives as f64 * found as f64 / predicted as f64;
    }
    area / positives.max(1) as f64
}

/// The cells that share one probability.
struct Step {
    probability: f64,
    positives: usize,
    negatives: usize,
}

fn totals(steps: &[Step]) -> [usize; 2] {
    [steps.iter().map(|step| step.positives).sum(), steps.iter().map(|step| step.negatives).sum()]
}

/// The off-diagonal cells by falling probability, equal ones together.
fn descending_steps(probabilities: &[f64], truth: &Dag) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (probability, is_edge) in descending_cells(probabilities, truth) {
        if steps.last().is_none_or(|step| step.probability.total_cmp(&probability).is_ne()) {
            steps.push(Step { probability, positives: 0, negatives: 0 });
        }
        if let Some(step) = steps.last_mut() {
            step.positives += usize::from(is_edge);
            step.negatives += usize::from(!is_edge);
        }
    }
    steps
}

fn descending_cells(probabilities: &[f64], truth: &Dag) -> Vec<(f64, bool)> {
    let nodes = truth.nodes();
    assert_eq!(probabilities.len(), nodes * nodes, "not a matrix over {nodes} variables");
    let mut cells: Vec<(f64, bool)> = (0..nodes * nodes)
        .map(|cell| Edge::new(cell / nodes, cell % nodes))
        .filter(|edge| edge.from != edge.to)
        // Adding zero makes the two zeros one.
        .map(|edge| (probabilities[edge.from * nodes + edge.to] + 0.0, truth.contains(edge)))
        .collect();
    cells.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    cells
}

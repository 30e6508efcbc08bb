//! DirectLiNGAM: the next variable is the one most independent of the others' residuals.

use gflowcausal_determinism::{StopFlag, interruptible, map};
use gflowcausal_graph::{Constraints, NodeSet, Order};

use super::admissible_next::Candidates;
use super::vector::{dot, entropy_means};

/// The constants of Hyvärinen's approximation of entropy (1998).
const K1: f64 = 79.047;
const K2: f64 = 7.4129;
const GAMMA: f64 = 0.37457;

/// The causal order of linear, non-Gaussian variables: complete columns of equal length, one for each of the constraints'
/// variables.
///
/// DirectLiNGAM (Shimizu et al. 2011) with the pairwise likelihood ratio of Hyvärinen and Smith (2013): the next variable
/// `i` has the least `Σ_j min(0, R_ij)²`, where `R_ij` compares the entropies of `i → j` and `j → i`; then it is regressed
/// out of the others. Variables that knowledge puts later wait. `O(d³ n)`; pairs go on all threads. Once `stop` is true, what
/// is left follows as it comes.
#[must_use]
pub fn direct_lingam(columns: &[&[f64]], constraints: &Constraints, stop: &StopFlag) -> Order {
    let candidates = Candidates::new(constraints);
    let mut columns: Vec<Vec<f64>> = columns.iter().map(|column| standardized(column.to_vec())).collect();
    let mut left = NodeSet::full(columns.len());
    let mut sequence = Vec::with_capacity(columns.len());
    while !left.is_empty() {
        let open = candidates.next(&left);
        let chosen = interruptible(stop, || most_independent(&columns, &left, &open));
        let next = chosen.unwrap_or(open[0]);
        sequence.push(next);
        left.remove(next);
        if stop.is_set() {
            continue;
        }
        let members: Vec<usize> = left.iter().collect();
        let residuals = map(members.len(), |k| residual(&columns[members[k]], &columns[next]));
        members.into_iter().zip(residuals).for_each(|(node, residual)| columns[node] = residual);
    }
    Order::new(sequence).expect("each variable was placed once")
}

/// The one of `candidates` with the least evidence that any of `left` causes it.
fn most_independent(columns: &[Vec<f64>], left: &NodeSet, candidates: &[usize]) -> usize {
    if let &[only] = candidates {
        return only;
    }
    let members: Vec<usize> = left.iter().collect();
    let own = map(members.len(), |k| entropy(&columns[members[k]], &columns[members[k]], 0.0, 1.0));
    let pairs: Vec<(usize, usize)> =
        (0..members.len()).flat_map(|late| (0..late).map(move |early| (early, late))).collect();
    let ratios = map(pairs.len(), |k| {
        let (i, j) = pairs[k];
        let (a, b) = (&columns[members[i]], &columns[members[j]]);
        own[j] - own[i] + residual_entropy_difference(a, b)
    });
    let mut against = vec![0.0; members.len()];
    for (&(i, j), ratio) in pairs.iter().zip(ratios) {
        let loser = if ratio < 0.0 { i } else { j };
        against[loser] += ratio * ratio;
    }
    let evidence = |node: &usize| against[members.binary_search(node).expect("a candidate is left")];
    let least = candidates.iter().min_by(|a, b| evidence(a).total_cmp(&evidence(b)));
    *least.expect("something may always come next")
}

/// `H(a | b) − H(b | a)`: entropies of the standardised residuals of each on the other.
fn residual_entropy_difference(a: &[f64], b: &[f64]) -> f64 {
    let correlation = dot(a, b) / a.len() as f64;
    let scale = (1.0 - correlation * correlation).max(f64::MIN_POSITIVE).sqrt().recip();
    entropy(a, b, correlation, scale) - entropy(b, a, correlation, scale)
}

/// The entropy of `scale · (a − slope · b)`, which is standardised, by its deviation from the Gaussian's.
fn entropy(a: &[f64], b: &[f64], slope: f64, scale: f64) -> f64 {
    let [cosh, bell] = entropy_means(a, b, slope, scale);
    let gaussian = 0.5 * (1.0 + (2.0 * std::f64::consts::PI).ln());
    gaussian - K1 * (cosh - GAMMA) * (cosh - GAMMA) - K2 * bell * bell
}

/// What a standardised `column` does not share with `cause`, standardised again.
fn residual(column: &[f64], cause: &[f64]) -> Vec<f64> {
    let slope = dot(column, cause) / dot(cause, cause).max(f64::MIN_POSITIVE);
    standardized(column.iter().zip(cause).map(|(value, cause)| value - slope * cause).collect())
}

/// Mean 0 and standard deviation 1; a constant becomes zero.
fn standardized(mut column: Vec<f64>) -> Vec<f64> {
    let rows = column.len() as f64;
    let mean = column.iter().sum::<f64>() / rows;
    column.iter_mut().for_each(|value| *value -= mean);
    let deviation = (dot(&column, &column) / rows).sqrt();
    if deviation > 0.0 {
        column.iter_mut().for_each(|value| *value /= deviation);
    }
    column
}

//! Quadratic structural equations with non-Gaussian noise, drawn and trimmed as for RL-BIC.

use gflowcausal_determinism::rand::{Rng, RngExt};
use gflowcausal_determinism::{Stream, map, stream};
use gflowcausal_graph::{Dag, Edge};

use super::{NoiseFamily, along_graph};

/// Rows drawn before the far ones are dropped, and rows that remain; more of both, in proportion, when more are asked for.
const DRAWN: usize = 5000;
const KEPT: usize = 3000;

/// A parent stays in the true graph if a term with it has a coefficient above this.
const VISIBLE: f64 = 0.3;

/// One summand of an equation: `coefficient · x_first [· x_second]`, by position among the parents.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    coefficient: f64,
    first: usize,
    second: Option<usize>,
}

/// The columns, and the graph without the parents none of whose terms is there.
///
/// Values square along each path: rows that overflow are the first to be dropped, and if too few are left the
/// columns hold what is not finite.
pub(super) fn simulate(dag: &Dag, rows: usize, seed: u64) -> (Vec<Vec<f64>>, Dag) {
    let equations = map(dag.nodes(), |node| draw_terms(dag.parents(node).len(), node, seed));
    let drawn = DRAWN.max((rows * DRAWN).div_ceil(KEPT));
    let columns = along_graph(dag, |node, parents| {
        equations[node].iter().fold(noise(node, drawn, seed), |column, term| term.add_to(column, parents))
    });
    let mut near = nearest_rows(&columns, drawn * KEPT / DRAWN);
    near.truncate(rows);
    let kept = columns.iter().map(|column| near.iter().map(|&row| column[row]).collect()).collect();
    (kept, true_graph(dag, &equations))
}

/// All linear, square and cross terms of so many parents that were not zeroed.
fn draw_terms(parents: usize, node: usize, seed: u64) -> Vec<Term> {
    let mut rng = stream(seed, Stream::Coefficients { node: node as u64 });
    let linear = (0..parents).map(|first| (first, None));
    let products = (0..parents).flat_map(|first| (first..parents).map(move |second| (first, Some(second))));
    linear
        .chain(products)
        .map(|(first, second)| Term { coefficient: coefficient(&mut rng), first, second })
        .filter(|term| term.coefficient != 0.0)
        .collect()
}

/// `±U[0.5, 1.5]` rounded to one decimal, zeroed with probability one half.
fn coefficient(rng: &mut impl Rng) -> f64 {
    let size = (rng.random_range(0.5..=1.5_f64) * 10.0).round() / 10.0;
    let sign = if rng.random::<bool>() { 1.0 } else { -1.0 };
    if rng.random::<bool>() { sign * size } else { 0.0 }
}

impl Term {
    fn add_to(&self, mut column: Vec<f64>, parents: &[&[f64]]) -> Vec<f64> {
        let first = parents[self.first];
        match self.second.map(|second| parents[second]) {
            None => column.iter_mut().zip(first).for_each(|(value, x)| *value += self.coefficient * x),
            Some(second) => column
                .iter_mut()
                .zip(first.iter().zip(second))
                .for_each(|(value, (x, y))| *value += self.coefficient * x * y),
        }
        column
    }

    fn shows(&self, position: usize) -> bool {
        self.coefficient.abs() > VISIBLE && (self.first == position || self.second == Some(position))
    }
}

/// `sign(N)·|N|^q` divided by its standard deviation, `q` uniform on `[0.5, 0.8] ∪ [1.2, 2]`: never Gaussian.
fn noise(node: usize, rows: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, Stream::Noise { node: node as u64 });
    let uniform: f64 = rng.random_range(0.5..=1.6);
    let exponent = if uniform > 0.8 { uniform + 0.4 } else { uniform };
    let mut column = NoiseFamily::Gauss.sample(rows, &mut rng);
    column.iter_mut().for_each(|value| *value = value.signum() * value.abs().powf(exponent));
    let deviation = super::observe::deviation(&column);
    column.iter_mut().for_each(|value| *value /= deviation);
    column
}

fn true_graph(dag: &Dag, equations: &[Vec<Term>]) -> Dag {
    let edges = (0..dag.nodes()).flat_map(|to| {
        let shown =
            move |&(position, _): &(usize, usize)| equations[to].iter().any(|term| term.shows(position));
        dag.parents(to).iter().enumerate().filter(shown).map(move |(_, from)| Edge::new(from, to))
    });
    Dag::from_edges(dag.nodes(), edges).expect("a part of an acyclic graph is acyclic")
}

/// The `count` rows with the smallest Euclidean norm, in their own order. Rows that overflowed are the farthest.
fn nearest_rows(columns: &[Vec<f64>], count: usize) -> Vec<usize> {
    let rows = columns[0].len();
    let norms: Vec<f64> = (0..rows).map(|row| norm(columns.iter().map(|column| column[row]))).collect();
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| norms[a].total_cmp(&norms[b]));
    order.truncate(count);
    order.sort_unstable();
    order
}

/// Scaled by the largest entry, so that the squares of 1e200 do not overflow; infinite if an entry is not finite.
fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values
        .clone()
        .map(|value| if value.is_nan() { f64::INFINITY } else { value.abs() })
        .fold(0.0, f64::max);
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * values.map(|value| (value / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gflowcausal_graph::Order;

    #[test]
    fn the_true_graph_has_exactly_the_parents_that_occur_in_a_term() {
        let dag = Order::identity(10).complete_dag();
        let equations: Vec<_> = (0..10).map(|node| draw_terms(dag.parents(node).len(), node, 3)).collect();
        let truth = true_graph(&dag, &equations);
        for (node, terms) in equations.iter().enumerate() {
            // In the complete graph of the identity, position and index of a parent agree.
            let mut used: Vec<usize> =
                terms.iter().flat_map(|t| [t.first, t.second.unwrap_or(t.first)]).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(truth.parents(node).iter().collect::<Vec<_>>(), used);
        }
    }

    #[test]
    fn half_of_the_terms_are_zeroed_and_the_rest_lie_on_the_grid() {
        let terms: Vec<Term> = (0..200).flat_map(|node| draw_terms(9, node, 0)).collect();
        // 200 equations of 54 terms: 5400 ± 4 standard deviations of a fair coin.
        assert!(terms.len().abs_diff(5400) < 4 * 52, "{}", terms.len());
        for term in &terms {
            let tenths = term.coefficient.abs() * 10.0;
            assert!((5.0..=15.0).contains(&tenths.round()) && (tenths - tenths.round()).abs() < 1e-9);
        }
        assert!(terms.iter().any(|t| t.coefficient < 0.0) && terms.iter().any(|t| t.coefficient > 0.0));
    }

    #[test]
    fn each_row_solves_its_equation() {
        let dag = Order::identity(3).complete_dag();
        let (rows, seed) = (1000, 5);
        let (columns, _) = simulate(&dag, rows, seed);
        let terms = draw_terms(2, 2, seed);
        let all_noise = noise(2, DRAWN, seed);
        let left: Vec<f64> = (0..rows)
            .map(|row| {
                let x = |position: usize| columns[position][row];
                let sum: f64 =
                    terms.iter().map(|t| t.coefficient * x(t.first) * t.second.map_or(1.0, x)).sum();
                columns[2][row] - sum
            })
            .collect();
        // What the equation leaves is the noise, in row order, with gaps where rows were dropped.
        let mut drawn = all_noise.iter();
        for residual in left {
            assert!(drawn.any(|noise| (noise - residual).abs() < 1e-9 * (1.0 + noise.abs())), "{residual}");
        }
    }

    #[test]
    fn the_norm_survives_huge_values() {
        assert!((norm([3e200, 4e200].into_iter()) / 5e200 - 1.0).abs() < 1e-15);
        assert_eq!(norm([1.0, f64::NAN].into_iter()), f64::INFINITY);
        assert_eq!(norm([0.0, 0.0].into_iter()), 0.0);
    }

    #[test]
    fn the_far_rows_are_dropped_and_the_order_stays() {
        let columns = vec![vec![5.0, -1.0, f64::INFINITY, 0.5], vec![0.0, 1.0, 0.0, 0.0]];
        assert_eq!(nearest_rows(&columns, 2), [1, 3]);
    }
}

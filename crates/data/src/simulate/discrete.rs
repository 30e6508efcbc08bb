//! Discrete networks: a random table of probabilities for each variable and each joint value of its parents.

use std::collections::HashMap;

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, categorical, map, stream};
use gflowcausal_graph::Dag;
use rand_distr::{Distribution, Exp1};

use super::{SimulationError, variable_name};
use crate::Values;

/// What the categories are called: letters, so that no reader takes them for numbers.
pub(super) const LEVEL_NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// One categorical column for each node, causes first.
///
/// # Errors
/// When a node has so many parents that their joint values cannot be numbered.
pub(super) fn simulate(dag: &Dag, rows: usize, seed: u64) -> Result<Vec<Values>, SimulationError> {
    let levels = map(dag.nodes(), |node| level_count(node, seed));
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); dag.nodes()];
    for node in dag.topological_order().iter() {
        let configurations = configurations(dag, node, &levels, &codes, rows)?;
        codes[node] = draw_codes(node, levels[node], &configurations, seed);
    }
    let names = |count: usize| LEVEL_NAMES[..count].iter().map(|&name| name.to_owned()).collect();
    let columns = codes.into_iter().zip(levels);
    Ok(columns.map(|(codes, count)| Values::Categorical { codes, levels: names(count) }).collect())
}

/// Two, three or four, equally likely.
fn level_count(node: usize, seed: u64) -> usize {
    stream(seed, Stream::Coefficients { node: node as u64 }).random_range(2..=LEVEL_NAMES.len())
}

/// The number of the parents' joint value in each row.
fn configurations(
    dag: &Dag,
    node: usize,
    levels: &[usize],
    codes: &[Vec<u32>],
    rows: usize,
) -> Result<Vec<u64>, SimulationError> {
    let parents = dag.parents(node);
    let all = parents.iter().try_fold(1_u64, |product, parent| product.checked_mul(levels[parent] as u64));
    if all.is_none() {
        return Err(SimulationError::TooManyParents { column: variable_name(node), parents: parents.len() });
    }
    Ok(joint_values(parents.iter(), levels, codes, rows))
}

/// The number of the joint value of `parents` in each row, the first one's level counting most.
pub(super) fn joint_values(
    parents: impl Iterator<Item = usize>,
    levels: &[usize],
    codes: &[Vec<u32>],
    rows: usize,
) -> Vec<u64> {
    let mut numbers = vec![0; rows];
    for parent in parents {
        for (number, &code) in numbers.iter_mut().zip(&codes[parent]) {
            *number = *number * levels[parent] as u64 + u64::from(code);
        }
    }
    numbers
}

/// A level for each row. Only the table's rows that are met are drawn, each from its own stream, so a node with many
/// parents costs no more memory than it has data.
fn draw_codes(node: usize, levels: usize, configurations: &[u64], seed: u64) -> Vec<u32> {
    let mut rng = stream(seed, Stream::Noise { node: node as u64 });
    let mut table: HashMap<u64, Vec<f64>> = HashMap::new();
    let draw = |&configuration: &u64| {
        let row = table.entry(configuration).or_insert_with(|| table_row(node, configuration, levels, seed));
        draw_level(row, &mut rng)
    };
    configurations.iter().map(draw).collect()
}

/// The probabilities of the levels: uniform on the simplex, a Dirichlet distribution with all parameters 1.
fn table_row(node: usize, configuration: u64, levels: usize, seed: u64) -> Vec<f64> {
    let rng = stream(seed, Stream::TableRow { node: node as u64, configuration });
    let weights: Vec<f64> = Exp1.sample_iter(rng).take(levels).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// A level with these probabilities.
pub(super) fn draw_level(probabilities: &[f64], rng: &mut StreamRng) -> u32 {
    categorical((0..).zip(probabilities.iter().copied()), rng.random()).expect("probabilities add up to one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gflowcausal_graph::Edge;

    #[test]
    fn conditional_frequencies_match_the_tables() {
        let dag = Dag::from_edges(3, [Edge::new(0, 2), Edge::new(1, 2)]).unwrap();
        let (rows, seed) = (100_000, 11);
        let columns = simulate(&dag, rows, seed).unwrap();
        let column = |node: usize| match &columns[node] {
            Values::Categorical { codes, levels } => (codes.as_slice(), levels.len()),
            Values::Continuous(_) => panic!("node {node} is not discrete"),
        };
        let ((first, _), (second, second_levels), (child, child_levels)) = (column(0), column(1), column(2));
        let mut counts: HashMap<(u64, u32), f64> = HashMap::new();
        let mut totals: HashMap<u64, f64> = HashMap::new();
        for row in 0..rows {
            let configuration = u64::from(first[row]) * second_levels as u64 + u64::from(second[row]);
            *counts.entry((configuration, child[row])).or_default() += 1.0;
            *totals.entry(configuration).or_default() += 1.0;
        }
        for (&configuration, &total) in &totals {
            for (level, p) in table_row(2, configuration, child_levels, seed).into_iter().enumerate() {
                let seen = counts.get(&(configuration, level as u32)).copied().unwrap_or(0.0) / total;
                let error = (p * (1.0 - p) / total).sqrt();
                assert!((seen - p).abs() < 4.5 * error, "{configuration} {level}: {seen} against {p}");
            }
        }
    }

    #[test]
    fn table_rows_are_uniform_on_the_simplex() {
        // Under Dirichlet(1, 1, 1) each share has mean 1/3 and variance 1/18.
        let shares: Vec<f64> = (0..20_000).map(|k| table_row(0, k, 3, 0)[1]).collect();
        let mean = shares.iter().sum::<f64>() / 20_000.0;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 1.0 / 3.0).abs() < 4.0 * (1.0_f64 / 18.0 / 20_000.0).sqrt());
        assert!((variance * 18.0 - 1.0).abs() < 0.05, "{variance}");
    }

    #[test]
    fn more_parents_than_can_be_numbered_are_refused() {
        let star = Dag::from_edges(70, (0..69).map(|from| Edge::new(from, 69))).unwrap();
        let error = simulate(&star, 1, 0).unwrap_err();
        assert_eq!(error.to_string(), "the 69 parents of 'X70' have more than 2^64 joint values");
    }
}

//! Numbers and categories together: effects of the parents add up, to a number with noise or to the log-odds of levels.

use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, StreamRng, stream};
use gflowcausal_graph::Dag;
use rand_distr::{Distribution, StandardNormal};

use super::discrete::{LEVEL_NAMES, draw_level};
use super::linear::signed_weight;
use super::observe::deviation;
use crate::Values;

/// One column for each node, causes first; every second one holds categories.
///
/// A number acts by a weight `±U[0.5, 2]` times its standardised value, a category by such a weight for each level.
/// Effects add up: to a number, with standard normal noise; or, one sum for each level, to the logarithms of what the
/// levels are as likely as.
pub(super) fn simulate(dag: &Dag, rows: usize, seed: u64) -> Vec<Values> {
    let mut columns: Vec<Values> = (0..dag.nodes()).map(|_| Values::Continuous(Vec::new())).collect();
    for node in dag.topological_order().iter() {
        let parents: Vec<&Values> = dag.parents(node).iter().map(|parent| &columns[parent]).collect();
        let mut coefficients = stream(seed, Stream::Coefficients { node: node as u64 });
        let mut noise = stream(seed, Stream::Noise { node: node as u64 });
        columns[node] = if node % 2 == 0 {
            number(&effects(&parents, rows, &mut coefficients), &mut noise)
        } else {
            let levels = coefficients.random_range(2..=LEVEL_NAMES.len());
            let sums: Vec<Vec<f64>> =
                (0..levels).map(|_| effects(&parents, rows, &mut coefficients)).collect();
            category(&sums, &mut noise)
        };
    }
    columns
}

/// The sum of the effects of all parents in each row.
fn effects(parents: &[&Values], rows: usize, rng: &mut StreamRng) -> Vec<f64> {
    let mut sums = vec![0.0; rows];
    for parent in parents {
        match parent {
            Values::Continuous(values) => {
                let mean = values.iter().sum::<f64>() / rows as f64;
                let spread = deviation(values);
                let slope = signed_weight(rng) / if spread > 0.0 { spread } else { 1.0 };
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += slope * (value - mean));
            }
            Values::Categorical { codes, levels } => {
                let shifts: Vec<f64> = levels.iter().map(|_| signed_weight(rng)).collect();
                sums.iter_mut().zip(codes).for_each(|(sum, &code)| *sum += shifts[code as usize]);
            }
        }
    }
    sums
}

fn number(sums: &[f64], rng: &mut StreamRng) -> Values {
    Values::Continuous(
        sums.iter()
            .map(|sum| {
                let noise: f64 = StandardNormal.sample(rng);
                sum + noise
            })
            .collect(),
    )
}

fn category(sums: &[Vec<f64>], rng: &mut StreamRng) -> Values {
    let draw = |row: usize| {
        let largest = sums.iter().map(|sums| sums[row]).fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = sums.iter().map(|sums| (sums[row] - largest).exp()).collect();
        let total: f64 = shares.iter().sum();
        draw_level(&shares.iter().map(|share| share / total).collect::<Vec<_>>(), rng)
    };
    let codes = (0..sums[0].len()).map(draw).collect();
    Values::Categorical {
        codes,
        levels: LEVEL_NAMES[..sums.len()].iter().map(|&name| name.to_owned()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gflowcausal_graph::Edge;

    fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
        values.clone().sum::<f64>() / values.count() as f64
    }

    /// `X1 → X2 → X3`: a number, a category, a number.
    #[test]
    fn levels_shift_numbers_and_follow_them() {
        let dag = Dag::from_edges(3, [Edge::new(0, 1), Edge::new(1, 2)]).unwrap();
        let columns = simulate(&dag, 20_000, 3);
        let [Values::Continuous(first), Values::Categorical { codes, levels }, Values::Continuous(last)] =
            &columns[..]
        else {
            panic!("every second column holds categories")
        };
        let mut rng = stream(3, Stream::Coefficients { node: 2 });
        let shifts: Vec<f64> = levels.iter().map(|_| signed_weight(&mut rng)).collect();
        for (level, shift) in shifts.iter().enumerate() {
            let of_level = |column: &'_ [f64]| -> Vec<f64> {
                column.iter().zip(codes).filter(|(_, code)| **code == level as u32).map(|(x, _)| *x).collect()
            };
            let within = of_level(last);
            let error = 4.5 / (within.len() as f64).sqrt();
            assert!((mean(within.iter().copied()) - shift).abs() < error, "{level}");
            assert!(mean(of_level(first).iter().copied()).abs() > 0.05, "{level} does not follow the number");
        }
    }
}

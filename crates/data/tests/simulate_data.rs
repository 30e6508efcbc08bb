//! Simulated values: covariances, noise, functions, missing cells, and the same bytes on any number of threads.

#![expect(clippy::unwrap_used, reason = "a failure in a function that tests share is a failed test")]

use std::collections::BTreeMap;

use gflowcausal_data::{
    Equations, Model, Moments, NoiseFamily, NoiseModel, NoiseScale, Simulation, Table, Values, Weights,
    simulate, simulate_from, simulate_linear, write_csv,
};
use gflowcausal_determinism::with_threads;
use gflowcausal_graph::{Dag, Edge};

fn columns(table: &Table) -> Vec<&[f64]> {
    table.columns().iter().map(|column| column.as_continuous().unwrap()).collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// `(I−W)⁻¹`: entry `[i·d + j]` sums the products of weights over all paths from `i` to `j`.
fn total_effects(weights: &Weights) -> Vec<f64> {
    let nodes = weights.dag().nodes();
    let mut effects = vec![0.0; nodes * nodes];
    for to in weights.dag().topological_order().iter() {
        effects[to * nodes + to] = 1.0;
        for from in weights.dag().parents(to).iter() {
            for origin in 0..nodes {
                effects[origin * nodes + to] +=
                    effects[origin * nodes + from] * weights.get(Edge::new(from, to));
            }
        }
    }
    effects
}

/// `(I−W)⁻ᵀ D (I−W)⁻¹` for noise variances `D`.
fn implied_covariance(weights: &Weights, variances: &[f64]) -> Vec<f64> {
    let nodes = variances.len();
    let effects = total_effects(weights);
    let covariance = |i: usize, j: usize| {
        (0..nodes).map(|k| effects[k * nodes + i] * variances[k] * effects[k * nodes + j]).sum()
    };
    (0..nodes * nodes).map(|cell| covariance(cell / nodes, cell % nodes)).collect()
}

/// Each entry of the sample covariance of Gaussian rows has variance `(Σ_ii·Σ_jj + Σ_ij²)/n`. Five standard errors:
/// one of the 465 entries passes them by chance once in 4,000 tests.
fn assert_covariance(table: &Table, expected: &[f64]) {
    let nodes = table.columns().len();
    let sample = Moments::of_columns(&columns(table)).covariance();
    for i in 0..nodes {
        for j in 0..=i {
            let value = expected[i * nodes + j];
            let product = expected[i * nodes + i] * expected[j * nodes + j];
            let error = ((product + value * value) / table.rows() as f64).sqrt();
            let difference = (sample[i * nodes + j] - value).abs();
            assert!(difference < 5.0 * error, "entry {i},{j}: off by {difference}, standard error {error}");
        }
    }
}

#[test]
fn the_sample_covariance_of_a_linear_model_is_the_implied_one() {
    let data = simulate(&Simulation { rows: 20_000, seed: 1, ..Simulation::default() }).unwrap();
    let weights = data.weights.unwrap();
    assert_eq!(weights.dag(), &data.dag);
    assert_covariance(&data.table, &implied_covariance(&weights, &[1.0; 30]));
}

#[test]
fn a_given_model_has_its_own_covariance() {
    // X1 → X2 → X3 and X1 → X3, noise of standard deviation 3.
    let weights = Weights::from_matrix(3, vec![0.0, 2.0, -1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]).unwrap();
    let noise = NoiseModel { scale: NoiseScale::Equal(3.0), ..NoiseModel::default() };
    let table = simulate_linear(&weights, &noise, 50_000, 2).unwrap();
    // By hand: x2 = 2e1 + e2, x3 = −e1 + e1 + 0.5e2 + e3.
    let expected = [9.0, 18.0, 0.0, 18.0, 45.0, 4.5, 0.0, 4.5, 11.25];
    assert_eq!(implied_covariance(&weights, &[9.0; 3]), expected);
    assert_covariance(&table, &expected);
}

#[test]
fn unequal_noise_has_standard_deviations_uniform_in_the_range() {
    let noise = NoiseModel { scale: NoiseScale::Between(0.5, 2.0), ..NoiseModel::default() };
    let data = simulate_from(Dag::empty(1000), &Equations::Linear(noise), 500, 3).unwrap();
    let mut scales: Vec<f64> =
        columns(&data.table).iter().map(|x| mean(x.iter().map(|v| v * v)).sqrt()).collect();
    scales.sort_by(f64::total_cmp);
    // Each is known to 1/√1000 = 3 %; quantiles of 1000 uniforms to 1.6 % of the range.
    for (position, expected) in [(0, 0.5), (250, 0.875), (500, 1.25), (750, 1.625), (999, 2.0)] {
        assert!((scales[position] - expected).abs() < 0.2, "{position}: {}", scales[position]);
    }
}

#[test]
fn weights_are_uniform_on_two_intervals() {
    let dag = gflowcausal_graph::Order::identity(80).complete_dag();
    let weights = Weights::random(dag.clone(), 4);
    let values: Vec<f64> = dag.edges().map(|edge| weights.get(edge)).collect();
    assert!(values.iter().all(|weight| (0.5..=2.0).contains(&weight.abs())));
    let count = values.len() as f64;
    let share = |keep: fn(f64) -> bool| values.iter().filter(|&&weight| keep(weight)).count() as f64 / count;
    let error = 0.5 / count.sqrt();
    assert!((share(|weight| weight > 0.0) - 0.5).abs() < 4.0 * error);
    assert!((share(|weight| weight.abs() > 1.25) - 0.5).abs() < 4.0 * error);
}

#[test]
fn weights_that_are_no_model_are_refused() {
    let refusal = |nodes, matrix| Weights::from_matrix(nodes, matrix).unwrap_err().to_string();
    assert_eq!(refusal(2, vec![0.0; 3]), "3 weights for 2 nodes, not 2 × 2");
    assert_eq!(refusal(2, vec![0.0, f64::NAN, 0.0, 0.0]), "the weight of edge 0 → 1 is not a finite number");
    assert_eq!(refusal(2, vec![0.0, 1.0, 1.0, 0.0]), "edge 1 → 0 closes a cycle");
}

/// `scipy.stats` 1.17.1: `d.ppf([.001, .01, .1, .25, .5, .75, .9, .99, .999])` and `d.stats("mvk")` for
/// `norm()`, `expon()`, `gumbel_r()`, `uniform(-1, 2)`, `laplace()`, `t(5)`.
#[rustfmt::skip]
#[expect(clippy::approx_constant, reason = "printed by the program above")]
const SCIPY: [(NoiseFamily, [f64; 9], f64, f64, f64); 6] = [
    (NoiseFamily::Gauss, [-3.090232306, -2.326347874, -1.281551566, -0.6744897502, 0.0, 0.6744897502, 1.281551566, 2.326347874, 3.090232306], 0.0, 1.0, 0.0),
    (NoiseFamily::Exp, [0.001000500334, 0.01005033585, 0.1053605157, 0.2876820725, 0.6931471806, 1.386294361, 2.302585093, 4.605170186, 6.907755279], 1.0, 1.0, 6.0),
    (NoiseFamily::Gumbel, [-1.932644734, -1.527179626, -0.8340324452, -0.32663426, 0.3665129206, 1.245899324, 2.250367327, 4.600149227, 6.907255071], 0.5772156649015329, 1.6449340668482264, 2.4),
    (NoiseFamily::Uniform, [-0.998, -0.98, -0.8, -0.5, 0.0, 0.5, 0.8, 0.98, 0.998], 0.0, 0.3333333333333333, -1.2),
    (NoiseFamily::Laplace, [-6.214608098, -3.912023005, -1.609437912, -0.6931471806, 0.0, 0.6931471806, 1.609437912, 3.912023005, 6.214608098], 0.0, 2.0, 3.0),
    (NoiseFamily::T, [-5.893429531, -3.364929999, -1.475884049, -0.7266868438, 0.0, 0.7266868438, 1.475884049, 3.364929999, 5.893429531], 0.0, 1.6666666666666667, 6.0),
];
const PROBABILITIES: [f64; 9] = [0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999];

#[test]
fn each_noise_has_its_mean_variance_and_quantiles() {
    let rows = 200_000;
    for (family, quantiles, expected_mean, expected_variance, excess_kurtosis) in SCIPY {
        let noise = NoiseModel { family, ..NoiseModel::default() };
        let data = simulate_from(Dag::empty(1), &Equations::Linear(noise), rows, 5).unwrap();
        let values = columns(&data.table)[0];
        let mean_error = (expected_variance / rows as f64).sqrt();
        assert!((mean(values.iter().copied()) - expected_mean).abs() < 4.0 * mean_error, "{family}");
        let variance = mean(values.iter().map(|value| (value - expected_mean).powi(2)));
        let variance_error = expected_variance * ((excess_kurtosis + 2.0) / rows as f64).sqrt();
        assert!((variance - expected_variance).abs() < 4.0 * variance_error, "{family}: {variance}");
        for (quantile, p) in quantiles.into_iter().zip(PROBABILITIES) {
            let below = values.iter().filter(|&&value| value < quantile).count() as f64 / rows as f64;
            let error = (p * (1.0 - p) / rows as f64).sqrt();
            assert!((below - p).abs() < 4.0 * error, "{family}: {below} below the quantile of {p}");
        }
    }
}

/// `X1 → X3 ← X2` drawn again and again with few rows: what a Gaussian process means is said over draws.
fn collider_draws(equations: Equations) -> Vec<Table> {
    let dag = Dag::from_edges(3, [Edge::new(0, 2), Edge::new(1, 2)]).unwrap();
    (0..4000).map(|seed| simulate_from(dag.clone(), &equations, 2, seed).unwrap().table).collect()
}

/// Asserts that independent numbers have the given mean, by their own standard error.
fn assert_mean(values: &[f64], expected: f64) {
    let centre = mean(values.iter().copied());
    let variance = mean(values.iter().map(|value| (value - centre).powi(2)));
    let error = (variance / values.len() as f64).sqrt();
    assert!((centre - expected).abs() < 4.0 * error, "{centre} ± {error} against {expected}");
}

#[test]
fn gaussian_process_draws_have_the_variance_and_covariance_of_their_kernel() {
    let noise = NoiseModel::default();
    let kernel = |table: &Table, parents: &[usize]| {
        let distance: f64 =
            parents.iter().map(|&p| (columns(table)[p][0] - columns(table)[p][1]).powi(2)).sum();
        (-0.5 * distance).exp()
    };
    let joint: fn(f64, f64, f64) -> f64 = |both, _, _| both;
    let additive: fn(f64, f64, f64) -> f64 = |_, first, second| first + second;
    // Root variance, child variance (signal and noise), covariance of two rows of the child given the parents.
    let cases = [
        (Equations::Gp(noise), 1.0, 2.0, joint),
        (Equations::GpAdditive(noise), 1.0, 3.0, additive),
        (Equations::GpQuiet, 1.5, 1.0 + 0.04 * 1.5, joint),
    ];
    for (equations, root, child, covariance) in cases {
        let tables = collider_draws(equations);
        let collect = |f: &dyn Fn(&Table) -> f64| tables.iter().map(f).collect::<Vec<f64>>();
        assert_mean(&collect(&|table| columns(table)[0][0].powi(2)), root);
        assert_mean(&collect(&|table| columns(table)[2][0]), 0.0);
        assert_mean(&collect(&|table| columns(table)[2][0].powi(2)), child);
        let left = |table: &Table| {
            let expected = covariance(kernel(table, &[0, 1]), kernel(table, &[0]), kernel(table, &[1]));
            columns(table)[2][0] * columns(table)[2][1] - expected
        };
        assert_mean(&collect(&left), 0.0);
    }
}

#[test]
fn a_kernel_of_nearly_equal_rows_can_still_be_factored() {
    let noise = NoiseModel { scale: NoiseScale::Equal(1e-12), ..NoiseModel::default() };
    let dag = Dag::from_edges(2, [Edge::new(0, 1)]).unwrap();
    let data = simulate_from(dag, &Equations::Gp(noise), 1500, 0).unwrap();
    // A smooth function of a constant is a constant, up to the jitter.
    let child = columns(&data.table)[1];
    assert!(child.iter().all(|value| (value - child[0]).abs() < 1e-3));
}

#[test]
fn quadratic_data_of_the_papers_size_are_finite_and_trimmed() {
    let config = Simulation { nodes: 10, edges: Some(40), model: Model::Quadratic, ..Simulation::default() };
    for seed in 0..5 {
        let data = simulate(&Simulation { seed, ..config.clone() }).unwrap();
        assert_eq!(data.table.rows(), 1000);
        assert!(data.dag.edge_count() <= 40 && data.dag.edge_count() >= 30);
    }
    // More rows than the protocol keeps: drawn in proportion.
    assert_eq!(simulate(&Simulation { rows: 4001, ..config }).unwrap().table.rows(), 4001);
}

#[test]
fn discrete_columns_have_two_to_four_levels() {
    let config = Simulation { nodes: 100, model: Model::Discrete, rows: 200, ..Simulation::default() };
    let data = simulate(&config).unwrap();
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for column in data.table.columns() {
        let Values::Categorical { levels, .. } = &column.values else {
            panic!("{} is not discrete", column.name)
        };
        *sizes.entry(levels.len()).or_default() += 1;
    }
    assert_eq!(sizes.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn standardized_columns_keep_their_equations() {
    let raw = Simulation { rows: 500, seed: 6, ..Simulation::default() };
    let data = simulate(&Simulation { standardize: true, ..raw.clone() }).unwrap();
    let weights = data.weights.unwrap();
    let plain = simulate(&raw).unwrap();
    let moments = Moments::of_columns(&columns(&data.table));
    let noise_scale = Moments::of_columns(&columns(&plain.table)).covariance();
    for node in 0..30 {
        assert!(moments.mean()[node].abs() < 1e-12);
        assert!((moments.covariance()[node * 31] - 1.0).abs() < 1e-12);
        // x_j − Σ w_ij·x_i is still the noise of unit variance, in units of the column's standard deviation.
        let residual: Vec<f64> = (0..500)
            .map(|row| {
                let parents = data.dag.parents(node).iter();
                let sum: f64 =
                    parents.map(|p| weights.get(Edge::new(p, node)) * columns(&data.table)[p][row]).sum();
                columns(&data.table)[node][row] - sum
            })
            .collect();
        let variance = mean(residual.iter().map(|value| value * value)) * noise_scale[node * 31];
        assert!((variance - 1.0).abs() < 5.0 * (2.0_f64 / 500.0).sqrt(), "{node}: {variance}");
    }
}

#[test]
fn cells_go_missing_at_the_rate_and_nothing_else_changes() {
    for model in [Model::Linear, Model::Discrete] {
        let full = Simulation { model, rows: 2000, seed: 8, ..Simulation::default() };
        let complete = simulate(&full).unwrap();
        let holed = simulate(&Simulation { missing_rate: 0.1, ..full }).unwrap();
        assert_eq!(complete.table.missing(), 0);
        let cells = 60_000.0_f64;
        let rate = holed.table.missing() as f64 / cells;
        assert!((rate - 0.1).abs() < 4.0 * (0.09 / cells).sqrt(), "{rate}");
        for (before, after) in complete.table.columns().iter().zip(holed.table.columns()) {
            let pair = (&before.values, &after.values);
            match pair {
                (Values::Continuous(before), Values::Continuous(after)) => {
                    assert!(before.iter().zip(after).all(|(x, y)| y.is_nan() || x == y));
                }
                (Values::Categorical { codes: before, .. }, Values::Categorical { codes: after, .. }) => {
                    let missing = gflowcausal_data::MISSING_CODE;
                    assert!(before.iter().zip(after).all(|(x, y)| *y == missing || x == y));
                }
                _ => panic!("the type of {} changed", before.name),
            }
        }
    }
}

fn bytes(config: &Simulation) -> Vec<u8> {
    let mut csv = Vec::new();
    write_csv(&simulate(config).unwrap().table, &mut csv).unwrap();
    csv
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_one_and_two_threads() {
    for &model in Model::ALL {
        let standardize = model != Model::Discrete;
        let config = Simulation {
            nodes: 8,
            edges: Some(12),
            model,
            rows: 300,
            seed: 9,
            standardize,
            missing_rate: 0.05,
            ..Simulation::default()
        };
        let one = with_threads(1, || bytes(&config));
        assert_eq!(one, with_threads(2, || bytes(&config)), "{model}");
        assert_ne!(one, bytes(&Simulation { seed: 10, ..config }), "{model}");
    }
}

#[test]
fn a_variable_keeps_its_values_when_unrelated_ones_are_added() {
    let noise = NoiseModel::default();
    let small = simulate_from(Dag::empty(2), &Equations::Mlp(noise), 50, 1).unwrap();
    let large = simulate_from(Dag::empty(5), &Equations::Mlp(noise), 50, 1).unwrap();
    assert_eq!(small.table.columns(), &large.table.columns()[..2]);
}

//! `quadratic` against scikit-learn.

use gflowcausal_data::Table;
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{LocalScore, Penalty, Quadratic};

use crate::{assert_close, column_of, real_table, set, uniforms};

fn table() -> Table {
    let u: Vec<f64> = uniforms(480, 3).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let y = a.iter().zip(&b).zip(&c).map(|((a, b), c)| a * b + a * a + 0.1 * c).collect();
    let (b, d) = (b.iter().map(|b| 3.0 * b).collect(), d.iter().map(|d| 100.0 + d).collect());
    real_table(vec![a, b, y, d])
}

/// ```python
/// n = 120; u = lcg(4*n, 3).reshape(n, 4)*2 - 1     # lcg as for bdeu
/// Q = np.stack([u[:,0], u[:,1]*3, u[:,0]*u[:,1] + u[:,0]**2 + 0.1*u[:,2], 100 + u[:,3]], 1)
/// def fit(j, pa):                                  # mean squared residual, number of terms
///     y = Q[:,j]
///     if not pa: return ((y - y.mean())**2).mean(), 0
///     F = PolynomialFeatures(2, include_bias=False).fit_transform(Q[:,pa])
///     return ((y - LinearRegression().fit(F, y).predict(F))**2).mean(), F.shape[1]
/// def quad(j, pa): v, k = fit(j, pa); return -n/2*np.log(v) - k/2*np.log(n)
/// ```
#[test]
fn terms_equal_least_squares_on_polynomial_features() {
    let score = Quadratic::new(&table(), Penalty::Factor(1.0)).expect("valid");
    let cases = [
        (2, set(4, []), 84.75254281171706),
        (2, set(4, [0]), 115.18520634703847),
        (2, set(4, [0, 1]), 331.235639583075),
        (3, set(4, [0, 1, 2]), 44.28614627172497),
        (0, set(4, [2]), 60.464415156191286),
    ];
    for (node, parents, expected) in cases {
        assert_close(score.local(node, &parents), expected, 1e-10);
    }
}

/// ```python
/// s2 = max(v*n/(n - 1 - k) for v, k in (fit(j, [p for p in range(4) if p != j]) for j in range(4)))
/// def equal(j, pa): v, k = fit(j, pa); return -n/2*(np.log(s2) + v/s2) - k/2*np.log(n)
/// ```
#[test]
fn with_equal_noise_residuals_are_measured_against_the_largest() {
    let score = Quadratic::with_equal_noise(&table(), Penalty::Factor(1.0)).expect("valid");
    let cases = [
        (2, set(4, []), -40.745854663581284),
        (2, set(4, [0]), -41.74028775275329),
        (2, set(4, [0, 1]), -44.28686936162599),
        (3, set(4, [0, 1, 2]), -65.45702953683573),
        (1, set(4, [2]), -150.88460292991857),
    ];
    for (node, parents, expected) in cases {
        assert_close(score.local(node, &parents), expected, 1e-10);
    }
}

/// A column of which rounding has taken the noise says nothing of the noise of others.
#[test]
fn noise_below_the_last_digit_does_not_drown_the_rest() {
    let u: Vec<f64> = uniforms(1600, 9).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, e, f] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let y: Vec<f64> = a.iter().zip(&e).map(|(a, e)| a * a + e).collect();
    let vast = |scale: f64| a.iter().zip(&b).zip(&f).map(|((a, b), f)| scale * (a * b + a) + f).collect();
    let gain = |scale: f64| {
        let table = real_table(vec![a.clone(), b.clone(), y.clone(), vast(scale)]);
        let score = Quadratic::with_equal_noise(&table, Penalty::Factor(1.0)).expect("valid");
        score.local(2, &set(4, [0])) - score.local(2, &set(4, []))
    };
    assert_close(gain(1e16), gain(1e3), 0.05);
}

/// A variable that its parents determine almost exactly keeps its digits: normal equations would not.
#[test]
fn a_signal_a_billion_times_the_noise_is_resolved() {
    let u: Vec<f64> = uniforms(900, 9).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, e] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let with_noise = |noise: f64| {
        let y = a.iter().zip(&b).zip(&e).map(|((a, b), e)| a * b + b * b - a + noise * e).collect();
        Quadratic::new(&real_table(vec![a.clone(), b.clone(), y]), Penalty::Factor(1.0)).expect("valid")
    };
    let term = |noise| with_noise(noise).local(2, &set(3, [0, 1]));
    assert_close(term(1e-9) - term(1e-3), 300.0 * 1e6_f64.ln(), 1e-6);
}

#[test]
fn repeated_and_linearly_dependent_parents_only_cost() {
    let u = uniforms(400, 4);
    let [a, b, e] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let y: Vec<f64> = a.iter().zip(&b).zip(&e).map(|((a, b), e)| a * b + 0.1 * e).collect();
    let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let [a, b, e, y] = [a, b, e, y].map(|column| column[..133].to_vec());
    let score = Quadratic::new(&real_table(vec![a, b, e, y, sum]), Penalty::Factor(1.0)).expect("valid");
    let price = 133.0_f64.ln() / 2.0;
    // Three terms of `sum` alone and two products: nothing new.
    let without = score.local(3, &set(5, [0, 1]));
    assert_close(score.local(3, &set(5, [0, 1, 4])), without - 4.0 * price, 1e-9);
}

/// One row of 10²⁴ beside rows of one rounds away what the small rows say, unless these are scored by themselves.
#[test]
fn a_variable_of_many_magnitudes_keeps_its_small_causes() {
    let u: Vec<f64> = uniforms(1600, 5).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, c, e] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let vast: Vec<f64> = b.iter().map(|b| 10_f64.powf(6.0 * (b + 1.0))).collect();
    let y = vast.iter().zip(&a).zip(&e).map(|((v, a), e)| v * v + 3.0 * a * a + 0.1 * e).collect();
    let score = Quadratic::new(&real_table(vec![a, vast, c, y]), Penalty::Auto).expect("valid");
    let term = |parents: &NodeSet| score.local(3, parents);
    assert!(term(&set(4, [0, 1])) > term(&set(4, [1])) + 50.0, "the small cause is seen");
    assert!(term(&set(4, [0, 1])) > term(&set(4, [0, 1, 2])), "what is no cause is not");
}

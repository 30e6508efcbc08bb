//! `quadratic` against scikit-learn.

use gflowcausal_score::{LocalScore, Penalty, Quadratic};

use crate::{assert_close, column_of, real_table, set, uniforms};

/// ```python
/// n = 120; u = lcg(4*n, 3).reshape(n, 4)*2 - 1     # lcg as for bdeu
/// Q = np.stack([u[:,0], u[:,1]*3, u[:,0]*u[:,1] + u[:,0]**2 + 0.1*u[:,2], 100 + u[:,3]], 1)
/// def quad(j, pa):
///     y = Q[:,j]; k = 0; r = y - y.mean()
///     if pa:
///         F = PolynomialFeatures(2, include_bias=False).fit_transform(Q[:,pa]); k = F.shape[1]
///         r = y - LinearRegression().fit(F, y).predict(F)
///     return -n/2*np.log((r**2).mean()) - k/2*np.log(n)
/// ```
#[test]
fn terms_equal_least_squares_on_polynomial_features() {
    let u: Vec<f64> = uniforms(480, 3).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let y = a.iter().zip(&b).zip(&c).map(|((a, b), c)| a * b + a * a + 0.1 * c).collect();
    let columns = |scale: f64| {
        let columns =
            [a.clone(), b.iter().map(|b| 3.0 * b).collect(), y, d.iter().map(|d| 100.0 + d).collect()];
        columns.map(|column: Vec<f64>| column.into_iter().map(|value| value * scale).collect()).into()
    };
    let score = Quadratic::new(&real_table(columns(1.0)), Penalty::Factor(1.0)).expect("valid");
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

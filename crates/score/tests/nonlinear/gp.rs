//! Both forms of `gp` against numpy and scipy.

use gflowcausal_data::Table;
use gflowcausal_determinism::{map, with_threads};
use gflowcausal_score::{GpMarginal, KernelRidge, LocalScore, Penalty};

use crate::{assert_close, column_of, real_table, set, subsets, uniforms};

fn table() -> Table {
    let u: Vec<f64> = uniforms(320, 11).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let e = a.iter().zip(&b).zip(&c).map(|((a, b), c)| (3.0 * a).sin() * b + 0.2 * c).collect();
    let f = a.iter().zip(&d).map(|(a, d)| a.exp() + d).collect();
    real_table(vec![a, b, e, f])
}

/// ```python
/// n = 80; u = lcg(4*n, 11).reshape(n, 4)*2 - 1     # lcg as for bdeu
/// X = np.stack([u[:,0], u[:,1], np.sin(3*u[:,0])*u[:,1] + 0.2*u[:,2], np.exp(u[:,0]) + u[:,3]], 1)
/// X = (X - X.mean(0))/X.std(0)
/// def ridge(j, pa):
///     y = X[:,j]; r = y
///     if pa:
///         d2 = pdist(X[:,pa], 'sqeuclidean'); K = np.exp(-squareform(d2)/(2*np.median(d2)))
///         r = y - K @ np.linalg.solve(K + np.eye(n), y)
///     return -n/2*np.log((r**2).sum()/n + 1e-8) - len(pa)/2*np.log(n)
/// ```
#[test]
fn kernel_ridge_is_corls_formula() {
    let score = KernelRidge::new(&table(), Penalty::Factor(1.0)).expect("valid");
    let cases = [
        (2, set(4, []), -3.999999866872275e-07),
        (2, set(4, [0]), -1.7350804058145537),
        (2, set(4, [0, 1]), 47.363641322785284),
        (3, set(4, [0]), 19.888676997615015),
        (3, set(4, [1]), -2.045650164803529),
        (0, set(4, [1, 2, 3]), 35.633108404384686),
    ];
    for (node, parents, expected) in cases {
        assert_close(score.local(node, &parents), expected, 1e-8);
    }
}

/// The exact optimum over the ratio of noise to signal, by eigenvalues; ours climbs a grid in that direction.
///
/// ```python
/// def marginal(j, pa):                             # X as above
///     y = X[:,j]; d2 = pdist(X[:,pa], 'sqeuclidean'); best = -np.inf
///     for f in (1, 1/4, 1/16):
///         w, Q = np.linalg.eigh(np.exp(-squareform(d2)/(2*f*np.median(d2)))); w = np.maximum(w, 0)
///         z2 = (Q.T @ y)**2
///         L = lambda t: n/2*np.log((z2/(w + np.exp(t))).sum()/n) + .5*np.log(w + np.exp(t)).sum()
///         best = max(best, -minimize_scalar(L, bounds=(np.log(1/256), np.log(4)), method='bounded').fun)
///     return best
/// ```
#[test]
fn marginal_likelihood_is_near_its_exact_optimum() {
    let score = GpMarginal::new(&table()).expect("valid");
    let cases = [
        (2, set(4, []), 0.0, 0.0),
        (2, set(4, [0]), -2.7122516588836874, 1e-5),
        (2, set(4, [0, 1]), 78.05250194969399, 0.1),
        (3, set(4, [0]), 14.190107911263436, 0.1),
        (3, set(4, [1]), -2.9136127630432895, 1e-5),
        (0, set(4, [1, 2, 3]), 29.70034692406499, 0.1),
    ];
    for (node, parents, expected, tolerance) in cases {
        let term = score.local(node, &parents);
        assert!((term - expected).abs() <= tolerance, "{node} given {parents:?}: {term} is not {expected}");
    }
}

#[test]
fn threads_that_share_a_store_get_the_same_bits() {
    let queries: Vec<_> =
        (0..4).flat_map(|node| subsets(4, &[node]).into_iter().map(move |s| (node, s))).collect();
    let terms = |threads| {
        let score = GpMarginal::new(&table()).expect("valid");
        with_threads(threads, || map(queries.len(), |k| score.local(queries[k].0, &queries[k].1).to_bits()))
    };
    assert_eq!(terms(1), terms(3));
}

#[test]
fn more_than_a_thousand_rows_are_thinned() {
    let u = uniforms(6000, 13);
    let [a, e] = [0, 1].map(|j| column_of(&u, 2, j));
    let y: Vec<f64> = a.iter().zip(&e).map(|(a, e)| (6.0 * a).cos() + e).collect();
    let every_third = |column: &[f64]| column.iter().step_by(3).copied().collect::<Vec<f64>>();
    let thin = real_table(vec![every_third(&a), every_third(&y)]);
    let full = real_table(vec![a, y]);
    let term = |table| GpMarginal::new(table).expect("valid").local(1, &set(2, [0]));
    assert_eq!(term(&full), term(&thin));
}

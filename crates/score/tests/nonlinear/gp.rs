//! `gp` against numpy and scipy.

use gflowcausal_data::Table;
use gflowcausal_determinism::{map, with_threads};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{GpMarginal, LocalScore};

use crate::{column_of, real_table, set, subsets, uniforms};

fn table() -> Table {
    table_of(80, 11, 0.2)
}

fn table_of(rows: usize, seed: u64, noise: f64) -> Table {
    let u: Vec<f64> = uniforms(4 * rows, seed).iter().map(|u| u * 2.0 - 1.0).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|j| column_of(&u, 4, j));
    let e = a.iter().zip(&b).zip(&c).map(|((a, b), c)| (3.0 * a).sin() * b + noise * c).collect();
    let f = a.iter().zip(&d).map(|(a, d)| a.exp() + d).collect();
    real_table(vec![a, b, e, f])
}

/// The likelier of a joint function, at the exact optimum over the ratio of noise to signal, and a sum of functions.
///
/// ```python
/// n = 80; u = lcg(4*n, 11).reshape(n, 4)*2 - 1     # lcg as for bdeu
/// X = np.stack([u[:,0], u[:,1], np.sin(3*u[:,0])*u[:,1] + 0.2*u[:,2], np.exp(u[:,0]) + u[:,3]], 1)
/// X = (X - X.mean(0))/X.std(0)
/// def cells(P, rows):
///     if len(rows) <= 256: return [rows]
///     v = P[rows].var(0); c = P[:, np.argmax(v > v.max()/(1 + 1e-9))]      # the first of those that vary most
///     rows = rows[np.lexsort((rows, c[rows]))]; m = len(rows)//2
///     return cells(P, rows[:m]) + cells(P, rows[m:])
/// def joint(j, pa):
///     y = X[:,j]; best = -np.inf; P = X[:,pa]; count = max(1, min(n - 1, 65536//n))
///     m = np.median(np.concatenate([((P[s:] - P[:n-s])**2).sum(1) for s in [k*(n-1)//count for k in range(1, count+1)]]))
///     for f in (1, 1/4, 1/16):
///         w, z2 = [], []
///         for rows in cells(P, np.arange(n)):
///             e, Q = np.linalg.eigh(np.exp(-squareform(pdist(P[rows], 'sqeuclidean'))/(2*f*m)))
///             w.append(np.maximum(e, 0)); z2.append((Q.T @ y[rows])**2)
///         w, z2 = np.concatenate(w), np.concatenate(z2)
///         L = lambda t: n/2*np.log((z2/(w + np.exp(t))).sum()/n) + .5*np.log(w + np.exp(t)).sum()
///         best = max(best, -minimize_scalar(L, bounds=(np.log(1/256), np.log(4)), method='bounded').fun)
///     return best
/// def gp(j, pa): return max(joint(j, pa), evidence(X, j, pa) - len(pa)/2*np.log(n))    # evidence as for spline
/// ```
///
/// Ours climbs a grid in the ratio, in single precision.
fn assert_near_optimum(table: &Table, cases: &[(usize, NodeSet, f64)]) {
    let score = GpMarginal::new(table).expect("valid");
    for (node, parents, expected) in cases {
        let term = score.local(*node, parents);
        assert!((term - expected).abs() <= 0.2, "{node} given {parents:?}: {term} is not {expected}");
    }
}

#[test]
fn marginal_likelihood_is_near_its_exact_optimum() {
    assert_near_optimum(
        &table(),
        &[
            (2, set(4, []), 0.0),
            (2, set(4, [0]), -2.17975728289486),
            (2, set(4, [0, 1]), 78.05250194969321),
            (3, set(4, [0]), 18.05600281971354),
            (3, set(4, [1]), -2.1910186128564355),
            (0, set(4, [1, 2, 3]), 29.70034692406404),
        ],
    );
}

/// With `n = 600` and `X[:,2] = sin(3 u₀) u₁ + 0.4 u₂` of `lcg(2400, 23)`.
#[test]
fn many_rows_are_cut_into_cells() {
    assert_near_optimum(
        &table_of(600, 23, 0.4),
        &[
            (2, set(4, [0]), -2.2780158910142374),
            (2, set(4, [0, 1]), 386.9073983625722),
            (2, set(4, [0, 1, 3]), 352.6307460516318),
            (3, set(4, [0]), 246.7547540456841),
            (3, set(4, [1]), -1.8145654602791188),
            (0, set(4, [1, 2, 3]), 317.64775058646745),
        ],
    );
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
fn more_than_two_thousand_rows_are_thinned() {
    let u = uniforms(12000, 13);
    let [a, e] = [0, 1].map(|j| column_of(&u, 2, j));
    let y: Vec<f64> = a.iter().zip(&e).map(|(a, e)| (6.0 * a).cos() + e).collect();
    let every_third = |column: &[f64]| column.iter().step_by(3).copied().collect::<Vec<f64>>();
    let thin = real_table(vec![every_third(&a), every_third(&y)]);
    let full = real_table(vec![a, y]);
    let term = |table| GpMarginal::new(table).expect("valid").local(1, &set(2, [0]));
    assert_eq!(term(&full), term(&thin));
}

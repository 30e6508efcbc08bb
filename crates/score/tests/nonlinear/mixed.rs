//! `dg` against determinants of the embedded covariance.

use gflowcausal_data::{Column, Moments, Table};
use gflowcausal_score::{Bic, DegenerateGaussian, LocalScore, Penalty};

use crate::{assert_close, categories, column_of, real_table, set, subsets, uniforms};

pub(crate) fn table() -> Table {
    let u = uniforms(1000, 7);
    let [u0, u1, u2, u3, u4] = [0, 1, 2, 3, 4].map(|j| column_of(&u, 5, j));
    let x: Vec<f64> = u0.iter().zip(&u1).map(|(a, b)| 2.0 * a - b).collect();
    let k: Vec<u32> = x.iter().zip(&u2).map(|(&x, &u)| u32::from(x > 0.3) + u32::from(u < 0.4)).collect();
    let y: Vec<f64> = x.iter().zip(&k).zip(&u3).map(|((x, &k), u)| x * x + f64::from(k) + 0.3 * u).collect();
    let z: Vec<u32> =
        y.iter().zip(&u4).map(|(&y, u)| (u * 2.0 + if y > 1.0 { 0.5 } else { 0.0 }) as u32).collect();
    let (k, z) = (categories("k", k, 4), categories("z", z, 3));
    Table::new(vec![Column::continuous("x", x), k, Column::continuous("y", y), z]).expect("equal lengths")
}

/// ```python
/// n = 200; u = lcg(5*n, 7).reshape(n, 5)          # lcg as for bdeu
/// x = 2*u[:,0] - u[:,1]; k = (x > 0.3).astype(int) + (u[:,2] < 0.4)
/// y = x*x + k + 0.3*u[:,3]; z = (u[:,4]*2 + 0.5*(y > 1)).astype(int)
/// def onehot(c): return (c[:,None] == np.unique(c)[:-1]).astype(float)
/// B = [x[:,None], onehot(k), y[:,None], onehot(z)]
/// def dg(j, pa):
///     E = np.hstack([B[p] for p in pa] + [B[j]]); S = np.cov(E.T, bias=True).reshape(E.shape[1], -1)
///     m = E.shape[1] - B[j].shape[1]
///     ld = np.linalg.slogdet(S)[1] - (np.linalg.slogdet(S[:m,:m])[1] if m else 0)
///     return -n/2*ld - m*B[j].shape[1]/2*np.log(n)
/// ```
#[test]
fn terms_equal_ratios_of_determinants() {
    let score = DegenerateGaussian::new(&table(), Penalty::Factor(1.0)).expect("valid");
    let cases = [
        (1, set(4, []), 346.5735902799727),
        (0, set(4, []), 93.41422990620502),
        (1, set(4, [0]), 390.2991755107761),
        (2, set(4, [0, 1]), 156.5317627394673),
        (3, set(4, [2]), 353.9115327114122),
        (1, set(4, [0, 2, 3]), 468.9218164280079),
    ];
    for (node, parents, expected) in cases {
        assert_close(score.local(node, &parents), expected, 1e-10);
    }
}

#[test]
fn on_real_columns_it_is_bic() {
    let u = uniforms(90, 5);
    let columns: Vec<Vec<f64>> = (0..3).map(|j| column_of(&u, 3, j)).collect();
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let bic = Bic::new(&Moments::of_columns(&slices), Penalty::Auto).expect("valid");
    let dg = DegenerateGaussian::new(&real_table(columns.clone()), Penalty::Auto).expect("valid");
    for node in 0..3 {
        for parents in subsets(3, &[node]) {
            assert_close(dg.local(node, &parents), bic.local(node, &parents), 1e-12);
        }
    }
}

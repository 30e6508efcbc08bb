//! Additive spline models against numpy and mgcv.

use gflowcausal_data::{Moments, Table};
use gflowcausal_score::{Bic, Cam, LocalScore, Penalty, Spline};

use crate::{column_of, real_table, set, subsets, uniforms};

/// Four candidates, a response that depends strongly on three of them, and one that depends weakly.
fn table() -> Table {
    let u = uniforms(1500, 17);
    let [a, b, c, d] =
        [0, 1, 2, 3].map(|j| column_of(&u, 5, j).iter().map(|u| u * 2.0 - 1.0).collect::<Vec<f64>>());
    let noise: Vec<f64> = column_of(&u, 5, 4).iter().map(|u| (u - 0.5) * 1.5).collect();
    let response = |f: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
        (0..300).map(|i| f(a[i], b[i], c[i]) + noise[i]).collect()
    };
    let strong = response(&|a, b, c| (4.0 * a).sin() + 0.5 * b + 0.6 * c * c);
    let weak = response(&|a, b, c| 0.12 * a + 0.25 * c * c + 0.1 * (6.0 * b).sin());
    real_table(vec![a, b, c, d, strong, weak])
}

/// The restricted likelihood of a dense covariance matrix, its smoothing weights by a general optimiser:
///
/// ```python
/// u = lcg(1500, 17).reshape(300, 5); a, b, c, d = (u[:,k]*2 - 1 for k in range(4)); e = (u[:,4] - .5)*1.5   # lcg as for bdeu
/// Y = np.stack([a, b, c, d, np.sin(4*a) + .5*b + .6*c*c + e, .12*a + .25*c*c + .1*np.sin(6*b) + e], 1)
/// X = (Y - Y.mean(0))/Y.std(0)
/// def splines(x):                                  # natural splines at 10 quantiles, without lines, times the root of their prior
///     k = np.quantile(np.unique(x), np.linspace(0, 1, min(10, max(3, len(x)//10))))
///     s = CubicSpline(k, np.eye(len(k)), bc_type='natural'); m, h = s.derivative(2)(k), np.diff(k); o = np.outer
///     S = sum(h[i]/6*(2*o(m[i], m[i]) + o(m[i], m[i+1]) + o(m[i+1], m[i]) + 2*o(m[i+1], m[i+1])) for i in range(len(h)))
///     w, Q = np.linalg.eigh(S); B = s(x); return (B - B.mean(0)) @ Q[:,2:]/np.sqrt(w[2:])
/// def evidence(X, j, pa):
///     n = len(X); y = X[:,j]; Z = [splines(X[:,p]) for p in pa]; L = np.column_stack([np.ones(n)] + [X[:,p] for p in pa])
///     def parts(t):
///         V = np.eye(n) + sum(np.exp(a)*z@z.T for a, z in zip(t, Z)); VL = np.linalg.solve(V, L)
///         r = y - L @ np.linalg.solve(L.T @ VL, VL.T @ y)
///         return r @ np.linalg.solve(V, r), np.linalg.slogdet(V)[1] + np.linalg.slogdet(L.T @ VL)[1]
///     def reml(t): q, d = parts(t); return ((n - L.shape[1])*np.log(q) + d)/2
///     fits = [minimize(reml, np.full(len(pa), s), method='L-BFGS-B', bounds=[(-30, 20)]*len(pa)) for s in (0., 5., -5.)]
///     q, d = parts(min(fits, key=lambda f: f.fun).x)
///     return -n/2*np.log(q/n) - d/2 + np.linalg.slogdet(L.T @ L)[1]/2
/// def spline(j, pa): return evidence(X, j, pa) - len(pa)/2*np.log(300) - 300*np.log(Y.std(0)[j])
/// ```
#[test]
fn terms_are_restricted_likelihoods() {
    let score = Spline::new(&table(), Penalty::Factor(1.0)).expect("valid");
    let cases = [
        (4, set(6, []), 44.50296059),
        (4, set(6, [0]), 171.98098808084836),
        (4, set(6, [1, 2]), 76.49640082184033),
        (4, set(6, [0, 1, 2, 3]), 231.26974182755504),
        (5, set(6, [2]), 248.04185816760452),
        (5, set(6, [0, 1, 2, 3]), 241.57871993662562),
        (0, set(6, [4]), 173.35354403597722),
        (3, set(6, [0, 1]), 171.67150273544908),
    ];
    for (node, parents, expected) in cases {
        let term = score.local(node, &parents);
        assert!((term - expected).abs() < 0.02, "{node} given {parents:?}: {term} is not {expected}");
    }
}

/// On straight lines with noise, nothing bends: the score is nearly that of the linear model.
#[test]
fn on_linear_data_it_is_nearly_bic() {
    let u = uniforms(1200, 29);
    let [a, b, e] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let y: Vec<f64> = (0..400).map(|i| a[i] - 0.5 * b[i] + 0.4 * e[i]).collect();
    let columns = vec![a, b, y];
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let bic = Bic::new(&Moments::of_columns(&slices), Penalty::Auto).expect("valid");
    let spline = Spline::new(&real_table(columns.clone()), Penalty::Auto).expect("valid");
    // From effect to cause the mean bends: what is uniform has ends.
    for parents in subsets(3, &[2]) {
        let rise = spline.local(2, &parents) - bic.local(2, &parents);
        assert!((-0.1..1.0).contains(&rise), "{parents:?}: {rise}");
    }
}

/// mgcv 1.8-41 with the same splines and the same criterion:
///
/// ```r
/// u <- as.matrix(read.csv("u.csv"))                # lcg(1500, 17) as 300 rows of 5
/// z <- function(x) (x-mean(x))/sqrt(mean((x-mean(x))^2))
/// a <- u[,1]*2-1; b <- u[,2]*2-1; c <- u[,3]*2-1; d <- u[,4]*2-1
/// for (y in list(sin(4*a) + 0.5*b + 0.6*c*c + (u[,5]-0.5)*1.5, 0.12*a + 0.25*c*c + 0.1*sin(6*b) + (u[,5]-0.5)*1.5)) {
///   D <- data.frame(y=z(y), a=z(a), b=z(b), c=z(c), d=z(d))
///   f <- gam(y ~ s(a,bs="cr") + s(b,bs="cr") + s(c,bs="cr") + s(d,bs="cr"), data=D, method="REML")
///   print(summary(f)$s.table)
/// }
/// ```
///
/// mgcv weighs the last direction by the fraction of a degree of freedom; ours rounds, so small differences are left.
#[test]
fn p_values_are_close_to_mgcvs() {
    let cam = Cam::new(&table(), Cam::ALPHA).expect("valid");
    let parents = set(6, [0, 1, 2, 3]);
    let strong = cam.p_values(4, &parents);
    assert!(strong[..3].iter().all(|&p| p < 1e-7), "{strong:?}");
    assert!((strong[3] - 0.72421806).abs() < 0.01, "{strong:?}");
    let weak = cam.p_values(5, &parents);
    for (got, expected) in weak.iter().zip([0.207292055, 0.205958209, 0.037698616, 0.600103067]) {
        assert!((got - expected).abs() < 0.01, "{weak:?}");
    }
}

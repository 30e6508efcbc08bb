//! Values against numpy, scipy, scikit-learn and CausalDisco. Each test quotes the program.
//!
//! The data of all of them:
//!
//! ```python
//! import numpy as np
//! def fixed(rows=60):
//!     s, u = 7, []
//!     for _ in range(rows * 5):
//!         s = (1103515245 * s + 12345) % 2**31
//!         u.append(s / 2**31 - 0.5)
//!     e = np.array(u).reshape(rows, 5)
//!     X = e.copy()
//!     X[:, 1] = 0.8 * X[:, 0] + e[:, 1]
//!     X[:, 2] = 3.0 + 0.5 * X[:, 0] - 0.7 * X[:, 1] + 0.5 * e[:, 2]
//!     X[:, 3] = 10.0 * X[:, 2] + 2.0 * e[:, 3]
//!     X[:, 4] = 0.3 * X[:, 1] + 0.1 * X[:, 3] + e[:, 4]
//!     return X
//! X = fixed(); n, d = X.shape
//! G = {0: [], 1: [0], 2: [0, 1], 3: [2], 4: [1, 3]}
//! ```

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Dag, Edge, NodeSet, Order};
use gflowcausal_score::{
    Bge, BgePrior, Bic, BicEqual, Correlation, GraphScore, Lasso, LinearModel, LocalScore, Ols, OrderScore,
    Penalty, Prune, Sortability, TTest, Threshold, Varsort, prune,
};

use crate::{close, moments_of_rows, noise, set};

fn fixed() -> Moments {
    let mut rows = noise(60, 5, 7);
    for x in &mut rows {
        x[1] += 0.8 * x[0];
        x[2] = 3.0 + 0.5 * x[0] - 0.7 * x[1] + 0.5 * x[2];
        x[3] = 10.0 * x[2] + 2.0 * x[3];
        x[4] += 0.3 * x[1] + 0.1 * x[3];
    }
    moments_of_rows(&rows)
}

fn fixed_dag() -> Dag {
    let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 4), (3, 4)];
    Dag::from_edges(5, edges.map(|(from, to)| Edge::new(from, to))).expect("acyclic")
}

fn terms(score: &impl LocalScore) -> Vec<f64> {
    let dag = fixed_dag();
    (0..5).map(|node| score.local(node, dag.parents(node))).collect()
}

/// ```python
/// def rss(j, P):
///     A = np.column_stack([np.ones(n)] + [X[:, p] for p in P])
///     return np.sum((X[:, j] - A @ np.linalg.lstsq(A, X[:, j], rcond=None)[0])**2)
/// def bic(j, P): return -n/2 * np.log(rss(j, P)/n) - len(P)/2 * np.log(n)
/// print([bic(j, P) for j, P in G.items()])
/// print(sum(-n/2 * np.log(rss(j, P)/n) - len(P)/2 * (np.log(n) + 2*np.log(d)) for j, P in G.items()))
/// ```
#[test]
fn bic_is_what_numpy_says() {
    let bic = Bic::new(&fixed(), Penalty::Factor(1.0)).unwrap();
    let theirs =
        [77.53243423681116, 67.7865084193365, 122.55987493663379, 29.613952369425853, 68.54234439094756];
    terms(&bic).iter().zip(theirs).for_each(|(&ours, theirs)| close(ours, theirs, 1e-12));
    let auto = Bic::new(&fixed(), Penalty::Auto).unwrap();
    close(auto.graph(&fixed_dag()), 356.3784868785503, 1e-12);
}

/// ```python
/// edges = sum(map(len, G.values()))
/// print(-n*d/2 * np.log(sum(rss(j, P) for j, P in G.items())/(n*d)) - edges/2 * np.log(n))
/// order = [2, 0, 4, 1, 3]
/// total = sum(rss(order[k], order[:k]) for k in range(d))
/// print(-n*d/2 * np.log(total/(n*d)) - d*(d-1)/2/2 * np.log(n))
/// ```
#[test]
fn bic_equal_is_what_numpy_says() {
    let equal = BicEqual::new(&fixed(), Penalty::Factor(1.0)).unwrap();
    close(equal.graph(&fixed_dag()), 299.7533216658479, 1e-12);
    let order = Order::new(vec![2, 0, 4, 1, 3]).unwrap();
    close(equal.score(&order), 302.07407594804886, 1e-12);
}

/// From marginal likelihoods of variable sets, not from the closed form of a term:
///
/// ```python
/// from scipy.special import multigammaln
/// def bge(j, P, am=1.0, aw=None, t=None):
///     aw = d + am + 1 if aw is None else aw
///     t = am*(aw - d - 1)/(am + 1) if t is None else t
///     T = t*np.eye(d); R = T + (n - 1)*np.cov(X.T)
///     def marginal(Y):
///         l = len(Y)
///         if l == 0: return 0.0
///         I = np.ix_(Y, Y)
///         return (l/2*np.log(am/(n + am)) + multigammaln((n + aw - d + l)/2, l) - multigammaln((aw - d + l)/2, l)
///             - l*n/2*np.log(np.pi) + (aw - d + l)/2*np.linalg.slogdet(T[I])[1]
///             - (n + aw - d + l)/2*np.linalg.slogdet(R[I])[1])
///     return marginal(list(P) + [j]) - marginal(list(P))
/// print([bge(j, P) for j, P in G.items()])
/// print([bge(j, P, 0.5, 9.0, 2.0) for j, P in G.items()])
/// ```
#[test]
fn bge_is_what_scipy_says() {
    let usual = Bge::new(&fixed(), BgePrior::default()).unwrap();
    let theirs =
        [-11.808340680582134, -20.88626233982923, 21.74443995644397, -93.25105675104712, -20.539667331130232];
    terms(&usual).iter().zip(theirs).for_each(|(&ours, theirs)| close(ours, theirs, 1e-11));
    let prior = BgePrior { alpha_mu: 0.5, alpha_w: Some(9.0), scale: Some(2.0) };
    let theirs =
        [-16.43579613040602, -24.62075818631918, 1.704017294780158, -118.81958377767353, -22.78933504045679];
    let other = Bge::new(&fixed(), prior).unwrap();
    terms(&other).iter().zip(theirs).for_each(|(&ours, theirs)| close(ours, theirs, 1e-11));
}

/// ```python
/// from scipy import stats
/// P, j = [0, 1, 2, 3], 4
/// A = np.column_stack([np.ones(n)] + [X[:, p] for p in P]); b, *_ = np.linalg.lstsq(A, X[:, j], rcond=None)
/// df = n - 5; s2 = np.sum((X[:, j] - A @ b)**2)/df; t = b/np.sqrt(s2*np.diag(np.linalg.inv(A.T @ A)))
/// print(b[1:], t[1:], 2*stats.t.sf(abs(t[1:]), df))
/// ```
#[test]
fn least_squares_is_what_scipy_says() {
    let correlation = Correlation::of_moments(&fixed()).unwrap();
    let fit = Ols::new(&correlation, 60, 4, &set(5, [0, 1, 2, 3]));
    let slopes = [-0.13323086622988517, 0.43771162776723066, -0.3172150792174521, 0.13554968313700416];
    let t = [-0.5841909109520514, 1.6342721259262714, -0.44017304272117685, 2.0003391999179367];
    let p = [0.5614804554356052, 0.10791345247390584, 0.661536831352326, 0.05041050115299032];
    for index in 0..4 {
        close(fit.coefficients[index], slopes[index], 1e-10);
        close(fit.t[index], t[index], 1e-10);
        close(fit.p_value(index), p[index], 1e-10);
    }
    let model = LinearModel::new(&fixed()).unwrap();
    let candidates = set(5, [0, 1, 2, 3]);
    assert_eq!(Threshold { model: &model, threshold: 0.3 }.keep(4, &candidates), [1, 2]);
    assert_eq!(TTest { model: &model, alpha: 0.2 }.keep(4, &candidates), [3, 1]);
}

/// The path crosses zero twice for variable 11 and is longer than the number of candidates:
///
/// ```python
/// from sklearn.linear_model import LinearRegression, LassoLarsIC
/// s, u = 63, []
/// for _ in range(80 * 12):
///     s = (1103515245 * s + 12345) % 2**31
///     u.append(s / 2**31 - 0.5)
/// X = np.array(u).reshape(80, 12)
/// for j in range(2, 12):
///     X[:, j] += 0.9 * X[:, j-1] - 0.5 * X[:, j-2] + 0.3 * X[:, (j*j) % (j-1)]
/// for j in range(12):
///     P = [p for p in range(12) if p != j]
///     w = np.abs(LinearRegression().fit(X[:, P], X[:, j]).coef_)
///     L = LassoLarsIC(criterion='bic').fit(X[:, P]*w, X[:, j])
///     print(j, [P[k] for k in np.argsort(-np.abs(L.coef_*w*X[:, P].std(0))) if L.coef_[k] != 0])
/// ```
#[test]
fn adaptive_lasso_keeps_what_sklearn_keeps() {
    let mut rows = noise(80, 12, 63);
    for x in &mut rows {
        for j in 2..12 {
            x[j] += 0.9 * x[j - 1] - 0.5 * x[j - 2] + 0.3 * x[(j * j) % (j - 1)];
        }
    }
    let model = LinearModel::new(&moments_of_rows(&rows)).unwrap();
    let theirs: [&[usize]; 12] = [
        &[],
        &[2, 8, 6, 5],
        &[3, 1, 5, 10],
        &[2, 4],
        &[5, 6, 3],
        &[6, 4, 2, 7],
        &[7, 5, 8, 4],
        &[6, 8, 5, 9],
        &[7, 9, 6, 10, 1],
        &[8, 10, 11, 7, 3],
        &[9, 11, 8],
        &[10, 9],
    ];
    for (node, theirs) in theirs.iter().enumerate() {
        assert_eq!(
            Lasso { model: &model }.keep(node, &NodeSet::full(12).without(node)),
            *theirs,
            "variable {node}"
        );
    }
}

/// ```python
/// from CausalDisco.analytics import var_sortability, r2_sortability   # 0.2.4
/// W = np.zeros((d, d))
/// for j, P in G.items(): W[P, j] = 1
/// print(var_sortability(X, W), r2_sortability(X, W))
/// ```
#[test]
fn sortability_is_what_causaldisco_says() {
    let sortability = Sortability::new(&fixed_dag(), &fixed()).unwrap();
    close(sortability.variance, 0.6, 1e-12);
    close(sortability.r2, 0.4666666666666667, 1e-12);
}

/// ```python
/// order = [3, 0, 4, 2, 1]
/// W = np.zeros((d, d))
/// for a in range(d):
///     for b in range(a + 1, d): W[order[a], order[b]] = 1
/// print(np.log(var_sortability(X, W)))
/// ```
#[test]
fn varsort_is_the_varsortability_of_the_complete_graph() {
    let varsort = Varsort::new(&fixed()).unwrap();
    close(varsort.score(&Order::new(vec![3, 0, 4, 2, 1]).unwrap()), -1.0498221244986778, 1e-12);
    assert_eq!(varsort.score(&Order::new(vec![2, 0, 4, 1, 3]).unwrap()), 0.0, "the sort by variance");
}

#[test]
fn a_sentence_says_what_sortability_means() {
    let verdict = |variance, r2| Sortability { variance, r2 }.verdict();
    assert_eq!(
        verdict(0.97, 0.5),
        "Variance rises along nearly every path of the graph (0.97): directions may come from the units of \
         measurement. Standardise and compare. R² does not give the directions away (0.50)."
    );
}

#[test]
fn pruning_satisfies_constraints() {
    let model = LinearModel::new(&fixed()).unwrap();
    let complete = Order::identity(5).complete_dag();
    let rule = TTest { model: &model, alpha: 0.2 };
    let free = prune(&rule, &complete, &Constraints::none(5));
    assert_eq!(free.parents(4), &set(5, [1, 3]));
}

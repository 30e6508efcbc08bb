//! `location-scale` against NumPy and SciPy, and what it makes of even noise.

use gflowcausal_data::Table;
use gflowcausal_score::{LocalScore, LocationScale, Penalty, Spline};

use super::{assert_close, column_of, real_table, set, uniforms};

/// `y = sin 2x + ½ exp(½ g(x))·noise` for 400 rows.
fn table(log_variance: fn(f64) -> f64, seed: u64) -> Table {
    let u = uniforms(1200, seed);
    let [a, b, c] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let x: Vec<f64> = a.iter().map(|u| 2.0 * u - 1.0).collect();
    let noise =
        b.iter().zip(&c).map(|(u, v)| (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos());
    let y = |(x, e): (&f64, f64)| (2.0 * x).sin() + 0.5 * (0.5 * log_variance(*x)).exp() * e;
    let y = x.iter().zip(noise).map(y).collect();
    real_table(vec![x, y])
}

fn score(table: &Table) -> LocationScale {
    LocationScale::of_rows(table, Penalty::Factor(1.0), 10_000).expect("valid")
}

/// NumPy 2.4 and SciPy 1.17; `basis(x)` gives the natural cubic splines with ten knots at the quantiles in the coordinates
/// of Demmler and Reinsch, smoothest first, and their roughness relative to the second:
///
/// ```python
/// def evidence(F, R, y):
///     n = len(y); G = F.T@F/n; c = F.T@y/n; L = R == 0; con = n-1-L.sum()
///     def at(t):
///         A = G + np.diag(np.exp(t)*R); b = np.linalg.solve(A, c); D = 1-b@c
///         return .5*(con*np.log(D) + np.linalg.slogdet(A)[1] - (~L).sum()*t), b, D
///     t = minimize(lambda t: at(t[0])[0], [-4.], method='Nelder-Mead', options=dict(xatol=1e-8, fatol=1e-12)).x[0]
///     crit, b, D = at(t)
///     return .5*(np.linalg.slogdet(G[np.ix_(L,L)])[1] + np.log(R[~L]).sum() - (n-con)*np.log(D)) - crit, b
/// def weighted(F, R, y, t):
///     w = np.exp(-t); r = np.sqrt(w); cen = lambda a: a - np.average(a, axis=0, weights=w)
///     yw = cen(y)*r; q = (yw**2).mean(); Fw = cen(F)*r[:,None]; ev, b = evidence(Fw, R, yw/np.sqrt(q))
///     return ev - .5*t.sum() - len(y)/2*np.log(q), (yw - np.sqrt(q)*(Fw@b))/r
/// log = lambda F, a: 4*np.tanh(F@a/4)
/// def scale(F, R, e, a, s):   # coefficients, the logarithm of the smoothing weight, and what they cost
///     n = len(e); L = R == 0; G = F.T@F/n; det = lambda A: np.linalg.slogdet(A)[1]
///     def best(s, a):
///         W = np.exp(s)*R
///         def f(a):
///             t = log(F, a)
///             return .5*(n*np.log((e**2*np.exp(-t)).mean()/(e**2).mean()) + t.sum()) + n/4*a@(W*a)
///         m = minimize(f, a, method='BFGS', options=dict(gtol=1e-7))
///         return m.fun + .5*(det(G+np.diag(W)) - det(G[np.ix_(L,L)]) - np.log(W[~L]).sum()), m.x
///     s = minimize(lambda s: best(s[0], a)[0], [s], method='Nelder-Mead', options=dict(xatol=1e-5, fatol=1e-9)).x[0]
///     a = best(s, a)[1]; W = np.exp(s)*R
///     bends = .5*(det(G+np.diag(W)) - det(G[np.ix_(L,L)]) - np.log(W[~L]).sum())
///     return a, s, n/4*a@(W*a) + bends + .5*L.sum()*np.log(n)
/// u = lcg(400, 3, 11)   # s <- 1103515245 s + 12345 mod 2^31, s/2^31, row by row
/// x = 2*u[:,0]-1; e = np.sqrt(-2*np.log(1-u[:,1]))*np.cos(2*np.pi*u[:,2]); z = lambda v: (v-v.mean())/v.std()
/// for g in (2.4*x, 4*np.sin(4*x)):
///     y = np.sin(2*x) + .5*np.exp(g/2)*e; F, R = basis(z(x)); v = z(y); even, b = evidence(F, R, v); best = even
///     a, s, cost = scale(F, R, v-F@b, np.zeros(len(R)), 0.)
///     for _ in range(3):
///         ev, left = weighted(F, R, v, log(F, a)); best = max(best, ev-cost); a, s, cost = scale(F, R, left, a, s)
///     print(even - np.log(400)/2 - 400*np.log(y.std()), best - np.log(400)/2 - 400*np.log(y.std()))
/// ```
#[test]
fn values_equal_scipys() {
    let growing: fn(f64) -> f64 = |x| 2.4 * x;
    let waving: fn(f64) -> f64 = |x| 4.0 * (4.0 * x).sin();
    for (log_variance, with_even, with_changing) in
        [(growing, 201.91264872880026, 324.11562342340017), (waving, -125.19091564347723, 293.99868848679483)]
    {
        let table = table(log_variance, 11);
        let even = Spline::new(&table, Penalty::Factor(1.0)).expect("valid");
        assert_close(even.local(1, &set(2, [0])), with_even, 1e-4);
        assert_close(score(&table).local(1, &set(2, [0])), with_changing, 1e-4);
    }
}

#[test]
fn even_noise_costs_nothing() {
    for seed in 11..31 {
        let table = table(|_| 0.0, seed);
        let even = Spline::new(&table, Penalty::Factor(1.0)).expect("valid");
        for (node, parents) in [(0, set(2, [])), (1, set(2, [])), (1, set(2, [0]))] {
            let gain = score(&table).local(node, &parents) - even.local(node, &parents);
            assert!(
                (0.0..3.0).contains(&gain) && (gain == 0.0 || !parents.is_empty()),
                "seed {seed}: {gain}"
            );
        }
    }
}

/// Noise that grows with the cause is likelier than the reverse, which the mean alone does not tell.
#[test]
fn the_direction_of_growing_noise_is_found() {
    let score = score(&table(|x| 2.4 * x, 11));
    let alone = |node| score.local(node, &set(2, []));
    assert!(score.local(1, &set(2, [0])) + alone(0) > score.local(0, &set(2, [1])) + alone(1) + 20.0);
    assert!(!score.is_score_equivalent());
}

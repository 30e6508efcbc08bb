//! `location-scale` against NumPy and SciPy, and what it makes of even noise.

use gflowcausal_data::Table;
use gflowcausal_score::{LocalScore, LocationScale, Penalty, Spline};

use super::{assert_close, column_of, real_table, set, uniforms};

/// `y = sin 2x + ½ exp(growth·x)·noise` for 400 rows.
fn table(growth: f64) -> Table {
    let u = uniforms(1200, 11);
    let [a, b, c] = [0, 1, 2].map(|j| column_of(&u, 3, j));
    let x: Vec<f64> = a.iter().map(|u| 2.0 * u - 1.0).collect();
    let noise =
        b.iter().zip(&c).map(|(u, v)| (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos());
    let y = x.iter().zip(noise).map(|(x, e)| (2.0 * x).sin() + 0.5 * (growth * x).exp() * e).collect();
    real_table(vec![x, y])
}

fn score(table: &Table) -> LocationScale {
    LocationScale::of_rows(table, Penalty::Factor(1.0), 10_000).expect("valid")
}

/// NumPy 2.4 and SciPy 1.17; `basis(x)` gives the natural cubic splines with ten knots at the quantiles in the coordinates
/// of Demmler and Reinsch, smoothest first, and their roughness relative to the second:
///
/// ```python
/// u = lcg(400, 3, 11)   # s <- 1103515245 s + 12345 mod 2^31, s/2^31, row by row
/// x = 2*u[:,0]-1; e = np.sqrt(-2*np.log(1-u[:,1]))*np.cos(2*np.pi*u[:,2]); y = np.sin(2*x) + 0.5*np.exp(1.2*x)*e
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
/// def scale(H, e, a):
///     def f(a): t = 4*np.tanh(H@a/4); return .5*(len(e)*np.log((e**2*np.exp(-t)).mean()) + t.sum())
///     return minimize(f, a, method='BFGS', options=dict(gtol=1e-9)).x
/// z = lambda v: (v-v.mean())/v.std(); F, R = basis(z(x)); H = F[:,:3]; v = z(y)
/// even, b = evidence(F, R, v); a = scale(H, v-F@b, np.zeros(3)); best = even
/// for _ in range(3):
///     ev, e = weighted(F, R, v, 4*np.tanh(H@a/4)); best = max(best, ev-1.5*np.log(400)); a = scale(H, e, a)
/// print(even - np.log(400)/2 - 400*np.log(y.std()), best - np.log(400)/2 - 400*np.log(y.std()))
/// ```
#[test]
fn values_equal_scipys() {
    let table = table(1.2);
    let even = Spline::new(&table, Penalty::Factor(1.0)).expect("valid");
    assert_close(even.local(1, &set(2, [0])), 201.91264872880026, 1e-4);
    assert_close(score(&table).local(1, &set(2, [0])), 319.7549188538363, 1e-4);
}

#[test]
fn even_noise_costs_nothing() {
    let table = table(0.0);
    let even = Spline::new(&table, Penalty::Factor(1.0)).expect("valid");
    assert_close(even.local(1, &set(2, [0])), 292.82142537512584, 1e-4);
    for (node, parents) in [(0, set(2, [])), (1, set(2, [])), (1, set(2, [0]))] {
        assert_eq!(score(&table).local(node, &parents), even.local(node, &parents));
    }
}

/// Noise that grows with the cause is likelier than the reverse, which the mean alone does not tell.
#[test]
fn the_direction_of_growing_noise_is_found() {
    let score = score(&table(1.2));
    let alone = |node| score.local(node, &set(2, []));
    assert!(score.local(1, &set(2, [0])) + alone(0) > score.local(0, &set(2, [1])) + alone(1) + 20.0);
    assert!(!score.is_score_equivalent());
}

//! `non-gaussian` against SciPy, and what it makes of normal and of other noise.

use std::f64::consts::PI;

use gflowcausal_data::{Moments, NoiseFamily, Simulation, Table, simulate};
use gflowcausal_graph::{Edge, NodeSet};
use gflowcausal_score::{Bic, LocalScore, NonGaussian, Penalty};

use super::{assert_close, column_of, real_table, set, uniforms};

fn scores(table: &Table, penalty: Penalty) -> (NonGaussian, Bic) {
    let moments = Moments::of_table(table).expect("complete");
    let ours = NonGaussian::new(table, &moments, penalty).expect("valid");
    (ours, Bic::new(&moments, penalty).expect("valid"))
}

/// SciPy 1.17, with the trapezoidal rule on a fine grid:
///
/// ```python
/// u = lcg(400, 3, 7)   # s <- 1103515245 s + 12345 mod 2^31, s/2^31, row by row
/// x = -np.log(1-u[:,0]); y = 0.8*x + np.sign(u[:,2]-.5)*np.log(1-2*abs(u[:,2]-.5)+1e-12)
/// T = lambda z: np.array([z, z*z, np.sqrt(1+z*z), z/np.sqrt(1+z*z), 1/(1+z*z), z/(1+z*z)])
/// g = np.linspace(-101, 101, 40401); G = T(g)
/// def gain(r):
///     z = (r - r.mean())/r.std(); mu = T(z).mean(1)
///     def f(t):
///         a = t @ G; top = a.max(); p = np.exp(a - top)
///         return top + np.log(p.sum()*(g[1]-g[0])) - t @ mu, G @ p/p.sum() - mu
///     best = minimize(f, [0,-.5,0,0,0,0], jac=True, bounds=[(None,None),(None,0)]+4*[(None,None)], method='L-BFGS-B',
///                     options=dict(maxiter=20000, maxfun=20000, ftol=1e-15, gtol=1e-9))
///     return 400*(.5*np.log(2*np.pi*np.e) - best.fun) - 2*np.log(400)
/// xs = (x-x.mean())/x.std(); ys = (y-y.mean())/y.std(); rho = (xs*ys).mean()
/// print(-200*np.log(x.var()) + gain(xs), -200*np.log(y.var()) + gain(ys))
/// print(-200*np.log(y.var()*(1-rho**2)) - np.log(400)/2 + gain(ys-rho*xs))
/// ```
#[test]
fn values_equal_scipys() {
    let u = uniforms(1200, 7);
    let x: Vec<f64> = column_of(&u, 3, 0).iter().map(|u| -(1.0 - u).ln()).collect();
    let laplace = |u: &f64| (u - 0.5).signum() * (1.0 - 2.0 * (u - 0.5).abs() + 1e-12).ln();
    let y = x.iter().zip(&column_of(&u, 3, 2)).map(|(x, u)| 0.8 * x + laplace(u)).collect();
    let (score, _) = scores(&real_table(vec![x, y]), Penalty::Factor(1.0));
    assert_close(score.local(0, &set(2, [])), 121.62498798656505, 1e-6);
    assert_close(score.local(1, &set(2, [])), -163.0815539079561, 1e-6);
    assert_close(score.local(1, &set(2, [0])), -85.32397457731199, 1e-6);
}

/// SciPy 1.13.1:
///
/// ```python
/// u = (np.arange(60)+.5)/60
/// def gain(x):
///     f = lambda p: -stats.t.logpdf(x, np.exp(p[2]), p[0], np.exp(p[1])).sum()
///     best = minimize(f, [np.median(x), 0, 0], method='Nelder-Mead', options=dict(xatol=1e-9, fatol=1e-11, maxiter=20000))
///     return -best.fun - stats.norm.logpdf(x, x.mean(), x.std()).sum()
/// x = 3+2*np.tan(np.pi*(u-.5)); print(gain(x)); x[7] = -40; x[30:40] += .7; print(gain(x))
/// ```
#[test]
fn cauchy_noise_has_the_likelihood_of_scipys_student_t() {
    let quantile = |row: u32| 3.0 + 2.0 * (PI * ((f64::from(row) + 0.5) / 60.0 - 0.5)).tan();
    let even: Vec<f64> = (0..60).map(quantile).collect();
    let mut uneven = even.clone();
    uneven[7] = -40.0;
    uneven[30..40].iter_mut().for_each(|value| *value += 0.7);
    for (column, gain) in [(even, 57.000_203_266_297), (uneven, 54.614_734_634_120)] {
        let (score, bic) = scores(&real_table(vec![column, (0..60).map(f64::from).collect()]), Penalty::Auto);
        let ours = score.local(0, &set(2, [])) - bic.local(0, &set(2, [])) + 2.0 * 60_f64.ln();
        // Between the points of the grid of degrees of freedom there is a parabola.
        assert!((ours - gain).abs() < 0.01, "{ours}, SciPy {gain}");
    }
}

fn linear(noise: NoiseFamily, seed: u64) -> gflowcausal_data::Simulated {
    let noise = Some(noise);
    simulate(&Simulation {
        nodes: 8,
        degree: Some(1),
        noise,
        seed,
        standardize: true,
        ..Simulation::default()
    })
    .expect("a possible simulation")
}

#[test]
fn normal_noise_gains_nothing_over_bic() {
    let data = linear(NoiseFamily::Gauss, 3);
    let (score, bic) = scores(&data.table, Penalty::Auto);
    for node in 0..8 {
        for parents in [&NodeSet::empty(8), data.dag.parents(node), data.dag.children(node)] {
            assert_eq!(score.local(node, parents), bic.local(node, parents));
        }
    }
}

/// Every covered edge of the truth against the equivalent graph with that edge turned.
#[test]
fn the_causal_direction_is_likelier_with_noise_that_is_not_normal() {
    for noise in [NoiseFamily::Exp, NoiseFamily::Uniform, NoiseFamily::Laplace, NoiseFamily::Gumbel] {
        let data = linear(noise, 5);
        let (score, _) = scores(&data.table, Penalty::Auto);
        let covered =
            |edge: &Edge| data.dag.parents(edge.to).without(edge.from) == *data.dag.parents(edge.from);
        for edge in data.dag.edges().filter(covered) {
            let (from, to) = (data.dag.parents(edge.from), data.dag.parents(edge.to));
            let causal = score.local(edge.from, from) + score.local(edge.to, to);
            let turned =
                score.local(edge.from, &from.with(edge.to)) + score.local(edge.to, &to.without(edge.from));
            assert!(causal > turned + 5.0, "{noise:?} {edge:?}: {causal} {turned}");
        }
    }
}

#[test]
fn scale_and_location_do_not_matter_and_odd_columns_stay_finite() {
    let u = uniforms(900, 11);
    let columns: Vec<Vec<f64>> =
        (0..3).map(|j| column_of(&u, 3, j).iter().map(|u| u.powi(3)).collect()).collect();
    let moved = |column: &Vec<f64>| column.iter().map(|x| 1e6 * x - 3e5).collect();
    let (plain, _) = scores(&real_table(columns.clone()), Penalty::Auto);
    let (other, _) = scores(&real_table(columns.iter().map(moved).collect()), Penalty::Auto);
    let change = 300.0 * 1e6_f64.ln();
    for parents in [set(3, []), set(3, [1]), set(3, [1, 2])] {
        assert_close(plain.local(0, &parents) - other.local(0, &parents), change, 1e-8);
    }
    let outlier = (0..300).map(|row| if row == 7 { 1e9 } else { f64::from(row % 5) }).collect();
    let copy = columns[0].clone();
    let (odd, bic) =
        scores(&real_table(vec![columns[0].clone(), vec![2.0; 300], outlier, copy]), Penalty::Auto);
    for node in 0..4 {
        let terms = super::subsets(4, &[node]).into_iter().map(|parents| odd.local(node, &parents));
        assert!(terms.into_iter().all(f64::is_finite));
    }
    assert_eq!(odd.local(1, &set(4, [])), bic.local(1, &set(4, [])));
}

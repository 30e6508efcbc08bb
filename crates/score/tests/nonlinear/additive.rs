//! Additive spline models against mgcv.

use gflowcausal_data::Table;
use gflowcausal_score::{Cam, LocalScore, Penalty, Spline};

use crate::{assert_close, column_of, real_table, set, uniforms};

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

/// mgcv 1.8-41 with the same splines and the same criterion:
///
/// ```r
/// u <- as.matrix(read.csv("u.csv"))                # lcg(1500, 17) as 300 rows of 5; lcg as for bdeu
/// z <- function(x) (x-mean(x))/sqrt(mean((x-mean(x))^2))
/// a <- u[,1]*2-1; b <- u[,2]*2-1; c <- u[,3]*2-1; d <- u[,4]*2-1
/// for (y in list(sin(4*a) + 0.5*b + 0.6*c*c + (u[,5]-0.5)*1.5, 0.12*a + 0.25*c*c + 0.1*sin(6*b) + (u[,5]-0.5)*1.5)) {
///   D <- data.frame(y=z(y), a=z(a), b=z(b), c=z(c), d=z(d))
///   f <- gam(y ~ s(a,bs="cr") + s(b,bs="cr") + s(c,bs="cr") + s(d,bs="cr"), data=D, method="REML")
///   print(c(sum(f$edf)-1, mean(residuals(f)^2))); print(summary(f)$s.table)
/// }
/// ```
#[test]
fn smoothness_and_residual_equal_mgcvs() {
    let table = table();
    let free = Spline::new(&table, Penalty::Factor(0.0)).expect("valid");
    let priced = Spline::new(&table, Penalty::Factor(1.0)).expect("valid");
    let parents = set(6, [0, 1, 2, 3]);
    for (node, freedom, residual) in [(4, 12.96297138, 0.23636097), (5, 6.89496825, 0.94130544)] {
        let gain = free.local(node, &parents) - free.local(node, &set(6, []));
        assert_close((-gain / 150.0).exp(), residual, 1e-4);
        let price = free.local(node, &parents) - priced.local(node, &parents);
        assert_close(price * 2.0 / 300.0_f64.ln(), freedom, 1e-3);
    }
}

/// The p-values of the same program. mgcv weighs the last direction by the fraction of a degree of freedom; ours
/// rounds, so small differences are left.
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

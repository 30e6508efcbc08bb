//! Objectives and graphs of NOTEARS and DAGMA.

use gflowcausal_determinism::StopFlag;

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Edge, Knowledge};
use gflowcausal_search::{Dagma, Notears, Weighted};

use crate::{Made, Noise, bits};

fn data(seed: u64) -> Made {
    Made::new(seed, 8, 400, Noise::NearlyGauss)
}

fn notears(made: &Made, constraints: &Constraints) -> Weighted {
    let covariance = Moments::of_columns(&made.slices()).covariance();
    Notears::default().fit(&covariance, constraints, &StopFlag::new())
}

fn dagma(made: &Made, constraints: &Constraints) -> Weighted {
    let covariance = Moments::of_columns(&made.slices()).covariance();
    Dagma::default().fit(&covariance, constraints, &StopFlag::new())
}

/// What gcastle 1.0.4's NOTEARS and dagma 1.1.1 reach on `made(seed, 8, 400, "gauss")` for seeds 1 to 3: their objectives at
/// the end and the edges above 0.3, as the binary digits of the matrix.
///
/// ```python
/// for seed in range(1, 4):
///     X, W = made(seed, 8, 400, "gauss")
///     C = np.cov(X, rowvar=False, bias=True); I = np.eye(8)
///     obj = lambda W, l: 0.5*np.trace((I-W).T @ C @ (I-W)) + l*np.abs(W).sum()
///     N = Notears().notears_linear(X, 0.1, "l2", 100, 1e-8, 1e16)
///     m = DagmaLinear("l2"); D = m.fit(X.copy(), lambda1=0.03, w_threshold=0.0)
///     bits = lambda A: hex(int("".join("1" if x else "0" for x in A.ravel()), 2))
///     print(obj(N, .1), bits(abs(N) > .3), obj(D, .03), bits(abs(D) > .3))
/// ```
const THEIRS: [(f64, u64, f64, u64); 3] = [
    (5.963377881046703, 0x0000_d2cb_8099_4000, 4.49412516498714, 0x0000_dbc3_9091_4000),
    (5.60066700613641, 0x01a8_9d01_0111_1000, 4.462699278603574, 0x01a8_9d01_0111_1000),
    (6.774395388633865, 0x6000_00a0_9028_a1ec, 4.833296272076925, 0x6000_00a8_8039_a5f0),
];

#[test]
fn objectives_are_not_above_the_packages() {
    for (seed, &(notears_objective, _, dagma_objective, dagma_graph)) in THEIRS.iter().enumerate() {
        let (made, none) = (data(seed as u64 + 1), Constraints::none(8));
        let ours = notears(&made, &none);
        assert!(ours.h <= 1e-8, "{}", ours.h);
        assert!(ours.objective <= 1.01 * notears_objective, "{seed}: {} {notears_objective}", ours.objective);
        let ours = dagma(&made, &none);
        assert!(ours.h <= 1e-6, "{}", ours.h);
        assert!((ours.objective / dagma_objective - 1.0).abs() <= 0.01, "{seed}: {}", ours.objective);
        assert_eq!(bits(&ours.dag(0.3, &none)), dagma_graph, "{seed}");
    }
}

/// Equal noise variances on the scale of the data: both are known to find the graph.
#[test]
fn planted_graphs_are_found() {
    for seed in [2, 5] {
        let made = Made::new(seed, 5, 3000, Noise::NearlyGauss);
        let none = Constraints::none(5);
        assert_eq!(notears(&made, &none).dag(0.3, &none), made.dag, "notears, {seed}");
        assert_eq!(dagma(&made, &none).dag(0.3, &none), made.dag, "dagma, {seed}");
    }
}

#[test]
fn forbidden_weights_stay_zero_and_required_edges_are_in() {
    let made = Made::new(2, 5, 300, Noise::NearlyGauss);
    let edge = made.dag.edges().next().unwrap();
    let names = ["a", "b", "c", "d", "e"];
    let mut knowledge = Knowledge::default();
    knowledge.require(format!("{}->{}", names[edge.to], names[edge.from]).as_str()).max_parents(2);
    let constraints = knowledge.compile(&names).unwrap();
    for found in [notears(&made, &constraints), dagma(&made, &constraints)] {
        assert_eq!(found.get(edge), 0.0);
        let dag = found.dag(0.3, &constraints);
        assert!(dag.contains(edge.reversed()) && constraints.permits(&dag));
    }
}

/// A run that is stopped at once still gives weights and an acyclic graph.
#[test]
fn a_stopped_run_has_an_answer() {
    let made = Made::new(3, 5, 300, Noise::NearlyGauss);
    let covariance = Moments::of_columns(&made.slices()).covariance();
    let (none, stop) = (Constraints::none(5), StopFlag::new());
    stop.set();
    let weights =
        [Notears::default().fit(&covariance, &none, &stop), Dagma::default().fit(&covariance, &none, &stop)];
    for found in weights {
        assert!((0..25).all(|k| found.get(Edge::new(k / 5, k % 5)).is_finite()));
        assert_eq!(found.dag(0.3, &none).nodes(), 5);
    }
}

//! Objectives and graphs of NOTEARS and DAGMA.

use std::sync::atomic::AtomicBool;

use gflowcausal_data::Moments;
use gflowcausal_graph::{Constraints, Knowledge};
use gflowcausal_search::{Dagma, Notears, Weighted};

use crate::{Made, Noise, bits};

fn data(seed: u64) -> Made {
    Made::new(seed, 8, 400, Noise::NearlyGauss)
}

fn notears(made: &Made, constraints: &Constraints) -> Weighted {
    let covariance = Moments::of_columns(&made.slices()).covariance();
    Notears::default().fit(&covariance, constraints, &AtomicBool::new(false))
}

fn dagma(made: &Made, constraints: &Constraints) -> Weighted {
    let covariance = Moments::of_columns(&made.slices()).covariance();
    Dagma::default().fit(&covariance, constraints, &AtomicBool::new(false))
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
    let (none, stop) = (Constraints::none(5), AtomicBool::new(true));
    let weights =
        [Notears::default().fit(&covariance, &none, &stop), Dagma::default().fit(&covariance, &none, &stop)];
    for found in weights {
        assert!(found.matrix().iter().all(|weight| weight.is_finite()));
        assert_eq!(found.dag(0.3, &none).nodes(), 5);
    }
}

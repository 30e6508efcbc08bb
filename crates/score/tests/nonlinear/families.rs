//! Families on one footing: each wins on its own data, and the simplest on data of the simplest.

use gflowcausal_data::{Model, NoiseFamily, Simulated, Simulation, simulate};
use gflowcausal_score::{Families, Family, Penalty};

/// What a family must gain over a simpler one to win.
const MARGIN: f64 = 5.0;

fn simulated(model: Model, noise: Option<NoiseFamily>, seed: u64) -> Simulated {
    let config = Simulation {
        nodes: 10,
        edges: Some(12),
        model,
        noise,
        seed,
        standardize: true,
        ..Simulation::default()
    };
    simulate(&config).expect("a possible simulation")
}

/// The share of the variables with parents for which `family` wins, given the true parents.
fn share(family: Family, model: Model, noise: Option<NoiseFamily>) -> f64 {
    let (mut all, mut won) = (0, 0);
    for seed in 0..5 {
        let data = simulated(model, noise, seed);
        let families = Families::new(&data.table, Penalty::Auto, 2000).expect("valid");
        for node in (0..10).filter(|&node| !data.dag.parents(node).is_empty()) {
            let parents = data.dag.parents(node);
            let terms = families.terms(node, parents);
            let mut winner = Family::LinearGaussian;
            for &richer in &Family::ALL[1..3] {
                if terms[richer as usize] - terms[winner as usize] > MARGIN {
                    winner = richer;
                }
            }
            if terms[3] > terms[2] && families.scale_gain(node, parents) > MARGIN {
                winner = Family::LocationScale;
            }
            all += 1;
            won += usize::from(winner == family);
        }
    }
    f64::from(won as u32) / f64::from(all)
}

/// Heavy tails are neither bends nor changing variances.
#[test]
fn each_family_wins_on_its_own_data() {
    for (family, model, noise, least) in [
        (Family::LinearGaussian, Model::Linear, None, 1.0),
        (Family::LinearNonGaussian, Model::Linear, Some(NoiseFamily::Exp), 0.9),
        (Family::LinearNonGaussian, Model::Linear, Some(NoiseFamily::Laplace), 0.9),
        (Family::LinearNonGaussian, Model::Linear, Some(NoiseFamily::Uniform), 0.9),
        (Family::LinearNonGaussian, Model::Linear, Some(NoiseFamily::T), 0.9),
        (Family::Additive, Model::GpAdditive, None, 0.9),
        (Family::LocationScale, Model::LocationScale, None, 0.95),
    ] {
        let share = share(family, model, noise);
        assert!(share >= least, "{} wins {share} of the variables of {}", family.name(), model.name());
    }
}

#[test]
fn one_function_of_both_parents_is_told_from_a_sum() {
    let data = |model| {
        let config =
            Simulation { nodes: 3, edges: Some(3), rows: 500, model, seed: 1, ..Simulation::default() };
        simulate(&config).expect("a possible simulation")
    };
    for (model, is_joint) in [(Model::GpQuiet, true), (Model::GpAdditive, false)] {
        let data = data(model);
        let families = Families::new(&data.table, Penalty::Auto, 2000).expect("valid");
        let child = (0..3).find(|&node| data.dag.parents(node).len() == 2).expect("a complete graph");
        let gain = families.joint_gain(child, data.dag.parents(child));
        assert_eq!(gain > MARGIN, is_joint, "{}: {gain}", model.name());
    }
}

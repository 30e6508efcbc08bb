//! The simulation's options: names, files, and everything that is refused.

#![expect(clippy::unwrap_used, reason = "a failure in a function that tests share is a failed test")]

use gflowcausal_data::{
    Equations, GraphFamily, Model, NoiseFamily, NoiseModel, NoiseScale, Simulation, SimulationError, Weights,
    simulate, simulate_from, simulate_linear,
};
use gflowcausal_graph::Dag;

fn refusal(config: &Simulation) -> String {
    simulate(config).unwrap_err().to_string()
}

#[test]
fn names_are_the_ones_users_type() {
    let graphs: Vec<&str> = GraphFamily::ALL.iter().map(|graph| graph.name()).collect();
    assert_eq!(graphs, ["er", "er-gnp", "sf", "sf-directed"]);
    let models: Vec<&str> = Model::ALL.iter().map(|model| model.name()).collect();
    assert_eq!(
        models,
        [
            "linear",
            "gp",
            "gp-quiet",
            "gp-additive",
            "location-scale",
            "quadratic",
            "mlp",
            "mim",
            "discrete",
            "mixed"
        ]
    );
    let noises: Vec<&str> = NoiseFamily::ALL.iter().map(|noise| noise.name()).collect();
    assert_eq!(noises, ["gauss", "exp", "gumbel", "uniform", "laplace", "t"]);
}

#[test]
fn every_name_reads_back() {
    for model in Model::ALL {
        assert_eq!(model.to_string().parse(), Ok(*model));
        let json = serde_json::to_string(model).unwrap();
        assert_eq!(serde_json::from_str::<Model>(&json).unwrap(), *model);
    }
    let unknown = "linaer".parse::<Model>().unwrap_err().to_string();
    assert_eq!(
        unknown,
        "unknown model 'linaer': known are linear, gp, gp-quiet, gp-additive, location-scale, quadratic, mlp, mim, discrete, mixed"
    );
}

#[test]
fn noise_scales_read_back() {
    for (text, scale) in [("1", NoiseScale::Equal(1.0)), ("0.5..2", NoiseScale::Between(0.5, 2.0))] {
        assert_eq!(text.parse(), Ok(scale));
        assert_eq!(scale.to_string(), text);
        let json = serde_json::to_string(&scale).unwrap();
        assert_eq!(serde_json::from_str::<NoiseScale>(&json).unwrap(), scale);
    }
    let error = "a..2".parse::<NoiseScale>().unwrap_err().to_string();
    assert_eq!(error, "'a..2' is not a noise scale: write a number such as 1, or a range such as 0.5..2");
}

#[test]
fn a_file_needs_only_what_differs_from_the_default() {
    let text = r#"{ "graph": "sf", "nodes": 12, "noise": "gumbel", "noise_scale": [0.5, 2.0] }"#;
    let config: Simulation = serde_json::from_str(text).unwrap();
    let expected = Simulation {
        graph: GraphFamily::ScaleFree,
        nodes: 12,
        noise: Some(NoiseFamily::Gumbel),
        noise_scale: Some(NoiseScale::Between(0.5, 2.0)),
        ..Simulation::default()
    };
    assert_eq!(config, expected);
    let again: Simulation = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(again, config);
}

#[test]
fn an_unknown_key_is_refused_with_the_known_ones() {
    let error = serde_json::from_str::<Simulation>(r#"{ "row": 10 }"#).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `row`, expected one of `graph`, `nodes`"), "{error}");
}

#[test]
fn an_option_without_effect_is_refused() {
    let with = |model| Simulation { model, nodes: 5, rows: 10, ..Simulation::default() };
    for model in [Model::GpQuiet, Model::Quadratic, Model::Discrete, Model::Mixed] {
        let noise = Simulation { noise: Some(NoiseFamily::Gauss), ..with(model) };
        assert_eq!(simulate(&noise), Err(SimulationError::NoEffect { option: "noise", model }));
        let scale = Simulation { noise_scale: Some(NoiseScale::Equal(1.0)), ..with(model) };
        assert_eq!(simulate(&scale), Err(SimulationError::NoEffect { option: "noise_scale", model }));
    }
    let discrete = Simulation { standardize: true, ..with(Model::Discrete) };
    assert_eq!(refusal(&discrete), "option 'standardize' has no effect on model 'discrete'");
}

#[test]
fn impossible_values_are_refused_by_name() {
    let small = Simulation { nodes: 5, rows: 10, ..Simulation::default() };
    let refused = [
        (Simulation { rows: 0, ..small.clone() }, "a table needs at least 1 row"),
        (Simulation { nodes: 0, ..small.clone() }, "a graph needs at least 1 node"),
        (
            Simulation { degree: Some(1), edges: Some(3), ..small.clone() },
            "degree 1 and edges 3 both say how many edges there are",
        ),
        (Simulation { missing_rate: 1.0, ..small.clone() }, "missing rate 1 is not in [0, 1)"),
        (Simulation { missing_rate: f64::NAN, ..small.clone() }, "missing rate NaN is not in [0, 1)"),
        (
            Simulation { noise_scale: Some(NoiseScale::Between(2.0, 0.5)), ..small.clone() },
            "noise scale 2..0.5 is not a positive number or an interval of positive numbers",
        ),
        (
            Simulation { noise_scale: Some(NoiseScale::Equal(f64::INFINITY)), ..small.clone() },
            "noise scale inf is not a positive number or an interval of positive numbers",
        ),
        (
            Simulation { model: Model::Gp, rows: 20_000, ..small.clone() },
            "model 'gp' takes at most 10000 rows, not 20000: it factors a rows × rows matrix",
        ),
        (
            Simulation { rows: usize::MAX, ..small.clone() },
            "18446744073709551615 rows of 5 nodes do not fit: at most 20000 nodes and 4000000000 cells",
        ),
    ];
    for (config, message) in refused {
        assert_eq!(refusal(&config), message);
    }
}

#[test]
fn a_given_graph_or_model_is_checked_too() {
    let none = simulate_from(Dag::empty(2), &Equations::Quadratic, 0, 0).unwrap_err();
    assert_eq!(none, SimulationError::NoRows);
    let weights = Weights::random(Dag::empty(2), 0);
    let linear = |rows| simulate_linear(&weights, &NoiseModel::default(), rows, 0).unwrap_err();
    assert_eq!(linear(0), SimulationError::NoRows);
    assert!(matches!(linear(usize::MAX), SimulationError::TooLarge { .. }));
}

#[test]
fn values_beyond_floating_point_are_refused() {
    let chain = Weights::from_matrix(3, vec![0.0, 1e200, 0.0, 0.0, 0.0, 1e200, 0.0, 0.0, 0.0]).unwrap();
    let error = simulate_linear(&chain, &NoiseModel::default(), 10, 0).unwrap_err();
    assert_eq!(error.to_string(), "column 'X3' of model 'linear' overflows");
    // Squares of squares along thirty nodes: not even the rows nearest to zero stay finite.
    let dense = Simulation { nodes: 30, edges: Some(435), model: Model::Quadratic, ..Simulation::default() };
    assert!(matches!(simulate(&dense), Err(SimulationError::Overflow { model: Model::Quadratic, .. })));
}

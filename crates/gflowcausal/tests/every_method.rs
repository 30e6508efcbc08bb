//! Every method beside ours: satisfies knowledge or refuses it, repeats itself, finds what its theory says, and never beats `exact`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gflowcausal::data::{Model, Simulated, Simulation, Table, simulate};
use gflowcausal::graph::{Cpdag, all_dags};
use gflowcausal::score::GraphScore;
use gflowcausal::{
    Config, Control, Deadlines, Discovery, Error, Phase, Problem, PruneName, RunContext, ScoreName, Source,
    StopFlag, TestName, discover, methods, with_threads,
};
use proptest::prelude::*;

/// Those that train nothing.
const OTHERS: [&str; 8] = ["exact", "boss", "ges", "pc", "eqvar", "sort-var", "sort-r2", "random-order"];

fn simulated(nodes: usize, degree: usize, rows: usize, seed: u64) -> Simulated {
    simulate(&Simulation { nodes, degree: Some(degree), rows, seed, ..Simulation::default() }).unwrap()
}

fn categories(seed: u64) -> Table {
    let model = Model::Discrete;
    let simulation =
        Simulation { nodes: 5, degree: Some(1), rows: 400, seed, model, ..Simulation::default() };
    simulate(&simulation).unwrap().table
}

fn named(method: &str) -> Config {
    Config { method: method.into(), ..Config::default() }
}

fn found(table: &Table, config: &Config) -> Discovery {
    discover(table, config).unwrap_or_else(|error| panic!("{}: {error}", config.method))
}

/// Every method of the registry; those that train do so for a moment.
fn every() -> impl Iterator<Item = Config> {
    methods().iter().map(|method| {
        let is_trained = method.reads("iterations");
        let is_sampled = is_trained && method.reads("samples");
        let samples = if is_sampled { 30 } else { Config::default().samples };
        Config { iterations: is_trained.then_some(15), samples, ..named(method.name()) }
    })
}

#[test]
fn all_are_in_the_registry() {
    let names: Vec<String> = every().map(|config| config.method).collect();
    assert!(OTHERS.iter().all(|other| names.iter().any(|name| name == other)), "{names:?}");
}

#[test]
fn tiers_hold_in_every_graph_of_every_method() {
    let table = simulated(6, 2, 120, 3).table;
    for config in every() {
        let tiers = "/knowledge\naddtemporal\n1 X4 X5 X6\n2 X1 X2 X3\n";
        let found = found(&table, &Config { knowledge: Some(tiers.into()), ..config.clone() });
        for dag in found.draws.iter().map(|draw| &draw.dag).chain([&found.graph]) {
            assert!(dag.edges().all(|edge| edge.from >= 3 || edge.to < 3), "{}: {dag:?}", config.method);
        }
    }
}

/// More is asked for than anybody would wait for, and stopped at the first sign of life.
#[test]
fn a_stop_ends_every_method() {
    let table = simulated(9, 2, 200, 3).table;
    for config in every() {
        let restarts = (config.method == "boss").then_some(1_000_000);
        let endless = Config { iterations: config.iterations.map(|_| 1_000_000), restarts, ..config };
        let stop = StopFlag::new();
        let mut observe = |_: Phase| {
            stop.set();
            Control::Continue
        };
        let deadlines = Deadlines::new(&stop);
        let mut context = RunContext::new(&mut observe, &deadlines, None);
        match Problem::new(&table, &endless).unwrap().discover(&mut context) {
            Ok(found) => assert!(found.order.is_compatible_with(&found.graph), "{}", endless.method),
            Err(other) => panic!("{}: {other}", endless.method),
        }
    }
}

/// With exact sums, with chains, and with a score of which few parent sets were evaluated.
#[test]
fn a_run_that_is_stopped_at_once_has_probabilities() {
    for (nodes, score, source) in [
        (9, ScoreName::Bic, Source::Exact),
        (24, ScoreName::Bic, Source::Chains),
        (7, ScoreName::Gp, Source::Exact),
    ] {
        let table = simulated(nodes, 1, 60, 3).table;
        let stop = StopFlag::new();
        let mut observe = |_: Phase| {
            stop.set();
            Control::Continue
        };
        let deadlines = Deadlines::new(&stop);
        let mut context = RunContext::new(&mut observe, &deadlines, None);
        let config = Config { score, ..Config::default() };
        let found = Problem::new(&table, &config).unwrap().discover(&mut context).unwrap();
        assert_eq!(found.posterior.source, source, "{nodes} variables, {score:?}");
        let parent_sets = found.posterior.parent_sets;
        assert_eq!(parent_sets.is_some(), score == ScoreName::Gp);
        assert!(parent_sets.is_none_or(|sets| 0 < sets.evaluated && sets.evaluated < sets.wanted));
        assert!(found.posterior.edges().iter().sum::<f64>() > 0.0);
        assert!(!found.draws.is_empty());
    }
}

fn edge() -> impl Strategy<Value = String> {
    (0..6_usize, 1..6_usize).prop_map(|(from, step)| format!("X{}->X{}", from + 1, (from + step) % 6 + 1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn knowledge_is_satisfied_or_refused(
        method in prop::sample::select(OTHERS.to_vec()),
        require in proptest::collection::vec(edge(), 0..3),
        forbid in proptest::collection::vec(edge(), 0..6),
        max_parents in prop::option::of(1..4_usize),
        seed in 0..20_u64,
    ) {
        let config = Config { require, forbid, max_parents, seed, ..named(method) };
        match discover(&simulated(6, 2, 120, seed).table, &config) {
            Ok(found) => {
                prop_assert!(found.model.constraints().permits(&found.graph), "{:?}", found.graph);
                prop_assert!(found.order.is_compatible_with(&found.graph));
                // Tests of independence may contradict each other: then no graph has all the arrows that PC finds.
                for edge in found.class().directed().filter(|_| method != "pc") {
                    prop_assert!(found.graph.contains(edge), "{edge} is in the class, not in the graph");
                }
            }
            Err(Error::Knowledge(_)) => {}
            Err(Error::CannotSatisfy { method: "pc", option: "max_parents" }) => {
                prop_assert!(max_parents.is_some() && method == "pc");
            }
            Err(other) => prop_assert!(false, "{method}: {other}"),
        }
    }
}

#[test]
fn neither_threads_nor_a_second_run_change_a_result() {
    let table = simulated(9, 2, 200, 3).table;
    for config in every().map(|config| Config { seed: 5, ..config }) {
        let run = |threads| {
            let found = with_threads(threads, || found(&table, &config));
            (found.graph.clone(), found.order.clone(), found.class(), found.score.to_bits(), found.draws)
        };
        let once = run(1);
        assert_eq!(once, run(3), "{}", config.method);
        assert_eq!(once, run(1), "{}", config.method);
    }
}

#[test]
fn only_chance_listens_to_the_seed_of_a_random_order() {
    let table = simulated(9, 2, 200, 3).table;
    let order = |seed| found(&table, &Config { seed, ..named("random-order") }).order;
    assert_ne!(order(1), order(2));
}

#[test]
fn exact_equals_brute_force() {
    for (seed, max_parents) in [(1, None), (2, Some(2)), (3, Some(1))] {
        for score in [ScoreName::Bic, ScoreName::Bge, ScoreName::Quadratic] {
            let nodes = if score == ScoreName::Quadratic { 4 } else { 5 };
            let table = simulated(nodes, 1, 100, seed).table;
            let best = found(&table, &Config { max_parents, score, ..named("exact") });
            let (local, constraints) = (best.model.local_score().unwrap(), best.model.constraints());
            let all = all_dags(nodes).filter(|dag| constraints.permits(dag)).map(|dag| local.graph(&dag));
            let expected = all.fold(f64::NEG_INFINITY, f64::max);
            let reached = local.graph(&best.graph);
            assert!((reached - expected).abs() < 1e-6, "{score:?} {max_parents:?}: {reached} {expected}");
        }
    }
}

#[test]
fn no_method_beats_exact() {
    for (nodes, seed) in [(8, 0), (8, 1), (8, 2), (12, 3)] {
        let table = simulated(nodes, 3, 100, seed).table;
        let best = found(&table, &named("exact"));
        let graph_score = |found: &Discovery| found.model.local_score().unwrap().graph(&found.graph);
        let highest = graph_score(&best);
        let turning = Config { turning: true, ..named("ges") };
        for config in every().chain([turning]) {
            let reached = graph_score(&found(&table, &config));
            assert!(reached <= highest + 1e-6, "{}: {reached} above {highest}", config.method);
        }
    }
}

#[test]
fn equal_noise_variances_are_enough_for_eqvar() {
    for seed in 0..3 {
        let data = simulated(10, 2, 3000, seed);
        assert_eq!(found(&data.table, &named("eqvar")).graph, data.dag, "seed {seed}");
    }
}

#[test]
fn searches_find_the_class_of_the_true_graph_with_many_rows() {
    let data = simulated(8, 1, 20_000, 1);
    let class = Cpdag::of(&data.dag).into_pdag();
    let strict = Config { alpha: Some(1e-4), ..named("pc") };
    for config in [named("exact"), named("boss"), named("ges"), strict] {
        assert_eq!(found(&data.table, &config).class(), class, "{}", config.method);
    }
}

#[test]
fn variance_gives_the_order_of_a_growing_chain_and_nothing_on_standardised_columns() {
    let data = simulated(10, 2, 3000, 2);
    let order = found(&data.table, &named("sort-var")).order;
    let moments = gflowcausal::data::Moments::of_table(&data.table).unwrap();
    let variances: Vec<f64> = order.iter().map(|node| moments.covariance()[node * 11]).collect();
    assert!(variances.is_sorted(), "{variances:?}");
    let prune = found(&data.table, &named("sort-var")).model.prune_name();
    assert_eq!(prune, PruneName::Lasso, "as published");
}

#[test]
fn categories_are_tested_scored_or_refused() {
    let table = categories(1);
    for method in ["exact", "boss", "ges", "pc", "random-order"] {
        found(&table, &named(method));
    }
    let chi = Config { test: Some(TestName::ChiSquare), ..named("pc") };
    found(&table, &chi);
    for method in ["sort-var", "sort-r2", "eqvar"] {
        let refused = discover(&table, &named(method)).err().unwrap();
        assert_eq!(refused.to_string(), format!("method '{method}' needs real numbers in every column"));
    }
    let numbers = simulated(4, 1, 50, 1).table;
    let refused = discover(&numbers, &Config { test: Some(TestName::GSquare), ..named("pc") }).err().unwrap();
    assert_eq!(refused.to_string(), "column 'X1' holds numbers: the test is for categories");
}

#[test]
fn options_that_a_method_does_not_read_are_refused() {
    let table = simulated(4, 1, 50, 1).table;
    let cases = [
        (Config { score: ScoreName::Bge, ..named("pc") }, "--score has no effect with method pc"),
        (Config { samples: 5, ..named("boss") }, "--samples has no effect with method boss"),
        (Config { temperature: 2.0, ..named("ges") }, "--temperature has no effect with method ges"),
        (Config { prune: PruneName::TTest, ..named("ges") }, "--prune has no effect with method ges"),
        (Config { alpha: Some(0.1), ..named("ges") }, "--alpha has no effect with method ges"),
        (Config { restarts: Some(3), ..named("ges") }, "--restarts has no effect with method ges"),
        (Config { turning: true, ..named("boss") }, "--turning has no effect with method boss"),
        (
            Config { test: Some(TestName::FisherZ), ..named("exact") },
            "--test has no effect with method exact",
        ),
        (Config { restarts: Some(0), ..named("boss") }, "--restarts is 0, but must be at least 1"),
        (Config { alpha: Some(1.5), ..named("pc") }, "--alpha is 1.5, but must be from 0 to 1"),
        (
            Config { score: ScoreName::Spline, ..named("ges") },
            "method 'ges' needs a score that is the same for equivalent graphs, which 'spline' is not",
        ),
        (
            Config { score: ScoreName::BicEqual, ..named("ges") },
            "method 'ges' needs a score that is the same for equivalent graphs, which 'bic-equal' is not",
        ),
    ];
    for (config, expected) in cases {
        assert_eq!(discover(&table, &config).err().unwrap().to_string(), expected);
    }
}

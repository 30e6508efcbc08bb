//! `--score auto`: the family that the data ask for, and when the columns' types decide instead.

use std::f64::consts::PI;

use gflowcausal::data::{Column, Missing, Model, NoiseFamily, Simulation, Table, simulate};
use gflowcausal::graph::Edge;
use gflowcausal::{Config, Error, PosteriorName, Problem, PruneName, ScoreName, ScoringModel, discover};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream};

fn simulated(model: Model, noise: Option<NoiseFamily>, seed: u64) -> Table {
    let edges = if model == Model::GpQuiet { 15 } else { 9 };
    let config = Simulation {
        nodes: 8,
        edges: Some(edges),
        rows: 600,
        model,
        noise,
        seed,
        standardize: true,
        ..Simulation::default()
    };
    simulate(&config).expect("a possible simulation").table
}

fn chosen(table: &Table, config: &Config) -> (ScoreName, bool) {
    let model: ScoringModel = Problem::new(table, config).expect("a problem").model;
    (model.score_name(), model.evidence().is_some())
}

#[test]
fn every_family_gets_its_score() {
    for (model, noise, expected) in [
        (Model::Linear, None, ScoreName::Bic),
        (Model::Linear, Some(NoiseFamily::Exp), ScoreName::NonGaussian),
        (Model::Linear, Some(NoiseFamily::Uniform), ScoreName::NonGaussian),
        (Model::GpAdditive, None, ScoreName::Spline),
        (Model::GpQuiet, None, ScoreName::Gp),
        (Model::LocationScale, None, ScoreName::LocationScale),
    ] {
        for seed in 1..3 {
            let table = simulated(model, noise, seed);
            let name = model.name();
            assert_eq!(
                chosen(&table, &Config::default()),
                (expected, true),
                "{name}, {noise:?}, seed {seed}"
            );
        }
    }
}

/// Sums of functions find so few of the parents of these tables that half of the variables or less ask for a joint function,
/// and of the last one that half or less ask for a bend.
#[test]
fn one_function_of_many_parents_needs_no_majority() {
    for seed in [0, 3, 8, 10, 100] {
        let config = Simulation {
            nodes: 10,
            edges: Some(40),
            model: Model::Gp,
            seed,
            standardize: true,
            ..Simulation::default()
        };
        let table = simulate(&config).expect("a possible simulation").table;
        assert_eq!(chosen(&table, &Config::default()), (ScoreName::Gp, true), "seed {seed}");
    }
}

/// Tables of probabilities drawn evenly are far from the nearly deterministic ones that a prior of one row expects.
#[test]
fn the_prior_of_categories_is_chosen_by_evidence() {
    let config = Simulation { nodes: 6, model: Model::Discrete, seed: 2, ..Simulation::default() };
    let table = simulate(&config).expect("a possible simulation").table;
    let score = |config: &Config| {
        let problem = Problem::new(&table, config).expect("a problem");
        assert_eq!(problem.model.score_name(), ScoreName::Bdeu);
        let size = problem.model.evidence().and_then(|evidence| evidence.sample_size);
        let graph = gflowcausal::graph::Dag::empty(6);
        (size, problem.model.graph_score(&graph))
    };
    let (size, by_evidence) = score(&Config::default());
    let size = size.expect("chosen by evidence");
    assert!(size > 1.0, "{size}");
    let named = Config { sample_size: Some(size), ..Config::default() };
    assert_eq!(score(&named), (None, by_evidence));
    let (none, plain) = score(&Config { score: ScoreName::Bdeu, ..Config::default() });
    assert!(none.is_none() && plain < by_evidence, "{plain:?} {by_evidence:?}");
    let refused = Config { score: ScoreName::Dg, ..named };
    assert!(matches!(Problem::new(&table, &refused), Err(Error::NoEffect { .. })));
}

#[test]
fn every_variable_has_its_family_and_what_it_gains() {
    let table = simulated(Model::Linear, Some(NoiseFamily::Exp), 1);
    let problem = Problem::new(&table, &Config::default()).expect("a problem");
    let evidence = problem.model.evidence().expect("evidence");
    assert!(
        evidence.why.starts_with("noise of its own shape is likelier than normal noise by"),
        "{}",
        evidence.why
    );
    let totals: Vec<f64> = evidence.families.iter().map(|family| family.nats).collect();
    assert!(totals[0] == 0.0 && totals[1] > 500.0, "{totals:?}");
    assert_eq!(evidence.variables.len(), 8);
    for variable in &evidence.variables {
        assert_eq!(variable.family, "linear-non-gaussian", "{variable:?}");
        assert!(variable.nats > 10.0, "{variable:?}");
    }
}

/// Methods that need equivalent graphs to have one score, or that do not search by it, keep the score of the types.
#[test]
fn a_method_that_takes_no_family_keeps_the_score_of_the_types() {
    let table = simulated(Model::Linear, Some(NoiseFamily::Exp), 1);
    for method in ["ges", "corl", "pc", "direct-lingam"] {
        let config = Config { method: method.into(), ..Config::default() };
        assert_eq!(chosen(&table, &config), (ScoreName::Bic, false), "{method}");
    }
    for method in ["boss", "exact", "mcmc"] {
        let config = Config { method: method.into(), ..Config::default() };
        assert_eq!(chosen(&table, &config), (ScoreName::NonGaussian, true), "{method}");
    }
    let refused = Config { method: "ges".into(), score: ScoreName::LocationScale, ..Config::default() };
    let error = Problem::new(&table, &refused).err().expect("refused");
    assert!(matches!(error, Error::NeedsEquivalence { method: "ges", score: "location-scale" }), "{error}");
}

#[test]
fn few_rows_and_categories_leave_it_to_the_types() {
    let table = simulated(Model::Linear, Some(NoiseFamily::Exp), 1);
    let few = table.columns().iter().map(|column| {
        Column::continuous(column.name.clone(), column.as_continuous().expect("numbers")[..90].to_vec())
    });
    let few = Table::new(few.collect()).expect("a table");
    assert_eq!(chosen(&few, &Config::default()), (ScoreName::Bic, false));
    let mut columns = table.columns().to_vec();
    let codes = (0..600).map(|row| row % 2).collect();
    columns[0] = Column::categorical("sex", codes, vec!["a".into(), "b".into()]);
    let mixed = Table::new(columns).expect("a table");
    assert_eq!(chosen(&mixed, &Config::default()), (ScoreName::Dg, false));
}

/// The quantiles of Student's t with one and with two degrees of freedom.
const CAUCHY: fn(f64) -> f64 = |p| (PI * (p - 0.5)).tan();
const STUDENT_2: fn(f64) -> f64 = |p| (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();

/// `x -> y -> z <- w` and two alone, with lines.
fn with_noise(quantile: fn(f64) -> f64, seed: u64) -> Table {
    const ROWS: usize = 1000;
    let mut rng = stream(seed, Stream::Noise { node: 0 });
    let mut noise = || (0..ROWS).map(|_| quantile(rng.random())).collect::<Vec<f64>>();
    let (x, w, a, b, e, u) = (noise(), noise(), noise(), noise(), noise(), noise());
    let y: Vec<f64> = x.iter().zip(e).map(|(x, e)| 1.2 * x + e).collect();
    let z = y.iter().zip(&w).zip(u).map(|((y, w), u)| 0.8 * w - 0.7 * y + u).collect();
    let columns = [("x", x), ("z", z), ("a", a), ("y", y), ("w", w), ("b", b)];
    let columns = columns.map(|(name, values)| Column::continuous(name, values));
    Table::new(columns.to_vec()).expect("a table")
}

/// The outliers of a sum and of its parts are in the same rows: seen from the effect, the variance changes.
#[test]
fn tails_as_heavy_as_cauchys_are_no_changing_variance() {
    for (freedom, quantile) in [(1, CAUCHY), (2, STUDENT_2)] {
        for seed in 0..4 {
            let table = with_noise(quantile, seed);
            let (score, _) = chosen(&table, &Config::default());
            assert_eq!(score, ScoreName::NonGaussian, "{freedom} degrees of freedom, seed {seed}");
            let run = discover(&table, &Config { posterior: PosteriorName::None, ..Config::default() });
            let edges: Vec<Edge> = run.expect("a result").graph.edges().collect();
            for (from, to) in [(0, 3), (3, 1), (4, 1)] {
                assert!(edges.contains(&Edge { from, to }), "{freedom}, seed {seed}: {edges:?}");
            }
        }
    }
}

fn normal_with_first(change: impl Fn(usize, f64) -> f64) -> Table {
    let mut columns = simulated(Model::Linear, None, 4).columns().to_vec();
    let first = columns[0].as_continuous().expect("numbers").iter().enumerate();
    let changed = first.map(|(row, &value)| change(row, value)).collect();
    columns[0] = Column::continuous(columns[0].name.clone(), changed);
    Table::new(columns).expect("a table")
}

fn warns(table: &Table, code: &str) -> Option<String> {
    let findings = Problem::new(table, &Config::default()).expect("a problem").findings;
    findings.into_iter().find(|finding| finding.code == code).map(|finding| finding.what)
}

/// Families took the two peaks for the shape of noise, and an effect with two values became a cause with probability 1.
#[test]
fn two_values_that_are_not_0_and_1_are_codes() {
    for codes in [[1.0, 2.0], [-1.0, 1.0], [0.5, 1.5]] {
        let table = normal_with_first(|_, value| codes[usize::from(value > 0.3)]);
        let why = why_not(&table, &Config::default()).expect("a reason");
        assert!(why.starts_with("few different values in 'X1'"), "{why}");
        assert!(warns(&table, "category-codes").is_some());
    }
}

/// One value a thousand times too large made `non-gaussian` or `spline` the score and reversed edges with probability 1.
#[test]
fn one_misplaced_point_chooses_no_family() {
    let table = normal_with_first(|row, value| if row == 41 { 900.0 } else { value });
    let why = why_not(&table, &Config::default()).expect("a reason");
    assert!(why.starts_with("values far from all others in 'X1'"), "{why}");
    let what = warns(&table, "isolated-values").expect("a warning");
    assert!(what.ends_with("in column 'X1', row 42"), "{what}");
}

/// Why evidence did not choose, in words.
fn why_not(table: &Table, config: &Config) -> Option<String> {
    let model = Problem::new(table, config).expect("a problem").model;
    assert!(model.evidence().is_none() && model.score_name() == ScoreName::Bic);
    model.not_compared().map(str::to_owned)
}

#[test]
fn whoever_gets_the_score_of_the_types_learns_why() {
    let table = simulated(Model::Linear, Some(NoiseFamily::Exp), 1);
    let few = table.select_rows(&(0..90).collect::<Vec<_>>());
    assert_eq!(why_not(&few, &Config::default()).as_deref(), Some("fewer than 100 rows"));
    let pruned = Config { prune: PruneName::TTest, ..Config::default() };
    assert_eq!(why_not(&table, &pruned).as_deref(), Some("pruning t-test selects the parents"));
    // Nothing was left open.
    let bic = Config { score: ScoreName::Bic, ..Config::default() };
    assert_eq!(why_not(&table, &bic), None);
    let ges = Config { method: "ges".into(), ..Config::default() };
    assert_eq!(why_not(&table, &ges), None);
}

#[test]
fn with_missing_cells_the_complete_rows_are_asked() {
    let mut columns = simulated(Model::Linear, Some(NoiseFamily::Exp), 1).columns().to_vec();
    let mut first = columns[0].as_continuous().expect("numbers").to_vec();
    first[..50].fill(f64::NAN);
    columns[0] = Column::continuous(columns[0].name.clone(), first);
    let table = Table::new(columns).expect("a table");
    let config = Config { missing: Missing::Em, ..Config::default() };
    assert_eq!(
        why_not(&table, &config).as_deref(),
        Some("50 cells are missing; the 550 complete rows alone ask for score non-gaussian")
    );
    let dropped = Config { missing: Missing::Drop, ..Config::default() };
    assert_eq!(chosen(&table, &dropped), (ScoreName::NonGaussian, true));
}

/// Graphs of other families are not searched for, but what the best linear graph shows is said.
#[test]
fn many_variables_are_told_what_they_ask_for() {
    let noisy = |noise| {
        let config = Simulation {
            nodes: 55,
            degree: Some(1),
            rows: 300,
            seed: 2,
            noise: Some(noise),
            ..Simulation::default()
        };
        let table = simulate(&config).expect("a possible simulation").table;
        let model = Problem::new(&table, &Config::default()).expect("a problem").model;
        assert_eq!(model.score_name(), ScoreName::Bic);
        model.evidence().expect("evidence").clone()
    };
    let evidence = noisy(NoiseFamily::Exp);
    assert!(evidence.why.contains("53 of 55 variables ask for another family"), "{}", evidence.why);
    assert!(evidence.why.ends_with("most of them for linear-non-gaussian"), "{}", evidence.why);
    let evidence = noisy(NoiseFamily::Gauss);
    assert!(evidence.why.starts_with("no variable has noise of another shape"), "{}", evidence.why);
}

/// Equal variances are offered, on the raw scale alone, and never assumed.
#[test]
fn equal_variances_are_offered() {
    let config = Simulation { nodes: 8, edges: Some(9), rows: 600, seed: 3, ..Simulation::default() };
    let table = simulate(&config).expect("a possible simulation").table;
    for (standardize, is_offered) in [(false, true), (true, false)] {
        let config = Config { standardize, ..Config::default() };
        let problem = Problem::new(&table, &config).expect("a problem");
        assert_eq!(problem.model.score_name(), ScoreName::Bic);
        assert_eq!(problem.findings.iter().any(|finding| finding.code == "equal-variances"), is_offered);
    }
}

#[test]
fn a_transform_comes_before_the_score() {
    let mut columns = simulated(Model::Linear, None, 1).columns().to_vec();
    let grown = columns[0].as_continuous().expect("numbers").iter().map(|value| value.exp()).collect();
    let plain = Table::new(columns.clone()).expect("a table");
    columns[0] = Column::continuous(columns[0].name.clone(), grown);
    let table = Table::new(columns).expect("a table");
    let name = table.columns()[0].name.clone();
    let config =
        Config { score: ScoreName::Bic, transform: vec![format!("{name}=log")], ..Config::default() };
    let [back, direct] =
        [(&table, &config), (&plain, &Config { score: ScoreName::Bic, ..Config::default() })]
            .map(|(table, config)| Problem::new(table, config).expect("a problem").moments.expect("numbers"));
    let difference =
        back.covariance().iter().zip(direct.covariance()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-12, "{difference}");
    let refused = Config { transform: vec!["nobody=log".into()], ..Config::default() };
    assert!(matches!(Problem::new(&table, &refused), Err(Error::Transform(_))));
}

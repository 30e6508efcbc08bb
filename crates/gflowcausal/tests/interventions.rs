//! Rows from experiments: laws of the score and of the class, and graphs that observation alone does not find.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gflowcausal::data::{Column, Experiments, Interventions, Simulation, Table, simulate_experiments};
use gflowcausal::graph::{Dag, NodeSet, Pdag, evaluate};
use gflowcausal::{Config, Discovery, Problem, ScoreName, discover};

/// Data of `nodes` variables with the column of targets, the same without it, and the true graph.
fn experiments((nodes, degree): (usize, usize), rows: usize, plan: &str, seed: u64) -> (Table, Table, Dag) {
    let config = Simulation { nodes, degree: Some(degree), rows, seed, ..Simulation::default() };
    let plan: Experiments = plan.parse().unwrap();
    let (data, column) = simulate_experiments(&config, plan).unwrap();
    (with(&data.table, column), data.table, data.dag)
}

fn with(table: &Table, column: Column) -> Table {
    Table::new(table.columns().iter().cloned().chain([column]).collect()).unwrap()
}

fn config() -> Config {
    Config { interventions: Some("intervention".into()), samples: 200, ..Config::default() }
}

fn shd(found: &Discovery, truth: &Dag) -> usize {
    evaluate(&Pdag::from(&found.graph), truth).shd
}

#[test]
fn experiments_find_the_directions_that_observation_leaves_open() {
    let unaware = Config { samples: 200, ..Config::default() };
    let (mut aware, mut pooled) = (Vec::new(), Vec::new());
    for (degree, seed) in [(1, 0), (1, 1), (1, 2), (2, 3), (2, 4), (2, 5)] {
        let (named, plain, truth) = experiments((12, degree), 300, "8x60", seed);
        aware.push(shd(&discover(&named, &config()).unwrap(), &truth));
        pooled.push(shd(&discover(&plain, &unaware).unwrap(), &truth));
    }
    assert!(
        aware.iter().zip(&pooled).all(|(aware, pooled)| aware <= pooled),
        "{aware:?}, {pooled:?} without targets"
    );
    let sums = [&aware, &pooled].map(|each| each.iter().sum::<usize>());
    assert!(sums[0] <= 9 && 2 * sums[0] < sums[1], "{aware:?}, {pooled:?} without targets");
}

#[test]
fn greedy_equivalence_search_ends_in_the_class_of_the_best_graph() {
    let mut best = 0;
    for seed in 0..6 {
        let (named, _, truth) = experiments((6, 1), 300, "3x60", 20 + seed);
        let ges = discover(&named, &Config { method: "ges".into(), samples: 1000, ..config() }).unwrap();
        let exact = discover(&named, &Config { method: "exact".into(), ..config() }).unwrap();
        assert!(ges.score <= exact.score + 1e-6, "nothing beats the best of all graphs");
        best += usize::from((ges.score - exact.score).abs() < 1e-6);
        if ges.graph == exact.graph {
            assert_eq!(ges.class(), exact.class(), "seed {seed}");
        }
        let decided = ges.model.interventions().unwrap();
        let is_settled =
            |edge: &gflowcausal::graph::Edge| !decided.decides(*edge) || ges.class().has_directed(*edge);
        assert!(ges.graph.edges().all(|edge| is_settled(&edge)));
        assert!(shd(&ges, &truth) <= 4, "seed {seed}");
    }
    assert!(best >= 4, "{best} of 6");
}

#[test]
fn with_every_variable_a_target_all_directions_are_compelled() {
    let (named, _, _) = experiments((5, 1), 100, "5x40", 3);
    let found = discover(&named, &config()).unwrap();
    assert!(found.graph.edge_count() > 0);
    assert_eq!(found.class().undirected().count(), 0);
    // Two of five leave open what lies between the others.
    let (named, _, _) = experiments((5, 1), 100, "1x40", 3);
    let found = discover(&named, &config()).unwrap();
    let target = found.model.interventions().unwrap().targets();
    let open: Vec<_> = found.class().undirected().collect();
    assert!(open.iter().all(|edge| !target.contains(edge.from) && !target.contains(edge.to)), "{open:?}");
}

#[test]
fn without_a_target_nothing_changes_bit_for_bit() {
    let (_, plain, _) = experiments((6, 1), 200, "1x1", 5);
    let rows = plain.rows();
    let none = Column::categorical("intervention", vec![u32::MAX; rows], Vec::new());
    let named = discover(&with(&plain, none), &config()).unwrap();
    let unnamed = discover(&plain, &Config { interventions: None, ..config() }).unwrap();
    assert_eq!(named.graph, unnamed.graph);
    assert_eq!(named.posterior.edges(), unnamed.posterior.edges());
    assert_eq!(named.draws, unnamed.draws);
    assert_eq!(named.score.to_bits(), unnamed.score.to_bits());
}

#[test]
fn each_term_is_that_of_the_rows_in_which_the_variable_was_not_set() {
    let (named, _, _) = experiments((4, 1), 80, "2x30", 7);
    for score in [ScoreName::Bic, ScoreName::Bge, ScoreName::NonGaussian, ScoreName::Spline] {
        let config = Config { score, ..config() };
        let problem = Problem::new(&named, &config).unwrap();
        let (rest, set) = Interventions::take(&named, "intervention").unwrap();
        let names: Vec<String> = rest.names().map(str::to_owned).collect();
        let free = set.free_rows(&names).unwrap();
        assert_eq!(free.rows.len(), 3, "two targets and the others");
        for node in 0..4 {
            let part = rest.select_rows(&free.rows[free.part_of[node]]);
            let alone = Problem::new(&part, &Config { interventions: None, ..config.clone() }).unwrap();
            let parents = NodeSet::of(4, [(node + 1) % 4, (node + 2) % 4]);
            let term = |problem: &Problem<'_>| problem.model.local_score().unwrap().local(node, &parents);
            assert_eq!(term(&problem), term(&alone), "{score:?} {node}");
        }
    }
}

#[test]
fn columns_and_methods_that_do_not_fit_are_refused() {
    let (named, plain, _) = experiments((4, 1), 80, "2x30", 7);
    let refused = |table: &Table, config: &Config| {
        let error = Problem::new(table, config).err().unwrap();
        (error.code(), error.to_string())
    };
    assert_eq!(refused(&plain, &config()).0, "bad-interventions");
    let typo = Column::categorical("intervention", vec![0; plain.rows()], vec!["X9".into()]);
    assert!(refused(&with(&plain, typo), &config()).1.contains("names 'X9' in row 1"));
    let always = Column::categorical("intervention", vec![0; plain.rows()], vec!["X2".into()]);
    assert!(
        refused(&with(&plain, always), &config()).1.starts_with("variable 'X2' was set in all rows but 0")
    );
    let pc = Config { method: "pc".into(), samples: 1000, ..config() };
    assert_eq!(refused(&named, &pc).0, "option-without-effect");
    let equal = Config { score: ScoreName::BicEqual, ..config() };
    assert_eq!(refused(&named, &equal).0, "option-without-effect");
    let nowhere = Config { environment: Some("site".into()), ..Config::default() };
    assert_eq!(refused(&plain, &nowhere).1, "--environment site: there is no such column");
}

#[test]
fn nothing_causes_the_environment() {
    let (_, plain, _) = experiments((5, 1), 200, "1x1", 2);
    let config = Config { environment: Some("X3".into()), samples: 50, ..Config::default() };
    let found = discover(&plain, &config).unwrap();
    assert!(found.draws.iter().all(|draw| draw.dag.parents(2).is_empty()));
}

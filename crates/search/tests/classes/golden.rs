//! The classes that causal-learn finds on the same data: `reference.csv`, made by `reference.py` beside it.

use gflowcausal_data::{Model, Table, builtin};
use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::{Constraints, Edge, Pdag};
use gflowcausal_score::{Bic, Penalty};
use gflowcausal_search::{CategoryTest, FisherZ, Ges, IndependenceTest, Pc};

use super::*;

const REFERENCE: &str = include_str!("reference.csv");

fn data_set(name: &str) -> Table {
    if let Some(seed) = name.strip_prefix("categories-") {
        let config = Simulation {
            nodes: 8,
            degree: Some(1),
            rows: 1000,
            model: Model::Discrete,
            seed: seed.parse().unwrap(),
            ..Simulation::default()
        };
        return simulate(&config).unwrap().table;
    }
    match name.parse() {
        Ok(seed) => simulated(10, 2, 500, seed).table.standardized(),
        Err(_) => builtin(name).unwrap().table,
    }
}

fn parse(nodes: usize, edges: &str) -> Pdag {
    let mut graph = Pdag::empty(nodes);
    for text in edges.split(' ').filter(|text| !text.is_empty()) {
        let ends = |mark: char| {
            let (from, to) = text.split_once(mark)?;
            Some(Edge::new(from.parse().unwrap(), to.parse().unwrap()))
        };
        match (ends('>'), ends('-')) {
            (Some(arrow), _) => graph.insert_directed(arrow).unwrap(),
            (_, Some(tie)) => graph.insert_undirected(tie).unwrap(),
            _ => panic!("neither arrow nor tie: {text}"),
        }
    }
    graph
}

fn test(name: &str, table: &Table) -> Box<dyn IndependenceTest> {
    match name {
        "pc-gsq" => Box::new(CategoryTest::g_square(table).unwrap()),
        "pc-chisq" => Box::new(CategoryTest::chi_square(table).unwrap()),
        _ => Box::new(FisherZ::new(&Moments::of_table(table).unwrap()).unwrap()),
    }
}

#[test]
fn the_classes_are_those_of_causal_learn() {
    for line in REFERENCE.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [data, method, alpha, edges] = cells[..] else { panic!("four cells: {line}") };
        let table = data_set(data);
        let free = Constraints::none(table.columns().len());
        let found = if method == "ges" {
            let score = Bic::new(&Moments::of_table(&table).unwrap(), Penalty::Factor(1.0)).unwrap();
            Ges::new(&score, &free, false).unwrap().search(&StopFlag::new()).class
        } else {
            let test = test(method, &table);
            Pc::new(&*test, alpha.parse().unwrap(), &free).search(&StopFlag::new()).class
        };
        assert_eq!(found, parse(free.nodes(), edges), "{data} {method} {alpha}");
    }
}

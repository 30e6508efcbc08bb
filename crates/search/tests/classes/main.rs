//! Searches that end in a class of equivalent graphs, and those that end in an order.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod equivalence;
mod golden;
mod independence;
mod orders;

use gflowcausal_data::{GraphFamily, Moments, Simulated, Simulation, simulate};
use gflowcausal_graph::{Constraints, Knowledge};

fn simulated(nodes: usize, degree: usize, rows: usize, seed: u64) -> Simulated {
    let config = Simulation {
        graph: GraphFamily::default(),
        nodes,
        degree: Some(degree),
        rows,
        seed,
        ..Simulation::default()
    };
    simulate(&config).unwrap()
}

fn moments(data: &Simulated) -> Moments {
    Moments::of_table(&data.table).unwrap()
}

fn constraints(nodes: usize, knowledge: &Knowledge) -> Constraints {
    let names: Vec<String> = (0..nodes).map(|node| node.to_string()).collect();
    knowledge.compile(&names).unwrap()
}

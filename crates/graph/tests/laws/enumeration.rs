//! Every DAG and every order, each once.

use std::collections::HashSet;

use gflowcausal_graph::{Dag, Order, all_dags, all_orders};

use crate::graphs::cells;

#[test]
fn there_are_as_many_dags_as_robinson_counted() {
    let counts = [1, 1, 3, 25, 543, 29_281];
    for (nodes, &count) in counts.iter().enumerate() {
        let distinct: HashSet<Dag> = all_dags(nodes).collect();
        assert_eq!(distinct.len(), count);
        assert_eq!(all_dags(nodes).count(), count, "none comes twice");
    }
}

#[test]
fn there_are_3_781_503_dags_over_six_variables() {
    assert_eq!(all_dags(6).count(), 3_781_503);
}

#[test]
fn the_dags_are_the_edge_sets_that_a_dag_accepts() {
    let nodes = 4;
    let cells: Vec<_> = cells(nodes).collect();
    let accepted: HashSet<Dag> = (0..1_u32 << cells.len())
        .filter_map(|subset| {
            let chosen =
                cells.iter().enumerate().filter(|(bit, _)| subset >> bit & 1 == 1).map(|(_, &edge)| edge);
            Dag::from_edges(nodes, chosen).ok()
        })
        .collect();
    assert_eq!(all_dags(nodes).collect::<HashSet<_>>(), accepted);
}

#[test]
fn orders_come_sorted_and_complete() {
    let factorials = [1, 1, 2, 6, 24, 120, 720, 5_040];
    for (nodes, &count) in factorials.iter().enumerate() {
        let orders: Vec<Order> = all_orders(nodes).collect();
        assert_eq!(orders.len(), count);
        assert!(orders.is_sorted_by(|a, b| a < b));
        assert!(orders.iter().all(|order| Order::new(order.as_slice().to_vec()).is_ok()));
    }
}

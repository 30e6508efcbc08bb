//! Random graphs: edge counts, degrees and orientations of each family.

#![expect(clippy::unwrap_used, reason = "a failure in a function that tests share is a failed test")]

use gflowcausal_data::{GraphFamily, GraphSize, RandomGraph};
use gflowcausal_graph::Dag;
use proptest::prelude::*;

fn graph(family: GraphFamily, nodes: usize, size: GraphSize, seed: u64) -> Dag {
    RandomGraph::new(family, nodes, size).unwrap().draw(seed)
}

fn refusal(family: GraphFamily, nodes: usize, size: GraphSize) -> String {
    RandomGraph::new(family, nodes, size).unwrap_err().to_string()
}

proptest! {
    #[test]
    fn er_has_exactly_degree_times_nodes_edges(nodes in 5_usize..60, degree in 0_usize..=2, seed: u64) {
        let dag = graph(GraphFamily::ErdosRenyi, nodes, GraphSize::Degree(degree), seed);
        prop_assert_eq!(dag.edge_count(), degree * nodes);
    }

    #[test]
    fn er_takes_every_number_of_edges(nodes in 1_usize..20, share in 0.0..=1.0, seed: u64) {
        let edges = (share * (nodes * (nodes - 1) / 2) as f64) as usize;
        let dag = graph(GraphFamily::ErdosRenyi, nodes, GraphSize::Edges(edges), seed);
        prop_assert_eq!(dag.edge_count(), edges);
    }

    #[test]
    fn scale_free_has_m_times_d_minus_m_edges(nodes in 5_usize..60, m in 1_usize..3, seed: u64, directed: bool) {
        let family = if directed { GraphFamily::ScaleFreeDirected } else { GraphFamily::ScaleFree };
        let dag = graph(family, nodes, GraphSize::Degree(m), seed);
        prop_assert_eq!(dag.edge_count(), m * (nodes - m));
        prop_assert_eq!(&dag, &graph(family, nodes, GraphSize::Edges(m * (nodes - m)), seed));
    }
}

#[test]
fn the_protocols_counts_are_met() {
    let edges = |family, nodes, degree| graph(family, nodes, GraphSize::Degree(degree), 1).edge_count();
    assert_eq!(edges(GraphFamily::ErdosRenyi, 30, 2), 60);
    assert_eq!(edges(GraphFamily::ErdosRenyi, 30, 5), 150);
    assert_eq!(edges(GraphFamily::ScaleFree, 30, 2), 56);
    assert_eq!(edges(GraphFamily::ScaleFree, 30, 5), 125);
    assert_eq!(edges(GraphFamily::ScaleFreeDirected, 100, 5), 475);
}

#[test]
fn er_gnp_has_58_edges_on_average_for_er2_of_30_nodes() {
    // 435 pairs with probability 120/900 each: mean 58, variance 58·(1 − 2/15).
    let draws = 500;
    let draw = |seed| graph(GraphFamily::ErdosRenyiGnp, 30, GraphSize::Degree(2), seed).edge_count() as f64;
    let counts: Vec<f64> = (0..draws).map(draw).collect();
    let mean = counts.iter().sum::<f64>() / draws as f64;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / draws as f64;
    let expected: f64 = 58.0 * 13.0 / 15.0;
    assert!((mean - 58.0).abs() < 4.0 * (expected / draws as f64).sqrt(), "{mean}");
    assert!((variance / expected - 1.0).abs() < 4.0 * (2.0 / draws as f64).sqrt(), "{variance}");
}

#[test]
fn either_direction_of_each_pair_is_equally_likely() {
    for family in GraphFamily::ALL {
        let draws = 1000;
        let graphs = (0..draws).map(|seed| graph(*family, 6, GraphSize::Edges(8), seed));
        let forward: Vec<bool> =
            graphs.flat_map(|dag| dag.edges().map(|edge| edge.from < edge.to).collect::<Vec<_>>()).collect();
        let share = forward.iter().filter(|&&forward| forward).count() as f64 / forward.len() as f64;
        // Edges of one graph are correlated through its order: allow for the worst case, that they all agree.
        assert!((share - 0.5).abs() < 4.0 * 0.5 / (draws as f64).sqrt(), "{family}: {share}");
    }
}

#[test]
fn hubs_of_a_scale_free_graph_are_far_above_those_of_a_random_one() {
    let largest = |family, degree: fn(&Dag, usize) -> usize| {
        let dag = graph(family, 1000, GraphSize::Degree(2), 3);
        (0..1000).map(|node| degree(&dag, node)).max().unwrap()
    };
    let all = |dag: &Dag, node: usize| dag.parents(node).len() + dag.children(node).len();
    // Barabási–Albert: about m·√d = 63. A Poisson degree of mean 4 passes 18 once in 10⁷ nodes.
    assert!((30..250).contains(&largest(GraphFamily::ScaleFree, all)));
    assert!(largest(GraphFamily::ErdosRenyi, all) < 20);
    // New nodes point at old ones: nobody has more than m effects, hubs are sinks.
    assert_eq!(largest(GraphFamily::ScaleFreeDirected, |dag, node| dag.children(node).len()), 2);
    assert!(largest(GraphFamily::ScaleFreeDirected, |dag, node| dag.parents(node).len()) >= 30);
}

#[test]
fn the_place_of_the_hub_is_random() {
    for family in [GraphFamily::ScaleFree, GraphFamily::ScaleFreeDirected] {
        let hub = |seed| {
            let dag = graph(family, 50, GraphSize::Degree(1), seed);
            (0..50).max_by_key(|&node| dag.parents(node).len() + dag.children(node).len()).unwrap()
        };
        let mean = (0..400).map(|seed| hub(seed) as f64).sum::<f64>() / 400.0;
        // Uniform on 0..50: mean 24.5, standard deviation 14.4.
        assert!((mean - 24.5).abs() < 4.0 * 14.4 / 20.0, "{family}: {mean}");
    }
}

#[test]
fn impossible_sizes_are_refused_by_name() {
    use GraphFamily::{ErdosRenyi, ErdosRenyiGnp, ScaleFree, ScaleFreeDirected};
    assert_eq!(refusal(ErdosRenyi, 0, GraphSize::Edges(0)), "a graph needs at least 1 node");
    assert_eq!(refusal(ErdosRenyi, 4, GraphSize::Edges(7)), "7 edges do not fit into the 6 pairs of 4 nodes");
    assert_eq!(
        refusal(ErdosRenyiGnp, 4, GraphSize::Degree(2)),
        "8 edges do not fit into the 6 pairs of 4 nodes"
    );
    assert_eq!(
        refusal(ScaleFree, 5, GraphSize::Degree(5)),
        "graph 'sf' of 5 nodes needs a degree from 1 to 4, not 5"
    );
    assert_eq!(
        refusal(ScaleFreeDirected, 30, GraphSize::Edges(60)),
        "graph 'sf-directed' of 30 nodes has m·(30−m) edges, never 60"
    );
}

//! Layer assignment: nodes below their causes, layers of bounded width, short edges.

use gflowcausal::graph::Dag;

/// How many times the square root of their number the nodes of a row may be.
const BREADTH: f64 = 1.6;

/// A row that is never too long.
const LEAST_LIMIT: usize = 5;

/// The row of each node, from the top. Nodes without an edge are put in row 0 and count for nothing.
pub(super) fn layers(dag: &Dag) -> Vec<usize> {
    let joined = (0..dag.nodes()).filter(|&node| is_joined(dag, node)).count();
    let limit = ((BREADTH * (joined as f64).sqrt()).ceil() as usize).max(LEAST_LIMIT);
    let mut rows = longest_paths(dag, limit);
    shorten(dag, &mut rows, limit);
    rows
}

fn is_joined(dag: &Dag, node: usize) -> bool {
    !dag.parents(node).is_empty() || !dag.children(node).is_empty()
}

/// As high as the causes allow, or in the next row that has room.
fn longest_paths(dag: &Dag, limit: usize) -> Vec<usize> {
    let mut rows = vec![0; dag.nodes()];
    let mut filled = vec![0; dag.nodes() + 1];
    for node in dag.topological_order().iter().filter(|&node| is_joined(dag, node)) {
        let mut row = dag.parents(node).iter().map(|parent| rows[parent] + 1).max().unwrap_or(0);
        while filled[row] >= limit {
            row += 1;
        }
        rows[node] = row;
        filled[row] += 1;
    }
    rows
}

/// Moves nodes with more effects than causes down to their effects, where there is room: less edge in all.
///
/// Every move is downwards, so there is an end.
fn shorten(dag: &Dag, rows: &mut [usize], limit: usize) {
    let mut filled = vec![0; dag.nodes() + 1];
    (0..dag.nodes()).filter(|&node| is_joined(dag, node)).for_each(|node| filled[rows[node]] += 1);
    let order: Vec<usize> = dag.topological_order().iter().collect();
    let mut moved = true;
    while moved {
        moved = false;
        for &node in order.iter().rev().filter(|&&node| dag.children(node).len() > dag.parents(node).len()) {
            let lowest = dag.children(node).iter().map(|child| rows[child] - 1).min().unwrap_or(rows[node]);
            let target = (rows[node] + 1..=lowest).rev().find(|&row| filled[row] < limit);
            if let Some(row) = target {
                filled[rows[node]] -= 1;
                filled[row] += 1;
                rows[node] = row;
                moved = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gflowcausal::graph::Edge;

    fn dag(nodes: usize, edges: &[(usize, usize)]) -> Dag {
        Dag::from_edges(nodes, edges.iter().map(|&pair| Edge::from(pair))).unwrap()
    }

    #[test]
    fn a_late_cause_stands_just_above_its_effect() {
        assert_eq!(layers(&dag(4, &[(0, 1), (1, 2), (3, 2)])), [0, 1, 2, 1]);
    }

    #[test]
    fn a_hundred_effects_of_one_cause_fill_several_rows() {
        let edges: Vec<(usize, usize)> = (1..101).map(|child| (0, child)).collect();
        let rows = layers(&dag(101, &edges));
        let longest = (1..=10).map(|row| rows.iter().filter(|&&other| other == row).count()).max().unwrap();
        assert!(longest <= 17, "{longest} in a row");
        assert!(edges.iter().all(|&(from, to)| rows[from] < rows[to]));
    }
}

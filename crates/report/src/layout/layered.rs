//! The layered graph: long edges become chains of bends, and layers are ordered so that few edges cross.

use gflowcausal::graph::{Dag, Edge};

use super::crossing_count::crossings;

/// Nodes and bends in rows. The first vertices are the nodes, by index; the others are bends.
#[derive(Debug, Clone)]
pub(super) struct Layered {
    /// The vertices of each row, from left to right. Nodes without an edge are in none.
    pub(super) rows: Vec<Vec<usize>>,
    /// The row of each vertex.
    pub(super) row_of: Vec<usize>,
    /// How wide each vertex is; a bend has no width.
    pub(super) widths: Vec<f64>,
    /// Those in the row above that each vertex is joined to.
    pub(super) above: Vec<Vec<usize>>,
    /// Those in the row below that each vertex is joined to.
    pub(super) below: Vec<Vec<usize>>,
    /// The bends of each edge, from cause to effect.
    pub(super) chains: Vec<(Edge, Vec<usize>)>,
    nodes: usize,
}

impl Layered {
    /// Cuts the edges of `dag` where they pass a row; `row_of` says where each node stands.
    pub(super) fn new(dag: &Dag, widths: &[f64], row_of: &[usize]) -> Self {
        let nodes = dag.nodes();
        let mut layered = Self {
            rows: Vec::new(),
            row_of: row_of.to_vec(),
            widths: widths.to_vec(),
            above: vec![Vec::new(); nodes],
            below: vec![Vec::new(); nodes],
            chains: Vec::new(),
            nodes,
        };
        for edge in dag.edges() {
            layered.cut(edge);
        }
        layered.fill_rows();
        layered
    }

    /// Whether `vertex` is a bend.
    pub(super) fn is_bend(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }

    fn cut(&mut self, edge: Edge) {
        let mut chain = Vec::new();
        let mut last = edge.from;
        for row in self.row_of[edge.from] + 1..self.row_of[edge.to] {
            let bend = self.row_of.len();
            self.row_of.push(row);
            self.widths.push(0.0);
            self.above.push(Vec::new());
            self.below.push(Vec::new());
            self.join(last, bend);
            chain.push(bend);
            last = bend;
        }
        self.join(last, edge.to);
        self.chains.push((edge, chain));
    }

    fn join(&mut self, upper: usize, lower: usize) {
        self.below[upper].push(lower);
        self.above[lower].push(upper);
    }

    /// Fills rows in the order in which a walk from the sources meets the vertices, so that what belongs together
    /// starts together.
    fn fill_rows(&mut self) {
        let is_joined = |&vertex: &usize| !self.above[vertex].is_empty() || !self.below[vertex].is_empty();
        let count = (0..self.row_of.len()).filter(is_joined).map(|vertex| self.row_of[vertex] + 1).max();
        let mut rows = vec![Vec::new(); count.unwrap_or(0)];
        let mut is_met = vec![false; self.row_of.len()];
        let sources = (0..self.nodes).filter(|&node| self.above[node].is_empty() && is_joined(&node));
        let mut waiting: Vec<usize> = sources.collect();
        waiting.reverse();
        while let Some(vertex) = waiting.pop() {
            if !std::mem::replace(&mut is_met[vertex], true) {
                rows[self.row_of[vertex]].push(vertex);
                waiting.extend(self.below[vertex].iter().rev());
            }
        }
        self.rows = rows;
    }

    /// How many pairs of edges cross.
    pub(super) fn crossings(&self) -> usize {
        let places = self.places();
        self.rows.iter().map(|row| crossings(row, &self.below, &places)).sum()
    }

    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.row_of.len()];
        for row in &self.rows {
            row.iter().enumerate().for_each(|(place, &vertex)| places[vertex] = place);
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::layers;
    use super::*;

    fn layered(nodes: usize, edges: &[(usize, usize)]) -> Layered {
        let dag = Dag::from_edges(nodes, edges.iter().map(|&pair| Edge::from(pair))).unwrap();
        Layered::new(&dag, &vec![50.0; nodes], &layers(&dag))
    }

    #[test]
    fn a_long_edge_bends_once_in_each_row_between() {
        let graph = layered(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        let (_, chain) = graph.chains.iter().find(|(edge, _)| *edge == Edge::new(0, 3)).unwrap();
        assert_eq!(chain.iter().map(|&bend| graph.row_of[bend]).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn graphs_that_can_be_drawn_without_crossings_are() {
        // A ladder whose lower rungs are numbered against the upper ones, and a tree of three generations.
        let ladder: Vec<(usize, usize)> = (0..5).map(|rung| (rung, 9 - rung)).collect();
        let tree: Vec<(usize, usize)> = (1..13).map(|child| ((child - 1) / 3, child)).collect();
        for (nodes, edges) in [(10, ladder), (13, tree)] {
            let mut graph = layered(nodes, &edges);
            graph.reduce_crossings();
            assert_eq!(graph.crossings(), 0);
        }
    }

    #[test]
    fn reducing_crossings_removes_most_crossings_and_loses_no_vertex() {
        let edges: Vec<(usize, usize)> =
            (0..30).flat_map(|node| [(node, 30 + node * 7 % 30), (node, 30 + (node * 7 + 1) % 30)]).collect();
        let mut graph = layered(60, &edges);
        let before = graph.crossings();
        graph.reduce_crossings();
        assert!(graph.crossings() * 4 < before, "{} of {before}", graph.crossings());
        let mut vertices = graph.rows.concat();
        vertices.sort_unstable();
        assert_eq!(vertices, (0..graph.row_of.len()).collect::<Vec<_>>(), "nodes and bends");
    }
}

//! Random graphs: Erdős–Rényi and Barabási–Albert, oriented acyclically.

use std::collections::BTreeSet;

use gflowcausal_determinism::rand::{RngExt, seq::SliceRandom};
use gflowcausal_determinism::{Stream, StreamRng, stream};
use gflowcausal_graph::{Dag, Edge, choices};

use super::SimulationError;

choices! {
    /// How the edges of a random graph are chosen.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum GraphFamily: "graph" {
        /// Exactly that many edges, every set of pairs equally likely, oriented by a random order (NOTEARS).
        #[default]
        ErdosRenyi = "er",
        /// Each pair with probability `2e/d²`, oriented by a random order (gcastle).
        ErdosRenyiGnp = "er-gnp",
        /// Barabási–Albert, oriented by a random order (gcastle).
        ScaleFree = "sf",
        /// Barabási–Albert, each edge from the newer to the older node, so hubs are sinks (NOTEARS).
        ScaleFreeDirected = "sf-directed",
    }
}

impl GraphFamily {
    const fn is_scale_free(self) -> bool {
        matches!(self, Self::ScaleFree | Self::ScaleFreeDirected)
    }
}

/// How many edges a random graph has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphSize {
    /// Edges per node: `β·d` in all for Erdős–Rényi, `m = β` for each node that joins a scale-free graph.
    Degree(usize),
    /// All edges (about their expected number for `er-gnp`; the smaller `m` with `m(d−m)` edges when scale-free).
    Edges(usize),
}

/// A checked recipe for random graphs.
///
/// ```
/// use gflowcausal_data::{GraphFamily, GraphSize, RandomGraph};
/// let er2 = RandomGraph::new(GraphFamily::ErdosRenyi, 30, GraphSize::Degree(2))?;
/// assert_eq!(er2.draw(7).edge_count(), 60);
/// # Ok::<(), gflowcausal_data::SimulationError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomGraph {
    family: GraphFamily,
    nodes: usize,
    /// All edges, or how many each joining node brings when the family is scale-free.
    amount: usize,
}

impl RandomGraph {
    /// Checks that such a graph exists.
    ///
    /// # Errors
    /// No nodes, more edges than pairs, or a size that a scale-free graph cannot have.
    pub fn new(family: GraphFamily, nodes: usize, size: GraphSize) -> Result<Self, SimulationError> {
        if nodes == 0 {
            return Err(SimulationError::NoNodes);
        }
        let amount =
            if family.is_scale_free() { attachment(family, nodes, size)? } else { edge_total(nodes, size)? };
        Ok(Self { family, nodes, amount })
    }

    /// The graph of this `seed`.
    #[must_use]
    pub fn draw(&self, seed: u64) -> Dag {
        let mut rng = stream(seed, Stream::GraphShape);
        let pairs = match self.family {
            GraphFamily::ErdosRenyi => pairs_exactly(self.nodes, self.amount, &mut rng),
            GraphFamily::ErdosRenyiGnp => pairs_by_chance(self.nodes, self.amount, &mut rng),
            GraphFamily::ScaleFree | GraphFamily::ScaleFreeDirected => {
                preferential_attachment(self.nodes, self.amount, &mut rng)
            }
        };
        let label = permutation(self.nodes, &mut rng);
        let relabelled = pairs.into_iter().map(|Edge { from, to }| Edge::new(label[from], label[to]));
        let edges: Vec<Edge> = if self.family == GraphFamily::ScaleFreeDirected {
            relabelled.collect()
        } else {
            let rank = permutation(self.nodes, &mut rng);
            relabelled
                .map(|edge| if rank[edge.from] < rank[edge.to] { edge } else { edge.reversed() })
                .collect()
        };
        Dag::from_edges(self.nodes, edges).expect("edges that follow a rank or an age have no cycle")
    }
}

fn edge_total(nodes: usize, size: GraphSize) -> Result<usize, SimulationError> {
    let edges = match size {
        GraphSize::Degree(degree) => degree.saturating_mul(nodes),
        GraphSize::Edges(edges) => edges,
    };
    let most = nodes * (nodes - 1) / 2;
    if edges > most { Err(SimulationError::TooManyEdges { edges, nodes, most }) } else { Ok(edges) }
}

fn attachment(family: GraphFamily, nodes: usize, size: GraphSize) -> Result<usize, SimulationError> {
    match size {
        GraphSize::Degree(degree) if (1..nodes).contains(&degree) => Ok(degree),
        GraphSize::Degree(degree) => Err(SimulationError::ScaleFreeDegree { family, degree, nodes }),
        GraphSize::Edges(edges) => (1..nodes)
            .find(|m| m * (nodes - m) == edges)
            .ok_or(SimulationError::ScaleFreeEdges { family, edges, nodes }),
    }
}

fn permutation(nodes: usize, rng: &mut StreamRng) -> Vec<usize> {
    let mut labels: Vec<usize> = (0..nodes).collect();
    labels.shuffle(rng);
    labels
}

/// `count` different pairs, every choice equally likely: Floyd's sampling of pair numbers, `O(count · log count)`.
fn pairs_exactly(nodes: usize, count: usize, rng: &mut StreamRng) -> Vec<Edge> {
    let total = nodes * (nodes - 1) / 2;
    let mut chosen = BTreeSet::new();
    for last in total - count..total {
        let candidate = rng.random_range(0..=last);
        if !chosen.insert(candidate) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().map(pair_number).collect()
}

/// The pair `{from, to}`, `from < to`, that has `to·(to−1)/2 + from = number`.
fn pair_number(number: usize) -> Edge {
    let mut to = (((8 * number + 1) as f64).sqrt() as usize).div_ceil(2);
    while to * (to + 1) / 2 <= number {
        to += 1;
    }
    while to * (to - 1) / 2 > number {
        to -= 1;
    }
    Edge::new(number - to * (to - 1) / 2, to)
}

/// Each pair with probability `2·expected/d²`: a little below `expected` edges on average, as in gcastle.
fn pairs_by_chance(nodes: usize, expected: usize, rng: &mut StreamRng) -> Vec<Edge> {
    let probability = 2.0 * expected as f64 / (nodes * nodes) as f64;
    (0..nodes)
        .flat_map(|to| (0..to).map(move |from| Edge::new(from, to)))
        .filter(|_| rng.random_bool(probability))
        .collect()
}

/// Barabási–Albert: node `m` joins the first `m` nodes, each later one joins `m` different older nodes chosen in
/// proportion to their degree. `m(d−m)` edges, each from the newer to the older node.
fn preferential_attachment(nodes: usize, m: usize, rng: &mut StreamRng) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(m * (nodes - m));
    let mut targets: BTreeSet<usize> = (0..m).collect();
    // Each node stands here once for each of its edges, so a uniform choice is a choice by degree.
    let mut ends = Vec::with_capacity(2 * m * (nodes - m));
    for new in m..nodes {
        edges.extend(targets.iter().map(|&old| Edge::new(new, old)));
        ends.extend(targets.iter().copied().chain(std::iter::repeat_n(new, m)));
        targets.clear();
        while targets.len() < m {
            targets.insert(ends[rng.random_range(0..ends.len())]);
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_numbers_enumerate_all_pairs() {
        let expected = (0..1000).flat_map(|to| (0..to).map(move |from| Edge::new(from, to)));
        assert!((0..1000 * 999 / 2).map(pair_number).eq(expected));
    }

    #[test]
    fn every_edge_set_is_equally_likely() {
        // 3 of 6 pairs: 20 sets. Chi-squared with 19 degrees of freedom stays below 43.8 with probability 0.999.
        let mut counts = std::collections::BTreeMap::new();
        let draws = 20_000;
        for k in 0..draws {
            let mut rng = stream(0, Stream::Test { k });
            *counts.entry(pairs_exactly(4, 3, &mut rng)).or_insert(0u32) += 1;
        }
        let expected = draws as f64 / 20.0;
        let statistic: f64 = counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        assert_eq!(counts.len(), 20);
        assert!(statistic < 43.8, "{statistic}");
    }
}

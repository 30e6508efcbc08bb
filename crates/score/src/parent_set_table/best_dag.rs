//! The heaviest of all DAGs, by dynamic programming over sets of variables.

use gflowcausal_determinism::map;
use gflowcausal_graph::{Dag, NodeSet};

use super::ParentSetTables;

impl ParentSetTables {
    /// The most variables that [`best_dag`](Self::best_dag) takes.
    pub const MOST_NODES_OF_BEST: usize = 20;

    /// The DAG with the largest sum of terms (Silander and Myllymäki 2006); none if no DAG is allowed.
    ///
    /// The best DAG on a set has a sink, and is the best on the others with the best parents for that sink. Takes
    /// `d·2^d` look-ups.
    ///
    /// # Panics
    /// With more than [`MOST_NODES_OF_BEST`](Self::MOST_NODES_OF_BEST) variables.
    #[must_use]
    pub fn best_dag(&self) -> Option<Dag> {
        let nodes = self.nodes();
        assert!(nodes <= Self::MOST_NODES_OF_BEST, "{nodes} variables have too many sets");
        let maxima = map(nodes, |node| self.tables[node].maxima());
        let mut best = vec![f64::NEG_INFINITY; 1 << nodes];
        let mut sinks = vec![0_u8; 1 << nodes];
        best[0] = 0.0;
        for set in 1_usize..1 << nodes {
            for sink in (0..nodes).filter(|node| set >> node & 1 == 1) {
                let others = set & !(1 << sink);
                let within = NodeSet::of(nodes, (0..nodes).filter(|node| others >> node & 1 == 1));
                let total = best[others] + self.tables[sink].largest(&maxima[sink], &within);
                if total > best[set] {
                    (best[set], sinks[set]) = (total, sink as u8);
                }
            }
        }
        (best[(1 << nodes) - 1] > f64::NEG_INFINITY).then(|| self.follow(&sinks))
    }

    /// Takes away one sink after the other and gives each its best parents among what is left.
    fn follow(&self, sinks: &[u8]) -> Dag {
        let nodes = self.nodes();
        let mut parents = vec![NodeSet::empty(nodes); nodes];
        let mut left = NodeSet::full(nodes);
        let mut set = (1_usize << nodes) - 1;
        while set > 0 {
            let sink = usize::from(sinks[set]);
            set &= !(1 << sink);
            left.remove(sink);
            parents[sink] = self.tables[sink].best_within(&left);
        }
        Dag::from_parents(&parents).expect("a sink has its parents among the others")
    }
}

//! How many orders a DAG is compatible with: its linear extensions.

use std::collections::BTreeMap;

use crate::{Dag, NodeSet};

impl Dag {
    /// `ln` of the number of orders that this graph is compatible with; none if that takes more than `most_sets` sets.
    ///
    /// Within a connected component, a dynamic programme over its ancestral sets: the extensions of a set are those of
    /// the set without one of its sinks, summed over the sinks. Components interleave freely, which multiplies by a
    /// multinomial coefficient. Counting is #P-complete (Brightwell and Winkler 1991), hence the limit.
    #[must_use]
    pub fn log_linear_extensions(&self, most_sets: usize) -> Option<f64> {
        let mut placed = 0;
        let mut log_count = 0.0;
        for component in self.components() {
            log_count += self.log_extensions_within(&component, most_sets)?;
            // The number of ways to interleave: (placed + size)! / (placed! size!).
            log_count += (1..=component.len()).map(|k| ((placed + k) as f64 / k as f64).ln()).sum::<f64>();
            placed += component.len();
        }
        Some(log_count)
    }

    /// The sets of variables that undirected paths connect.
    fn components(&self) -> Vec<NodeSet> {
        let mut seen = NodeSet::empty(self.nodes());
        let mut components = Vec::new();
        for start in 0..self.nodes() {
            if seen.contains(start) {
                continue;
            }
            let mut component = NodeSet::empty(self.nodes());
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if component.insert(node) {
                    open.extend(self.parents(node).iter().chain(self.children(node).iter()));
                }
            }
            seen.union_with(&component);
            components.push(component);
        }
        components
    }

    /// `ln` of the number of linear extensions of the subgraph on `component`, by ancestral sets of growing size.
    fn log_extensions_within(&self, component: &NodeSet, most_sets: usize) -> Option<f64> {
        let mut level = BTreeMap::from([(NodeSet::empty(self.nodes()), 1.0_f64)]);
        let mut log_scale = 0.0;
        let mut sets = 0;
        for _ in component.iter() {
            let mut next: BTreeMap<NodeSet, f64> = BTreeMap::new();
            for (set, count) in &level {
                let open = component.iter().filter(|&node| !set.contains(node));
                for node in open.filter(|&node| self.parents(node).is_subset(set)) {
                    *next.entry(set.with(node)).or_insert(0.0) += count;
                }
            }
            sets += next.len();
            if sets > most_sets {
                return None;
            }
            let largest = next.values().copied().fold(0.0, f64::max);
            next.values_mut().for_each(|count| *count /= largest);
            log_scale += largest.ln();
            level = next;
        }
        Some(log_scale + level.values().sum::<f64>().ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edge, all_dags, all_orders};

    #[test]
    fn counts_are_those_of_all_compatible_orders() {
        let orders: Vec<_> = all_orders(4).collect();
        for dag in all_dags(4) {
            let expected = orders.iter().filter(|order| order.is_compatible_with(&dag)).count();
            let counted = dag.log_linear_extensions(100).expect("few sets").exp();
            assert!((counted - expected as f64).abs() < 1e-9, "{dag:?}: {counted} {expected}");
        }
    }

    #[test]
    fn a_large_forest_of_stars_needs_few_sets() {
        // Ten stars of one centre and nine leaves: (100)! / (10!)^10 · (9!)^10 orders.
        let edges = (0..100).filter(|leaf| leaf % 10 != 0).map(|leaf| Edge::new(leaf / 10 * 10, leaf));
        let dag = Dag::from_edges(100, edges).expect("stars");
        let log_factorial = |n: usize| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
        let expected = log_factorial(100) - 10.0 * (log_factorial(10) - log_factorial(9));
        let counted = dag.log_linear_extensions(10_000).expect("few sets");
        assert!((counted - expected).abs() < 1e-9, "{counted} {expected}");
        assert_eq!(dag.log_linear_extensions(100), None);
    }
}

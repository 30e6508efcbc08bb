//! Which variables have their parents drawn together: those that are likely to be adjacent, whatever the present graph.

use gflowcausal_determinism::{StreamRng, cancellation_point, categorical, rand::RngExt};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::ParentSetTables;

/// How often a pair is chosen that is hardly ever adjacent, next to one that surely is.
const RARE_PAIR: f64 = 0.02;

/// All such pairs together are chosen at most this often, next to all others.
const RARE_PAIRS: f64 = 0.25;

/// Pairs of variables one of which may cause the other, with how often they are chosen.
///
/// A choice does not depend on the state, so steps on what is chosen leave the target as it is.
#[derive(Debug)]
pub(super) struct Blocks {
    nodes: usize,
    pairs: Vec<(usize, usize)>,
    /// How often the pairs up to each are chosen.
    cumulative: Vec<f64>,
    /// How often two variables are chosen together, row by row.
    affinities: Vec<f64>,
}

impl Blocks {
    /// All pairs with a possible edge, each chosen the more often the likelier the edge is where nothing else is known.
    pub(super) fn new(tables: &ParentSetTables) -> Self {
        let nodes = tables.nodes();
        let (mut pairs, mut cumulative, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for effect in 0..nodes {
            cancellation_point();
            let others = NodeSet::full(nodes).without(effect);
            let all = tables.log_sum(effect, &others);
            for cause in tables.possible_parents(effect).iter() {
                let with = tables.log_sum_touching(effect, &others, &NodeSet::of(nodes, [cause]));
                sum += (with - all).exp();
                pairs.push((cause, effect));
                cumulative.push(sum);
            }
        }
        let rare = RARE_PAIR.min(RARE_PAIRS * sum / pairs.len().max(1) as f64).max(f64::MIN_POSITIVE);
        let mut affinities = vec![0.0; nodes * nodes];
        let mut earlier = 0.0;
        for (index, (&(cause, effect), sum)) in pairs.iter().zip(&mut cumulative).enumerate() {
            let affinity = *sum - earlier + rare;
            earlier = *sum;
            *sum += (index + 1) as f64 * rare;
            affinities[cause * nodes + effect] += affinity;
            affinities[effect * nodes + cause] += affinity;
        }
        Self { nodes, pairs, cumulative, affinities }
    }

    /// A pair, then one variable after another, drawn by how often it is chosen with those before. Fewer than two variables
    /// where no edge is possible.
    pub(super) fn draw(&self, size: usize, block: &mut Vec<usize>, rng: &mut StreamRng) {
        block.clear();
        let Some((x, y)) = self.draw_pair(rng) else { return };
        block.extend([x, y]);
        let row = |x: usize| &self.affinities[x * self.nodes..(x + 1) * self.nodes];
        let mut weights: Vec<f64> = row(x).iter().zip(row(y)).map(|(x, y)| x + y).collect();
        while block.len() < size {
            block.iter().for_each(|&chosen| weights[chosen] = 0.0);
            let total: f64 = weights.iter().sum();
            let drawn = categorical(weights.iter().copied().enumerate(), rng.random::<f64>() * total);
            let Some(next) = drawn else { return };
            block.push(next);
            weights.iter_mut().zip(row(next)).for_each(|(weight, more)| *weight += more);
        }
    }

    fn draw_pair(&self, rng: &mut StreamRng) -> Option<(usize, usize)> {
        let at = rng.random::<f64>() * self.cumulative.last()?;
        let index = self.cumulative.partition_point(|&sum| sum <= at);
        self.pairs.get(index).copied()
    }
}

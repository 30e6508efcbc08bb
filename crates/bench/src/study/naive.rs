//! The paper's cases, implemented naively: a dense network, one graph at a time, and a search for paths at each step.

use gflowcausal::flow::{Network, Walk};
use gflowcausal::rand::RngExt;
use gflowcausal::{Stream, stream};

/// A layer's weights, one row for each input (each output in the last), and its biases.
struct Layer {
    weights: Vec<f32>,
    biases: Vec<f32>,
}

/// A sampler that knows nothing of closures, of single bits and of lock step.
pub(super) struct Naive {
    walk: Walk,
    nodes: usize,
    layers: Vec<Layer>,
}

impl Naive {
    /// The policy of `network` on `walk`, which is one of the paper's three cases.
    pub(super) fn new(walk: Walk, nodes: usize, network: &dyn Network) -> Self {
        let mut rest = network.parameters();
        let mut tensors = network.tensors().into_iter().map(|tensor| {
            let (values, others) = rest.split_at(tensor.shape.iter().product());
            rest = others;
            values.to_vec()
        });
        let mut layers = Vec::new();
        while let (Some(weights), Some(biases)) = (tensors.next(), tensors.next()) {
            layers.push(Layer { weights, biases });
        }
        Self { walk, nodes, layers }
    }

    /// The `k`-th graph of `seed`, row causes column, and how many steps it took.
    pub(super) fn draw(&self, seed: u64, k: u64) -> (Vec<bool>, usize) {
        let mut rng = stream(seed, Stream::Sample { k });
        let mut graph = vec![false; self.nodes * self.nodes];
        for step in 0.. {
            let reached = self.reached(&graph);
            if self.is_over(step, &reached) {
                return (graph, step);
            }
            let allowed = self.allowed(&graph, &reached);
            let action = self.choose(&graph, &allowed, rng.random());
            graph[action] = true;
        }
        unreachable!("a walk ends")
    }

    /// Which node is reached from which, by a search from each.
    fn reached(&self, graph: &[bool]) -> Vec<bool> {
        let nodes = self.nodes;
        let mut reached = vec![false; nodes * nodes];
        for start in 0..nodes {
            let mut waiting = vec![start];
            while let Some(node) = waiting.pop() {
                for next in 0..nodes {
                    if graph[node * nodes + next] && !reached[start * nodes + next] {
                        reached[start * nodes + next] = true;
                        waiting.push(next);
                    }
                }
            }
        }
        reached
    }

    fn is_over(&self, step: usize, reached: &[bool]) -> bool {
        let pairs = self.nodes * (self.nodes - 1) / 2;
        match self.walk {
            Walk::Complete => step == pairs,
            Walk::Chain => step == self.nodes - 1,
            _ => reached.iter().filter(|&&is| is).count() == pairs,
        }
    }

    /// The edges that may be added, in ascending order.
    fn allowed(&self, graph: &[bool], reached: &[bool]) -> Vec<usize> {
        let nodes = self.nodes;
        let touched = |node: usize| (0..nodes).any(|o| graph[node * nodes + o] || graph[o * nodes + node]);
        let has_cause = |node: usize| (0..nodes).any(|from| graph[from * nodes + node]);
        let has_effect = |node: usize| (0..nodes).any(|to| graph[node * nodes + to]);
        let is_empty = !graph.contains(&true);
        let grows = |from: usize, to: usize| {
            is_empty
                || touched(from) && !has_effect(from) && !touched(to)
                || touched(to) && !has_cause(to) && !touched(from)
        };
        let is_open = |&edge: &usize| {
            let (from, to) = (edge / nodes, edge % nodes);
            let keeps_order = from != to && !graph[edge] && !reached[to * nodes + from];
            keeps_order && (self.walk != Walk::Chain || grows(from, to))
        };
        (0..nodes * nodes).filter(is_open).collect()
    }

    /// The action whose part of the cumulative probability holds `target`, between 0 and 1.
    fn choose(&self, graph: &[bool], allowed: &[usize], target: f64) -> usize {
        let outputs = self.forward(graph);
        let largest = allowed.iter().map(|&action| outputs[action]).fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> =
            allowed.iter().map(|&action| f64::from(outputs[action] - largest).exp()).collect();
        let mut left = target * weights.iter().sum::<f64>();
        for (&action, weight) in allowed.iter().zip(&weights) {
            left -= weight;
            if left < 0.0 {
                return action;
            }
        }
        allowed[allowed.len() - 1]
    }

    /// All outputs, every weight used.
    fn forward(&self, graph: &[bool]) -> Vec<f32> {
        let mut units: Vec<f32> = graph.iter().map(|&is| f32::from(u8::from(is))).collect();
        let (last, hidden) = self.layers.split_last().expect("a network has a last layer");
        for layer in hidden {
            let mut next = layer.biases.clone();
            for (unit, row) in units.iter().zip(layer.weights.chunks_exact(next.len())) {
                next.iter_mut().zip(row).for_each(|(sum, weight)| *sum += unit * weight);
            }
            next.iter_mut().for_each(|sum| *sum = sum.max(0.0));
            units = next;
        }
        let output = |(bias, row): (&f32, &[f32])| {
            bias + row.iter().zip(&units).map(|(weight, unit)| weight * unit).sum::<f32>()
        };
        last.biases.iter().zip(last.weights.chunks_exact(units.len())).map(output).collect()
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal::flow::{Mlp, MlpConfig, Sampler};
    use gflowcausal::graph::Constraints;

    use super::*;

    /// The same network and the same random numbers: the naive implementation draws what ours draws.
    #[test]
    fn the_naive_way_draws_the_same_graphs() {
        for walk in [Walk::Complete, Walk::Edges, Walk::Chain] {
            let environment = walk.environment(Constraints::none(5)).expect("a walk");
            let network = Mlp::new(environment.inputs(), environment.actions(), &MlpConfig::default(), 3);
            let naive = Naive::new(walk, 5, &network);
            let samples = Sampler::new(&*environment, &network).sample(40, 7);
            let same = samples.iter().enumerate().filter(|(k, sample)| {
                let (graph, steps) = naive.draw(7, *k as u64);
                let order = sample.terminal.as_order().expect("an order");
                assert_eq!(graph.iter().filter(|&&is| is).count(), steps);
                graph
                    .iter()
                    .enumerate()
                    .all(|(edge, &is)| !is || order.positions()[edge / 5] < order.positions()[edge % 5])
            });
            assert!(same.count() >= 39, "{walk}: rounding may change one draw");
        }
    }
}

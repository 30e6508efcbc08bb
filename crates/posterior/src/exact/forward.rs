//! Forward sums: the weight of all DAGs on each set of variables.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::map;

use super::ExactError;
use super::local_sums::LocalSums;
use super::scaled::{power_of_two, split_exp};
use super::subsets::{SubsetProducts, members};

/// How many of the highest variables tell blocks of sets apart.
const BLOCK_BITS: usize = 5;

/// `Z(S)`, the weight of all DAGs on S, for every set S: `values[S] · 2^scales[S]`.
///
/// `Z(S) = Σ_{∅≠T⊆S} (−1)^(|T|+1) Z(S∖T) Π_{j∈T} F_j(S∖T)`, where T are some of the sinks. As the product depends on
/// `A = S∖T`, each A adds its share to all its supersets. Sets that agree on the highest variables are a block; a
/// block is computed by one task from those of its subsets, in an order that does not depend on threads.
#[derive(Debug)]
pub(super) struct ForwardSums {
    pub(super) values: Vec<f64>,
    pub(super) scales: Vec<i32>,
}

impl ForwardSums {
    pub(super) fn new(sums: &LocalSums, stop: &AtomicBool) -> Result<Self, ExactError> {
        let high = sums.nodes.saturating_sub(8).min(BLOCK_BITS);
        let low = sums.nodes - high;
        let mut forward = Self { values: vec![0.0; 1 << sums.nodes], scales: sums.scales_before() };
        forward.values[0] = 1.0;
        for size in 0..=high as u32 {
            let blocks: Vec<u32> = (0..1 << high).filter(|block: &u32| block.count_ones() == size).collect();
            let computed = map(blocks.len(), |at| forward.block(sums, blocks[at], low, stop));
            for (block, values) in blocks.into_iter().zip(computed) {
                forward.values[(block as usize) << low..][..1 << low].copy_from_slice(&values);
            }
            if stop.load(Ordering::Relaxed) {
                return Err(ExactError::Stopped);
            }
        }
        Ok(forward)
    }

    /// The values of the sets whose highest variables are `block`.
    fn block(&self, sums: &LocalSums, block: u32, low: usize, stop: &AtomicBool) -> Vec<f64> {
        let mut values = vec![0.0; 1 << low];
        values[0] = if block == 0 { 1.0 } else { 0.0 };
        let mut products = SubsetProducts::default();
        for source in (0..=block).filter(|source| source & !block == 0) {
            for rest in 0..1_u32 << low {
                if rest % 64 == 0 && stop.load(Ordering::Relaxed) {
                    return values;
                }
                let set = source << low | rest;
                let value = if source == block { values[rest as usize] } else { self.values[set as usize] };
                if value != 0.0 {
                    products.fill(((1 << low) - 1) & !rest, sums.row(set));
                    let start = self.start(sums, set, (block & !source) << low, value);
                    self.add(&products, start, set | block << low, source == block, &mut values);
                }
            }
        }
        values
    }

    /// `−Z(set) Π_{j∈added} (−F_j(set))`: a number and an exponent of two.
    fn start(&self, sums: &LocalSums, set: u32, added: u32, value: f64) -> (f64, i32) {
        let factor = |(value, scale): (f64, i32), node: usize| {
            let (factor, exponent) = split_exp(sums.row(set)[node]);
            (-value * factor, scale + exponent)
        };
        members(added).fold((-value, self.scales[set as usize]), factor)
    }

    /// Adds to each superset of `base` in the block its share, but for `base` itself if that `is_source`.
    fn add(
        &self,
        products: &SubsetProducts,
        (value, exponent): (f64, i32),
        base: u32,
        is_source: bool,
        values: &mut [f64],
    ) {
        let mask = values.len() - 1;
        let own = values[base as usize & mask];
        for row in &products.outer {
            let (value, exponent) = (value * row.value, exponent + row.exponent);
            let base = base | row.set;
            let inner = products.values.iter().zip(&products.exponents).zip(&products.sets);
            for ((factor, shift), set) in inner {
                let target = (base | set) as usize;
                let scale = power_of_two(exponent + shift - self.scales[target]);
                values[target & mask] += value * factor * scale;
            }
        }
        if is_source {
            values[base as usize & mask] = own;
        }
    }
}

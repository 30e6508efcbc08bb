//! The network without any trick: dense bits in, all outputs out, one state at a time, in double precision.

use gflowcausal_flow::Network;

/// A dense layer: `weights[input][unit]` and `biases[unit]`.
#[derive(Clone)]
struct Layer {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

/// A multi-layer perceptron with rectified units, read from the parameters of the network it is to check.
pub(crate) struct Plain {
    layers: Vec<Layer>,
}

impl Plain {
    pub(crate) fn of(network: &dyn Network) -> Self {
        Self::read(network, network.parameters())
    }

    /// The same layout filled with other numbers, such as a gradient.
    fn read(network: &dyn Network, numbers: &[f32]) -> Self {
        let mut rest = numbers;
        let mut take = |shape: &[usize]| -> Vec<Vec<f64>> {
            let columns = *shape.last().unwrap();
            let (now, later) = rest.split_at(shape.iter().product());
            rest = later;
            now.chunks_exact(columns).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        };
        let tensors = network.tensors();
        let layers = tensors.chunks_exact(2).map(|pair| {
            let weights = take(&pair[0].shape);
            let biases = take(&pair[1].shape).swap_remove(0);
            let weights = if pair[0].name == "output.weights" { transposed(&weights) } else { weights };
            Layer { weights, biases }
        });
        Self { layers: layers.collect() }
    }

    /// What each layer puts out, the input first.
    fn activations(&self, bits: &[bool]) -> Vec<Vec<f64>> {
        let mut all = vec![bits.iter().map(|&bit| f64::from(u8::from(bit))).collect::<Vec<f64>>()];
        for (depth, Layer { weights, biases }) in self.layers.iter().enumerate() {
            let input = &all[depth];
            let unit =
                |j: usize| biases[j] + input.iter().zip(weights).map(|(x, row)| x * row[j]).sum::<f64>();
            let is_last = depth + 1 == self.layers.len();
            let output = (0..biases.len()).map(unit).map(|x| if is_last { x } else { x.max(0.0) });
            all.push(output.collect());
        }
        all
    }

    pub(crate) fn log_flows(&self, bits: &[bool]) -> Vec<f64> {
        self.activations(bits).pop().unwrap()
    }

    /// A gradient of zeros.
    pub(crate) fn zeros(&self) -> Self {
        let mut layers = self.layers.clone();
        for layer in &mut layers {
            layer.weights.iter_mut().flatten().chain(&mut layer.biases).for_each(|x| *x = 0.0);
        }
        Self { layers }
    }

    /// Adds to `gradient` what one state brings, given the slopes of all its outputs.
    pub(crate) fn backward(&self, bits: &[bool], slopes: &[f64], gradient: &mut Self) {
        let activations = self.activations(bits);
        let mut slopes = slopes.to_vec();
        for depth in (0..self.layers.len()).rev() {
            let (input, sums) = (&activations[depth], &mut gradient.layers[depth]);
            for (x, row) in input.iter().zip(&mut sums.weights) {
                row.iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum += x * slope);
            }
            sums.biases.iter_mut().zip(&slopes).for_each(|(sum, slope)| *sum += slope);
            let back = |row: &Vec<f64>| row.iter().zip(&slopes).map(|(w, slope)| w * slope).sum::<f64>();
            let earlier: Vec<f64> = self.layers[depth].weights.iter().map(back).collect();
            slopes = earlier.iter().zip(input).map(|(s, &x)| if x > 0.0 { *s } else { 0.0 }).collect();
        }
    }

    /// The largest difference to a gradient in the network's own layout, relative to the largest entry.
    pub(crate) fn difference(&self, network: &dyn Network, gradient: &[f32]) -> f64 {
        let other = Self::read(network, gradient);
        let flat = |plain: &Self| -> Vec<f64> {
            let parts =
                plain.layers.iter().flat_map(|layer| layer.weights.iter().flatten().chain(&layer.biases));
            parts.copied().collect()
        };
        let (mine, theirs) = (flat(self), flat(&other));
        let largest = mine.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        mine.iter().zip(&theirs).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / largest
    }
}

fn transposed(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..rows[0].len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect()
}

//! The network without the structure of the problem: dense inputs, all outputs, the same matrix products.

/// A layer and its gradient, row after row.
struct Layer {
    inputs: usize,
    outputs: usize,
    weights: Vec<f32>,
    gradient: Vec<f32>,
}

/// Dense layers with rectified units between them.
pub(crate) struct Plain {
    layers: Vec<Layer>,
}

impl Plain {
    pub(crate) fn new(sizes: &[usize]) -> Self {
        let layer = |pair: &[usize]| Layer {
            inputs: pair[0],
            outputs: pair[1],
            weights: (0..pair[0] * pair[1]).map(|i| (i as f32).sin() * 0.05).collect(),
            gradient: vec![0.0; pair[0] * pair[1]],
        };
        Self { layers: sizes.windows(2).map(layer).collect() }
    }

    /// All outputs of all rows of `inputs`, and the gradient when each output has the slope one.
    pub(crate) fn forward_and_backward(&mut self, inputs: &[f32]) {
        let mut activations = self.forward(inputs);
        let mut slopes = activations.pop().unwrap_or_default();
        slopes.fill(1.0);
        for (depth, (layer, inputs)) in self.layers.iter_mut().zip(&activations).enumerate().rev() {
            layer.gather(inputs, &slopes);
            if depth > 0 {
                slopes = layer.back(inputs, &slopes);
            }
        }
    }

    /// What each layer puts out, the inputs first.
    fn forward(&self, inputs: &[f32]) -> Vec<Vec<f32>> {
        let mut activations = vec![inputs.to_vec()];
        for (depth, layer) in self.layers.iter().enumerate() {
            let mut next = layer.forward(&activations[depth]);
            if depth + 1 < self.layers.len() {
                next.iter_mut().for_each(|x| *x = x.max(0.0));
            }
            activations.push(next);
        }
        activations
    }
}

impl Layer {
    fn forward(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = inputs.len() / self.inputs;
        let mut outputs = vec![0.0; rows * self.outputs];
        let shape = (rows, self.inputs, self.outputs);
        product(shape, (inputs, false), (&self.weights, false), &mut outputs);
        outputs
    }

    fn gather(&mut self, inputs: &[f32], slopes: &[f32]) {
        let shape = (self.inputs, inputs.len() / self.inputs, self.outputs);
        product(shape, (inputs, true), (slopes, false), &mut self.gradient);
    }

    /// The slopes of what came in, which were rectified units.
    fn back(&self, inputs: &[f32], slopes: &[f32]) -> Vec<f32> {
        let mut earlier = vec![0.0; inputs.len()];
        let shape = (inputs.len() / self.inputs, self.outputs, self.inputs);
        product(shape, (slopes, false), (&self.weights, true), &mut earlier);
        earlier.iter_mut().zip(inputs).for_each(|(slope, &x)| *slope = if x > 0.0 { *slope } else { 0.0 });
        earlier
    }
}

/// `sum ← sum + left · right` for shapes (rows, inner, columns), each side as it lies or transposed.
#[expect(unsafe_code, reason = "the product is computed behind raw pointers")]
pub(crate) fn product(
    (rows, inner, columns): (usize, usize, usize),
    (left, left_turned): (&[f32], bool),
    (right, right_turned): (&[f32], bool),
    sum: &mut [f32],
) {
    assert!(left.len() == rows * inner && right.len() == inner * columns && sum.len() == rows * columns);
    let strides = |height: usize, width: usize, turned: bool| {
        if turned { (1, height as isize) } else { (width as isize, 1) }
    };
    let (left_row, left_column) = strides(rows, inner, left_turned);
    let (right_row, right_column) = strides(inner, columns, right_turned);
    let (a, b, c) = (left.as_ptr(), right.as_ptr(), sum.as_mut_ptr());
    // SAFETY: the slices hold matrices of the shapes given, which the assertion checks.
    unsafe {
        matrixmultiply::sgemm(
            rows,
            inner,
            columns,
            1.0,
            a,
            left_row,
            left_column,
            b,
            right_row,
            right_column,
            1.0,
            c,
            columns as isize,
            1,
        );
    }
}

//! Reverse-mode differentiation of the policies: what was computed is recorded, and gradients run back over it.
//!
//! A tape is filled anew each iteration; the buffers of the one before are used again, so a training loop allocates
//! nothing. Parameters are the first nodes and stay.

mod attention;
mod attention_lanes;
mod backward;
mod convolution;
mod lstm;
mod normalisation;
mod pairs;
mod pointer;
#[cfg(test)]
mod tests;

use crate::gemm::{self, Matrix};
use crate::real::Real;
use crate::vector::{add_scaled, dot, vectorised};

/// A matrix on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Var(usize);

/// How a matrix was made of others.
#[derive(Debug, Clone, Default)]
enum Op {
    /// It was given.
    #[default]
    Leaf,
    /// `x w + b`, and then `max(·, 0)` if it is rectified.
    Linear { x: Var, w: Var, b: Option<Var>, is_rectified: bool },
    /// `base + a w`.
    AddProduct { base: Var, a: Var, w: Var },
    /// `a + b`.
    Add { a: Var, b: Var },
    /// Every column with mean 0 and variance 1 over the rows, times `gain`, plus `shift`.
    BatchNorm { x: Var, gain: Var, shift: Var },
    /// Every row with mean 0 and variance 1, times `gain`, plus `shift`.
    LayerNorm { x: Var, gain: Var, shift: Var },
    /// `max(x ∗ w + b, 0)` for images of `side` × `side` pixels.
    Convolution { x: Var, w: Var, b: Var, side: usize },
    /// The largest of every 2 × 2 pixels.
    MaxPool { x: Var, side: usize },
    /// The same numbers in rows of another length.
    Reshape { x: Var },
    /// Every row the attention of one token to all of its group, for each head.
    Attention { q: Var, k: Var, v: Var, tokens: usize, heads: usize },
    /// Some rows of another.
    Gather { x: Var, rows: Vec<usize> },
    /// The mean of each group of rows, the rows of a single group repeated.
    GroupMean { x: Var, tokens: usize },
    /// The next memory of an LSTM.
    LstmMemory { gates: Var, memory: Option<Var> },
    /// What an LSTM puts out of its memory.
    LstmOutput { gates: Var, memory: Var },
    /// `v · tanh(r_j + q)` for every open `j` of the row's group.
    AdditiveScores { references: Var, query: Var, v: Var, open: Vec<bool> },
    /// The softmax over the open entries of each row.
    OpenSoftmax { scores: Var },
    /// `base + Σ_j weight_j r_j` over the row's group.
    WeightedSum { base: Var, weights: Var, references: Var },
    /// `u · tanh(l_i + r_j)` for every pair of tokens of a group.
    PairScores { left: Var, right: Var, u: Var, tokens: usize },
    /// `l_i · r_j / √w` for every pair of tokens of a group.
    PairProducts { left: Var, right: Var, tokens: usize },
}

/// A matrix, row after row, with the gradient by it.
#[derive(Debug, Clone, Default)]
struct Node<R> {
    rows: usize,
    columns: usize,
    value: Vec<R>,
    grad: Vec<R>,
    /// Whether something was added to `grad`; until then it holds what an earlier use left there, and stands for zeros.
    is_reached: bool,
    /// What the backward pass needs beside the value.
    saved: Vec<R>,
    op: Op,
}

/// The record of a computation with matrices.
#[derive(Debug, Clone, Default)]
pub struct Tape<R> {
    nodes: Vec<Node<R>>,
    used: usize,
    parameters: usize,
}

impl<R: Real> Tape<R> {
    /// Without anything on it.
    #[must_use]
    pub fn new() -> Self {
        Self { nodes: vec![], used: 0, parameters: 0 }
    }

    /// With parameters of zero, of so many rows and columns each.
    #[must_use]
    pub fn with_parameters(shapes: &[(usize, usize)]) -> Self {
        let mut tape = Self::new();
        for &(rows, columns) in shapes {
            tape.parameter(columns, vec![R::ZERO; rows * columns]);
        }
        tape
    }

    /// Sets all parameters, one after the other.
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    pub fn load(&mut self, mut values: &[R]) {
        for node in &mut self.nodes[..self.parameters] {
            let (own, rest) = values.split_at(node.value.len());
            node.value.copy_from_slice(own);
            values = rest;
        }
    }

    /// Adds the gradient by all parameters, one after the other, to `sum`.
    ///
    /// # Panics
    /// If `sum` is shorter.
    pub fn add_gradient_to(&self, mut sum: &mut [R]) {
        for node in &self.nodes[..self.parameters] {
            let (own, rest) = sum.split_at_mut(node.value.len());
            if node.is_reached {
                vectorised(
                    #[inline(always)]
                    || add_scaled(R::ONE, &node.grad, own),
                );
            }
            sum = rest;
        }
    }

    /// A parameter; all of them come before anything is computed.
    ///
    /// # Panics
    /// If something was computed.
    pub fn parameter(&mut self, columns: usize, values: Vec<R>) -> Var {
        assert_eq!(self.used, self.parameters, "parameters come first");
        let var = self.push(values.len() / columns.max(1), columns, Op::Leaf);
        self.nodes[var.0].value = values;
        self.parameters += 1;
        var
    }

    /// The parameters, in the order they came in.
    pub fn parameters(&self) -> impl Iterator<Item = Var> + use<R> {
        (0..self.parameters).map(Var)
    }

    /// Forgets everything but the parameters.
    pub fn clear(&mut self) {
        self.used = self.parameters;
        self.nodes[..self.parameters].iter_mut().for_each(|node| node.is_reached = false);
    }

    /// A matrix that gradients do not pass.
    pub fn constant(&mut self, columns: usize, values: &[R]) -> Var {
        let var = self.push(values.len() / columns.max(1), columns, Op::Leaf);
        self.nodes[var.0].value.copy_from_slice(values);
        var
    }

    /// The numbers of `var`, row after row.
    #[must_use]
    pub fn value(&self, var: Var) -> &[R] {
        &self.nodes[var.0].value
    }

    /// The gradient by `var`, to be set where the loss is a function of it.
    pub fn grad_mut(&mut self, var: Var) -> &mut [R] {
        self.nodes[var.0].grad_mut()
    }

    /// Shortens the gradient by all parameters to at most `longest`.
    pub fn clip_gradient(&mut self, longest: f64) {
        let square = |node: &Node<R>| {
            vectorised(
                #[inline(always)]
                || dot(&node.grad, &node.grad),
            )
            .wide()
        };
        let reached = self.nodes[..self.parameters].iter_mut().filter(|node| node.is_reached);
        let mut reached: Vec<&mut Node<R>> = reached.collect();
        let length = reached.iter().map(|node| square(node)).sum::<f64>().sqrt();
        if length > longest {
            let factor = R::of(longest / length);
            for node in &mut reached {
                vectorised(
                    #[inline(always)]
                    || node.grad.iter_mut().for_each(|grad| *grad *= factor),
                );
            }
        }
    }

    /// A parameter's values and its gradient.
    pub fn value_and_grad(&mut self, var: Var) -> (&mut [R], &[R]) {
        let node = &mut self.nodes[var.0];
        node.grad_mut();
        (&mut node.value, &node.grad)
    }

    /// How many rows and columns `var` has.
    #[must_use]
    pub fn shape(&self, var: Var) -> (usize, usize) {
        let node = &self.nodes[var.0];
        (node.rows, node.columns)
    }

    fn push(&mut self, rows: usize, columns: usize, op: Op) -> Var {
        if self.used == self.nodes.len() {
            self.nodes.push(Node::default());
        }
        let node = &mut self.nodes[self.used];
        (node.rows, node.columns, node.op) = (rows, columns, op);
        node.value.resize(rows * columns, R::ZERO);
        node.is_reached = false;
        self.used += 1;
        Var(self.used - 1)
    }

    /// Fills a new node by `write`, which sees all before it.
    fn record(
        &mut self,
        (rows, columns): (usize, usize),
        op: Op,
        write: impl FnOnce(&[Node<R>], &mut [R], &mut Vec<R>),
    ) -> Var {
        let var = self.push(rows, columns, op);
        let (before, from) = self.nodes.split_at_mut(var.0);
        let Node { value, saved, .. } = &mut from[0];
        write(before, value, saved);
        var
    }

    /// `x w + b`.
    pub fn linear(&mut self, x: Var, w: Var, b: Option<Var>) -> Var {
        self.affine(x, w, b, false)
    }

    /// `max(x w + b, 0)`.
    pub fn rectified(&mut self, x: Var, w: Var, b: Option<Var>) -> Var {
        self.affine(x, w, b, true)
    }

    fn affine(&mut self, x: Var, w: Var, b: Option<Var>, is_rectified: bool) -> Var {
        let shape = (self.shape(x).0, self.shape(w).1);
        self.record(shape, Op::Linear { x, w, b, is_rectified }, |nodes, value, _| {
            let (left, right) = (nodes[x.0].matrix(), nodes[w.0].matrix());
            match b {
                Some(b) => {
                    let bias = &nodes[b.0].value;
                    value.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
                    gemm::add_product(left, right, value);
                }
                None => gemm::product(left, right, value),
            }
            if is_rectified {
                vectorised(
                    #[inline(always)]
                    || value.iter_mut().for_each(|value| *value = value.larger(R::ZERO)),
                );
            }
        })
    }

    /// `base + a w`.
    pub fn add_product(&mut self, base: Var, a: Var, w: Var) -> Var {
        self.record(self.shape(base), Op::AddProduct { base, a, w }, |nodes, value, _| {
            value.copy_from_slice(&nodes[base.0].value);
            gemm::add_product(nodes[a.0].matrix(), nodes[w.0].matrix(), value);
        })
    }

    /// `a + b`.
    pub fn add(&mut self, a: Var, b: Var) -> Var {
        self.record(self.shape(a), Op::Add { a, b }, |nodes, value, _| {
            let (a, b) = (&nodes[a.0].value, &nodes[b.0].value);
            vectorised(
                #[inline(always)]
                || value.iter_mut().zip(a.iter().zip(b)).for_each(|(value, (&a, &b))| *value = a + b),
            );
        })
    }

    /// Every column with mean 0 and variance 1 over the rows, times `gain`, plus `shift`.
    pub fn batch_norm(&mut self, x: Var, gain: Var, shift: Var) -> Var {
        self.record(self.shape(x), Op::BatchNorm { x, gain, shift }, |nodes, value, saved| {
            let [x, gain, shift] = [x, gain, shift].map(|var| &nodes[var.0].value[..]);
            vectorised(
                #[inline(always)]
                || normalisation::batch(x, gain, shift, value, saved),
            );
        })
    }

    /// Every row with mean 0 and variance 1, times `gain`, plus `shift`.
    pub fn layer_norm(&mut self, x: Var, gain: Var, shift: Var) -> Var {
        self.record(self.shape(x), Op::LayerNorm { x, gain, shift }, |nodes, value, saved| {
            let [x, gain, shift] = [x, gain, shift].map(|var| &nodes[var.0].value[..]);
            vectorised(
                #[inline(always)]
                || normalisation::layer(x, gain, shift, value, saved),
            );
        })
    }

    /// The attention of every token to all `tokens` of its group, for each head.
    pub fn attention(&mut self, [q, k, v]: [Var; 3], tokens: usize, heads: usize) -> Var {
        let shape = self.shape(q);
        self.record(shape, Op::Attention { q, k, v, tokens, heads }, |nodes, value, saved| {
            let inputs = [q, k, v].map(|var| &nodes[var.0].value[..]);
            attention::forward(inputs, attention::Shape::new(shape, tokens, heads), value, saved);
        })
    }

    /// Some rows of `x`; a row may come more than once.
    pub fn gather(&mut self, x: Var, rows: Vec<usize>) -> Var {
        let columns = self.shape(x).1;
        let sources = rows.clone();
        self.record((rows.len(), columns), Op::Gather { x, rows }, |nodes, value, _| {
            for (target, source) in value.chunks_exact_mut(columns).zip(sources) {
                target.copy_from_slice(&nodes[x.0].value[source * columns..][..columns]);
            }
        })
    }

    /// The mean of each group of `tokens` rows; the mean of a single group is given `count` times.
    pub fn group_mean(&mut self, x: Var, tokens: usize, count: usize) -> Var {
        let columns = self.shape(x).1;
        self.record((count, columns), Op::GroupMean { x, tokens }, |nodes, value, _| {
            let x = &nodes[x.0].value;
            let share = R::of(1.0 / tokens as f64);
            for (k, target) in value.chunks_exact_mut(columns).enumerate() {
                target.fill(R::ZERO);
                let group = pointer::group(k, x.len() / columns, tokens);
                let rows = x[group * tokens * columns..][..tokens * columns].chunks_exact(columns);
                rows.for_each(|row| add_scaled(share, row, target));
            }
        })
    }

    /// The next memory of an LSTM, `σ(f) c + σ(i) tanh(g)`, by its gates `i, f, g, o` side by side.
    pub fn lstm_memory(&mut self, gates: Var, memory: Option<Var>) -> Var {
        let (rows, columns) = self.shape(gates);
        self.record((rows, columns / 4), Op::LstmMemory { gates, memory }, |nodes, value, saved| {
            let memory = memory.map(|var| &nodes[var.0].value[..]);
            vectorised(
                #[inline(always)]
                || lstm::memory(&nodes[gates.0].value, memory, columns / 4, value, saved),
            );
        })
    }

    /// The output of an LSTM, `σ(o) tanh(c)`.
    pub fn lstm_output(&mut self, gates: Var, memory: Var) -> Var {
        let shape = self.shape(memory);
        self.record(shape, Op::LstmOutput { gates, memory }, |nodes, value, saved| {
            vectorised(
                #[inline(always)]
                || lstm::output(&nodes[gates.0].value, &nodes[memory.0].value, shape.1, value, saved),
            );
        })
    }

    /// `v · tanh(r_j + q)` for each query and every reference of its group that is open; zero for the others.
    pub fn additive_scores(&mut self, references: Var, query: Var, v: Var, open: Vec<bool>) -> Var {
        let rows = self.shape(query).0;
        let tokens = open.len() / rows;
        let mask = open.clone();
        let op = Op::AdditiveScores { references, query, v, open };
        self.record((rows, tokens), op, |nodes, value, _| {
            let [references, query, v] = [references, query, v].map(|var| &nodes[var.0].value[..]);
            vectorised(
                #[inline(always)]
                || pointer::scores(references, query, v, &mask, value),
            );
        })
    }

    /// The softmax over the open entries of each row; zero for the others.
    pub fn open_softmax(&mut self, scores: Var, open: &[bool]) -> Var {
        let shape = self.shape(scores);
        self.record(shape, Op::OpenSoftmax { scores }, |nodes, value, _| {
            pointer::softmax(&nodes[scores.0].value, open, shape.1, value);
        })
    }

    /// `base + Σ_j weight_j r_j` over the references of the row's group.
    pub fn weighted_sum(&mut self, base: Var, weights: Var, references: Var) -> Var {
        let shape = self.shape(base);
        let tokens = self.shape(weights).1;
        self.record(shape, Op::WeightedSum { base, weights, references }, |nodes, value, _| {
            value.copy_from_slice(&nodes[base.0].value);
            let (weights, references) = (&nodes[weights.0].value, &nodes[references.0].value);
            vectorised(
                #[inline(always)]
                || pointer::weighted_sum(weights, references, tokens, value),
            );
        })
    }

    /// `u · tanh(l_i + r_j)` for every pair of the `tokens` of a group: a row for each token `i`.
    pub fn pair_scores(&mut self, left: Var, right: Var, u: Var, tokens: usize) -> Var {
        let rows = self.shape(left).0;
        self.record((rows, tokens), Op::PairScores { left, right, u, tokens }, |nodes, value, saved| {
            let [left, right, u] = [left, right, u].map(|var| &nodes[var.0].value[..]);
            vectorised(
                #[inline(always)]
                || pairs::forward(left, right, u, tokens, value, saved),
            );
        })
    }

    /// `l_i · r_j / √w` for every pair of the `tokens` of a group: a row for each token `i`.
    pub fn pair_products(&mut self, left: Var, right: Var, tokens: usize) -> Var {
        let rows = self.shape(left).0;
        self.record((rows, tokens), Op::PairProducts { left, right, tokens }, |nodes, value, _| {
            let width = nodes[left.0].columns;
            let [left, right] = [left, right].map(|var| &nodes[var.0].value[..]);
            pairs::products(left, right, width, tokens, value);
        })
    }

    /// How many numbers were computed.
    #[must_use]
    pub fn computed(&self) -> usize {
        self.nodes[self.parameters..self.used].iter().map(|node| node.value.len()).sum()
    }
}

impl<R: Real> Node<R> {
    fn matrix(&self) -> Matrix<'_, R> {
        Matrix::new(&self.value, self.columns)
    }

    /// The gradient, zeros if nothing was added to it.
    fn grad_mut(&mut self) -> &mut Vec<R> {
        if !self.is_reached {
            self.grad.clear();
            self.grad.resize(self.value.len(), R::ZERO);
            self.is_reached = true;
        }
        &mut self.grad
    }
}

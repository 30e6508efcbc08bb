//! The backward pass over a tape: each node adds its gradient to those of its inputs.

use super::{Node, Op, Tape, Var, attention, convolution, lstm, normalisation, pairs, pointer};
use crate::gemm::{self, Matrix};
use crate::real::Real;
use crate::vector::{add_scaled, vectorised};

impl<R: Real> Tape<R> {
    /// Adds the gradients by all parameters, given those by what the loss is a function of.
    pub fn backward(&mut self) {
        for at in (self.parameters..self.used).rev() {
            let node = std::mem::take(&mut self.nodes[at]);
            self.propagate(&node);
            self.nodes[at] = node;
        }
    }

    /// Works on the gradient by `var`, the values of all others in sight.
    fn with_grad(&mut self, var: Var, work: impl FnOnce(&[Node<R>], &mut [R])) {
        let mut grad = std::mem::take(&mut self.nodes[var.0].grad);
        work(&self.nodes, &mut grad);
        self.nodes[var.0].grad = grad;
    }

    /// Adds `values` to the gradient by `var`.
    fn add_grad(&mut self, var: Var, values: &[R]) {
        let grad = &mut self.nodes[var.0].grad;
        vectorised(
            #[inline(always)]
            || add_scaled(R::ONE, values, grad),
        );
    }

    /// Works on the gradients by several different matrices at once.
    fn with_grads<const N: usize>(
        &mut self,
        vars: [Var; N],
        work: impl FnOnce(&[Node<R>], [&mut Vec<R>; N]),
    ) {
        let mut grads = vars.map(|var| std::mem::take(&mut self.nodes[var.0].grad));
        work(&self.nodes, grads.each_mut());
        vars.into_iter().zip(grads).for_each(|(var, grad)| self.nodes[var.0].grad = grad);
    }

    fn propagate(&mut self, node: &Node<R>) {
        match &node.op {
            Op::Leaf => {}
            &Op::Linear { x, w, b, is_rectified } => self.propagate_linear(node, x, w, b, is_rectified),
            &Op::AddProduct { base, a, w } => {
                self.add_grad(base, &node.grad);
                self.propagate_product(&node.grad, node.columns, a, w);
            }
            &Op::Add { a, b } => [a, b].into_iter().for_each(|var| self.add_grad(var, &node.grad)),
            &Op::BatchNorm { x, gain, shift } => self.with_grads([x, gain, shift], |nodes, grads| {
                let gain = &nodes[gain.0].value;
                vectorised(
                    #[inline(always)]
                    || normalisation::batch_back(&node.grad, &node.saved, gain, grads),
                );
            }),
            &Op::LayerNorm { x, gain, shift } => self.with_grads([x, gain, shift], |nodes, grads| {
                let gain = &nodes[gain.0].value;
                vectorised(
                    #[inline(always)]
                    || normalisation::layer_back(&node.grad, &node.saved, gain, grads),
                );
            }),
            &Op::Convolution { x, w, b, side } => self.propagate_convolution(node, [x, w, b], side),
            &Op::MaxPool { x, side } => self.with_grad(x, |nodes, grad| {
                let x = &nodes[x.0].value;
                convolution::max_pool_back(x, side, node.columns, (&node.value, &node.grad), grad);
            }),
            &Op::Reshape { x } => self.add_grad(x, &node.grad),
            &Op::Attention { q, k, v, tokens, heads } => self.with_grads([q, k, v], |nodes, grads| {
                let inputs = [q, k, v].map(|var| &nodes[var.0].value[..]);
                let shape = attention::Shape::new((node.rows, node.columns), tokens, heads);
                attention::backward(inputs, shape, &node.grad, &node.saved, grads);
            }),
            Op::Gather { x, rows } => self.with_grad(*x, |_, grad| {
                for (&row, values) in rows.iter().zip(node.grad.chunks_exact(node.columns)) {
                    add_scaled(R::ONE, values, &mut grad[row * node.columns..][..node.columns]);
                }
            }),
            &Op::GroupMean { x, tokens } => self.with_grad(x, |_, grad| {
                let share = R::of(1.0 / tokens as f64);
                let rows = grad.len() / node.columns;
                for (k, values) in node.grad.chunks_exact(node.columns).enumerate() {
                    let start = pointer::group(k, rows, tokens) * tokens * node.columns;
                    let targets = grad[start..][..tokens * node.columns].chunks_exact_mut(node.columns);
                    targets.for_each(|target| add_scaled(share, values, target));
                }
            }),
            &Op::LstmMemory { gates, memory } => self.propagate_memory(node, gates, memory),
            &Op::LstmOutput { gates, memory } => self.with_grads([gates, memory], |nodes, grads| {
                let gates = &nodes[gates.0].value;
                vectorised(
                    #[inline(always)]
                    || lstm::output_back(gates, &node.grad, &node.saved, node.columns, grads),
                );
            }),
            Op::AdditiveScores { references, query, v, open } => {
                self.with_grads([*references, *query, *v], |nodes, grads| {
                    let inputs = [references, query, v].map(|var| &nodes[var.0].value[..]);
                    vectorised(
                        #[inline(always)]
                        || pointer::scores_back(inputs, open, &node.grad, grads),
                    );
                });
            }
            &Op::OpenSoftmax { scores } => self.with_grad(scores, |_, grad| {
                pointer::softmax_back(&node.value, &node.grad, node.columns, grad);
            }),
            &Op::WeightedSum { base, weights, references } => {
                self.add_grad(base, &node.grad);
                let tokens = self.shape(weights).1;
                self.with_grads([weights, references], |nodes, grads| {
                    let inputs = [weights, references].map(|var| &nodes[var.0].value[..]);
                    vectorised(
                        #[inline(always)]
                        || pointer::weighted_sum_back(inputs, tokens, &node.grad, grads),
                    );
                });
            }
            &Op::PairScores { left, right, u, tokens } => {
                self.with_grads([left, right, u], |nodes, grads| {
                    let u = &nodes[u.0].value;
                    vectorised(
                        #[inline(always)]
                        || pairs::backward(u, tokens, &node.grad, &node.saved, grads),
                    );
                });
            }
            &Op::PairProducts { left, right, tokens } => self.with_grads([left, right], |nodes, grads| {
                let width = nodes[left.0].columns;
                let inputs = [left, right].map(|var| &nodes[var.0].value[..]);
                pairs::products_back(inputs, width, tokens, &node.grad, grads);
            }),
        }
    }

    fn propagate_convolution(&mut self, node: &Node<R>, [x, w, b]: [Var; 3], side: usize) {
        let grad = node.grad_before_rectifying();
        let is_given = matches!(self.nodes[x.0].op, Op::Leaf);
        self.with_grads([x, w, b], |nodes, grads| {
            let (x, w) = (&nodes[x.0].value, nodes[w.0].matrix());
            convolution::convolution_back(x, w, side, &grad, grads, is_given);
        });
    }

    fn propagate_linear(&mut self, node: &Node<R>, x: Var, w: Var, b: Option<Var>, is_rectified: bool) {
        let rectified;
        let grad = if is_rectified {
            rectified = node.grad_before_rectifying();
            &rectified
        } else {
            &node.grad
        };
        if let Some(b) = b {
            let by_bias = &mut self.nodes[b.0].grad;
            vectorised(
                #[inline(always)]
                || grad.chunks_exact(node.columns).for_each(|row| add_scaled(R::ONE, row, by_bias)),
            );
        }
        self.propagate_product(grad, node.columns, x, w);
    }

    /// `∂x += g wᵀ` unless `x` was given, `∂w += xᵀ g`.
    fn propagate_product(&mut self, grad: &[R], columns: usize, x: Var, w: Var) {
        let grad = Matrix::new(grad, columns);
        if !matches!(self.nodes[x.0].op, Op::Leaf) {
            self.with_grad(x, |nodes, by_x| gemm::add_product(grad, nodes[w.0].matrix().transposed(), by_x));
        }
        self.with_grad(w, |nodes, by_w| gemm::add_product(nodes[x.0].matrix().transposed(), grad, by_w));
    }

    fn propagate_memory(&mut self, node: &Node<R>, gates: Var, memory: Option<Var>) {
        let columns = node.columns;
        match memory {
            Some(memory) => self.with_grads([gates, memory], |nodes, [by_gates, by_memory]| {
                let before = Some((&nodes[memory.0].value[..], by_memory.as_mut_slice()));
                vectorised(
                    #[inline(always)]
                    || lstm::memory_back(&node.grad, &node.saved, columns, by_gates, before),
                );
            }),
            None => self.with_grad(gates, |_, by_gates| {
                vectorised(
                    #[inline(always)]
                    || lstm::memory_back(&node.grad, &node.saved, columns, by_gates, None),
                );
            }),
        }
    }
}

impl<R: Real> Node<R> {
    /// The gradient by what `max(·, 0)` was taken of.
    fn grad_before_rectifying(&self) -> Vec<R> {
        let keep = |(&grad, &value): (&R, &R)| if value > R::ZERO { grad } else { R::ZERO };
        vectorised(
            #[inline(always)]
            || self.grad.iter().zip(&self.value).map(keep).collect(),
        )
    }
}

//! The backward pass over a tape: each node adds its gradient to those of its inputs.

use super::{Node, Op, Tape, Var, attention, convolution, lstm, normalisation, pairs, pointer};
use crate::gemm::{self, Matrix};
use crate::real::Real;
use crate::vector::{add_scaled, vectorised};

impl<R: Real> Tape<R> {
    /// Adds the gradients by all parameters, given those by what the loss is a function of. What the loss does not depend on
    /// is passed over.
    pub fn backward(&mut self) {
        for at in (self.parameters..self.used).rev() {
            if self.nodes[at].is_reached {
                let mut node = std::mem::take(&mut self.nodes[at]);
                self.propagate(&mut node);
                self.nodes[at] = node;
            }
        }
    }

    /// Works on the gradient by `var`, the values of all others in sight.
    fn with_grad(&mut self, var: Var, work: impl FnOnce(&[Node<R>], &mut [R])) {
        let mut grad = std::mem::take(self.nodes[var.0].grad_mut());
        work(&self.nodes, &mut grad);
        self.nodes[var.0].grad = grad;
    }

    /// Adds the product of `left` and `right`, chosen among the values of all others, to the gradient by `var`.
    fn add_product_to_grad(
        &mut self,
        var: Var,
        multiply: impl FnOnce(&[Node<R>], &mut [R], fn(Matrix<'_, R>, Matrix<'_, R>, &mut [R])),
    ) {
        let node = &mut self.nodes[var.0];
        let is_first = !std::mem::replace(&mut node.is_reached, true);
        let mut grad = std::mem::take(&mut node.grad);
        grad.resize(node.value.len(), R::ZERO);
        multiply(&self.nodes, &mut grad, if is_first { gemm::product } else { gemm::add_product });
        self.nodes[var.0].grad = grad;
    }

    /// Adds `values` to the gradient by `var`.
    fn add_grad(&mut self, var: Var, values: &[R]) {
        let node = &mut self.nodes[var.0];
        if node.is_reached {
            vectorised(
                #[inline(always)]
                || add_scaled(R::ONE, values, &mut node.grad),
            );
        } else {
            node.grad.clear();
            node.grad.extend_from_slice(values);
            node.is_reached = true;
        }
    }

    /// Adds `values`, which nothing reads afterwards, to the gradient by `var`.
    fn give_grad(&mut self, var: Var, values: &mut Vec<R>) {
        let node = &mut self.nodes[var.0];
        if node.is_reached {
            self.add_grad(var, values);
        } else {
            std::mem::swap(&mut node.grad, values);
            node.is_reached = true;
        }
    }

    /// Works on the gradients by several different matrices at once.
    fn with_grads<const N: usize>(
        &mut self,
        vars: [Var; N],
        work: impl FnOnce(&[Node<R>], [&mut Vec<R>; N]),
    ) {
        let mut grads = vars.map(|var| std::mem::take(self.nodes[var.0].grad_mut()));
        work(&self.nodes, grads.each_mut());
        vars.into_iter().zip(grads).for_each(|(var, grad)| self.nodes[var.0].grad = grad);
    }

    fn propagate(&mut self, node: &mut Node<R>) {
        match &node.op {
            Op::Leaf => {}
            &Op::Linear { x, w, b, is_rectified } => self.propagate_linear(node, x, w, b, is_rectified),
            &Op::AddProduct { base, a, w } => {
                self.propagate_product(&node.grad, node.columns, a, w);
                self.give_grad(base, &mut node.grad);
            }
            &Op::Add { a, b } => {
                self.add_grad(a, &node.grad);
                self.give_grad(b, &mut node.grad);
            }
            &Op::BatchNorm { x, gain, shift } => {
                self.propagate_norm(node, [x, gain, shift], |node, gain, grads| {
                    normalisation::batch_back(&mut node.grad, &node.saved, gain, grads);
                });
            }
            &Op::LayerNorm { x, gain, shift } => {
                self.propagate_norm(node, [x, gain, shift], |node, gain, grads| {
                    normalisation::layer_back(&mut node.grad, &node.saved, gain, grads);
                });
            }
            &Op::Convolution { x, w, b, side } => self.propagate_convolution(node, [x, w, b], side),
            &Op::MaxPool { x, side } => self.with_grad(x, |nodes, grad| {
                let x = &nodes[x.0].value;
                convolution::max_pool_back(x, side, node.columns, (&node.value, &node.grad), grad);
            }),
            &Op::Reshape { x } => self.give_grad(x, &mut node.grad),
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
                let tokens = self.shape(weights).1;
                self.with_grads([weights, references], |nodes, grads| {
                    let inputs = [weights, references].map(|var| &nodes[var.0].value[..]);
                    vectorised(
                        #[inline(always)]
                        || pointer::weighted_sum_back(inputs, tokens, &node.grad, grads),
                    );
                });
                self.give_grad(base, &mut node.grad);
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

    fn propagate_convolution(&mut self, node: &mut Node<R>, [x, w, b]: [Var; 3], side: usize) {
        node.unrectify_grad();
        let is_given = matches!(self.nodes[x.0].op, Op::Leaf);
        self.with_grads([x, w, b], |nodes, grads| {
            let (x, w) = (&nodes[x.0].value, nodes[w.0].matrix());
            convolution::convolution_back(x, w, side, &node.grad, grads, is_given);
        });
    }

    fn propagate_linear(&mut self, node: &mut Node<R>, x: Var, w: Var, b: Option<Var>, is_rectified: bool) {
        if is_rectified {
            node.unrectify_grad();
        }
        if let Some(b) = b {
            let by_bias = self.nodes[b.0].grad_mut();
            vectorised(
                #[inline(always)]
                || node.grad.chunks_exact(node.columns).for_each(|row| add_scaled(R::ONE, row, by_bias)),
            );
        }
        self.propagate_product(&node.grad, node.columns, x, w);
    }

    /// `∂x += g wᵀ` unless `x` was given, `∂w += xᵀ g`.
    fn propagate_product(&mut self, grad: &[R], columns: usize, x: Var, w: Var) {
        let grad = Matrix::new(grad, columns);
        if !matches!(self.nodes[x.0].op, Op::Leaf) {
            self.add_product_to_grad(x, |nodes, by_x, add| add(grad, nodes[w.0].matrix().transposed(), by_x));
        }
        self.add_product_to_grad(w, |nodes, by_w, add| add(nodes[x.0].matrix().transposed(), grad, by_w));
    }

    /// Turns the gradient by what was normalised into that by `x`, in place.
    fn propagate_norm(
        &mut self,
        node: &mut Node<R>,
        [x, gain, shift]: [Var; 3],
        back: impl FnOnce(&mut Node<R>, &[R], [&mut Vec<R>; 2]),
    ) {
        self.with_grads([gain, shift], |nodes, grads| {
            let gain = &nodes[gain.0].value;
            vectorised(
                #[inline(always)]
                || back(node, gain, grads),
            );
        });
        self.give_grad(x, &mut node.grad);
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
    /// Turns the gradient by `max(·, 0)` into that by what it was taken of, in place.
    fn unrectify_grad(&mut self) {
        let keep = |(grad, &value): (&mut R, &R)| *grad = if value > R::ZERO { *grad } else { R::ZERO };
        vectorised(
            #[inline(always)]
            || self.grad.iter_mut().zip(&self.value).for_each(keep),
        );
    }
}

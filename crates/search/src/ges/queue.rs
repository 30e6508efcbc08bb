//! All insertions that raise the score, best first, of which only those near a change are evaluated again.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use gflowcausal_determinism::map;
use gflowcausal_graph::Edge;

use super::operators::{Class, Evaluator, Operator};

/// Insertions in the sequence of their gains.
///
/// The score difference of an insertion into a variable depends on the variable's parents and neighbours and on who is joined to
/// whom among them. After a step the variables whose parents or neighbours changed are evaluated anew with every cause, and a
/// few pairs beside the new edge; everything else stays. (As in fast GES, Ramsey et al. 2017; but what a step leaves
/// cut off stays in the queue, so every step takes the best of all insertions there are.)
pub(super) struct Queue {
    heap: BinaryHeap<Waiting>,
    /// How often each pair was evaluated, by `effect · d + cause`.
    versions: Vec<u32>,
    nodes: usize,
}

struct Waiting {
    operator: Operator,
    version: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.operator.rank(&self.operator)
    }
}

/// Which causes of a variable are to be evaluated again.
#[derive(Debug, Clone, Copy)]
enum Again {
    All,
    One(usize),
}

impl Queue {
    /// All insertions into `class`.
    pub(super) fn new(evaluator: &Evaluator<'_>, class: &Class) -> Self {
        let nodes = class.skeleton.len();
        let mut queue = Self { heap: BinaryHeap::new(), versions: vec![0; nodes * nodes], nodes };
        let everything: Vec<(usize, Again)> = (0..nodes).map(|effect| (effect, Again::All)).collect();
        queue.evaluate(evaluator, class, &everything);
        queue
    }

    /// The best insertion for which `attempt` gives something, and what it gives. The others stay.
    pub(super) fn first<T>(&mut self, mut attempt: impl FnMut(&Operator) -> Option<T>) -> Option<(Edge, T)> {
        let mut passed_over = Vec::new();
        let found = loop {
            let Some(waiting) = self.heap.pop() else { break None };
            if !self.is_current(&waiting) {
                continue;
            }
            if let Some(made) = attempt(&waiting.operator) {
                break Some((waiting.operator.edge, made));
            }
            passed_over.push(waiting);
        };
        self.heap.extend(passed_over);
        found
    }

    fn is_current(&self, waiting: &Waiting) -> bool {
        let Edge { from, to } = waiting.operator.edge;
        self.versions[to * self.nodes + from] == waiting.version
    }

    /// Evaluates what a step from `before` to `now`, which joined the ends of `edge`, may have changed.
    pub(super) fn renew(&mut self, evaluator: &Evaluator<'_>, before: &Class, now: &Class, edge: Edge) {
        let mut again = Vec::new();
        for effect in 0..self.nodes {
            let neighbours = now.graph.neighbours(effect);
            let ends = [edge.from, edge.to].map(|end| neighbours.contains(end));
            if is_changed(before, now, effect) || effect == edge.from || effect == edge.to {
                again.push((effect, Again::All));
            } else {
                match ends {
                    [true, true] => again.push((effect, Again::All)),
                    [true, false] => again.push((effect, Again::One(edge.to))),
                    [false, true] => again.push((effect, Again::One(edge.from))),
                    [false, false] => {}
                }
            }
        }
        self.evaluate(evaluator, now, &again);
    }

    fn evaluate(&mut self, evaluator: &Evaluator<'_>, class: &Class, again: &[(usize, Again)]) {
        let nodes = self.nodes;
        for &(effect, causes) in again {
            let row = &mut self.versions[effect * nodes..][..nodes];
            match causes {
                Again::All => row.iter_mut().for_each(|version| *version += 1),
                Again::One(cause) => row[cause] += 1,
            }
        }
        let evaluated = map(again.len(), |at| match again[at] {
            (effect, Again::All) => evaluator.insertions(class, effect, 0..nodes),
            (effect, Again::One(cause)) => evaluator.insertions(class, effect, std::iter::once(cause)),
        });
        for operator in evaluated.into_iter().flatten() {
            let version = self.versions[operator.edge.to * nodes + operator.edge.from];
            self.heap.push(Waiting { operator, version });
        }
    }
}

fn is_changed(before: &Class, now: &Class, node: usize) -> bool {
    before.graph.parents(node) != now.graph.parents(node)
        || before.graph.neighbours(node) != now.graph.neighbours(node)
}

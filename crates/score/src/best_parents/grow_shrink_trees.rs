//! Grow–shrink trees: one per variable, so that queries which share a path share the work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use gflowcausal_determinism::cancellation_point;
use gflowcausal_graph::{Constraints, NodeSet};

use super::cached_path::{CachedPath, PathRecorder};
use super::node::{Branch, Id, Node, ParentSetResult, Path, Slot, Step};
use super::{BestParents, optional_parents, parent_limit};
use crate::OrderModularScore;
use crate::gaussian::{GaussianScore, Inverse, Sweep};

/// How many bytes of tree are kept unless something else is asked for.
const DEFAULT_BUDGET: usize = 256 << 20;

/// Grow–shrink with a Gaussian score, remembered in a tree for each variable (as BOSS does).
///
/// Grow adds the variable that raises the score most; where none does, the two that raise it most together, which finds
/// causes whose effects cancel. Shrink then takes out one at a time. A query descends its variable's tree: at
/// each branch it takes the first candidate that stands before the variable, without a floating-point operation. A
/// new branch costs `O(k·d)`, a new end `O(k·d²)`. Threads share the trees and wait for each other only at the same
/// branch. A tree that has grown to its share of the budget is cleared and grows again; answers never differ.
#[derive(Debug)]
pub struct GrowShrinkTrees<S> {
    score: S,
    constraints: Constraints,
    optional: Vec<Vec<Id>>,
    limits: Vec<usize>,
    searches_pairs: bool,
    trees: Vec<Tree>,
    /// How many bytes a tree may hold.
    share: usize,
}

#[derive(Debug, Default)]
struct Tree {
    /// Locked for writing only while it is cleared.
    root: RwLock<Slot>,
    used: AtomicUsize,
}

impl Tree {
    fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn grow_by(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A tree whose planting was cut short by a panic is still a tree.
    fn clear(&self) {
        let mut root = self.root.write().unwrap_or_else(PoisonError::into_inner);
        let cleared = std::mem::take(&mut *root);
        self.used.store(0, Ordering::Relaxed);
        drop(root);
        // Outside the lock: taking a large tree apart takes its time.
        drop(cleared);
    }
}

impl<S: GaussianScore> GrowShrinkTrees<S> {
    /// A search with `score` within `constraints`.
    ///
    /// # Panics
    /// If the two have different numbers of variables, or more than 65,536.
    #[must_use]
    pub fn new(score: S, constraints: Constraints) -> Self {
        Self::with_budget(score, constraints, DEFAULT_BUDGET)
    }

    /// The same with trees of at most about `bytes` in all; none at zero bytes.
    ///
    /// # Panics
    /// If the two have different numbers of variables, or more than 65,536.
    #[must_use]
    pub fn with_budget(score: S, constraints: Constraints, bytes: usize) -> Self {
        let nodes = score.nodes();
        assert_eq!(nodes, constraints.nodes(), "a score and constraints of different variables");
        assert!(nodes <= usize::from(Id::MAX) + 1, "{nodes} variables are too many");
        Self {
            optional: (0..nodes).map(|node| ids(&optional_parents(&constraints, node))).collect(),
            limits: (0..nodes).map(|node| parent_limit(&score, &constraints, node)).collect(),
            searches_pairs: true,
            trees: (0..nodes).map(|_| Tree::default()).collect(),
            share: bytes / nodes.max(1),
            score,
            constraints,
        }
    }

    /// The same without the search for pairs: ends of `O(k·d)` instead of `O(k·d²)`, for hundreds of variables.
    #[must_use]
    pub fn without_pairs(self) -> Self {
        Self { searches_pairs: false, ..self }
    }

    /// The local score.
    #[must_use]
    pub fn local_score(&self) -> &S {
        &self.score
    }

    /// About how many bytes the trees hold.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.trees.iter().map(Tree::used).sum()
    }

    /// Hands the answer for `node` and `before` to `read`.
    fn search<T>(
        &self,
        node: usize,
        before: &NodeSet,
        read: impl FnOnce(&ParentSetResult) -> T,
    ) -> Option<T> {
        if !self.constraints.required(node).is_subset(before) {
            return None;
        }
        cancellation_point();
        if self.share == 0 {
            return Some(read(&self.search_without_tree(node, before)));
        }
        let tree = &self.trees[node];
        let answer = self.search_tree(tree, node, before, read);
        if tree.used() > self.share {
            tree.clear();
        }
        Some(answer)
    }

    /// Grows from nothing and remembers nothing.
    fn search_without_tree(&self, node: usize, before: &NodeSet) -> ParentSetResult {
        let placed = |candidate: &Id| before.contains(usize::from(*candidate));
        let usable: Vec<Id> = self.optional[node].iter().copied().filter(placed).collect();
        Sweep::lend(|sweep| {
            self.replay(sweep, node, &[]);
            self.record_path(sweep, node, before, &usable).result
        })
    }

    /// Walks down the tree as far as it is known, and lets it grow where it is not.
    fn search_tree<T>(
        &self,
        tree: &Tree,
        node: usize,
        before: &NodeSet,
        read: impl FnOnce(&ParentSetResult) -> T,
    ) -> T {
        let root = tree.root.read().unwrap_or_else(PoisonError::into_inner);
        let mut path = Path::new();
        let mut slot = &*root;
        while let Some(tree_node) = slot.get() {
            match tree_node.step(before) {
                Step::Grow(parents, next) => {
                    path.extend_from_slice(parents);
                    slot = next;
                }
                Step::Stop(result) => return read(result),
                Step::Unknown => break,
            }
        }
        Sweep::lend(|sweep| {
            self.replay(sweep, node, &path);
            read(self.explore(sweep, node, before, slot, tree))
        })
    }

    /// Goes on from the parents in `sweep`, whose tree_node hangs at `slot`, and extends `tree` along the path.
    fn explore<'t>(
        &self,
        sweep: &mut Sweep,
        node: usize,
        before: &NodeSet,
        mut slot: &'t Slot,
        tree: &Tree,
    ) -> &'t ParentSetResult {
        loop {
            let tree_node = slot.get_or_init(|| {
                let tree_node = Node::new(self.record_path(sweep, node, before, &self.optional[node]));
                tree.grow_by(size_of::<Node>() + tree_node.path.heap_bytes());
                Box::new(tree_node)
            });
            if tree_node.path.is_for(before) {
                return &tree_node.path.result;
            }
            let branch = tree_node.branch.get_or_init(|| {
                let branch = self.new_branch(sweep, node);
                tree.grow_by(branch.bytes());
                branch
            });
            tree.grow_by(branch.learn(
                before,
                || self.pairs(sweep, node, &self.optional[node]),
                || self.shrink(sweep, node),
            ));
            match branch.step(before) {
                Step::Grow(parents, next) => {
                    self.add(sweep, parents);
                    slot = next;
                }
                Step::Stop(result) => return result,
                Step::Unknown => unreachable!("the step was made known"),
            }
        }
    }

    /// The path from the parents in `sweep` to the result, for all queries that differ in `candidates`.
    fn record_path(&self, sweep: &mut Sweep, node: usize, before: &NodeSet, candidates: &[Id]) -> CachedPath {
        let mut path = PathRecorder::new(self.optional.len(), before);
        loop {
            cancellation_point();
            if let Some(parent) = path.single(&self.useful(sweep, node, candidates)) {
                self.add(sweep, &[parent]);
            } else if let Some(pair) = path.pair(&self.pairs(sweep, node, candidates)) {
                self.add(sweep, &pair);
            } else {
                return path.end(self.shrink(sweep, node));
            }
        }
    }

    /// Brings `sweep` to the end of `path`.
    fn replay(&self, sweep: &mut Sweep, node: usize, path: &[Id]) {
        let correlation = self.score.correlation();
        sweep.start(correlation, node);
        self.constraints.required(node).iter().for_each(|parent| sweep.add(correlation, parent));
        self.add(sweep, path);
    }

    fn add(&self, sweep: &mut Sweep, parents: &[Id]) {
        parents.iter().for_each(|&parent| sweep.add(self.score.correlation(), usize::from(parent)));
    }

    /// A branch for the parents in `sweep`.
    fn new_branch(&self, sweep: &Sweep, node: usize) -> Box<Branch> {
        let mut useful = self.useful(sweep, node, &self.optional[node]);
        best_first(&mut useful);
        Box::new(Branch::new(useful.into_iter().map(|(_, candidate)| candidate).collect()))
    }

    /// Those of `candidates` that raise the score, if there is room for one more.
    fn useful(&self, sweep: &Sweep, node: usize, candidates: &[Id]) -> Vec<(f64, Id)> {
        let room = sweep.fit().parents < self.limits[node];
        if room { sweep.useful(&self.score, candidates) } else { Vec::new() }
    }

    /// The pairs of useless `candidates` that are useful together, best first, if there is room for two more.
    fn pairs(&self, sweep: &Sweep, node: usize, candidates: &[Id]) -> Vec<[Id; 2]> {
        if !self.searches_pairs || sweep.fit().parents + 2 > self.limits[node] {
            return Vec::new();
        }
        let mut pairs = sweep.pair_merits(&self.score, candidates);
        best_first(&mut pairs);
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Takes out the parent whose loss raises the score most until none does.
    ///
    /// The score of what is left is computed afresh from the set, so it does not depend on the path.
    fn shrink(&self, sweep: &Sweep, node: usize) -> ParentSetResult {
        let mut kept = sweep.regression(self.score.correlation());
        while let Some(index) = self.worst(&kept, node) {
            kept.remove(index, S::USES_DETERMINANT);
        }
        let mut parents = NodeSet::of(self.optional.len(), kept.kept().map(|(_, parent)| parent));
        parents.union_with(self.constraints.required(node));
        ParentSetResult { score: self.score.local(node, &parents), parents }
    }

    /// The index of the parent that is best left out, if any.
    fn worst(&self, kept: &Inverse, node: usize) -> Option<usize> {
        let required = self.constraints.required(node);
        kept.kept()
            .filter(|&(_, parent)| !required.contains(parent))
            .map(|(index, _)| (kept.fit_without(index, S::USES_DETERMINANT), index))
            .map(|(without, index)| (self.score.merit(node, &without, &kept.fit), index))
            .filter(|&(merit, _)| merit < 0.0)
            .min_by(|(a, i), (b, j)| a.total_cmp(b).then(kept.members[*i].cmp(&kept.members[*j])))
            .map(|(_, index)| index)
    }
}

/// Sorts by merit, then by index: no two are equal.
fn best_first<T: Ord>(ranked: &mut [(f64, T)]) {
    ranked.sort_unstable_by(|(a, i), (b, j)| b.total_cmp(a).then_with(|| i.cmp(j)));
}

fn ids(set: &NodeSet) -> Vec<Id> {
    set.iter().map(|node| node as Id).collect()
}

impl<S: GaussianScore> OrderModularScore for GrowShrinkTrees<S> {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        self.search(node, before, |result| result.score).unwrap_or(f64::NEG_INFINITY)
    }
}

impl<S: GaussianScore> BestParents for GrowShrinkTrees<S> {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        self.search(node, before, |result| result.parents.clone())
    }
}

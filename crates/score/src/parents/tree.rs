//! Grow–shrink trees: one per variable, so that questions which share a path share the work.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use gflowcausal_graph::{Constraints, NodeSet};
use smallvec::SmallVec;

use super::{BestParents, optional_parents, parent_limit};
use crate::PlacementScore;
use crate::gaussian::{GaussianScore, Inverse, Sweep};

/// How many bytes of tree are kept unless something else is asked for.
const DEFAULT_BUDGET: usize = 512 << 20;

thread_local! {
    /// Each thread's room for growing parent sets.
    static SWEEP: RefCell<Sweep> = RefCell::default();
}

/// A parent set as grow leaves it, on its way from the required parents to something larger.
///
/// It does not know who asked: `candidates` are *all* variables that raise the score, best first, and a question takes
/// the first that stands before the variable in its order.
#[derive(Debug)]
struct Branch {
    candidates: Box<[u32]>,
    branches: Box<[OnceLock<Box<Branch>>]>,
    /// What shrinking makes of the set, once a question has ended here.
    fruit: OnceLock<Fruit>,
}

/// The answer to a question.
#[derive(Debug)]
struct Fruit {
    score: f64,
    parents: NodeSet,
}

/// The parents on the way from the root, without the required ones.
type Path = SmallVec<[u32; 24]>;

/// Grow–shrink with a Gaussian score, remembered in a tree for each variable (as BOSS does).
///
/// A question walks down its variable's tree: at each branch it takes the first candidate that stands before the
/// variable, without a floating-point operation. New branches cost `O(k·d)` each. The trees are shared by threads
/// without locks. When they have grown to their budget, further questions are answered by plain grow–shrink; answers
/// never differ.
#[derive(Debug)]
pub struct ParentForest<S> {
    score: S,
    constraints: Constraints,
    optional: Vec<NodeSet>,
    limits: Vec<usize>,
    roots: Vec<OnceLock<Box<Branch>>>,
    budget: usize,
    used: AtomicUsize,
}

impl<S: GaussianScore> ParentForest<S> {
    /// A search with `score` within `constraints`.
    ///
    /// # Panics
    /// If the two speak of different numbers of variables.
    #[must_use]
    pub fn new(score: S, constraints: Constraints) -> Self {
        Self::with_budget(score, constraints, DEFAULT_BUDGET)
    }

    /// The same with trees of at most about `bytes` in all; none at zero bytes.
    ///
    /// # Panics
    /// If the two speak of different numbers of variables.
    #[must_use]
    pub fn with_budget(score: S, constraints: Constraints, bytes: usize) -> Self {
        let nodes = score.nodes();
        assert_eq!(nodes, constraints.nodes(), "a score and constraints of different variables");
        Self {
            optional: (0..nodes).map(|node| optional_parents(&constraints, node)).collect(),
            limits: (0..nodes).map(|node| parent_limit(&score, &constraints, node)).collect(),
            roots: (0..nodes).map(|_| OnceLock::new()).collect(),
            budget: bytes,
            used: AtomicUsize::new(0),
            score,
            constraints,
        }
    }

    /// The local score.
    #[must_use]
    pub fn local_score(&self) -> &S {
        &self.score
    }

    /// About how many bytes the trees hold.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Hands the answer for `node` and `before` to `read`.
    fn ask<T>(&self, node: usize, before: &NodeSet, read: impl FnOnce(&Fruit) -> T) -> Option<T> {
        if !self.constraints.required(node).is_subset(before) {
            return None;
        }
        let mut path = Path::new();
        let mut slot = &self.roots[node];
        while let Some(branch) = slot.get() {
            let Some(index) = branch.first(before) else {
                return Some(read(branch.fruit.get_or_init(|| self.shrink(node, &path))));
            };
            path.push(branch.candidates[index]);
            slot = &branch.branches[index];
        }
        Some(SWEEP.with_borrow_mut(|sweep| self.grow_tree(sweep, node, before, path, slot, read)))
    }

    /// Goes on from an empty `slot` at the end of `path`, with a new branch at every step.
    fn grow_tree<T>(
        &self,
        sweep: &mut Sweep,
        node: usize,
        before: &NodeSet,
        mut path: Path,
        mut slot: &OnceLock<Box<Branch>>,
        read: impl FnOnce(&Fruit) -> T,
    ) -> T {
        self.replay(sweep, node, &path);
        while self.bytes() < self.budget {
            let branch = slot.get_or_init(|| self.sprout(sweep, node));
            let Some(index) = branch.first(before) else {
                return read(branch.fruit.get_or_init(|| self.shrink(node, &path)));
            };
            let parent = branch.candidates[index];
            path.push(parent);
            sweep.add(self.score.correlation(), parent as usize);
            slot = &branch.branches[index];
        }
        self.grow_plainly(sweep, node, before, &mut path);
        read(&self.shrink(node, &path))
    }

    /// Brings `sweep` to the end of `path`.
    fn replay(&self, sweep: &mut Sweep, node: usize, path: &[u32]) {
        let correlation = self.score.correlation();
        sweep.start(correlation, node);
        self.constraints.required(node).iter().for_each(|parent| sweep.add(correlation, parent));
        path.iter().for_each(|&parent| sweep.add(correlation, parent as usize));
    }

    /// A branch for the parents in `sweep`.
    fn sprout(&self, sweep: &Sweep, node: usize) -> Box<Branch> {
        let mut ranked: Vec<(f64, u32)> = self.improvements(sweep, node).collect();
        ranked.sort_unstable_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
        let branch = Box::new(Branch {
            candidates: ranked.iter().map(|&(_, candidate)| candidate).collect(),
            branches: ranked.iter().map(|_| OnceLock::new()).collect(),
            fruit: OnceLock::new(),
        });
        self.used.fetch_add(branch.bytes(), Ordering::Relaxed);
        branch
    }

    /// Every candidate that raises the score, with the gain.
    fn improvements<'a>(&'a self, sweep: &'a Sweep, node: usize) -> impl Iterator<Item = (f64, u32)> + 'a {
        let now = sweep.fit();
        let full = now.parents >= self.limits[node];
        let candidates = self.optional[node].iter().filter(move |_| !full);
        candidates
            .filter(|candidate| !sweep.members().contains(candidate))
            .map(move |candidate| (sweep.gain(&self.score, &now, candidate), candidate as u32))
            .filter(|&(gain, _)| gain > 0.0)
    }

    /// Grows on without remembering.
    fn grow_plainly(&self, sweep: &mut Sweep, node: usize, before: &NodeSet, path: &mut Path) {
        loop {
            let usable =
                self.improvements(sweep, node).filter(|&(_, parent)| before.contains(parent as usize));
            let best = usable.max_by(|(a, i), (b, j)| a.total_cmp(b).then(j.cmp(i)));
            let Some((_, parent)) = best else { return };
            path.push(parent);
            sweep.add(self.score.correlation(), parent as usize);
        }
    }

    /// Takes out the parent whose loss raises the score most until none does.
    ///
    /// The score of what is left is computed afresh from the set, so it does not depend on the path.
    fn shrink(&self, node: usize, path: &[u32]) -> Fruit {
        let required = self.constraints.required(node);
        let grown = required.iter().chain(path.iter().map(|&parent| parent as usize));
        let mut kept = Inverse::new(self.score.correlation(), node, grown);
        while let Some(index) = self.worst(&kept, node) {
            kept.remove(index);
        }
        let parents = NodeSet::of(self.optional.len(), kept.members.iter().copied());
        Fruit { score: self.score.local(node, &parents), parents }
    }

    /// The index of the parent that is best left out, if any.
    fn worst(&self, kept: &Inverse, node: usize) -> Option<usize> {
        let now = self.score.term(node, &kept.fit);
        let required = self.constraints.required(node);
        let optional = (0..kept.members.len()).filter(|&index| !required.contains(kept.members[index]));
        optional
            .map(|index| (self.score.term(node, &kept.fit_without(index)), index))
            .filter(|&(score, _)| score > now)
            .max_by(|(a, i), (b, j)| a.total_cmp(b).then(kept.members[*j].cmp(&kept.members[*i])))
            .map(|(_, index)| index)
    }
}

impl Branch {
    /// Where the best candidate among `before` stands.
    #[inline]
    fn first(&self, before: &NodeSet) -> Option<usize> {
        self.candidates.iter().position(|&candidate| before.contains(candidate as usize))
    }

    fn bytes(&self) -> usize {
        let slots = self.candidates.len() * (size_of::<u32>() + size_of::<OnceLock<Box<Self>>>());
        size_of::<Self>() + slots
    }
}

impl<S: GaussianScore> PlacementScore for ParentForest<S> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn placement(&self, node: usize, before: &NodeSet) -> f64 {
        self.ask(node, before, |fruit| fruit.score).unwrap_or(f64::NEG_INFINITY)
    }
}

impl<S: GaussianScore> BestParents for ParentForest<S> {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        self.ask(node, before, |fruit| fruit.parents.clone())
    }
}

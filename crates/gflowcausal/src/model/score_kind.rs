//! What a score is a function of: a variable and its parents, a whole graph, or an order alone.

use std::sync::Arc;

use gflowcausal_graph::{Constraints, Dag, NodeSet, Order};
use gflowcausal_score::{
    BestParents, BicEqual, Cached, GaussianScore, GraphScore, GrowShrink, GrowShrinkTrees, LocalScore,
    OrderModularScore, OrderScore, Varsort,
};

use super::interventional_score::Interventional;

/// A score by what it is a function of.
pub(crate) enum ScoreKind {
    /// A sum over variables of a term that depends on the variable and its parents.
    Decomposable(Arc<Decomposable>),
    /// A function of the whole graph that is no such sum.
    GraphWide(BicEqual),
    /// A function of the order alone.
    OrderOnly(Varsort),
}

impl ScoreKind {
    /// A Gaussian score, its parent sets searched in grow–shrink trees: with pairs, and without them for screening.
    pub(super) fn with_trees<S: GaussianScore + Clone + 'static>(
        score: S,
        constraints: &Constraints,
    ) -> Self {
        let screening = GrowShrinkTrees::new(score.clone(), constraints.clone()).without_pairs();
        Self::decomposable(Decomposable {
            search: Box::new(GrowShrinkTrees::new(score, constraints.clone())),
            screening: Some(Box::new(screening)),
            order_term: OrderTerm::BestParents,
        })
    }

    /// A score of orders by the best parents among predecessors.
    pub(super) fn by_best_parents<S: LocalScore + 'static>(score: S, constraints: &Constraints) -> Self {
        Self::with_grow_shrink(score, constraints, OrderTerm::BestParents)
    }

    /// A score of orders by the graph of all edges that the constraints allow along them.
    pub(super) fn by_all_predecessors<S: LocalScore + 'static>(score: S, constraints: &Constraints) -> Self {
        Self::with_grow_shrink(score, constraints, OrderTerm::AllPredecessors(constraints.clone()))
    }

    /// The score that takes the term of each variable from its part, where all parts are sums over variables.
    pub(super) fn in_parts(parts: Vec<Self>, part_of: Vec<usize>, constraints: &Constraints) -> Option<Self> {
        let decomposable = |part: Self| match part {
            Self::Decomposable(score) => Some(score),
            Self::GraphWide(_) | Self::OrderOnly(_) => None,
        };
        let parts = parts.into_iter().map(decomposable).collect::<Option<Vec<_>>>()?;
        let order_term = parts.first()?.order_term.clone();
        Some(Self::with_grow_shrink(Interventional { parts, part_of }, constraints, order_term))
    }

    fn with_grow_shrink<S: LocalScore + 'static>(
        score: S,
        constraints: &Constraints,
        order_term: OrderTerm,
    ) -> Self {
        let search = Box::new(GrowShrink::new(Cached::new(score), constraints.clone()));
        Self::decomposable(Decomposable { search, screening: None, order_term })
    }

    fn decomposable(score: Decomposable) -> Self {
        Self::Decomposable(Arc::new(score))
    }

    /// The score as a sum over variables, where it is one.
    pub(crate) fn as_decomposable(&self) -> Option<&Decomposable> {
        match self {
            Self::Decomposable(score) => Some(score),
            Self::GraphWide(_) | Self::OrderOnly(_) => None,
        }
    }

    /// The score of an order.
    pub(crate) fn order_score(&self) -> &dyn OrderScore {
        match self {
            Self::Decomposable(score) => &**score,
            Self::GraphWide(score) => score,
            Self::OrderOnly(score) => score,
        }
    }

    /// The score of a graph; none for scores of orders.
    pub(crate) fn graph_score(&self) -> Option<&dyn GraphScore> {
        match self {
            Self::Decomposable(score) => Some(&**score),
            Self::GraphWide(score) => Some(score),
            Self::OrderOnly(_) => None,
        }
    }

    /// Evaluates orders as the score is meant.
    pub(crate) fn evaluator(&self) -> OrderEvaluator<'_> {
        match self {
            Self::Decomposable(score) => OrderEvaluator::BestParents(&**score),
            Self::GraphWide(_) | Self::OrderOnly(_) => OrderEvaluator::Whole(self.order_score()),
        }
    }

    /// Evaluates orders without pairs of parents, where the score considers them: an order that was never
    /// evaluated before costs a hundredth.
    pub(crate) fn screening_evaluator(&self) -> OrderEvaluator<'_> {
        match self.as_decomposable().and_then(Decomposable::screening) {
            Some(screening) => OrderEvaluator::BestParents(screening),
            None => self.evaluator(),
        }
    }
}

/// A search for parents together with the local score that it maximises.
trait ParentSearch: BestParents {
    fn local_score(&self) -> &dyn LocalScore;
}

impl<S: GaussianScore> ParentSearch for GrowShrinkTrees<S> {
    fn local_score(&self) -> &dyn LocalScore {
        self.local_score()
    }
}

impl<S: LocalScore> ParentSearch for GrowShrink<S> {
    fn local_score(&self) -> &dyn LocalScore {
        self.local_score()
    }
}

/// A decomposable score, with what it makes of orders.
pub(crate) struct Decomposable {
    search: Box<dyn ParentSearch>,
    /// The search without pairs; it costs nothing until it is used.
    screening: Option<Box<dyn ParentSearch>>,
    order_term: OrderTerm,
}

/// Which parents a variable has in the score of an order.
#[derive(Clone)]
enum OrderTerm {
    /// The best among its predecessors.
    BestParents,
    /// All predecessors that the constraints allow.
    AllPredecessors(Constraints),
}

impl Decomposable {
    /// The term of a variable and its parents.
    pub(crate) fn local_score(&self) -> &dyn LocalScore {
        self.search.local_score()
    }

    /// The search without pairs, where there is one.
    pub(crate) fn screening(&self) -> Option<&dyn BestParents> {
        self.screening.as_deref().map(|screening| screening as &dyn BestParents)
    }
}

impl OrderModularScore for Decomposable {
    fn local(&self, node: usize, before: &NodeSet) -> f64 {
        let OrderTerm::AllPredecessors(constraints) = &self.order_term else {
            return self.search.local(node, before);
        };
        if !constraints.required(node).is_subset(before) {
            return f64::NEG_INFINITY;
        }
        let mut parents = before.clone();
        parents.intersect_with(constraints.allowed_parents(node));
        self.local_score().local(node, &parents)
    }
}

impl BestParents for Decomposable {
    fn best_parents(&self, node: usize, before: &NodeSet) -> Option<NodeSet> {
        self.search.best_parents(node, before)
    }
}

impl GraphScore for Decomposable {
    fn graph(&self, dag: &Dag) -> f64 {
        self.local_score().graph(dag)
    }
}

/// Evaluates orders: by parents that it also finds, or as a whole.
#[derive(Clone, Copy)]
pub(crate) enum OrderEvaluator<'a> {
    /// A sum over variables of a term that depends on the set before them, and the parents found there.
    BestParents(&'a dyn BestParents),
    /// Any score of orders.
    Whole(&'a dyn OrderScore),
}

impl OrderScore for OrderEvaluator<'_> {
    fn score(&self, order: &Order) -> f64 {
        match self {
            Self::BestParents(score) => score.score(order),
            Self::Whole(score) => score.score(order),
        }
    }

    fn insertion_deltas(&self, order: &Order, node: usize) -> Vec<f64> {
        match self {
            Self::BestParents(score) => score.insertion_deltas(order, node),
            Self::Whole(score) => score.insertion_deltas(order, node),
        }
    }
}

//! Every score by its name, behind one door that says what else it can do.

use gflowcausal_data::{Moments, Table};
use gflowcausal_graph::{Constraints, NodeSet};
use gflowcausal_score::{
    Bdeu, BestParents, Bge, BgePrior, Bic, BicEqual, Cached, DegenerateGaussian, GaussianScore, GpMarginal,
    GraphScore, GrowShrink, LocalScore, OrderScore, ParentForest, Penalty, PlacementScore, Quadratic, Spline,
    Varsort,
};

use crate::Error;
use crate::config::{Config, ScoreName};

/// The strength of the Dirichlet prior, in rows. With ten, half of the edges that are found in tables of rare levels are
/// false.
const EQUIVALENT_SAMPLE_SIZE: f64 = 1.0;

/// A score of orders, with what else it can say.
pub(crate) trait OrderModel: Send + Sync {
    /// The score of an order.
    fn order_score(&self) -> &dyn OrderScore;

    /// One that looks less closely and costs less, if there is such a one.
    fn rough(&self) -> Option<&dyn OrderModel> {
        None
    }

    /// The score as a sum over placements, if it is one.
    fn placements(&self) -> Option<&dyn PlacementScore> {
        None
    }

    /// The score of a whole graph, if it has one that is no sum of local terms.
    fn graph_score(&self) -> Option<&dyn GraphScore> {
        None
    }

    /// The score that is varsortability, if it is.
    fn varsort(&self) -> Option<&Varsort> {
        None
    }

    /// The parents that the score itself chooses, if it does.
    fn best_parents(&self) -> Option<&dyn BestParents> {
        None
    }

    /// The score's term for one variable and its parents, if it is a sum of such terms.
    fn local_score(&self) -> Option<&dyn LocalScore> {
        None
    }
}

/// Grow–shrink trees.
struct Forest<S> {
    search: ParentForest<S>,
    /// Others that look for no pairs; they cost nothing until somebody asks them.
    rough: Option<Box<Self>>,
}

impl<S: GaussianScore> OrderModel for Forest<S> {
    fn order_score(&self) -> &dyn OrderScore {
        &self.search
    }

    fn rough(&self) -> Option<&dyn OrderModel> {
        self.rough.as_deref().map(|rough| rough as _)
    }

    fn placements(&self) -> Option<&dyn PlacementScore> {
        Some(&self.search)
    }

    fn best_parents(&self) -> Option<&dyn BestParents> {
        Some(&self.search)
    }

    fn local_score(&self) -> Option<&dyn LocalScore> {
        Some(self.search.local_score())
    }
}

/// An order is worth what the best parents among predecessors are worth.
struct Sparse<S>(GrowShrink<S>);

impl<S: LocalScore> OrderModel for Sparse<S> {
    fn order_score(&self) -> &dyn OrderScore {
        &self.0
    }

    fn placements(&self) -> Option<&dyn PlacementScore> {
        Some(&self.0)
    }

    fn best_parents(&self) -> Option<&dyn BestParents> {
        Some(&self.0)
    }

    fn local_score(&self) -> Option<&dyn LocalScore> {
        Some(self.0.local_score())
    }
}

/// An order is worth what the graph of all allowed edges along it is worth.
struct Full<S> {
    search: GrowShrink<Cached<S>>,
    constraints: Constraints,
}

impl<S: LocalScore> Full<S> {
    fn new(score: S, constraints: Constraints) -> Self {
        Self { search: GrowShrink::new(Cached::new(score), constraints.clone()), constraints }
    }
}

impl<S: LocalScore> PlacementScore for Full<S> {
    fn name(&self) -> &'static str {
        PlacementScore::name(&self.search)
    }

    fn nodes(&self) -> usize {
        PlacementScore::nodes(&self.search)
    }

    fn placement(&self, node: usize, before: &NodeSet) -> f64 {
        if !self.constraints.required(node).is_subset(before) {
            return f64::NEG_INFINITY;
        }
        let mut parents = before.clone();
        parents.intersect_with(self.constraints.allowed_parents(node));
        self.search.local_score().local(node, &parents)
    }
}

impl<S: LocalScore> OrderModel for Full<S> {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }

    fn placements(&self) -> Option<&dyn PlacementScore> {
        Some(self)
    }

    fn best_parents(&self) -> Option<&dyn BestParents> {
        Some(&self.search)
    }

    fn local_score(&self) -> Option<&dyn LocalScore> {
        Some(self.search.local_score())
    }
}

impl OrderModel for BicEqual {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }

    fn graph_score(&self) -> Option<&dyn GraphScore> {
        Some(self)
    }
}

impl OrderModel for Varsort {
    fn order_score(&self) -> &dyn OrderScore {
        self
    }

    fn varsort(&self) -> Option<&Varsort> {
        Some(self)
    }
}

/// `auto`: by the columns' types.
pub(crate) fn resolve(score: ScoreName, table: &Table) -> ScoreName {
    if score != ScoreName::Auto {
        return score;
    }
    let continuous = table.columns().iter().filter(|column| column.as_continuous().is_some()).count();
    match continuous {
        0 => ScoreName::Bdeu,
        all if all == table.columns().len() => ScoreName::Bic,
        _ => ScoreName::Dg,
    }
}

/// Builds the score called `name`, which is not `auto`.
pub(super) fn build(
    name: ScoreName,
    table: &Table,
    moments: Option<&Moments>,
    config: &Config,
    constraints: &Constraints,
) -> Result<Box<dyn OrderModel>, Error> {
    if config.penalty.is_some() && !has_penalty(name) {
        return Err(Error::NoEffect { option: "penalty", with: format!("score {}", name.name()) });
    }
    let penalty = penalty(config);
    let numbers = || moments.ok_or(Error::NeedsNumbers { score: name.name() });
    let limits = || constraints.clone();
    Ok(match name {
        ScoreName::Auto | ScoreName::Bic => forest(Bic::new(numbers()?, penalty)?, limits()),
        ScoreName::Bge => forest(Bge::new(numbers()?, BgePrior::default())?, limits()),
        ScoreName::BicEqual => Box::new(BicEqual::new(numbers()?, penalty)?),
        ScoreName::Varsort => Box::new(Varsort::new(numbers()?)?),
        ScoreName::Bdeu => grow_shrink(Bdeu::new(table, EQUIVALENT_SAMPLE_SIZE)?, limits()),
        ScoreName::Dg => grow_shrink(DegenerateGaussian::new(table, penalty)?, limits()),
        ScoreName::Quadratic => Box::new(Full::new(Quadratic::new(table, penalty)?, limits())),
        ScoreName::QuadraticEqual => {
            Box::new(Full::new(Quadratic::with_equal_noise(table, penalty)?, limits()))
        }
        ScoreName::Spline => grow_shrink(Spline::new(table, penalty)?, limits()),
        ScoreName::Gp => Box::new(Full::new(GpMarginal::new(table)?, limits())),
    })
}

fn forest<S: GaussianScore + Clone + 'static>(score: S, limits: Constraints) -> Box<dyn OrderModel> {
    let search = ParentForest::new(score.clone(), limits.clone()).without_pairs();
    let rough = Some(Box::new(Forest { search, rough: None }));
    Box::new(Forest { search: ParentForest::new(score, limits), rough })
}

fn grow_shrink<S: LocalScore + 'static>(score: S, limits: Constraints) -> Box<dyn OrderModel> {
    Box::new(Sparse(GrowShrink::new(Cached::new(score), limits)))
}

/// What a parent costs.
pub(super) fn penalty(config: &Config) -> Penalty {
    config.penalty.map_or(Penalty::Auto, Penalty::Factor)
}

fn has_penalty(name: ScoreName) -> bool {
    !matches!(name, ScoreName::Bge | ScoreName::Bdeu | ScoreName::Gp | ScoreName::Varsort)
}

//! Graphs over named variables and the laws they satisfy. No data, no files, no randomness.
//!
//! Orientation, everywhere: an [`Edge`] points `from` a cause `to` its effect, and in a matrix the row causes the
//! column.

mod advice;
mod choice;
mod class_size;
mod closure;
mod consistent_extension;
mod cpdag;
mod dag;
mod dseparation;
mod edge;
mod enumerate;
mod knowledge;
mod layering;
mod meek;
mod metrics;
mod named_graph;
mod names;
mod node_set;
mod order;
mod path;
mod pdag;
mod pluralize;
mod shortened;
mod v_structures;

pub use advice::Advice;
pub use choice::{Choice, UnknownChoice};
pub use closure::{Closure, GrowingDag};
pub use cpdag::Cpdag;
pub use dag::Dag;
pub use edge::{Edge, EdgeError};
pub use enumerate::{all_dags, all_orders};
pub use knowledge::{
    Conflict, Constraints, EdgeSpec, Knowledge, KnowledgeError, Rule, SpecError, Statement, Variable,
};
pub use layering::{Layering, LayeringError};
pub use meek::{MeekRules, OrientationError};
pub use metrics::{Metrics, auprc, auroc, class_shd, cpdag_shd, evaluate, expected_shd, shd, sid};
pub use named_graph::{GraphError, NamedGraph};
pub use names::{Names, UnknownName};
pub use node_set::NodeSet;
pub use order::{Order, OrderError};
pub use pdag::Pdag;
pub use pluralize::pluralize;
pub use shortened::shortened;
pub use v_structures::VStructure;

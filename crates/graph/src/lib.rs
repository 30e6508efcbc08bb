//! Graphs over named variables and the laws they obey. No data, no randomness.
//!
//! Orientation, everywhere: an [`Edge`] points `from` a cause `to` its effect, and in a matrix the row causes the
//! column.

mod closure;
mod dag;
mod edge;
mod formats;
mod knowledge;
mod names;
mod node_set;
mod order;
mod path;
mod pdag;

pub use closure::{Closure, GrowingDag};
pub use dag::Dag;
pub use edge::{Edge, EdgeError};
pub use formats::{Format, FormatError, GraphError, NamedGraph, Orientation, ReadOptions, WriteError};
pub use knowledge::{
    Conflict, Constraints, EdgeSpec, Knowledge, KnowledgeError, KnowledgeFileError, KnowledgeWriteError,
    Rule, SpecError, Statement, Variable,
};
pub use names::UnknownName;
pub use node_set::NodeSet;
pub use order::{Order, OrderError};
pub use pdag::Pdag;

//! Other ways through the same scores: insertion of one variable at a time, independent components, continuous weights.

mod continuous;
mod insertion;
mod lingam;

pub use continuous::{Dagma, Notears, Weighted, cycle_measure};
pub use insertion::{climb, tempered_insertion, tempered_sweep};
pub use lingam::{LingamError, direct_lingam, ica_lingam};

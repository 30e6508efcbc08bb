//! Other ways to a graph: insertions into orders, sorts, search over equivalence classes, tests of independence,
//! independent components, continuous weights.

mod boss;
mod continuous;
mod ges;
mod insertion;
mod lingam;
mod obedience;
mod pc;
mod sort;

pub use boss::{best_order, boss};
pub use continuous::{Dagma, Notears, Weighted, cycle_measure};
pub use ges::{FoundClass, Ges, NotScoreEquivalent};
pub use insertion::{climb, tempered_insertion, tempered_sweep};
pub use lingam::{LingamError, direct_lingam, ica_lingam};
pub use obedience::{Obedient, random_order};
pub use pc::{CategoryTest, FisherZ, IndependenceTest, Pc, PcClass, TestError};
pub use sort::{equal_variance_order, r2_order, variance_order};

//! Other methods to find a graph: insertions into orders, sorts, search over equivalence classes, tests of independence,
//! independent components, continuous weights.

mod boss;
mod constrained_order;
mod continuous;
mod equal_variance;
mod ges;
mod insertion;
mod lingam;
mod pc;
mod sortnregress;

pub use boss::{best_order, boss};
pub use constrained_order::{ConstrainedOrderScore, random_order};
pub use continuous::{Dagma, Exponential, Notears, Weighted, acyclicity_h};
pub use equal_variance::equal_variance_order;
pub use ges::{Decides, FoundClass, Ges, NotScoreEquivalent};
pub use insertion::{hill_climb, tempered_insertion, tempered_sweep};
pub use lingam::{LingamError, direct_lingam, ica_lingam};
pub use pc::{CategoryTest, FisherZ, IndependenceTest, Pc, PcClass, TestError};
pub use sortnregress::{r2_order, variance_order};

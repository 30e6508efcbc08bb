//! Causal discovery by neural networks: DAG-GNN and GraN-DAG by an augmented Lagrangian, RL-BIC2 and CORL by policy
//! gradients.
//!
//! Networks and gradients are written by hand on one matrix product, in single or double precision.

mod corl;
mod dag_gnn;
mod gemm;
mod gran_dag;
mod observations;
mod optimizer;
mod real;
mod rl_bic;
mod tape;
mod transformer;
mod vector;

pub use corl::{Corl, OrderIteration, OrderRewards};
pub use dag_gnn::DagGnn;
pub use gran_dag::GranDag;
pub use rl_bic::{GraphIteration, RlBic};
pub use transformer::EncoderSize;

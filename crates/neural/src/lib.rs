//! Causal discovery by neural networks: DAG-GNN and GraN-DAG by an augmented Lagrangian, RL-BIC2 and CORL by policy
//! gradients.
//!
//! Networks and gradients are written by hand, on the matrix product and the tape of `autodiff`.

mod augmented_lagrangian;
mod corl;
mod dag_gnn;
mod gran_dag;
mod memo;
mod observations;
mod optimizer;
mod policy_gradient;
mod rl_bic;

pub use corl::{Corl, OrderIteration, OrderRewards};
pub use dag_gnn::DagGnn;
pub use gflowcausal_autodiff::EncoderSize;
pub use gran_dag::GranDag;
pub use rl_bic::{GraphIteration, RlBic};

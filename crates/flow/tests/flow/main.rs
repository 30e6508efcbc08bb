//! The flow engine through its public face, against exact answers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod balance;
mod checkpoint;
mod distribution;
mod lattice;
mod layers;
mod matrix_networks;
mod network;
mod plain;
mod reproducible;
mod sampler;
mod seeds;
mod soft_actor_critic;
mod tables;
mod trainer;
mod wrong_parents;

//! The laws of graphs, each checked against the slow and obvious way.

#![expect(clippy::unwrap_used, reason = "a test may panic where its own input is wrong")]

mod closure;
mod enumeration;
mod equivalence;
mod graphs;
mod layering;
mod metrics;
mod node_set;
mod orientation;
mod separation;
mod sid;

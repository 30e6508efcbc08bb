//! The backward policy `P_B`: uniform over the parents of a state, as [`State::parents`](crate::State::parents) lists them.

/// `ln P_B` of one step into a state with so many parents.
pub(crate) fn log_pb(parents: usize) -> f64 {
    -(parents as f64).ln()
}

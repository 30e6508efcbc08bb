//! What makes a result the same on every machine: random streams with names, threads that keep index order, one
//! categorical draw and one log-sum-exp; and what ends work early without changing it.
//!
//! No other crate of the project creates a generator or starts a thread.

mod cancel;
mod categorical;
mod log_space;
mod stream;
mod threads;

pub use cancel::{StopFlag, cancellation_point, interruptible, uninterrupted};
pub use categorical::categorical;
pub use log_space::{exp_or_zero, log_add, log_sum_exp};
pub use stream::{Stream, StreamRng, stream};
pub use threads::{both, map, map_slices, thread_count, with_threads};

pub use rand;

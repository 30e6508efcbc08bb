//! What makes a result the same on every machine: random streams with names, and threads that keep index order.
//!
//! No other crate of the project creates a generator or starts a thread.

mod stream;
mod threads;

pub use stream::{Stream, StreamRng, stream};
pub use threads::{both, map, map_slices, thread_count, with_threads};

pub use rand;

//! The progress that a study reports, and the flag that stops it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::BenchError;

/// The channel for progress and the stop flag of a study.
pub(crate) struct Control<'a> {
    /// True once the study is to end.
    pub(crate) stop: &'a AtomicBool,
    /// Is called with each step.
    pub(crate) report: &'a (dyn Fn(&str) + Sync),
}

impl Control<'_> {
    /// Reports a step.
    pub(crate) fn report(&self, step: &str) {
        (self.report)(step);
    }

    /// Ends a study that was interrupted.
    pub(crate) fn check(&self) -> Result<(), BenchError> {
        if self.stop.load(Ordering::Relaxed) { Err(BenchError::Interrupted) } else { Ok(()) }
    }
}

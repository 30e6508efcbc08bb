//! The only clock of a run: measures its phases, decides when to save and when time is up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::{Control, Phase, Seconds};

/// How often training is saved.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Sets flags in time: `hurry` at half of the `budget`, `stop` at its end; ends with whoever holds the sender of `done`.
pub(crate) fn keep_time(
    budget: Duration,
    start: Instant,
    hurry: &AtomicBool,
    stop: &AtomicBool,
    done: &Receiver<()>,
) {
    for (flag, due) in [(hurry, budget / 2), (stop, budget)] {
        let left = due.saturating_sub(start.elapsed());
        if done.recv_timeout(left) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        flag.store(true, Ordering::Relaxed);
    }
}

/// How long a run has taken, and may take.
#[derive(Debug)]
pub(crate) struct Clock {
    /// What each phase has taken so far.
    pub(crate) seconds: Seconds,
    start: Instant,
    last: Instant,
    saved: Instant,
    budget: Option<Duration>,
    saves: bool,
    before: Option<Phase>,
}

impl Clock {
    /// A clock of a run that began at `start`, has a `budget` of time, and saves or does not.
    pub(crate) fn new(start: Instant, budget: Option<Duration>, saves: bool) -> Self {
        let now = Instant::now();
        Self { seconds: Seconds::default(), start, last: now, saved: now, budget, saves, before: None }
    }

    /// Takes note of a phase, and sets `stop` once time is up.
    pub(crate) fn note(&mut self, phase: Phase, stop: &AtomicBool) -> Control {
        if self.budget.is_some_and(|budget| self.start.elapsed() >= budget) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Phase::Iteration(_) | Phase::Chains { .. } = phase {
            return self.control();
        }
        let passed = std::mem::replace(&mut self.last, Instant::now()).elapsed().as_secs_f64();
        match self.before.replace(phase) {
            Some(Phase::Searching) => self.seconds.search += passed,
            Some(Phase::Training { .. }) => self.seconds.train = passed,
            Some(Phase::Sampling) => self.seconds.sample = passed,
            _ => {}
        }
        Control::Continue
    }

    fn control(&mut self) -> Control {
        if self.saves && self.saved.elapsed() >= SAVE_EVERY {
            self.saved = Instant::now();
            Control::Save
        } else {
            Control::Continue
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_counts_and_time_runs_out() {
        let stop = AtomicBool::new(false);
        let mut clock = Clock::new(Instant::now(), None, false);
        for _ in 0..3 {
            assert_eq!(clock.note(Phase::Searching, &stop), Control::Continue);
            std::thread::sleep(Duration::from_millis(5));
        }
        clock.note(Phase::Done, &stop);
        assert!(clock.seconds.search >= 0.015, "{}", clock.seconds.search);
        assert!(!stop.load(Ordering::Relaxed));
        Clock::new(Instant::now(), Some(Duration::ZERO), false).note(Phase::Searching, &stop);
        assert!(stop.load(Ordering::Relaxed));
    }
}

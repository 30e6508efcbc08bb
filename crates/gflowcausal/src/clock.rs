//! The only clock of a run: measures its phases, decides when to save and when time is up.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Control, Deadlines, Phase, Seconds};

/// How often training is saved.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// How often the time is read.
const TICK: Duration = Duration::from_millis(20);

/// How long a run that is to stop may take to make a result of what it has.
const GRACE: Duration = Duration::from_millis(500);

/// Does `work` of a run that began at `start`, and sets the deadlines meanwhile.
pub(crate) fn keeping_time<R>(start: Instant, deadlines: &Deadlines, work: impl FnOnce() -> R) -> R {
    thread::scope(|scope| {
        let (_running, done) = channel();
        scope.spawn(move || keep_time(start, deadlines, &done));
        work()
    })
}

/// Sets flags in time, until the sender of `done` is gone: `search` at half of the budget, `exact` at seven eighths, `stop`
/// at its end; after `stop`, whoever set that, `chains` after a quarter and `result` after half a second.
fn keep_time(start: Instant, deadlines: &Deadlines, done: &Receiver<()>) {
    let (mut stopped, budget) = (None, deadlines.budget);
    while done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let has_passed = |eighths: u32| budget.is_some_and(|budget| start.elapsed() >= budget * eighths / 8);
        if has_passed(4) {
            deadlines.search.set();
        }
        if has_passed(7) || deadlines.stop.is_set() {
            deadlines.exact.set();
        }
        if has_passed(8) {
            deadlines.stop.set();
        }
        if !deadlines.stop.is_set() {
            continue;
        }
        let since = stopped.get_or_insert_with(Instant::now).elapsed();
        if since >= GRACE / 2 {
            deadlines.chains.set();
        }
        if since >= GRACE {
            deadlines.result.set();
            return;
        }
    }
}

/// How long a run has taken.
#[derive(Debug)]
pub(crate) struct Clock {
    /// What each phase has taken so far.
    pub(crate) seconds: Seconds,
    last: Instant,
    saved: Instant,
    saves: bool,
    before: Option<Phase>,
}

impl Clock {
    /// A clock of a run that saves or does not.
    pub(crate) fn new(saves: bool) -> Self {
        let now = Instant::now();
        Self { seconds: Seconds::default(), last: now, saved: now, saves, before: None }
    }

    /// Takes note of a phase.
    pub(crate) fn note(&mut self, phase: Phase) -> Control {
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
    fn every_search_counts() {
        let mut clock = Clock::new(false);
        for _ in 0..3 {
            assert_eq!(clock.note(Phase::Searching), Control::Continue);
            std::thread::sleep(Duration::from_millis(5));
        }
        clock.note(Phase::Done);
        assert!(clock.seconds.search >= 0.015, "{}", clock.seconds.search);
    }

    #[test]
    fn time_runs_out_step_by_step() {
        let (_running, done) = channel();
        let deadlines = Deadlines { budget: Some(Duration::ZERO), ..Deadlines::default() };
        keep_time(Instant::now(), &deadlines, &done);
        assert!(deadlines.search.is_set() && deadlines.exact.is_set() && deadlines.stop.is_set());
        assert!(deadlines.chains.is_set() && deadlines.result.is_set());
    }

    #[test]
    fn a_run_that_is_over_sets_nothing() {
        let (running, done) = channel();
        drop(running);
        let deadlines = Deadlines { budget: Some(Duration::ZERO), ..Deadlines::default() };
        keep_time(Instant::now(), &deadlines, &done);
        assert!(!deadlines.search.is_set());
    }
}

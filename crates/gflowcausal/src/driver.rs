//! What every front end does around a run: keeps its time, and begins or goes on with its directory.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{DataFile, FileError, RunDir, RunFile, Seconds, Step, Wish};

/// How often training is saved.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// What an earlier run may have left in a directory.
const LEFTOVERS: [&str; 5] =
    ["result.json", "report.html", "checkpoint", "model.safetensors", "training.csv"];

/// The only clock of a run: measures its steps, decides when to save and when time is up.
#[derive(Debug)]
pub struct Clock {
    /// What each step has taken so far.
    pub seconds: Seconds,
    start: Instant,
    last: Instant,
    saved: Instant,
    budget: Option<Duration>,
    saves: bool,
    before: Option<Step>,
}

impl Clock {
    /// A clock of a run that began at `start`, has a `budget` of time, and saves or does not.
    #[must_use]
    pub fn new(start: Instant, budget: Option<Duration>, saves: bool) -> Self {
        let now = Instant::now();
        Self { seconds: Seconds::default(), start, last: now, saved: now, budget, saves, before: None }
    }

    /// Takes note of a step, and sets `stop` once time is up.
    pub fn tell(&mut self, step: Step, stop: &AtomicBool) -> Wish {
        if self.budget.is_some_and(|budget| self.start.elapsed() >= budget) {
            stop.store(true, Ordering::Relaxed);
        }
        if let Step::Iteration(_) = step {
            return self.wish();
        }
        let passed = std::mem::replace(&mut self.last, Instant::now()).elapsed().as_secs_f64();
        match self.before.replace(step) {
            Some(Step::Searching) => self.seconds.search += passed,
            Some(Step::Training { .. }) => self.seconds.train = passed,
            Some(Step::Sampling) => self.seconds.sample = passed,
            _ => {}
        }
        Wish::GoOn
    }

    fn wish(&mut self) -> Wish {
        if self.saves && self.saved.elapsed() >= SAVE_EVERY {
            self.saved = Instant::now();
            Wish::Save
        } else {
            Wish::GoOn
        }
    }
}

impl RunDir {
    /// A directory for a new run, with its configuration in it and nothing of an earlier one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn begin(path: impl Into<PathBuf>, file: &RunFile) -> Result<Self, FileError> {
        let dir = Self::create(path)?;
        for name in LEFTOVERS {
            dir.remove(name)?;
        }
        dir.remove_drafts()?;
        dir.write("config.toml", |out| out.write_all(file.to_toml().as_bytes()))?;
        Ok(dir)
    }

    /// The directory of a run that goes on.
    ///
    /// # Errors
    /// When there is none, or the system refuses.
    pub fn resume(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let dir = Self::open(path)?;
        dir.remove_drafts()?;
        Ok(dir)
    }
}

impl DataFile {
    /// The same file by its full path, with the fingerprint of what was read; names of built-in data stay.
    #[must_use]
    pub fn pinned(mut self, sha256: String) -> Self {
        let full = std::path::absolute(&self.path).ok().filter(|_| Path::new(&self.path).is_file());
        self.path = full.map_or(self.path, |full| full.to_string_lossy().into_owned());
        self.sha256 = Some(sha256);
        self
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
            assert_eq!(clock.tell(Step::Searching, &stop), Wish::GoOn);
            std::thread::sleep(Duration::from_millis(5));
        }
        clock.tell(Step::Done, &stop);
        assert!(clock.seconds.search >= 0.015, "{}", clock.seconds.search);
        assert!(!stop.load(Ordering::Relaxed));
        Clock::new(Instant::now(), Some(Duration::ZERO), false).tell(Step::Searching, &stop);
        assert!(stop.load(Ordering::Relaxed));
    }
}

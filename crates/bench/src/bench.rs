//! A bench from start to end: one suite after the other, each to its pages.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gflowcausal::thread_count;

use crate::bounds::Bounds;
use crate::page::{Content, Page, write_results, write_suite};
use crate::paper;
use crate::peers::Environment;
use crate::runs::{Run, Store};
use crate::suite::{Data, Scale, Suite};
use crate::table::Table;
use crate::{BenchError, Control, Request};

/// The CPU seconds of a run, if not said otherwise.
const LIMIT: u64 = 600;

/// The events of a running bench, for its display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Other packages are being installed, which takes minutes.
    Installing(&'a str),
    /// Other packages cannot be run, and why.
    PeersLeftOut(&'a str),
    /// So many runs of a suite are done.
    Runs {
        /// The suite.
        suite: &'a str,
        /// How many are done.
        done: usize,
        /// How many there are.
        total: usize,
    },
    /// A study begins a step.
    Study {
        /// The suite.
        suite: &'a str,
        /// The step.
        step: &'a str,
    },
}

/// Suites that are ready to run, and the directory that keeps what they gave.
pub struct Bench<'a> {
    request: &'a Request,
    suites: Vec<Suite>,
    store: Store,
}

impl<'a> Bench<'a> {
    /// The names and titles of the suites that come with the program, one a line.
    #[must_use]
    pub fn list() -> String {
        Suite::list()
    }

    /// Reads and checks the suites, opens the directory, and prepares other packages where they are asked for.
    ///
    /// # Errors
    /// What is wrong with the request, or a directory that cannot be written.
    pub fn new(request: &'a Request, report: &dyn Fn(Event<'_>)) -> Result<Self, BenchError> {
        let mut suites = request.suites()?;
        let mut store = Store::open(&request.out)?;
        store.environment = environment(request, report);
        if store.environment.is_some() {
            suites.iter_mut().for_each(|suite| suite.add_peers(&request.chosen_peers()));
        }
        Ok(Self { request, suites, store })
    }

    /// How many suites there are.
    #[must_use]
    pub fn suites(&self) -> usize {
        self.suites.len()
    }

    /// Runs the suite at `index`: adds the table of its runs to `pages`, then that of its study, and writes all of them.
    ///
    /// # Errors
    /// What ended the suite early; the pages before it are written.
    ///
    /// # Panics
    /// If there is no suite at `index`.
    pub fn run(
        &self,
        index: usize,
        pages: &mut Vec<Page>,
        stop: &AtomicBool,
        report: &(dyn Fn(Event<'_>) + Sync),
    ) -> Result<(), BenchError> {
        let suite = &self.suites[index];
        let first = pages.len();
        let report_step = |step: &str| report(Event::Study { suite: &suite.name, step });
        let report_runs = |done, total| report(Event::Runs { suite: &suite.name, done, total });
        let outcome = self.fill(suite, pages, &Control { stop, report: &report_step }, &report_runs);
        if pages.len() > first {
            write_suite(&self.request.out, &suite.name, &pages[first..])?;
            write_results(&self.request.out, pages)?;
        }
        outcome
    }

    /// Where the whole paper was asked for: writes its report and returns the summary.
    ///
    /// # Errors
    /// When the report cannot be written.
    pub fn conclude(&self, pages: &[Page]) -> Result<Option<String>, BenchError> {
        if !self.request.is_paper() || pages.is_empty() {
            return Ok(None);
        }
        paper::write(&self.request.out, pages).map(Some)
    }

    fn fill(
        &self,
        suite: &Suite,
        pages: &mut Vec<Page>,
        control: &Control<'_>,
        report: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(), BenchError> {
        if !suite.method.is_empty() {
            pages.push(Page::new(Content::Runs(self.table(suite, control.stop, report)?)));
        }
        if let Some(study) = suite.study.as_ref().filter(|_| control.check().is_ok()) {
            let findings = study.perform(suite, &self.request.out, control)?;
            pages.push(Page::new(Content::Study(findings)));
        }
        Ok(())
    }

    fn table(
        &self,
        suite: &Suite,
        stop: &AtomicBool,
        report: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Table, BenchError> {
        let scales = if self.request.standardize { vec![Scale::Standardised] } else { Scale::ALL.to_vec() };
        // First, because what is wrong with them should not be found out after hours of runs.
        let bounds = |data: &Data| {
            let about = |error| BenchError::from(error).within(data.title(&suite.name));
            Bounds::of(data, suite.seeds, stop).map_err(about)
        };
        let bounds = suite.data.iter().map(bounds).collect::<Result<Vec<_>, _>>()?;
        let runs = Run::all(suite, &scales);
        report(0, runs.len());
        let limit = Duration::from_secs(self.request.limit.unwrap_or(LIMIT));
        let records =
            self.store.perform(&runs, thread_count(), limit, stop, &|done| report(done, runs.len()))?;
        Ok(Table::new(suite, &runs, &records, &bounds))
    }
}

/// Where other packages run; nothing, with a word about it, where they cannot.
fn environment(request: &Request, report: &dyn Fn(Event<'_>)) -> Option<Environment> {
    request.peers.as_ref()?;
    let ready = Environment::prepare(request.peer_seconds, |text| report(Event::Installing(text)));
    ready.inspect_err(|reason| report(Event::PeersLeftOut(reason))).ok()
}

//! A run on a thread of its own, so that the interpreter goes on, hears Ctrl-C and is told of progress.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use gflowcausal::data;
use gflowcausal::graph::Dag;
use gflowcausal::{
    About, Checkpoints, Clock, Config, DataFile, DataResult, Discovery, Error, Problem, Run, RunDir, RunFile,
    RunResult, Step, fingerprint, problem_fingerprint, stored_run, with_threads, write_outputs,
};
use gflowcausal_report::write_report;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

use crate::error::{Failure, guarded};

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(50);

/// How long a run that is to stop may take to hand over the best so far.
const GRACE: Duration = Duration::from_millis(700);

/// What a run looks at.
pub(crate) enum Source {
    Rows(Arc<data::Table>),
    Moments(Vec<String>, data::Moments),
}

/// Everything that a run is told.
pub(crate) struct Order {
    pub(crate) source: Source,
    pub(crate) config: Config,
    pub(crate) name: String,
    pub(crate) file: Option<DataFile>,
    pub(crate) truth: Option<Dag>,
    pub(crate) budget: Option<Duration>,
    pub(crate) threads: usize,
    pub(crate) out: Option<PathBuf>,
    pub(crate) resumes: bool,
}

/// What a run found.
pub(crate) struct Outcome {
    pub(crate) found: Discovery,
    pub(crate) result: RunResult,
    pub(crate) file: RunFile,
}

/// Does `work` on a thread of its own. After Ctrl-C it is told to stop, and left to itself.
pub(crate) fn patiently<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (tell, told) = channel();
    let flag = Arc::clone(&stop);
    thread::spawn(move || {
        // Nobody listens any more after Ctrl-C.
        let _ = tell.send(guarded(|| work(&flag)));
    });
    let told = Mutex::new(told);
    loop {
        match py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK)) {
            Ok(done) => return Ok(done?),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::of_panic(&"a thread vanished").into()),
        }
    }
}

/// What became of a run: its outcome, and an exception to raise all the same.
pub(crate) type Ended = (Option<Outcome>, Option<PyErr>);

impl Order {
    /// Works on a thread of its own and calls `notify` with each step on this one.
    ///
    /// # Errors
    /// What the run says. After Ctrl-C, or an exception of `notify`, that exception comes beside what was found; a run
    /// that does not stop in time is left to itself.
    pub(crate) fn run(self, py: Python<'_>, notify: Option<&Bound<'_, PyAny>>) -> PyResult<Ended> {
        let stop = Arc::new(AtomicBool::new(false));
        let left_alone = Arc::new(AtomicBool::new(false));
        let ((tell, news), (answer, answers)) = (channel(), channel());
        let line = Line { tell, answers, is_watched: notify.is_some(), is_cut: Arc::clone(&left_alone) };
        let flag = stop.clone();
        let worker = thread::spawn(move || {
            let threads = self.threads;
            with_threads(threads, || self.work(&flag, line))
        });
        let raised = match attend(py, &Mutex::new(news), &answer, &stop, notify) {
            Wait::Over(raised) => raised,
            Wait::TooLong(raised) => {
                left_alone.store(true, Ordering::Relaxed);
                return Ok((None, Some(raised)));
            }
        };
        match py.detach(|| worker.join()) {
            Ok(Ok(outcome)) => Ok((Some(outcome), raised)),
            Ok(Err(_)) | Err(_) if raised.is_some() => Ok((None, raised)),
            Ok(Err(failure)) => Err(failure.into()),
            Err(left) => Err(Failure::of_panic(&*left).into()),
        }
    }

    fn work(self, stop: &AtomicBool, line: Line) -> Result<Outcome, Failure> {
        let (start, processors) = (Instant::now(), ProcessTime::now());
        let problem = match &self.source {
            Source::Rows(table) => Problem::new(table, &self.config)?,
            Source::Moments(names, moments) => {
                Problem::of_moments(names.clone(), moments.clone(), &self.config)?
            }
        };
        let (rows, sha256) = self.source.describe()?;
        let dir = self.open_dir(&sha256)?;
        let mut clock = Clock::new(start, self.budget, dir.is_some());
        clock.seconds.score = start.elapsed().as_secs_f64();
        let mut watch = |step: Step| {
            line.tell(step);
            clock.tell(step, stop)
        };
        let file = self.run_file(&sha256);
        let fingerprint = self.source.fingerprint(&self.config, &sha256);
        let checkpoints =
            dir.as_ref().map(|dir| Checkpoints { dir, fingerprint: &fingerprint, resumes: self.resumes });
        let found = problem.discover(&mut Run { watch: &mut watch, stop, checkpoints })?;
        let data = DataResult { name: self.name, rows, variables: found.names.clone(), sha256 };
        let mut result = found.to_result(&self.config, data, self.truth.as_ref());
        clock.seconds.total = start.elapsed().as_secs_f64();
        clock.seconds.cpu = processors.elapsed().as_secs_f64();
        result.seconds = clock.seconds;
        if let Some(dir) = dir.as_ref().filter(|_| !line.is_cut.load(Ordering::Relaxed)) {
            write_outputs(dir, &found, &result)?;
            result.run = stored_run(dir);
            write_report(dir, &result)?;
        }
        Ok(Outcome { found, result, file })
    }

    /// The run's directory with its configuration in it, if one is wanted.
    fn open_dir(&self, sha256: &str) -> Result<Option<RunDir>, Failure> {
        let Some(path) = &self.out else { return Ok(None) };
        let dir =
            if self.resumes { RunDir::resume(path) } else { RunDir::begin(path, &self.run_file(sha256)) };
        Ok(Some(dir?))
    }

    fn run_file(&self, sha256: &str) -> RunFile {
        let data = self.file.clone().map(|file| file.pinned(sha256.to_owned()));
        let about = About {
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            time_budget: self.budget.map(|budget| format!("{}s", budget.as_secs_f64())),
            truth: None,
            data,
        };
        RunFile { config: self.config.clone(), about }
    }
}

/// The line from a run to whoever waits for it.
struct Line {
    tell: Sender<Step>,
    answers: Receiver<()>,
    is_watched: bool,
    /// Whether nobody waits any more: then nothing may be written.
    is_cut: Arc<AtomicBool>,
}

impl Line {
    /// Tells of a step and waits until it was heard, so that a listener can stop training where it is.
    fn tell(&self, step: Step) {
        if self.is_watched && self.tell.send(step).is_ok() {
            // Nobody answers any more when a run is left to itself.
            let _ = self.answers.recv();
        }
    }
}

impl Source {
    /// How many rows there are, and their fingerprint.
    fn describe(&self) -> Result<(usize, String), Failure> {
        match self {
            Self::Rows(table) => Ok((table.rows(), fingerprint(table))),
            Self::Moments(names, moments) => {
                let text = crate::json(&(names, moments))?;
                let column = data::Column::categorical("moments", vec![], vec![text]);
                let table =
                    data::Table::new(vec![column]).map_err(|error| Error::Table(error.to_string()))?;
                Ok((moments.rows() as usize, fingerprint(&table)))
            }
        }
    }

    /// What the rewards are made of.
    fn fingerprint(&self, config: &Config, sha256: &str) -> String {
        match self {
            Self::Rows(table) => problem_fingerprint(table, config),
            Self::Moments(..) => format!("{sha256}:{}", problem_fingerprint(&data::Table::default(), config)),
        }
    }
}

/// How waiting for a run ended.
enum Wait {
    /// The run is over; an exception may have come before that.
    Over(Option<PyErr>),
    /// The run goes on in spite of an exception.
    TooLong(PyErr),
}

/// Waits for a run, passing on what it tells.
fn attend(
    py: Python<'_>,
    news: &Mutex<Receiver<Step>>,
    answer: &Sender<()>,
    stop: &AtomicBool,
    notify: Option<&Bound<'_, PyAny>>,
) -> Wait {
    let mut raised: Option<(PyErr, Instant)> = None;
    loop {
        let heard = py.detach(|| news.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        if heard == Err(RecvTimeoutError::Disconnected) {
            return Wait::Over(raised.map(|(error, _)| error));
        }
        let told = match (heard, notify) {
            (Ok(step), Some(notify)) if raised.is_none() => call(notify, step),
            _ => Ok(()),
        };
        if let Err(error) = told.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            if !error.is_instance_of::<PyStopIteration>(py) {
                raised.get_or_insert((error, Instant::now() + GRACE));
            }
        }
        if heard.is_ok() {
            // The run may be over by now.
            let _ = answer.send(());
        }
        if let Some((error, _)) = raised.take_if(|(_, deadline)| Instant::now() >= *deadline) {
            return Wait::TooLong(error);
        }
    }
}

/// Tells Python of a step: its name, and numbers where there are any.
fn call(notify: &Bound<'_, PyAny>, step: Step) -> PyResult<()> {
    match step {
        Step::Searching => notify.call1(("searching",))?,
        Step::Training { done, iterations } => notify.call1(("training", done, iterations))?,
        Step::Iteration(progress) => notify.call1((
            "iteration",
            progress.iteration,
            None::<usize>,
            progress.loss,
            progress.best_log_reward,
            progress.temperature,
        ))?,
        Step::Sampling => notify.call1(("sampling",))?,
        Step::Done => notify.call1(("done",))?,
        _ => return Ok(()),
    };
    Ok(())
}

//! A run on a thread of its own, so that the interpreter stays responsive to Ctrl-C and receives progress.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gflowcausal::data;
use gflowcausal::graph::Dag;
use gflowcausal::{
    DirectoryMode, Error, Observer, Phase, RunData, RunDir, RunFile, RunOutcome, RunResult, StopFlag,
    with_threads,
};
use gflowcausal_report::write_report;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

use crate::error::{Failure, guarded};

/// How often Ctrl-C is checked.
const TICK: Duration = Duration::from_millis(50);

/// How long a run that is to stop may take to hand over the best so far.
const GRACE: Duration = Duration::from_millis(1500);

/// The data of a run.
pub(crate) enum Source {
    Rows(Arc<data::Table>),
    Moments(Vec<String>, data::Moments),
}

/// Everything that a run is given.
pub(crate) struct RunRequest {
    pub(crate) source: Source,
    pub(crate) name: String,
    pub(crate) file: RunFile,
    pub(crate) truth: Option<Dag>,
    pub(crate) time_budget: Option<Duration>,
    pub(crate) threads: usize,
    pub(crate) out: Option<PathBuf>,
    pub(crate) begin: DirectoryMode,
}

/// Does `work` on a thread of its own. After Ctrl-C it is asked to stop, and abandoned.
pub(crate) fn run_interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&StopFlag) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let stop = StopFlag::new();
    let (sender, receiver) = channel();
    let flag = stop.clone();
    thread::spawn(move || {
        // The receiver is gone after Ctrl-C.
        let _ = sender.send(guarded(|| work(&flag)));
    });
    let receiver = Mutex::new(receiver);
    loop {
        match py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK)) {
            Ok(done) => return Ok(done?),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().inspect_err(|_| stop.set())?;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::of_panic(&"a thread vanished").into()),
        }
    }
}

/// What became of a run: its outcome, and an exception to raise all the same.
pub(crate) type Ended = (Option<RunOutcome>, Option<PyErr>);

impl RunRequest {
    /// Works on a thread of its own and calls `notify` with each phase on this one.
    ///
    /// # Errors
    /// What the run says. After Ctrl-C, or an exception of `notify`, that exception comes beside what was found; a run
    /// that does not stop in time is left to itself.
    pub(crate) fn run(self, py: Python<'_>, notify: Option<&Bound<'_, PyAny>>) -> PyResult<Ended> {
        let stop = StopFlag::new();
        let left_alone = Arc::new(AtomicBool::new(false));
        let ((send, phases), (answer, answers)) = (channel(), channel());
        let line = Line { send, answers, is_watched: notify.is_some(), is_cut: Arc::clone(&left_alone) };
        let flag = stop.clone();
        let worker = thread::spawn(move || {
            let threads = self.threads;
            with_threads(threads, || self.work(&flag, line))
        });
        let raised = match attend(py, &Mutex::new(phases), &answer, &stop, notify) {
            Wait::Over(raised) => raised,
            Wait::TooLong(raised) => {
                left_alone.store(true, Ordering::Relaxed);
                return Ok((None, Some(raised)));
            }
        };
        match py.detach(|| worker.join()) {
            Ok(Ok(mut outcome)) => {
                let unwritten = outcome.unwritten.take().map(|error| Failure::from(error).into());
                Ok((Some(outcome), raised.or(unwritten)))
            }
            Ok(Err(_)) | Err(_) if raised.is_some() => Ok((None, raised)),
            Ok(Err(failure)) => Err(failure.into()),
            Err(left) => Err(Failure::of_panic(&*left).into()),
        }
    }

    fn work(self, stop: &StopFlag, mut line: Line) -> Result<RunOutcome, Failure> {
        let request = gflowcausal::RunRequest {
            file: self.file,
            data: match &self.source {
                Source::Rows(table) => RunData::Rows(table),
                Source::Moments(names, moments) => RunData::Moments(names, moments),
            },
            name: self.name,
            truth: self.truth,
            time_budget: self.time_budget,
            out: self.out,
            begin: self.begin,
        };
        Ok(request.run(&mut line, stop)?)
    }
}

/// The channel from a run to the interpreter.
struct Line {
    send: Sender<Phase>,
    answers: Receiver<()>,
    is_watched: bool,
    /// Whether the run was abandoned: then nothing may be written.
    is_cut: Arc<AtomicBool>,
}

impl Observer for Line {
    /// Sends a phase and waits until it was received, so that a listener can stop training where it is.
    fn observe(&mut self, phase: Phase) {
        if self.is_watched && self.send.send(phase).is_ok() {
            // The receiver is gone when a run is abandoned.
            let _ = self.answers.recv();
        }
    }

    fn is_waiting(&self) -> bool {
        !self.is_cut.load(Ordering::Relaxed)
    }

    fn write(&mut self, dir: &RunDir, result: &RunResult) -> Result<(), Error> {
        write_report(dir, result)
    }
}

/// How waiting for a run ended.
enum Wait {
    /// The run is over; an exception may have come before that.
    Over(Option<PyErr>),
    /// The run continues despite an exception.
    TooLong(PyErr),
}

/// Waits for a run, passing on its phases.
fn attend(
    py: Python<'_>,
    phases: &Mutex<Receiver<Phase>>,
    answer: &Sender<()>,
    stop: &StopFlag,
    notify: Option<&Bound<'_, PyAny>>,
) -> Wait {
    let mut raised: Option<(PyErr, Instant)> = None;
    loop {
        let received = py.detach(|| phases.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        if received == Err(RecvTimeoutError::Disconnected) {
            return Wait::Over(raised.map(|(error, _)| error));
        }
        let notified = match (received, notify) {
            (Ok(phase), Some(notify)) if raised.is_none() => call(notify, phase),
            _ => Ok(()),
        };
        if let Err(error) = notified.and_then(|()| py.check_signals()) {
            stop.set();
            if !error.is_instance_of::<PyStopIteration>(py) {
                raised.get_or_insert((error, Instant::now() + GRACE));
            }
        }
        if received.is_ok() {
            // The run may be over by now.
            let _ = answer.send(());
        }
        if let Some((error, _)) = raised.take_if(|(_, deadline)| Instant::now() >= *deadline) {
            return Wait::TooLong(error);
        }
    }
}

/// Tells Python of a phase: its name, and numbers where there are any.
fn call(notify: &Bound<'_, PyAny>, phase: Phase) -> PyResult<()> {
    match phase {
        Phase::Searching => notify.call1(("searching",))?,
        Phase::Training { done, iterations } => notify.call1(("training", done, iterations))?,
        Phase::Iteration(progress) => notify.call1((
            "iteration",
            progress.iteration,
            None::<usize>,
            progress.loss,
            progress.best_log_reward,
            progress.temperature,
        ))?,
        Phase::Sampling => notify.call1(("sampling",))?,
        Phase::Done => notify.call1(("done",))?,
        _ => return Ok(()),
    };
    Ok(())
}

//! Progress on standard error: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use gflowcausal::Phase;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{Common, print_stderr};

/// How often a line is printed where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// How often a bar redraws itself.
const TICK: Duration = Duration::from_millis(200);

/// The display of progress.
pub(crate) enum Progress {
    /// None.
    Silent,
    /// A bar that redraws itself.
    Bar(ProgressBar),
    /// A line now and then.
    Lines { last: Instant, iterations: usize },
}

impl Progress {
    pub(crate) fn new(common: &Common) -> Self {
        if common.quiet || common.no_progress {
            Self::Silent
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::no_length();
            bar.enable_steady_tick(TICK);
            Self::Bar(bar)
        } else {
            Self::Lines { last: Instant::now(), iterations: 0 }
        }
    }

    pub(crate) fn show(&mut self, phase: Phase) {
        match self {
            Self::Silent => {}
            Self::Bar(bar) => show_bar(bar, phase),
            Self::Lines { last, iterations } => show_line(last, iterations, phase),
        }
    }
}

fn show_bar(bar: &ProgressBar, phase: Phase) {
    match phase {
        Phase::Searching => show_step(bar, "searching"),
        Phase::Training { done, iterations } => show_share(bar, "training", done as u64, iterations as u64),
        Phase::Iteration(progress) => {
            bar.set_position(progress.iteration as u64);
            bar.set_message(message(&progress));
        }
        Phase::Chains { done, most } => show_share(bar, "chains", done, most),
        Phase::Sampling => show_step(bar, "sampling"),
        Phase::Done => bar.finish_and_clear(),
        _ => {}
    }
}

/// Shows a step of unknown length: what is done, and for how long.
fn show_step(bar: &ProgressBar, what: &'static str) {
    set_style(bar, "{spinner} {msg}, {elapsed}");
    bar.set_message(what);
}

/// Shows how much of a step is done. A step may end before all of it.
fn show_share(bar: &ProgressBar, what: &'static str, done: u64, most: u64) {
    if bar.length() != Some(most) {
        set_style(bar, "{msg} {wide_bar} {pos} of at most {len}");
        bar.set_length(most);
        bar.set_message(what);
    }
    bar.set_position(done);
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

fn show_line(last: &mut Instant, iterations: &mut usize, phase: Phase) {
    match phase {
        Phase::Searching => print_stderr(format_args!("searching")),
        Phase::Training { done, iterations: all } => {
            *iterations = all;
            print_stderr(format_args!("training: {done} of at most {all} iterations done"));
        }
        Phase::Iteration(progress) if last.elapsed() >= LINE_EVERY => {
            *last = Instant::now();
            print_stderr(format_args!(
                "iteration {}/{iterations}: {}",
                progress.iteration,
                message(&progress)
            ));
        }
        Phase::Sampling => print_stderr(format_args!("sampling")),
        _ => {}
    }
}

fn message(progress: &gflowcausal::flow::Progress) -> String {
    format!(
        "best {:.1}, mean {:.1}, T {:.3}, loss {:.3}",
        progress.best_log_reward, progress.mean_log_reward, progress.temperature, progress.loss
    )
}

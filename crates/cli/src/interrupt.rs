//! Ctrl-C: the first stops a run with the best result so far, the second ends the program; and the end of the calling process.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Once};

use gflowcausal::StopFlag;
use gflowcausal_bench::ENDS_WITH_INPUT;

use crate::output::print_stderr;

/// Whether a run is to end.
static STOP: LazyLock<StopFlag> = LazyLock::new(StopFlag::new);

/// Whether the user asked for it.
static REQUESTED: AtomicBool = AtomicBool::new(false);

static LISTENING: Once = Once::new();

/// The exit code of an interrupted program.
pub(crate) const EXIT_CODE: u8 = 130;

/// Begins to listen for Ctrl-C (and for the request to terminate); the flag becomes true with the first.
pub(crate) fn listen() -> &'static StopFlag {
    LISTENING.call_once(|| {
        let heard = || {
            if REQUESTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(EXIT_CODE));
            }
            STOP.set();
            print_stderr(format_args!("interrupted: finishing with what was found (again to quit at once)"));
        };
        if let Err(error) = ctrlc::set_handler(heard) {
            tracing::warn!("cannot listen for Ctrl-C: {error}");
        }
    });
    &STOP
}

/// Lets a write beyond the limit on the size of files fail like any other, instead of ending the program in the midst of it.
pub(crate) fn survive_file_limits() {
    #[cfg(unix)]
    if let Err(error) =
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
    {
        tracing::warn!("cannot listen for SIGXFSZ: {error}");
    }
}

/// Ends the program with its standard input, if the caller asks for that: a caller that is killed leaves nothing running.
pub(crate) fn end_with_caller() {
    if std::env::var_os(ENDS_WITH_INPUT).is_some() {
        std::thread::spawn(|| {
            // Whatever comes, and however it ends: the caller is gone.
            drop(std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
            std::process::exit(i32::from(EXIT_CODE));
        });
    }
}

/// Whether the user interrupted.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

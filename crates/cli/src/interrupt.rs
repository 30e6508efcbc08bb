//! Ctrl-C: the first asks a run to end with what it has, the second ends the program. And: an end together with the caller.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_bench::ENDS_WITH_INPUT;

/// Whether a run is to end.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether the user asked for it.
static REQUESTED: AtomicBool = AtomicBool::new(false);

static LISTENING: Once = Once::new();

/// The exit code of an interrupted program.
pub(crate) const EXIT_CODE: u8 = 130;

/// Begins to listen for Ctrl-C (and for the request to terminate); the flag becomes true with the first.
pub(crate) fn listen() -> &'static AtomicBool {
    LISTENING.call_once(|| {
        let heard = || {
            if REQUESTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(EXIT_CODE));
            }
            STOP.store(true, Ordering::Relaxed);
            anstream::eprintln!("interrupted: finishing with what was found (again to quit at once)");
        };
        if let Err(error) = ctrlc::set_handler(heard) {
            tracing::warn!("cannot listen for Ctrl-C: {error}");
        }
    });
    &STOP
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

//! The checkpoint of a run: any bytes, with the checksum that goes with them, are a run that goes on or are refused.

#![no_main]

mod run;

use std::path::PathBuf;
use std::sync::LazyLock;

use gflowcausal_flow::{Event, Problem, Trainer};
use libfuzzer_sys::fuzz_target;

/// In memory, where there is such a place.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let home = if memory.is_dir() { memory } else { std::env::temp_dir() };
    home.join(format!("gflowcausal-fuzz-{}", std::process::id()))
});

fuzz_target!(|bytes: &[u8]| {
    let constraints = run::constraints();
    let problem = Problem { constraints: &constraints, reward: &run::Flat, local_search: None };
    std::fs::write(&*FILE, run::sealed(bytes)).expect("memory can be written to");
    if let Ok((mut trainer, _)) = Trainer::resume(&FILE, run::settings(), problem, "data") {
        _ = trainer.step(&mut |_: &Event<'_>| {});
    }
});

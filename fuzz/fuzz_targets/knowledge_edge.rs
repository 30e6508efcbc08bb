//! An edge as the user types it, against names that may hold arrows, quotes and blanks themselves.

#![no_main]

use gflowcausal_graph::Knowledge;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (&str, Vec<&str>)| {
    let (edge, names) = data;
    let mut knowledge = Knowledge::default();
    if let Ok(constraints) = knowledge.require(edge).compile(&names) {
        assert_eq!(constraints.required_edges().count(), 1);
    }
});

//! Tetrad's graph text.

#![no_main]

mod graph;

use gflowcausal_graph::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| graph::check(Format::Tetrad, data));

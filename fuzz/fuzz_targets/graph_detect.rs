//! The format of a file by its content, and reading it so.

#![no_main]

use gflowcausal_graph_io::{Format, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some(format) = Format::detect(data) {
        _ = format.read(data, &ReadOptions::default());
    }
});

//! GML files.

#![no_main]

mod graph;

use gflowcausal_graph_io::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| graph::check(Format::Gml, data));

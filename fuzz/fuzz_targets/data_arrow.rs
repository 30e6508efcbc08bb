//! Arrow files and streams.

#![no_main]

mod data;

use gflowcausal_data::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: data::use_this_thread(), |bytes: &[u8]| {
    _ = data::check(Format::Arrow, bytes);
});

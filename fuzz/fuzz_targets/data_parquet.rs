//! Parquet files. The parquet crate panics on some damaged ones; the reader turns that into an error.

#![no_main]

mod data;

use gflowcausal_data::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: prepare(), |bytes: &[u8]| {
    _ = data::check(Format::Parquet, bytes);
});

/// The fuzzer's own hook would end the process before the reader catches the panic. One that is not caught still ends it.
fn prepare() {
    std::panic::set_hook(Box::new(|_| {}));
    data::use_this_thread();
}

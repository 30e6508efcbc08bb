//! Configuration files: what is read is written, and read the same again.

#![no_main]

use gflowcausal::RunFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(file) = RunFile::parse(text) else { return };
    let again = RunFile::parse(&file.to_toml()).expect("what was written can be read");
    assert_eq!(again.to_toml(), file.to_toml());
});

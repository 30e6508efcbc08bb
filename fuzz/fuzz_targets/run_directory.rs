//! The files of a finished run: whatever is read of a result, its draws and its log can be shown again.

#![no_main]

use gflowcausal::RunResult;
use libfuzzer_sys::fuzz_target;

/// What parts the files in an input.
const CUT: &[u8] = b"\n====\n";

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    let mut part = || {
        let end = rest.windows(CUT.len()).position(|window| window == CUT);
        let (part, after) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + CUT.len()..]));
        rest = after;
        part.to_vec()
    };
    let (result, samples, log) = (part(), part(), part());
    if let Ok(result) = RunResult::parse(&result, &samples, || Ok(log), None) {
        let written = serde_json::to_vec(&result).expect("a result has a JSON form");
        _ = RunResult::parse(&written, &samples, || Ok(Vec::new()), None);
    }
});

//! The policy of a run: any bytes, with the checksum that goes with them, are a policy or are refused.

#![no_main]

mod run;

use gflowcausal_flow::Policy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for bytes in [bytes.to_vec(), run::sealed(bytes)] {
        if let Ok(policy) = Policy::parse(bytes, &run::constraints()) {
            _ = policy.sampler(None).map(|sampler| sampler.sample(1, 0));
        }
    }
});

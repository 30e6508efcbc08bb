//! What the targets about files of a run share: a file that was changed gets the checksum of its new bytes, so that readers
//! come to see what was changed.

#![allow(dead_code, reason = "each target uses some of it")]

use gflowcausal_flow::{LocalLogReward, LogReward, ObjectiveName, Terminal, TrainConfig, ValidTrainConfig, Walk};
use gflowcausal_graph::{Constraints, NodeSet};
use sha2::{Digest, Sha256};

/// How many variables the runs are about.
pub const NODES: usize = 3;

/// What stands before the checksum of a checkpoint.
const MARK: &[u8] = br#"\"sha256\":\""#;

/// `bytes` with the checksum that goes with them, where there is a place for it.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(at) = bytes.windows(MARK.len()).position(|window| window == MARK) {
        let place = at + MARK.len()..at + MARK.len() + 64;
        if place.end <= bytes.len() {
            bytes[place.clone()].fill(b'0');
            let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            bytes[place].copy_from_slice(sum.as_bytes());
        }
    }
    bytes
}

/// A reward that is the same for all orders.
pub struct Flat;

impl LogReward for Flat {
    fn log_reward(&self, _: &Terminal) -> f64 {
        0.0
    }

    fn local(&self) -> Option<&dyn LocalLogReward> {
        Some(self)
    }
}

impl LocalLogReward for Flat {
    fn log_local(&self, _: usize, _: &NodeSet) -> f64 {
        0.0
    }
}

/// The settings of the run that the seeds are of.
pub fn settings() -> ValidTrainConfig {
    let mut config = TrainConfig { walk: Walk::Order, objective: ObjectiveName::Tb, ..TrainConfig::default() };
    config.network.width = 4;
    config.network.layers = 1;
    config.batch_size = 2;
    config.iterations = 4;
    config.replay.capacity = 2;
    config.validate().expect("valid settings")
}

pub fn constraints() -> Constraints {
    Constraints::none(NODES)
}


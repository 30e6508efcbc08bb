//! The file behind a checkpoint: a versioned header, named tensors, and a checksum of everything.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::replay::Remembered;
use crate::{Environment, Network, TrainConfig};

/// The metadata entry that holds the header.
const KEY: &str = "gflowcausal";

/// The version of the layout. Counted up with every change that an older program could not read.
const VERSION: u32 = 6;

/// The program that writes: another one may draw other random numbers from the same seed.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// What stands before the checksum in the file: a string in JSON that is itself a string in JSON.
const BEFORE_CHECKSUM: &[u8] = br#"\"sha256\":\""#;

/// Where the checksum itself stands while it is computed.
const NO_CHECKSUM: [u8; 64] = [b'0'; 64];

/// Why a checkpoint cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum CheckpointError {
    /// The system refused.
    #[error("cannot {action} '{}': {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    /// Fewer bytes than the header announces.
    #[error("'{}' is truncated: it ends before its header says", path.display())]
    Truncated { path: PathBuf },
    /// Some other file.
    #[error("'{}' is not a checkpoint of this program", path.display())]
    Foreign { path: PathBuf },
    /// Written by a newer or an older program.
    #[error("'{}' has layout version {found}, but this program reads version {VERSION}", path.display())]
    Version { path: PathBuf, found: u64 },
    /// Written by another version of the program.
    #[error("'{}' was written by version {found} of the program, and this is {PROGRAM}", path.display())]
    Program { path: PathBuf, found: String },
    /// Bytes that are not those that were written.
    #[error("'{}' is damaged: its checksum does not fit its bytes", path.display())]
    Checksum { path: PathBuf },
    /// Something in it cannot be.
    #[error("'{}' is damaged: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    /// A run with other settings.
    #[error("'{}' was written with other settings: {} differ", path.display(), settings.join(", "))]
    OtherSettings { path: PathBuf, settings: Vec<String> },
    /// A run on other data, with another score or other knowledge.
    #[error("'{}' belongs to other data or options: its fingerprint is {found}, not {expected}", path.display())]
    OtherProblem { path: PathBuf, found: String, expected: String },
    /// A run over another number of variables.
    #[error("'{}' is about {found} variables, not {expected}", path.display())]
    OtherNodes { path: PathBuf, found: usize, expected: usize },
}

/// What a checkpoint is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    version: u32,
    program: String,
    /// Of the whole file, with zeros in this place.
    sha256: String,
    pub(super) nodes: usize,
    pub(super) fingerprint: String,
    /// The caller's checksum of the log of training.
    pub(super) log_sha256: String,
    pub(super) config: TrainConfig,
}

impl Header {
    pub(super) fn new(config: &TrainConfig, nodes: usize, fingerprint: &str) -> Self {
        Self {
            version: VERSION,
            program: PROGRAM.to_owned(),
            sha256: String::from_utf8_lossy(&NO_CHECKSUM).into_owned(),
            nodes,
            fingerprint: fingerprint.to_owned(),
            log_sha256: String::new(),
            config: config.clone(),
        }
    }
}

/// One tensor to be written.
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Gathers tensors and writes them.
pub(super) struct Writer {
    header: Header,
    tensors: Vec<Tensor>,
}

impl Writer {
    pub(super) fn new(header: Header) -> Self {
        Self { header, tensors: Vec::new() }
    }

    /// Numbers in the layout of a network's parameters, one tensor for each part.
    pub(super) fn network(&mut self, prefix: &str, network: &dyn Network, mut numbers: &[f32]) {
        for part in network.tensors() {
            let (now, later) = numbers.split_at(part.shape.iter().product());
            numbers = later;
            let bytes = now.iter().flat_map(|number| number.to_le_bytes()).collect();
            self.push(format!("{prefix}.{}", part.name), Dtype::F32, part.shape, bytes);
        }
    }

    pub(super) fn numbers(&mut self, name: &str, numbers: &[f64]) {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.push(name.to_owned(), Dtype::F64, vec![numbers.len()], bytes);
    }

    pub(super) fn terminals<'t>(&mut self, name: &str, kept: impl Iterator<Item = &'t Remembered> + Clone) {
        let words: Vec<Vec<u32>> = kept.clone().map(|kept| kept.terminal.encode()).collect();
        let shape = vec![words.len(), words.first().map_or(0, Vec::len)];
        let bytes = words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        self.push(format!("{name}.states"), Dtype::U32, shape, bytes);
        let log_rewards: Vec<f64> = kept.map(|kept| kept.log_reward).collect();
        self.numbers(&format!("{name}.log_rewards"), &log_rewards);
    }

    fn push(&mut self, name: String, dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) {
        self.tensors.push(Tensor { name, dtype, shape, bytes });
    }

    /// The file's bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let header = serde_json::to_string(&self.header).map_err(SafeTensorError::JsonError)?;
        let views = self.tensors.iter().map(|tensor| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes)?;
            Ok((&tensor.name, view))
        });
        let views: Vec<_> = views.collect::<Result<_, SafeTensorError>>()?;
        let mut bytes = serialize(views, Some(HashMap::from([(KEY.to_owned(), header)])))?;
        if let Some(place) = checksum_place(&bytes) {
            let checksum = checksum(&bytes);
            bytes[place].copy_from_slice(checksum.as_bytes());
        }
        Ok(bytes)
    }
}

/// SHA-256 of `bytes`, in hexadecimal.
fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where the checksum stands in a file: in its header, before any tensor.
fn checksum_place(bytes: &[u8]) -> Option<Range<usize>> {
    let length = u64::from_le_bytes(*bytes.first_chunk()?);
    let end = usize::try_from(length).ok()?.checked_add(8)?.min(bytes.len());
    let header = bytes.get(8..end)?;
    let at = header.windows(BEFORE_CHECKSUM.len()).position(|window| window == BEFORE_CHECKSUM)?;
    let start = 8 + at + BEFORE_CHECKSUM.len();
    (start + NO_CHECKSUM.len() <= end).then_some(start..start + NO_CHECKSUM.len())
}

/// Whether a file has the bytes that were written.
fn is_intact(bytes: &[u8]) -> bool {
    let Some(place) = checksum_place(bytes) else { return false };
    let mut blank = bytes.to_vec();
    blank[place.clone()].copy_from_slice(&NO_CHECKSUM);
    checksum(&blank).as_bytes() == &bytes[place]
}

/// A checkpoint that was opened.
pub(super) struct Reader {
    path: PathBuf,
    bytes: Vec<u8>,
    header: Header,
    /// The settings as they were written: numbers that are read and written again may differ in the last digit.
    settings: serde_json::Value,
}

impl Reader {
    /// Reads the file and checks that it is whole, ours and of this version.
    pub(super) fn open(path: &Path) -> Result<Self, CheckpointError> {
        let refused = |source| CheckpointError::File { action: "read", path: path.to_owned(), source };
        Self::parse(path, fs::read(path).map_err(refused)?)
    }

    /// Checks that `bytes`, called `path` in messages, are whole, ours and of this version.
    pub(super) fn parse(path: &Path, bytes: Vec<u8>) -> Result<Self, CheckpointError> {
        let value = header_value(path, &bytes)?;
        let settings = value["config"].clone();
        let header = serde_json::from_value(value).map_err(|error| CheckpointError::Damaged {
            path: path.to_owned(),
            what: format!("header: {error}"),
        })?;
        Ok(Self { path: path.to_owned(), bytes, header, settings })
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// Refuses a file of another run than the one that `expected` describes.
    pub(super) fn expect(&self, expected: &Header) -> Result<(), CheckpointError> {
        let path = self.path.clone();
        self.expect_nodes(expected.nodes)?;
        if self.header.fingerprint != expected.fingerprint {
            let (found, expected) = (self.header.fingerprint.clone(), expected.fingerprint.clone());
            return Err(CheckpointError::OtherProblem { path, found, expected });
        }
        let settings = differences(&self.settings, &expected.config);
        if settings.is_empty() { Ok(()) } else { Err(CheckpointError::OtherSettings { path, settings }) }
    }

    pub(super) fn expect_nodes(&self, expected: usize) -> Result<(), CheckpointError> {
        let found = self.header.nodes;
        if found == expected {
            return Ok(());
        }
        Err(CheckpointError::OtherNodes { path: self.path.clone(), found, expected })
    }

    pub(super) fn damaged(&self, what: &str) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone(), what: what.to_owned() }
    }

    /// Numbers in the layout of `network`'s parameters.
    pub(super) fn network(&self, prefix: &str, network: &dyn Network) -> Result<Vec<f32>, CheckpointError> {
        let mut numbers = Vec::with_capacity(network.parameters().len());
        for part in network.tensors() {
            let name = format!("{prefix}.{}", part.name);
            let (shape, bytes) = self.tensor(&name, Dtype::F32)?;
            if shape != part.shape {
                return Err(self.damaged(&format!("{name} has shape {shape:?}, not {:?}", part.shape)));
            }
            numbers.extend(words(bytes).map(f32::from_le_bytes));
            if numbers.iter().any(|number| !number.is_finite()) {
                return Err(self.damaged(&format!("{name} holds a number that is not finite")));
            }
        }
        Ok(numbers)
    }

    /// Whether there are tensors of a network under `prefix`.
    pub(super) fn has_network(&self, prefix: &str) -> bool {
        let file = SafeTensors::deserialize(&self.bytes);
        file.is_ok_and(|file| file.names().iter().any(|name| name.starts_with(&format!("{prefix}."))))
    }

    /// How many numbers the tensors of the network hold: known before any memory is taken for them.
    pub(super) fn network_size(&self) -> usize {
        let file = SafeTensors::deserialize(&self.bytes);
        let tensors = file.as_ref().map(SafeTensors::tensors).unwrap_or_default();
        let of_network = tensors.iter().filter(|(name, _)| name.starts_with("network."));
        of_network.map(|(_, view)| view.data().len() / size_of::<f32>()).sum()
    }

    pub(super) fn numbers(&self, name: &str, count: usize) -> Result<Vec<f64>, CheckpointError> {
        let (shape, bytes) = self.tensor(name, Dtype::F64)?;
        if shape != [count] {
            return Err(self.damaged(&format!("{name} has shape {shape:?}, not [{count}]")));
        }
        Ok(words(bytes).map(f64::from_le_bytes).collect())
    }

    pub(super) fn terminals(
        &self,
        name: &str,
        environment: &dyn Environment,
    ) -> Result<Vec<Remembered>, CheckpointError> {
        let states = format!("{name}.states");
        let (shape, bytes) = self.tensor(&states, Dtype::U32)?;
        let words: Vec<u32> = words(bytes).map(u32::from_le_bytes).collect();
        let log_rewards =
            self.numbers(&format!("{name}.log_rewards"), shape.first().copied().unwrap_or(0))?;
        let width = words.len().checked_div(log_rewards.len()).unwrap_or(0).max(1);
        let kind = environment.walk().terminal_kind();
        let decoded = words.chunks(width).zip(log_rewards).map(|(words, log_reward)| {
            let terminal = kind.decode(environment.nodes(), words)?;
            environment.leads_to(&terminal).then_some(Remembered { terminal, log_reward })
        });
        decoded
            .collect::<Option<_>>()
            .ok_or_else(|| self.damaged(&format!("{states} holds no state of this walk")))
    }

    fn tensor(&self, name: &str, dtype: Dtype) -> Result<(Vec<usize>, &[u8]), CheckpointError> {
        let missing = |_| self.damaged(&format!("{name} is missing"));
        let view =
            SafeTensors::deserialize(&self.bytes).and_then(|file| file.tensor(name)).map_err(missing)?;
        if view.dtype() != dtype {
            return Err(self.damaged(&format!("{name} holds {:?}, not {dtype:?}", view.dtype())));
        }
        Ok((view.shape().to_vec(), view.data()))
    }
}

/// The header of a file that is whole and ours.
fn header_value(path: &Path, bytes: &[u8]) -> Result<serde_json::Value, CheckpointError> {
    let foreign = || CheckpointError::Foreign { path: path.to_owned() };
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| match error {
        SafeTensorError::HeaderTooSmall
        | SafeTensorError::InvalidHeaderLength
        | SafeTensorError::MetadataIncompleteBuffer => CheckpointError::Truncated { path: path.to_owned() },
        _ => foreign(),
    })?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(KEY)).ok_or_else(foreign)?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|_| foreign())?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(found) => return Err(CheckpointError::Version { path: path.to_owned(), found }),
        None => return Err(foreign()),
    }
    if !is_intact(bytes) {
        return Err(CheckpointError::Checksum { path: path.to_owned() });
    }
    match value.get("program").and_then(serde_json::Value::as_str) {
        Some(PROGRAM) => Ok(value),
        found => {
            let found = found.unwrap_or("unknown").to_owned();
            Err(CheckpointError::Program { path: path.to_owned(), found })
        }
    }
}

/// The names of the settings in which two runs differ.
fn differences(found: &serde_json::Value, expected: &TrainConfig) -> Vec<String> {
    let written = serde_json::to_string(expected).ok().and_then(|text| serde_json::from_str(&text).ok());
    let expected: serde_json::Map<String, serde_json::Value> = written.unwrap_or_default();
    expected
        .iter()
        .filter(|(key, value)| found.get(*key) != Some(value))
        .map(|(key, _)| key.clone())
        .collect()
}

/// The numbers in `bytes`, as bytes.
fn words<const SIZE: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; SIZE]> + '_ {
    bytes.as_chunks().0.iter().copied()
}

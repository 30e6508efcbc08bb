//! The file behind a checkpoint: a versioned header, named tensors, written whole or not at all.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};

use crate::replay::Remembered;
use crate::{Environment, Network, TrainConfig};

/// The metadata entry that holds the header.
const KEY: &str = "gflowcausal";

/// The version of the layout. Counted up with every change that an older program could not read.
const VERSION: u32 = 2;

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
    pub(super) nodes: usize,
    pub(super) fingerprint: String,
    pub(super) config: TrainConfig,
}

impl Header {
    pub(super) fn new(config: &TrainConfig, nodes: usize, fingerprint: &str) -> Self {
        Self { version: VERSION, nodes, fingerprint: fingerprint.to_owned(), config: config.clone() }
    }
}

/// One tensor on its way to the file.
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

    /// Writes everything beside `path`, makes sure it is on the disk, and renames it to `path`.
    pub(super) fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let refused = |source| CheckpointError::File { action: "write", path: path.to_owned(), source };
        let bytes = self.bytes().map_err(|error| refused(io::Error::other(error.to_string())))?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let written = File::create(&part)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&part, path));
        written.map_err(|source| {
            // What is left of the part is of no use; that it cannot be removed either changes nothing.
            let _ = fs::remove_file(&part);
            refused(source)
        })
    }

    /// The file's bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, SafeTensorError> {
        let header = serde_json::to_string(&self.header).map_err(SafeTensorError::JsonError)?;
        let views = self.tensors.iter().map(|tensor| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes)?;
            Ok((&tensor.name, view))
        });
        let views: Vec<_> = views.collect::<Result<_, SafeTensorError>>()?;
        serialize(views, Some(HashMap::from([(KEY.to_owned(), header)])))
    }
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
        }
        Ok(numbers)
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
        Some(version) if version == u64::from(VERSION) => Ok(value),
        Some(found) => Err(CheckpointError::Version { path: path.to_owned(), found }),
        None => Err(foreign()),
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

//! The directory of a run: which files it holds, and how they are read and removed.

mod atomic_write;
mod checksums;
mod file_error;
mod lock;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::effects::{EFFECTS, MOMENTS};

use self::checksums::CHECKSUMS;
pub use self::file_error::FileError;
pub(crate) use self::file_error::{file_code, file_fix};
pub use self::lock::DirectoryMode;
pub(crate) use self::lock::LockedDir;

/// A directory that a run writes its files to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

/// Every file that a run writes, the configuration first.
pub(crate) const RUN_FILES: [&str; 18] = [
    CONFIG,
    CHECKSUMS,
    "result.json",
    "report.html",
    "checkpoint",
    "chains.json",
    "model.safetensors",
    "training.csv",
    "graph.json",
    "graph.dot",
    "graph.graphml",
    "adjacency.csv",
    "edges.csv",
    "edge_probabilities.csv",
    "samples.jsonl",
    MOMENTS,
    EFFECTS,
    "preview.json",
];

/// The configuration of a run.
pub(crate) const CONFIG: &str = "config.toml";

impl RunDir {
    /// Makes the directory, and those above it, where they are missing.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(Self { path }),
            Err(source) => Err(FileError { action: "create", path, source }),
        }
    }

    /// An existing directory.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        match fs::read_dir(&path) {
            Ok(_) => Ok(Self { path }),
            Err(source) => Err(FileError { action: "open", path, source }),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file `name` is, or would be.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The bytes of the file `name`.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FileError> {
        let path = self.file(name);
        fs::read(&path).map_err(|source| FileError { action: "read", path, source })
    }

    /// Takes the file `name` away if it is there.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn remove(&self, name: &str) -> Result<(), FileError> {
        let path = self.file(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FileError { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_a_file_is_refused_by_name() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("taken");
        fs::write(&path, "").unwrap();
        let error = RunDir::create(&path).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot create '{}': ", path.display())), "{error}");
    }
}

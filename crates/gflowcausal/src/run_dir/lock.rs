//! A directory readied for one run, and locked against every other.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::{CONFIG, RUN_FILES, RunDir};
use crate::{Error, RunFile, stored_run};

/// What a directory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryMode {
    /// A new run; a directory that holds another is refused.
    New,
    /// A new run in the place of the one that is there.
    Overwrite,
    /// The run that is there goes on.
    Resume,
}

/// A directory that nobody else writes a run to while this lives.
#[derive(Debug)]
pub(crate) struct LockedDir {
    pub(crate) dir: RunDir,
    _lock: Option<File>,
}

impl LockedDir {
    /// Readies `path` for a run with the configuration `file`. Only files of an earlier run, as a whole, are ever removed.
    ///
    /// # Errors
    /// A directory that is in use or holds another run, or what the system says.
    pub(crate) fn begin(path: &Path, file: &RunFile, begin: DirectoryMode) -> Result<Self, Error> {
        let dir = if begin == DirectoryMode::Resume { RunDir::open(path)? } else { RunDir::create(path)? };
        let lock = dir.lock()?;
        if begin == DirectoryMode::New
            && let Some(name) = RUN_FILES.iter().find(|name| dir.file(name).exists())
        {
            return Err(Error::HoldsRun { path: dir.path.clone(), file: name });
        }
        if begin == DirectoryMode::Overwrite && stored_run(&dir).is_some() {
            for name in RUN_FILES {
                dir.remove(name)?;
            }
        }
        dir.remove_drafts()?;
        if begin != DirectoryMode::Resume {
            dir.write(CONFIG, |out| out.write_all(file.to_run_toml().as_bytes()))?;
        }
        Ok(Self { dir, _lock: lock })
    }
}

impl RunDir {
    /// Keeps everybody else from writing a run here, until the file is closed; none where the system has no locks.
    ///
    /// # Errors
    /// When somebody else does.
    fn lock(&self) -> Result<Option<File>, Error> {
        // A lock on the directory itself leaves nothing behind.
        let Ok(file) = File::open(&self.path) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Err(Error::InUse { path: self.path.clone() }),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

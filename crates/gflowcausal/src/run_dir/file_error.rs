//! What went wrong with a file or directory, and what helps.

use std::io;
use std::path::PathBuf;

/// What went wrong with a file or directory.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} '{}': {source}", path.display())]
pub struct FileError {
    /// What was tried: "write", "read", "create".
    pub action: &'static str,
    /// On which file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        file_code(&self.source)
    }

    /// A way out, in one sentence, where there is one.
    #[must_use]
    pub fn fix(&self) -> Option<String> {
        file_fix(&self.source)
    }
}

pub(crate) fn file_code(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "not-found",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "no-permission",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "disk-full",
        _ => "file-error",
    }
}

pub(crate) fn file_fix(error: &io::Error) -> Option<String> {
    match error.kind() {
        io::ErrorKind::NotFound => Some("check the path".into()),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some("choose a place where you may read and write".into())
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free some space, or choose another disk".into())
        }
        io::ErrorKind::IsADirectory => Some("it is a directory: name a file".into()),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Some("a file stands in the way: choose another name".into())
        }
        _ => None,
    }
}

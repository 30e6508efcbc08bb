//! A directory of results that is never half written: each file gets a temporary name first.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::RunFile;

/// How many files this process has begun.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

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
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Some("a file stands in the way: choose another name".into())
        }
        _ => None,
    }
}

/// A directory that a run writes its files to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

/// What an earlier run may have left in a directory.
const LEFTOVERS: [&str; 6] =
    ["result.json", "report.html", "checkpoint", "chains.json", "model.safetensors", "training.csv"];

impl RunDir {
    /// A directory for a new run, with its configuration in it and nothing of an earlier one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn begin(path: impl Into<PathBuf>, file: &RunFile) -> Result<Self, FileError> {
        let dir = Self::create(path)?;
        for name in LEFTOVERS {
            dir.remove(name)?;
        }
        dir.remove_drafts()?;
        dir.write("config.toml", |out| out.write_all(file.to_toml().as_bytes()))?;
        Ok(dir)
    }

    /// The directory of a run that goes on.
    ///
    /// # Errors
    /// When there is none, or the system refuses.
    pub fn resume(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let dir = Self::open(path)?;
        dir.remove_drafts()?;
        Ok(dir)
    }

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

    /// Writes the file `name` by way of `content`: the whole of it appears at once, or nothing changes.
    ///
    /// # Errors
    /// What the system or `content` says.
    pub fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let target = self.file(name);
        // Nobody else's: of two that write the same file at a time, each puts a whole one in its place.
        let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let draft = self.file(&format!(".{name}.{}-{turn}.part", std::process::id()));
        let outcome = write_through(&draft, content).and_then(|()| fs::rename(&draft, &target));
        outcome.map_err(|source| {
            // The draft is worthless now; that it cannot be removed either would hide the first error.
            drop(fs::remove_file(&draft));
            FileError { action: "write", path: target, source }
        })
    }

    /// The bytes of the file `name`.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FileError> {
        let path = self.file(name);
        fs::read(&path).map_err(|source| FileError { action: "read", path, source })
    }

    /// Takes away what a run that died was just writing.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove_drafts(&self) -> Result<(), FileError> {
        let refused = |source| FileError { action: "read", path: self.path.clone(), source };
        for entry in fs::read_dir(&self.path).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            if let Some(name) = name.to_str().filter(|name| name.ends_with(".part")) {
                self.remove(name)?;
            }
        }
        Ok(())
    }

    /// Takes the file `name` away if it is there.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, name: &str) -> Result<(), FileError> {
        let path = self.file(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FileError { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }
}

fn write_through(
    path: &Path,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    content(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_draft() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::create(home.path().join("a/b")).unwrap();
        run.write("x.txt", |out| out.write_all(b"first")).unwrap();
        let error = run
            .write("x.txt", |out| {
                out.write_all(b"second")?;
                Err(io::Error::from(io::ErrorKind::StorageFull))
            })
            .unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
        assert_eq!(run.read("x.txt").unwrap(), b"first");
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_many_that_write_one_file_each_leaves_it_whole() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::create(home.path()).unwrap();
        std::thread::scope(|scope| {
            for letter in b'a'..b'i' {
                let run = &run;
                scope.spawn(move || {
                    for _ in 0..10 {
                        run.write("x", |out| out.write_all(&[letter; 9000])).unwrap();
                    }
                });
            }
        });
        let text = run.read("x").unwrap();
        assert_eq!(text, [text[0]; 9000]);
        assert_eq!(fs::read_dir(run.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_that_is_a_file_is_refused_by_name() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("taken");
        fs::write(&path, "").unwrap();
        let error = RunDir::create(&path).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot create '{}': ", path.display())), "{error}");
    }
}

//! A directory of results that is never half written: each file gets a temporary name first.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::effects::{EFFECTS, MOMENTS};
use crate::fingerprint::digest;
use crate::{Error, RunFile, stored_run};

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
        io::ErrorKind::IsADirectory => Some("it is a directory: name a file".into()),
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

/// The checksums of a finished run, in the form that `sha256sum --check` reads.
const CHECKSUMS: &str = "SHA256SUMS";

/// How the names of files begin that are being written: nobody else's do.
const DRAFT: &str = ".gflowcausal-draft-";

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
        let refused = |source| FileError { action: "write", path: target.clone(), source };
        let (file, draft) = self.draft(name).map_err(refused)?;
        let outcome = write_through(file, content).and_then(|()| fs::rename(&draft, &target));
        outcome.map_err(|source| {
            // The draft is worthless now; that it cannot be removed either would hide the first error.
            drop(fs::remove_file(&draft));
            refused(source)
        })
    }

    /// A new file to write `name` to first. Of two that write the same file at a time, each has its own.
    fn draft(&self, name: &str) -> io::Result<(File, PathBuf)> {
        loop {
            let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
            let path = self.file(&format!("{DRAFT}{}-{turn}-{name}", std::process::id()));
            match File::create_new(&path) {
                // Left by a process of the same number that died.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return Ok((file?, path)),
            }
        }
    }

    /// Writes the checksums of every file of a run that is here but for the report, which is never read again.
    pub(crate) fn write_checksums(&self) -> Result<(), FileError> {
        let mut sums = String::new();
        for name in RUN_FILES {
            if name != CHECKSUMS && name != "report.html" && self.file(name).exists() {
                sums.push_str(&format!("{}  {name}\n", digest(&self.read(name)?)));
            }
        }
        self.write(CHECKSUMS, |out| out.write_all(sums.as_bytes()))
    }

    /// The bytes of a file of a finished run, as they were written.
    ///
    /// # Errors
    /// When the run is not finished, or the file is not what was written.
    pub fn read_checked(&self, name: &str) -> Result<Vec<u8>, Error> {
        let damaged = |reason: &str| Error::DamagedRun { path: self.file(name), reason: reason.to_owned() };
        let bytes = self.read(name)?;
        let sums = match self.read(CHECKSUMS) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => {
                return Err(Error::UnfinishedRun { path: self.path.clone() });
            }
            sums => sums?,
        };
        let sums = String::from_utf8_lossy(&sums);
        let expected = sums.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix("  "));
        match expected {
            None => Err(damaged(&format!("{CHECKSUMS} does not list it"))),
            Some(sum) if sum == digest(&bytes) => Ok(bytes),
            Some(_) => Err(damaged(&format!("it is not what {CHECKSUMS} says was written"))),
        }
    }

    /// Takes the checksums away: the files are about to change.
    pub(crate) fn unseal(&self) -> Result<(), FileError> {
        self.remove(CHECKSUMS)
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
    fn remove_drafts(&self) -> Result<(), FileError> {
        let refused = |source| FileError { action: "read", path: self.path.clone(), source };
        for entry in fs::read_dir(&self.path).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            if let Some(name) = name.to_str().filter(|name| name.starts_with(DRAFT)) {
                self.remove(name)?;
            }
        }
        Ok(())
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

fn write_through(
    file: File,
    content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
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

//! Atomic writes: a file gets a temporary name first, so it is never half written.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{FileError, RunDir};

/// How many files this process has begun.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// How the names of files begin that are being written: nobody else's do.
const DRAFT: &str = ".gflowcausal-draft-";

impl RunDir {
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

    /// Takes away what a run that died was just writing.
    pub(super) fn remove_drafts(&self) -> Result<(), FileError> {
        let refused = |source| FileError { action: "read", path: self.path.clone(), source };
        for entry in fs::read_dir(&self.path).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            if let Some(name) = name.to_str().filter(|name| name.starts_with(DRAFT)) {
                self.remove(name)?;
            }
        }
        Ok(())
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
}

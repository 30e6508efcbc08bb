//! `SHA256SUMS`: written last, so that a run which has it is whole, and checked when its files are read.

use std::io;

use super::{FileError, RUN_FILES, RunDir};
use crate::Error;
use crate::fingerprint::digest;

/// The checksums of a finished run, in the form that `sha256sum --check` reads.
pub(super) const CHECKSUMS: &str = "SHA256SUMS";

impl RunDir {
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
}

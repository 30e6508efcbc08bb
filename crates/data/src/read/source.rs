//! Where a table comes from, and what format that is.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use crate::read::error::ReadError;
use crate::read::gzip::Members;

/// What gzip begins with.
const GZIP: &[u8] = b"\x1f\x8b";

/// The extensions that say what is inside.
pub(super) const EXTENSIONS: &str = ".csv, .tsv, .txt (each also with .gz), .parquet, .arrow, .feather, .npy";

/// Where a table comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, whose extension says what is inside.
    Path(PathBuf),
    /// Text on standard input.
    Stdin,
    /// The contents of a file that is already in memory.
    #[expect(missing_docs, reason = "the sentence above says it")]
    Bytes { format: Format, bytes: Vec<u8> },
}

impl Source {
    /// What is inside, by the file's extension.
    ///
    /// # Errors
    /// When the extension is not known.
    pub fn format(&self) -> Result<Format, ReadError> {
        match self {
            Self::Path(path) => Format::of_path(path),
            Self::Stdin => Ok(Format::Csv),
            Self::Bytes { format, .. } => Ok(*format),
        }
    }
}

/// How a table is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Cells separated by a mark, lines by line ends; may be compressed by gzip.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, file or stream; also called Feather.
    Arrow,
    /// One NumPy array.
    Npy,
}

impl Format {
    fn of_path(path: &Path) -> Result<Self, ReadError> {
        let name = path.to_string_lossy().to_lowercase();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let extension = Path::new(plain).extension().and_then(|extension| extension.to_str());
        match extension {
            Some("csv" | "tsv" | "txt") => Ok(Self::Csv),
            _ if plain.len() < name.len() => Err(unknown_extension(path)),
            Some("parquet") => Ok(Self::Parquet),
            Some("arrow" | "feather") => Ok(Self::Arrow),
            Some("npy") => Ok(Self::Npy),
            _ => Err(unknown_extension(path)),
        }
    }
}

/// A name that is no file is a typing error, whatever it ends in.
fn unknown_extension(path: &Path) -> ReadError {
    let name = path.display().to_string();
    if path.exists() { ReadError::UnknownExtension(name) } else { ReadError::NotFound(name) }
}

/// What a file turns out to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, or Feather version 2.
    Arrow,
    /// Feather version 1.
    OldFeather,
    /// One NumPy array.
    Npy,
    /// A zip archive, which spreadsheets are too.
    Zip,
    /// Text in another encoding.
    Utf16,
    /// Bytes that are in no text.
    Binary,
    /// None of these.
    Other,
}

impl Content {
    /// What the first bytes of a file say it is, if it is none of the text formats.
    ///
    /// Each signature holds a byte that no text begins with: a column may well be called PAR1.
    fn of(start: &[u8]) -> Option<Self> {
        const SIGNATURES: [(&[u8], Content); 7] = [
            (b"PAR1\x15", Content::Parquet),
            (b"ARROW1\0", Content::Arrow),
            (b"FEA1\0", Content::OldFeather),
            (b"\x93NUMPY", Content::Npy),
            (b"PK\x03\x04", Content::Zip),
            (b"\xff\xfe", Content::Utf16),
            (b"\xfe\xff", Content::Utf16),
        ];
        let known = SIGNATURES.iter().find(|(signature, _)| start.starts_with(signature));
        let is_packed = start.starts_with(GZIP);
        known.map(|&(_, content)| content).or((!is_packed && start.contains(&0)).then_some(Self::Binary))
    }

    pub(super) fn fix(self) -> String {
        match self {
            Self::Utf16 => "save the file as UTF-8".into(),
            Self::Zip => "unpack it, or save the sheet as CSV".into(),
            Self::OldFeather => "write it again as Feather version 2, Parquet or CSV".into(),
            Self::Binary => {
                "save the table as UTF-8 text; if it is none, end the file's name in what it holds".into()
            }
            Self::Parquet | Self::Arrow | Self::Npy | Self::Other => {
                format!("rename the file so that it ends in what it holds: {EXTENSIONS}")
            }
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::OldFeather => "Feather version 1",
            Self::Npy => "a NumPy array",
            Self::Zip => "a zip archive or spreadsheet",
            Self::Utf16 => "UTF-16 text",
            Self::Binary => "binary data",
            Self::Other => "something else",
        })
    }
}

/// Opens a file, with the system's usual refusals distinguished.
pub(super) fn open(path: &Path) -> Result<File, ReadError> {
    let file = File::open(path).map_err(|error| open_error(path, error))?;
    // Some systems open a directory like a file and fail only when it is read.
    let is_directory = file.metadata().map_err(ReadError::Io)?.is_dir();
    if is_directory { Err(ReadError::Directory(path.display().to_string())) } else { Ok(file) }
}

fn open_error(path: &Path, error: io::Error) -> ReadError {
    let name = path.display().to_string();
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound(name),
        io::ErrorKind::PermissionDenied => ReadError::NoPermission(name),
        io::ErrorKind::IsADirectory => ReadError::Directory(name),
        _ => ReadError::Io(error),
    }
}

/// A stream of bytes, whatever it comes from.
pub(super) type Bytes<'a> = Box<dyn Read + Send + 'a>;

/// Opens `source` as it is.
pub(super) fn open_bytes(source: &Source) -> Result<Bytes<'_>, ReadError> {
    Ok(match source {
        Source::Path(path) => Box::new(open(path)?),
        Source::Stdin => Box::new(io::stdin()),
        Source::Bytes { bytes, .. } => Box::new(bytes.as_slice()),
    })
}

/// Contents that can be read from any place on.
pub(super) trait Contents: Read + Seek + Send {}

impl<S: Read + Seek + Send> Contents for S {}

/// Opens a `source` that is no stream.
pub(super) fn open_file(source: &Source) -> Result<Box<dyn Contents + '_>, ReadError> {
    Ok(match source {
        Source::Path(path) => Box::new(open(path)?),
        Source::Bytes { bytes, .. } => Box::new(io::Cursor::new(bytes.as_slice())),
        Source::Stdin => unreachable!("standard input is text"),
    })
}

/// Opens `source` as text; unpacks gzip, known by its first bytes.
pub(super) fn open_text(source: &Source) -> Result<Bytes<'_>, ReadError> {
    unpack(open_bytes(source)?)
}

/// Unpacks gzip, and refuses what is plainly no text.
pub(super) fn unpack<'a>(mut stream: impl Read + Send + 'a) -> Result<Bytes<'a>, ReadError> {
    let mut start = Vec::new();
    stream.by_ref().take(8).read_to_end(&mut start).map_err(ReadError::Io)?;
    if let Some(found) = Content::of(&start) {
        return Err(ReadError::WrongContent { expected: "UTF-8 text", found });
    }
    let packed = start.starts_with(GZIP);
    let whole = io::Cursor::new(start).chain(stream);
    Ok(if packed { Box::new(Members::new(BufReader::new(whole))) } else { Box::new(whole) })
}

/// How many bytes of text there are, where that is known beforehand.
pub(super) fn plain_length(source: &Source) -> Option<u64> {
    match source {
        Source::Path(path) if path.extension().is_some_and(|extension| extension != "gz") => {
            path.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
        }
        _ => None,
    }
}

/// Tells a torn gzip stream from a failing disk.
pub(super) fn text_error(error: io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ReadError::Truncated("gzip"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            ReadError::Damaged { format: "gzip", reason: error.to_string() }
        }
        _ => ReadError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The superuser may read everything, so this cannot be had from the system in every test run.
    #[test]
    fn a_file_without_permission() {
        let error = open_error(Path::new("secret.csv"), io::ErrorKind::PermissionDenied.into());
        assert_eq!(error.to_string(), "no permission to read 'secret.csv'");
        assert_eq!(
            (error.code(), error.advice()),
            ("no-permission", "make the file readable for you, or copy it".into())
        );
    }

    #[test]
    fn a_disk_that_fails() {
        let error = open_error(Path::new("x.csv"), io::Error::other("device not ready"));
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("read-failed", "reading failed: device not ready")
        );
    }
}

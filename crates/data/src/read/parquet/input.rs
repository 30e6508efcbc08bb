//! A Parquet file as the parquet crate reads it: random access from several threads.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use crate::read::source::Contents;

/// Contents of known length. The crate's own reader of files shares one position between threads; this one does not.
#[derive(Clone)]
pub(super) struct Input {
    stream: Arc<Mutex<Box<dyn Contents>>>,
    length: u64,
}

impl Input {
    pub(super) fn new(mut stream: Box<dyn Contents>) -> io::Result<Self> {
        let length = stream.seek(SeekFrom::End(0))?;
        Ok(Self { stream: Arc::new(Mutex::new(stream)), length })
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.seek(SeekFrom::Start(at))?;
        stream.read(buffer)
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Input {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(From { input: self.clone(), at: start }))
    }

    /// Checks the length first: it may be a number from a damaged file.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.length);
        end.ok_or_else(|| ParquetError::EOF(format!("{length} bytes wanted at {start}")))?;
        let mut bytes = vec![0; length];
        From { input: self.clone(), at: start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// Reads on from a place.
pub(super) struct From {
    input: Input,
    at: u64,
}

impl Read for From {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read_at(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

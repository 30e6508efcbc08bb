//! The messages of an Arrow file, found by its footer, or of a stream, one after the other.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use crate::read::arrow::flat::Table;
use crate::read::arrow::{FORMAT, damaged, unsupported};
use crate::read::error::ReadError;
use crate::read::source::Content;

/// What a file begins and ends with; a stream does not.
const MAGIC: &[u8] = b"ARROW1";

/// What each message begins with.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// One message: its header, and the buffers that it refers to.
pub(super) struct Message {
    metadata: Vec<u8>,
    pub(super) body: Vec<u8>,
}

/// What a message says.
pub(super) enum Header<'a> {
    Schema(Table<'a>),
    Dictionary(Table<'a>),
    Batch(Table<'a>),
}

impl Message {
    pub(super) fn header(&self) -> Result<Header<'_>, ReadError> {
        let message = Table::root(&self.metadata)?;
        let header = message.table(2)?.ok_or_else(|| damaged("a message without contents"))?;
        match message.u8(1)? {
            1 => Ok(Header::Schema(header)),
            2 => Ok(Header::Dictionary(header)),
            3 => Ok(Header::Batch(header)),
            _ => Err(unsupported("a tensor")),
        }
    }
}

/// A file or a stream, known by its first bytes.
pub(super) enum Container<S> {
    File(File<S>),
    Stream(Stream<S>),
}

impl<S: Read + Seek> Container<S> {
    pub(super) fn open(stream: S) -> Result<Self, ReadError> {
        let mut stream = BufReader::new(stream);
        if stream.fill_buf().map_err(ReadError::Io)?.is_empty() {
            return Err(ReadError::Empty);
        }
        let start: [u8; 4] = bytes(&mut stream, 4)?.try_into().map_err(|_| ReadError::Truncated(FORMAT))?;
        stream.rewind().map_err(ReadError::Io)?;
        match &start {
            b"ARRO" => File::open(stream).map(Self::File),
            b"FEA1" => Err(unsupported("version 1 of Feather")),
            &CONTINUATION => Ok(Self::Stream(Stream { stream })),
            _ => Err(ReadError::WrongContent { expected: FORMAT, found: Content::Other }),
        }
    }
}

/// A file: its footer lists where everything is.
pub(super) struct File<S> {
    stream: BufReader<S>,
    length: u64,
    footer: Vec<u8>,
}

impl<S: Read + Seek> File<S> {
    fn open(mut stream: BufReader<S>) -> Result<Self, ReadError> {
        let length = stream.seek(SeekFrom::End(0)).map_err(ReadError::Io)?;
        let end = MAGIC.len() as u64 + 4;
        let mut file = Self { stream, length, footer: Vec::new() };
        let tail = file.read_at(length.checked_sub(end).ok_or(ReadError::Truncated(FORMAT))?, end)?;
        let size = tail.strip_suffix(MAGIC).and_then(|size| size.try_into().ok()).map(u32::from_le_bytes);
        let size = u64::from(size.ok_or(ReadError::Truncated(FORMAT))?);
        let start = (length - end).checked_sub(size).ok_or_else(|| damaged("a footer that is too long"))?;
        file.footer = file.read_at(start, size)?;
        Ok(file)
    }

    pub(super) fn schema(&self) -> Result<Table<'_>, ReadError> {
        Table::root(&self.footer)?.table(1)?.ok_or_else(|| damaged("no schema"))
    }

    /// Where the dictionaries lie, then the batches.
    pub(super) fn blocks(&self) -> Result<Vec<Block>, ReadError> {
        let footer = Table::root(&self.footer)?;
        let (dictionaries, batches) = (footer.vector(2, 24)?, footer.vector(3, 24)?);
        Ok(dictionaries.triples().chain(batches.triples()).map(Block::from).collect())
    }

    pub(super) fn message(&mut self, block: Block) -> Result<Message, ReadError> {
        let metadata = self.read_at(block.offset, block.metadata)?;
        let body = self.read_at(block.offset.saturating_add(block.metadata), block.body)?;
        let skipped = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
        let metadata = metadata.get(skipped..).ok_or_else(|| damaged("a message without contents"))?.to_vec();
        Ok(Message { metadata, body })
    }

    /// Checks the length first: it may be a number from a damaged file.
    fn read_at(&mut self, start: u64, length: u64) -> Result<Vec<u8>, ReadError> {
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(damaged("a block that lies behind the end"));
        }
        self.stream.seek(SeekFrom::Start(start)).map_err(ReadError::Io)?;
        bytes(&mut self.stream, length)
    }
}

/// Where a message lies in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    offset: u64,
    metadata: u64,
    body: u64,
}

impl From<[i64; 3]> for Block {
    fn from([offset, metadata, body]: [i64; 3]) -> Self {
        // Only the lower half of the second number counts; negative ones become far too large.
        Self { offset: offset as u64, metadata: u64::from(metadata as u32), body: body as u64 }
    }
}

/// A stream: messages one after the other.
pub(super) struct Stream<S> {
    stream: BufReader<S>,
}

impl<S: Read> Stream<S> {
    /// The next message, or nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Message>, ReadError> {
        let Some(start) = self.word()? else { return Ok(None) };
        if start != CONTINUATION {
            return Err(damaged("no message where one should begin"));
        }
        let length = u32::from_le_bytes(self.word()?.ok_or(ReadError::Truncated(FORMAT))?);
        if length == 0 {
            return Ok(None);
        }
        let metadata = bytes(&mut self.stream, length.into())?;
        let length =
            u64::try_from(Table::root(&metadata)?.i64(3)?).map_err(|_| damaged("a negative length"))?;
        Ok(Some(Message { body: bytes(&mut self.stream, length)?, metadata }))
    }

    /// The next four bytes, or nothing at the end.
    fn word(&mut self) -> Result<Option<[u8; 4]>, ReadError> {
        let mut word = Vec::new();
        self.stream.by_ref().take(4).read_to_end(&mut word).map_err(ReadError::Io)?;
        match word.try_into() {
            Ok(word) => Ok(Some(word)),
            Err(part) if part.is_empty() => Ok(None),
            Err(_) => Err(ReadError::Truncated(FORMAT)),
        }
    }
}

/// Exactly `length` bytes, in memory that grows only as they come.
fn bytes(stream: &mut impl Read, length: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = stream.take(length).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if read as u64 == length { Ok(bytes) } else { Err(ReadError::Truncated(FORMAT)) }
}

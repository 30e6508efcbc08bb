//! Cuts a stream of text into blocks of whole rows, at places that depend on the text alone.

use std::io::Read;

use gflowcausal_determinism::{both, map};
use memchr::{memchr, memrchr};

use crate::read::csv::dialect::Dialect;
use crate::read::csv::rows::row_end;
use crate::read::error::{ReadError, excerpt};
use crate::read::source::text_error;

/// How much text is parsed at a time, if rows are not too long for that.
const BLOCK: usize = 1 << 20;

/// A longer row is an error.
const MAX_ROW: usize = 64 << 20;

/// A stream of text that is read block by block.
pub(super) struct Blocks<R> {
    stream: R,
    /// Read, but not handed out yet.
    pending: Vec<u8>,
    block: usize,
    at_end: bool,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(stream: R) -> Self {
        Self { stream, pending: Vec::new(), block: BLOCK, at_end: false }
    }

    /// The beginning of the stream, up to a block and at least one line, without its byte order mark.
    pub(super) fn head(&mut self) -> Result<&[u8], ReadError> {
        let mut target = self.block;
        loop {
            self.fill(target)?;
            let line = memchr(b'\n', &self.pending).or_else(|| memchr(b'\r', &self.pending));
            if self.at_end || line.is_some() {
                break;
            }
            target = self.longer(target)?;
        }
        if self.pending.starts_with(b"\xef\xbb\xbf") {
            self.pending.drain(..3);
        }
        Ok(&self.pending)
    }

    /// Whether [`Blocks::head`] is all there is.
    pub(super) fn head_is_all(&self) -> bool {
        self.at_end
    }

    /// Leaves out the first `count` bytes.
    pub(super) fn skip(&mut self, count: usize) {
        self.pending.drain(..count);
    }

    /// Makes blocks long enough for `rows` rows as long as the next one.
    pub(super) fn hold_rows(&mut self, rows: usize, dialect: &Dialect) {
        let row = row_end(&self.pending, dialect).unwrap_or(0);
        self.block = (rows * row).clamp(BLOCK, MAX_ROW / 2);
    }

    /// The next whole rows, or nothing at the end.
    pub(super) fn next(&mut self, dialect: &Dialect) -> Result<Option<Vec<u8>>, ReadError> {
        let mut target = self.block;
        loop {
            self.fill(target)?;
            let cut = last_row_end(&self.pending, dialect);
            if self.at_end {
                return self.last(cut, dialect);
            }
            if cut > 0 {
                let rest = self.pending.split_off(cut);
                return Ok(Some(std::mem::replace(&mut self.pending, rest)));
            }
            target = self.longer(target)?;
        }
    }

    /// Everything that is left; its last row may lack its line end, but not a closing quote.
    fn last(&mut self, cut: usize, dialect: &Dialect) -> Result<Option<Vec<u8>>, ReadError> {
        let unfinished = &self.pending[cut..];
        if memchr(b'"', unfinished).is_some() && row_end(&[unfinished, b"\n"].concat(), dialect).is_none() {
            return Err(ReadError::UnclosedQuote(excerpt(unfinished)));
        }
        let block = std::mem::take(&mut self.pending);
        Ok((!block.is_empty()).then_some(block))
    }

    /// Reads until `target` bytes are pending or the stream ends.
    fn fill(&mut self, target: usize) -> Result<(), ReadError> {
        let wanted = target.saturating_sub(self.pending.len());
        // Blocks are kept as they are read: one that grew by doubling would take twice its room.
        self.pending.reserve_exact(wanted);
        let read = self.stream.by_ref().take(wanted as u64).read_to_end(&mut self.pending);
        self.at_end |= read.map_err(text_error)? < wanted;
        Ok(())
    }

    fn longer(&self, target: usize) -> Result<usize, ReadError> {
        if target >= MAX_ROW {
            return Err(ReadError::LongRow { start: excerpt(&self.pending), limit: MAX_ROW >> 20 });
        }
        Ok(2 * target)
    }
}

/// Behind the last whole row.
fn last_row_end(bytes: &[u8], dialect: &Dialect) -> usize {
    if memchr(b'"', bytes).is_none() {
        return memrchr(dialect.newline, bytes).map_or(0, |line| line + 1);
    }
    let mut cut = 0;
    while let Some(length) = row_end(&bytes[cut..], dialect) {
        cut += length;
    }
    cut
}

/// Parses blocks on all threads while the next ones are read, and hands the results to `take` in the order of the text.
///
/// Twice `wave` blocks are in memory at a time, whatever the length of the stream.
pub(super) fn for_each_block<T: Send>(
    mut blocks: Blocks<impl Read + Send>,
    dialect: &Dialect,
    wave: usize,
    parse: impl Fn(&[u8]) -> T + Sync + Send,
    mut take: impl FnMut(T) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut next = || -> Result<Vec<Vec<u8>>, ReadError> {
        std::iter::from_fn(|| blocks.next(dialect).transpose()).take(wave).collect()
    };
    let mut texts = next()?;
    while !texts.is_empty() {
        let (parsed, following) = both(|| map(texts.len(), |k| parse(&texts[k])), &mut next);
        parsed.into_iter().try_for_each(&mut take)?;
        texts = following?;
    }
    Ok(())
}

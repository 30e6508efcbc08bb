//! Pages before the parquet crate decodes them: those packed by Zstandard unpacked (it would need a C library), those that claim
//! more values than they can hold refused (it would make room for them all).

use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

use crate::read::unpack::{MAX_UNPACKED, unpack_zstd};

/// The pages of a reader, checked.
pub(super) struct Checked<R> {
    pub(super) reader: R,
    /// Whether the reader takes pages packed by Zstandard for not packed.
    pub(super) is_packed: bool,
}

impl<R: PageReader> PageReader for Checked<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.reader.get_next_page()? else { return Ok(None) };
        check_count(if self.is_packed { unpack_page(page)? } else { page }).map(Some)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.reader.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.reader.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.reader.at_record_boundary()
    }
}

/// Room is made for a whole dictionary at once: each of its values takes a byte at the least.
fn check_count(page: Page) -> Result<Page> {
    match page {
        Page::DictionaryPage { ref buf, num_values, .. } if num_values as usize > buf.len() => {
            Err(ParquetError::General(format!("a dictionary of {num_values} values in {} bytes", buf.len())))
        }
        page => Ok(page),
    }
}

impl<R: PageReader> Iterator for Checked<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

fn unpack_page(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpack(buf, 0)?,
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
            if *is_compressed {
                *buf = unpack(buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)?;
            }
        }
    }
    Ok(page)
}

/// Unpacks what comes behind the first `plain` bytes. A page without values is not packed at all.
fn unpack(buffer: &Bytes, plain: usize) -> Result<Bytes> {
    if plain > buffer.len() {
        return Err(ParquetError::EOF("levels are longer than their page".into()));
    }
    let (levels, packed) = buffer.split_at(plain);
    if packed.is_empty() {
        return Ok(buffer.clone());
    }
    Ok([levels, &unpack_zstd(packed, MAX_UNPACKED)?].concat().into())
}

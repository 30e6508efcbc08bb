//! Pages packed by Zstandard, unpacked in Rust: the parquet crate would need a C library.

use bytes::Bytes;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

use crate::read::unpack::{MAX_UNPACKED, unpack_zstd};

/// Unpacks the pages of a reader that takes them for not packed.
pub(super) struct Unpacked<R>(pub(super) R);

impl<R: PageReader> PageReader for Unpacked<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(unpack_page).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

impl<R: PageReader> Iterator for Unpacked<R> {
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

//! Gzip: one member or several, and what may stand behind the last.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The first byte of a member.
const START: u8 = 0x1f;

/// The first two bytes of a gzip file.
const MAGIC: [u8; 2] = [START, 0x8b];

/// `file`, unpacked if it is gzip, whatever its name; at most `limit` bytes.
///
/// # Errors
/// A file that is damaged, or longer than `limit`.
pub fn gunzipped(file: &[u8], limit: u64) -> io::Result<Cow<'_, [u8]>> {
    if !file.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(file));
    }
    let mut unpacked = Vec::new();
    Members::new(file).take(limit + 1).read_to_end(&mut unpacked)?;
    match unpacked.len() as u64 > limit {
        true => Err(io::Error::other(format!("it unpacks to more than {limit} bytes"))),
        false => Ok(Cow::Owned(unpacked)),
    }
}

/// Unpacks members one after the other. Zeros between or behind them are padding; other bytes are an error.
pub(super) struct Members<R> {
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(packed: R) -> Self {
        Self { decoder: Some(GzDecoder::new(packed)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.decoder = self.decoder.take().map_or(Ok(None), |ended| following(ended.into_inner()))?;
        }
        Ok(0)
    }
}

/// The member that begins behind any zeros, if one does.
fn following<R: BufRead>(mut packed: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let bytes = packed.fill_buf()?;
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        match bytes.get(zeros) {
            Some(&START) => {
                packed.consume(zeros);
                return Ok(Some(GzDecoder::new(packed)));
            }
            Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, "other bytes follow its end")),
            None if zeros == 0 => return Ok(None),
            None => packed.consume(zeros),
        }
    }
}

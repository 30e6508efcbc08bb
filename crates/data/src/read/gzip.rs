//! Gzip: one member or several, and what may stand behind the last.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The first byte of a member.
const START: u8 = 0x1f;

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

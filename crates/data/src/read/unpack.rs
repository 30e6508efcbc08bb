//! Unpacks buffers of known or bounded length, in Rust alone.

use std::io::{self, Read};

/// A buffer that unpacks to more than this is a trap.
pub(super) const MAX_UNPACKED: usize = 1 << 31;

/// Unpacks one Zstandard frame of at most `limit` bytes.
pub(super) fn unpack_zstd(packed: &[u8], limit: usize) -> io::Result<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(io::Error::other)?;
    read_limited(decoder, limit)
}

/// Unpacks one LZ4 frame of at most `limit` bytes.
pub(super) fn unpack_lz4(packed: &[u8], limit: usize) -> io::Result<Vec<u8>> {
    read_limited(lz4_flex::frame::FrameDecoder::new(packed), limit)
}

fn read_limited(stream: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    stream.take(limit as u64 + 1).read_to_end(&mut unpacked)?;
    if unpacked.len() > limit {
        return Err(io::Error::other(format!("a packed buffer is longer than {limit} bytes")));
    }
    Ok(unpacked)
}

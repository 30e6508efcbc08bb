//! Moments of a stream: the same as of the table, the same on any number of threads, in bounded memory.

use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

use flate2::{Compression, write::GzEncoder};
use gflowcausal_data::{Missing, Moments, ReadOptions, csv_moments};
use gflowcausal_determinism::with_threads;

use crate::read;

/// A table of pseudo-random numbers, a few blocks long.
fn large_csv() -> String {
    let mut csv = String::from("a,b,c\n");
    let mut state = 1u64;
    for row in 0..60_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (state >> 11) as f64 / 1e12;
        writeln!(csv, "{x},{},{}", 1e9 + x / 7.0, row % 13).expect("a string has room");
    }
    csv
}

#[test]
fn a_stream_has_the_moments_of_its_table() {
    let csv = large_csv();
    let streamed = csv_moments(csv.as_bytes(), &ReadOptions::default(), Missing::Error).unwrap();
    let whole = Moments::of_table(&read(&csv).unwrap()).unwrap();
    assert_eq!((streamed.names, streamed.dropped), (vec!["a".into(), "b".into(), "c".into()], 0));
    assert_eq!(streamed.moments.rows(), whole.rows());
    for (mine, other) in streamed.moments.scatter().iter().zip(whole.scatter()) {
        assert!((mine - other).abs() <= 1e-9 * other.abs().max(1.0), "{mine} is not {other}");
    }
}

#[test]
fn threads_and_packing_do_not_change_a_bit() {
    let csv = large_csv();
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(csv.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let moments = |threads, bytes: &[u8]| {
        let stream = || csv_moments(Trickle(bytes), &ReadOptions::default(), Missing::Error).unwrap();
        with_threads(threads, stream).moments
    };
    let one = moments(1, csv.as_bytes());
    assert_eq!(one, moments(3, csv.as_bytes()));
    assert_eq!(one, moments(2, &packed));
}

/// Hands out odd amounts at a time, as a pipe does.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let amount = buffer.len().min(4321);
        self.0.read(&mut buffer[..amount])
    }
}

#[test]
fn incomplete_rows_are_dropped_on_request() {
    let csv = "a,b\n1,2\n,5\n3,6\n7,NA\n";
    let streamed = csv_moments(csv.as_bytes(), &ReadOptions::default(), Missing::Drop).unwrap();
    assert_eq!((streamed.moments.rows(), streamed.dropped), (2, 2));
    assert_eq!(streamed.moments.mean(), [2.0, 4.0]);
}

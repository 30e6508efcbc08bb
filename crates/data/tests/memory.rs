//! Moments of long tables in little memory: the peak of the whole process is measured, so this test is alone in its own.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use gflowcausal_data::{Missing, ReadOptions, Source, csv_moments, stream_moments};
use gflowcausal_determinism::with_threads;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// What streaming on two threads may need.
const ALLOWED: usize = 24 << 20;

/// The most memory that this process ever had, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says how a process does");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the peak is part of it");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<usize>().ok()).expect("kilobytes") << 10
}

/// The same thousand rows again and again.
struct Rows {
    thousand: Vec<u8>,
    at: usize,
    left: usize,
}

impl Rows {
    fn new(thousands: usize) -> Self {
        let row = |row: usize| format!("{row}.25,{},-{row}e-3,0.5,{}\n", row % 7, row * row);
        Self { thousand: (0..1000).map(row).collect::<String>().into_bytes(), at: 0, left: thousands }
    }
}

impl Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let amount = (&self.thousand[self.at..]).read(buffer)?;
        self.at += amount;
        if self.at == self.thousand.len() {
            self.at = 0;
            self.left -= 1;
        }
        Ok(amount)
    }
}

fn stream_text(thousands: usize) -> u64 {
    let streamed = csv_moments(Rows::new(thousands), &ReadOptions::default(), Missing::Error);
    streamed.expect("a table of numbers").moments.rows()
}

/// Row groups of 65,536 rows of two columns, 1 MiB each.
fn write_groups(file: &File, groups: usize) -> Result<(), ParquetError> {
    let schema = parse_message_type("message table { required double x; required double y; }")?;
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default())?;
    for group in 0..groups {
        let mut columns = writer.next_row_group()?;
        while let Some(mut column) = columns.next_column()? {
            let values: Vec<f64> = (0..1 << 16).map(|row| f64::from(row).sin() + group as f64).collect();
            column.typed::<DoubleType>().write_batch(&values, None, None)?;
            column.close()?;
        }
        columns.close()?;
    }
    writer.close().map(drop)
}

fn stream_parquet(file: &tempfile::NamedTempFile) -> u64 {
    let source = Source::Path(file.path().into());
    let streamed = stream_moments(&source, &ReadOptions::default(), Missing::Error);
    streamed.expect("a table of numbers").moments.rows()
}

/// How much memory `work` took beyond what the process had had before.
fn growth(work: impl FnOnce()) -> usize {
    let before = peak();
    work();
    peak() - before
}

#[test]
fn memory_does_not_grow_with_rows() {
    with_threads(2, || {
        let text = growth(|| assert_eq!(stream_text(5000), 5_000_000));
        assert!(text < ALLOWED, "130 MB of text took {} MB", text >> 20);
        let file = tempfile::Builder::new().suffix(".parquet").tempfile().unwrap();
        write_groups(file.as_file(), 64).unwrap();
        let parquet = growth(|| assert_eq!(stream_parquet(&file), 64 << 16));
        assert!(parquet < ALLOWED, "64 MB of Parquet took {} MB", parquet >> 20);
    });
}

//! Moments of a CSV of 20,000 × 100 numbers, with all digits (39 MB) and with four (15 MB), and of columns in memory.
//!
//! Bytes a second, on one thread: memory does not grow with the rows, so the figure is that of 1,000,000 × 100 too.
//! The naive way beside it is what one writes first: the csv crate, `str::parse`, the whole table in memory, two
//! passes. Processor time, so that a busy machine does not blur the figures.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ProcessTime;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gflowcausal_data::{Missing, Moments, ReadOptions, csv_moments};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream, with_threads};

const ROWS: usize = 20_000;
const COLUMNS: usize = 100;

/// A table of numbers with `digits` behind the point, or all.
fn csv(digits: Option<usize>) -> String {
    let mut rng = stream(0, Stream::Test { k: 0 });
    let mut csv = (1..=COLUMNS).map(|k| format!("X{k}")).collect::<Vec<_>>().join(",");
    for _ in 0..ROWS {
        csv.push('\n');
        for column in 0..COLUMNS {
            let comma = if column > 0 { "," } else { "" };
            let value: f64 = rng.random_range(-3.0..3.0);
            match digits {
                Some(digits) => write!(csv, "{comma}{value:.digits$}"),
                None => write!(csv, "{comma}{value}"),
            }
            .expect("a string has room");
        }
    }
    csv
}

/// The processor time of `iterations` runs.
fn timed<T>(iterations: u64, work: impl Fn() -> T) -> Duration {
    let start = ProcessTime::now();
    (0..iterations).for_each(|_| drop(black_box(work())));
    start.elapsed()
}

fn naive(csv: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<Vec<f64>> = reader
        .records()
        .map(|row| row.expect("a row").iter().map(|cell| cell.parse().expect("a number")).collect())
        .collect();
    let mut mean = vec![0.0; COLUMNS];
    for row in &rows {
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / rows.len() as f64);
    }
    let mut scatter = vec![0.0; COLUMNS * COLUMNS];
    for row in &rows {
        for i in 0..COLUMNS {
            for j in 0..COLUMNS {
                scatter[i * COLUMNS + j] += (row[i] - mean[i]) * (row[j] - mean[j]);
            }
        }
    }
    scatter
}

fn streamed(csv: &str) -> Moments {
    csv_moments(csv.as_bytes(), &ReadOptions::default(), Missing::Error).expect("a table of numbers").moments
}

fn csv_to_moments(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("moments of a CSV, 20,000 × 100");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (name, digits) in [("all digits", None), ("four digits", Some(4))] {
        let csv = csv(digits);
        group.throughput(Throughput::Bytes(csv.len() as u64));
        group.bench_function(format!("{name}, naive"), |b| b.iter_custom(|n| timed(n, || naive(&csv))));
        group.bench_function(format!("{name}, streamed"), |b| {
            b.iter_custom(|n| with_threads(1, || timed(n, || streamed(&csv))));
        });
    }
    group.finish();
}

fn columns_to_moments(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("moments of columns in memory, one thread");
    group.sample_size(10);
    for (rows, columns) in [(100_000, 100), (2_048, 1000)] {
        let mut rng = stream(1, Stream::Test { k: 1 });
        let data: Vec<Vec<f64>> =
            (0..columns).map(|_| (0..rows).map(|_| rng.random_range(-3.0..3.0)).collect()).collect();
        let views: Vec<&[f64]> = data.iter().map(Vec::as_slice).collect();
        group.throughput(Throughput::Elements((rows * columns * columns) as u64));
        group.bench_function(format!("{rows} × {columns}, multiply-adds"), |b| {
            b.iter_custom(|n| with_threads(1, || timed(n, || Moments::of_columns(&views))));
        });
    }
    group.finish();
}

criterion_group!(benches, csv_to_moments, columns_to_moments);
criterion_main!(benches);

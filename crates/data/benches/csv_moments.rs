//! Moments of a CSV of 20,000 × 100 numbers (37 MB): ours on one and on all threads, and the naive way beside it.
//!
//! The naive way is what one writes first: the csv crate, `str::parse`, the whole table in memory, two passes.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gflowcausal_data::{Missing, Moments, ReadOptions, csv_moments};
use gflowcausal_determinism::rand::RngExt;
use gflowcausal_determinism::{Stream, stream, with_threads};

const ROWS: usize = 20_000;
const COLUMNS: usize = 100;

fn csv() -> String {
    let mut rng = stream(0, Stream::Test { k: 0 });
    let mut csv = (1..=COLUMNS).map(|k| format!("X{k}")).collect::<Vec<_>>().join(",");
    for _ in 0..ROWS {
        csv.push('\n');
        for column in 0..COLUMNS {
            let comma = if column > 0 { "," } else { "" };
            write!(csv, "{comma}{}", rng.random_range(-3.0..3.0)).expect("a string has room");
        }
    }
    csv
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
    let csv = csv();
    let mut group = criterion.benchmark_group("moments of a CSV, 20,000 × 100");
    group.throughput(Throughput::Bytes(csv.len() as u64)).sample_size(10);
    group.measurement_time(Duration::from_secs(5));
    group.bench_function("naive: csv crate, str::parse, two passes", |b| b.iter(|| naive(black_box(&csv))));
    for threads in [1, 2] {
        group.bench_function(format!("streamed, {threads} threads"), |b| {
            with_threads(threads, || b.iter(|| streamed(black_box(&csv))));
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
            with_threads(1, || b.iter(|| Moments::of_columns(black_box(&views))));
        });
    }
    group.finish();
}

criterion_group!(benches, csv_to_moments, columns_to_moments);
criterion_main!(benches);

//! Every input that the fuzzers start from or once failed on goes through its reader without a panic.

use std::fs;
use std::path::Path;

use gflowcausal_data::{Format, Missing, ReadOptions, Source, read_table, stream_moments};

#[test]
fn seeds_of_the_fuzzers_are_read_or_refused() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let readers = [
        ("data_csv", Format::Csv),
        ("data_gzip", Format::Csv),
        ("data_npy", Format::Npy),
        ("data_arrow", Format::Arrow),
        ("data_parquet", Format::Parquet),
    ];
    for (folder, format) in readers {
        let files: Vec<_> = fs::read_dir(seeds.join(folder)).unwrap().collect();
        assert!(!files.is_empty(), "{folder} has seeds");
        for file in files {
            let source = Source::Bytes { format, bytes: fs::read(file.unwrap().path()).unwrap() };
            let rows = read_table(&source, &ReadOptions::default()).map(|table| table.rows() as u64);
            let streamed = stream_moments(&source, &ReadOptions::default(), Missing::Drop);
            if let (Ok(rows), Ok(streamed)) = (rows, streamed) {
                assert_eq!(rows, streamed.rows());
            }
        }
    }
}

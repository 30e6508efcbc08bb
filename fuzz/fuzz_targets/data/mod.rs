//! What every reader of tables must do with any bytes.

use gflowcausal_data::{Format, Missing, ReadOptions, Source, Table, read_table, stream_moments};

/// Reads `data` as a table and as a stream; the two count the same rows.
pub fn check(format: Format, data: &[u8]) -> Option<Table> {
    let source = Source::Bytes { format, bytes: data.to_vec() };
    let options = ReadOptions::default();
    let streamed = stream_moments(&source, &options, Missing::Drop);
    let table = read_table(&source, &options).ok()?;
    assert!(table.rows() > 0 && !table.columns().is_empty());
    if let Ok(streamed) = streamed {
        assert_eq!(streamed.rows(), table.rows() as u64);
        assert!(streamed.names.iter().map(String::as_str).eq(table.names()));
    }
    Some(table)
}

/// Parses on the fuzzer's own thread: to wake another one takes longer than most inputs do.
pub fn use_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool of the process");
}

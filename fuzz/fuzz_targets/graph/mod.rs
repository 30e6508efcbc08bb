//! What every graph reader must do with any bytes.

use gflowcausal_graph::NamedGraph;
use gflowcausal_graph_io::{Format, Orientation, ReadOptions};

/// Reads `data`; whatever is read can be written, and reads the same again.
pub fn check(format: Format, data: &[u8]) {
    for orientation in [Orientation::RowToColumn, Orientation::ColumnToRow] {
        let options = ReadOptions { orientation, names: None };
        if let Ok(named) = format.read(data, &options) {
            assert_kept(format, &named);
        }
    }
}

fn assert_kept(format: Format, named: &NamedGraph) {
    _ = named.to_dag();
    assert_eq!(named.align(named.names()).as_ref(), Ok(named));
    let Ok(file) = format.write(named) else { return };
    let options = ReadOptions { names: Some(named.names().to_vec()), ..ReadOptions::default() };
    let again = format.read(&file, &options).expect("what was written can be read");
    // An edge list that came as a table has its variables in another order.
    let again = again.align(named.names()).expect("no name is lost");
    assert_eq!(again.names(), named.names());
    assert_eq!(again.graph(), named.graph());
}

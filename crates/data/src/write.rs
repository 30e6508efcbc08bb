//! Tables out: CSV whose numbers read back bit for bit.

use std::io::{self, Write};

use crate::{MISSING_CODE, Table, Values};

/// Writes `table` as CSV: a header, then one line per row; a missing value is an empty cell.
///
/// Numbers are printed with the fewest digits that read back to the same bits, always with a point or an exponent so
/// that no reader takes them for categories.
///
/// ```
/// use gflowcausal_data::{Column, Table, write_csv};
/// let table = Table::new(vec![
///     Column::continuous("x", vec![0.1, f64::NAN]),
///     Column::continuous("y, in mm", vec![1e300, -2.0]),
/// ])?;
/// let mut csv = Vec::new();
/// write_csv(&table, &mut csv)?;
/// assert_eq!(csv, b"x,\"y, in mm\"\n0.1,1e300\n,-2.0\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When `to` cannot be written to.
pub fn write_csv(table: &Table, to: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(table.names())?;
    let mut digits = ryu::Buffer::new();
    for row in 0..table.rows() {
        for column in table.columns() {
            writer.write_field(cell(&column.values, row, &mut digits))?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The text of one cell; a number is printed into `digits`.
fn cell<'a>(values: &'a Values, row: usize, digits: &'a mut ryu::Buffer) -> &'a str {
    match values {
        Values::Continuous(numbers) if numbers[row].is_nan() => "",
        Values::Continuous(numbers) => digits.format(numbers[row]),
        Values::Categorical { codes, .. } if codes[row] == MISSING_CODE => "",
        Values::Categorical { codes, levels } => &levels[codes[row] as usize],
    }
}

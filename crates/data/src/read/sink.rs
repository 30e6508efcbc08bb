//! Where columns go that arrive batch by batch: into a table, or into moments alone.

use crate::read::column::ColumnBuilder;
use crate::read::options::ReadOptions;
use crate::read::{
    ReadError, StreamedMoments, check_columns, check_memory, check_streamable, check_types, complete_names,
};
use crate::{Column, Missing, Moments, Table};

/// Takes a table in, batch by batch.
pub(super) trait Sink {
    /// Says how the columns are called; comes once, before all batches.
    fn begin(&mut self, names: Vec<String>) -> Result<(), ReadError>;

    /// Takes some rows of every column.
    fn take(&mut self, batch: Vec<ColumnBuilder>) -> Result<(), ReadError>;
}

/// Keeps everything.
pub(super) struct TableSink<'a> {
    options: &'a ReadOptions,
    names: Vec<String>,
    columns: Vec<ColumnBuilder>,
    rows: u64,
}

impl<'a> TableSink<'a> {
    pub(super) fn new(options: &'a ReadOptions) -> Self {
        Self { options, names: Vec::new(), columns: Vec::new(), rows: 0 }
    }

    pub(super) fn finish(self) -> Result<Table, ReadError> {
        let columns = self.columns.into_iter().zip(&self.names);
        let typed = columns.map(|(column, name)| column.finish(name, self.options.types.get(name).copied()));
        let table = Table::new(typed.collect::<Result<Vec<Column>, ReadError>>()?)?;
        if table.rows() == 0 { Err(ReadError::NoRows(self.names.len())) } else { Ok(table) }
    }
}

impl Sink for TableSink<'_> {
    fn begin(&mut self, names: Vec<String>) -> Result<(), ReadError> {
        let names = complete_names(names);
        check_columns(&names)?;
        check_types(&names, &self.options.types)?;
        self.names = names;
        Ok(())
    }

    fn take(&mut self, batch: Vec<ColumnBuilder>) -> Result<(), ReadError> {
        self.rows += batch.first().map_or(0, |column| column.len() as u64);
        check_memory(self.rows, batch.len(), self.options)?;
        if self.columns.is_empty() {
            self.columns = batch;
        } else {
            self.columns.iter_mut().zip(batch).for_each(|(column, more)| column.append(more));
        }
        Ok(())
    }
}

/// Keeps the moments alone.
pub(super) struct MomentsSink<'a> {
    options: &'a ReadOptions,
    missing: Missing,
    streamed: StreamedMoments,
}

impl<'a> MomentsSink<'a> {
    pub(super) fn new(options: &'a ReadOptions, missing: Missing) -> Result<Self, ReadError> {
        check_streamable(options, missing)?;
        Ok(Self { options, missing, streamed: StreamedMoments::empty(Vec::new()) })
    }

    pub(super) fn finish(self) -> Result<StreamedMoments, ReadError> {
        self.streamed.checked()
    }

    /// Where a value of the current batch stands, for a message.
    fn place(&self, column: usize, row: usize) -> (String, usize) {
        (self.streamed.names[column].clone(), self.streamed.rows() as usize + row + 1)
    }

    /// Leaves out rows with a gap, or refuses the first; says how many.
    fn complete(&self, columns: &mut [Vec<f64>]) -> Result<u64, ReadError> {
        let rows = columns.first().map_or(0, Vec::len);
        let has_gap = |row: &usize| columns.iter().any(|column| column[*row].is_nan());
        let gaps: Vec<usize> = (0..rows).filter(has_gap).collect();
        let Some(&row) = gaps.first() else { return Ok(0) };
        if self.missing == Missing::Error {
            let column = columns.iter().position(|column| column[row].is_nan()).unwrap_or_default();
            let (column, row) = self.place(column, row);
            return Err(ReadError::Missing { column, row });
        }
        for column in columns {
            let mut row = 0;
            column.retain(|_| {
                row += 1;
                gaps.binary_search(&(row - 1)).is_err()
            });
        }
        Ok(gaps.len() as u64)
    }
}

impl Sink for MomentsSink<'_> {
    fn begin(&mut self, names: Vec<String>) -> Result<(), ReadError> {
        let names = complete_names(names);
        check_columns(&names)?;
        check_types(&names, &self.options.types)?;
        self.streamed = StreamedMoments::empty(names);
        Ok(())
    }

    fn take(&mut self, batch: Vec<ColumnBuilder>) -> Result<(), ReadError> {
        let mut columns = Vec::with_capacity(batch.len());
        for (k, column) in batch.into_iter().enumerate() {
            let values = column.into_numbers().map_err(|(row, cell)| {
                let (column, row) = self.place(k, row);
                ReadError::TextColumn { column, row, cell }
            })?;
            if let Some(row) = values.iter().position(|value| value.is_infinite()) {
                let (column, row) = self.place(k, row);
                return Err(ReadError::Infinite { column, row });
            }
            columns.push(values);
        }
        let dropped = self.complete(&mut columns)?;
        let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        self.streamed.add(&Moments::of_columns(&views), dropped);
        Ok(())
    }
}

//! Arrow IPC files and streams, message by message.
//!
//! Read here rather than by the arrow crates: only flat columns of numbers, text and dictionaries matter, every
//! length in a file is checked before it is believed, and the build is minutes shorter.

mod batch;
mod flat;
mod messages;
mod schema;

use std::io::{Read, Seek};

use crate::read::arrow::batch::{Batch, Dictionaries};
use crate::read::arrow::flat::{OutOfBounds, Table};
use crate::read::arrow::messages::{Container, Header, Message};
use crate::read::arrow::schema::Schema;
use crate::read::error::ReadError;
use crate::read::sink::Sink;

const FORMAT: &str = "Arrow";

/// Reads an Arrow file or stream.
pub(super) fn read_arrow(stream: impl Read + Seek, sink: &mut impl Sink) -> Result<(), ReadError> {
    match Container::open(stream)? {
        Container::File(mut file) => {
            let mut reader = Reader::begin(file.schema()?, sink)?;
            for block in file.blocks()? {
                reader.take(&file.message(block)?)?;
            }
        }
        Container::Stream(mut stream) => {
            let first = stream.next()?.ok_or(ReadError::Truncated(FORMAT))?;
            let Header::Schema(schema) = first.header()? else { return Err(damaged("no schema")) };
            let mut reader = Reader::begin(schema, sink)?;
            while let Some(message) = stream.next()? {
                reader.take(&message)?;
            }
        }
    }
    Ok(())
}

/// What has to be known from message to message.
struct Reader<'a, S> {
    schema: Schema,
    dictionaries: Dictionaries,
    sink: &'a mut S,
}

impl<'a, S: Sink> Reader<'a, S> {
    fn begin(schema: Table<'_>, sink: &'a mut S) -> Result<Self, ReadError> {
        let schema = Schema::parse(schema)?;
        if schema.fields.is_empty() {
            return Err(ReadError::Empty);
        }
        sink.begin(schema.fields.iter().map(|field| field.name.clone()).collect())?;
        Ok(Self { schema, dictionaries: Dictionaries::new(), sink })
    }

    fn take(&mut self, message: &Message) -> Result<(), ReadError> {
        match message.header()? {
            Header::Schema(_) => Err(damaged("a second schema")),
            Header::Dictionary(dictionary) => self.take_dictionary(dictionary, &message.body),
            Header::Batch(batch) => {
                let kinds = self.schema.fields.iter().map(|field| field.kind);
                self.sink.take(Batch::new(batch, &message.body)?.columns(kinds, &self.dictionaries)?)
            }
        }
    }

    /// Takes in a dictionary, or more entries of a known one.
    fn take_dictionary(&mut self, dictionary: Table<'_>, body: &[u8]) -> Result<(), ReadError> {
        let id = dictionary.i64(0)?;
        let kind =
            self.schema.dictionaries.get(&id).ok_or_else(|| damaged("a dictionary that no column uses"))?;
        let batch = dictionary.table(1)?.ok_or_else(|| damaged("a dictionary without entries"))?;
        let entries = Batch::new(batch, body)?.entries(*kind)?;
        let is_more = dictionary.u8(2)? != 0;
        let known = self.dictionaries.entry(id).or_default();
        if !is_more {
            known.clear();
        }
        known.extend(entries);
        Ok(())
    }
}

impl From<OutOfBounds> for ReadError {
    fn from(_: OutOfBounds) -> Self {
        damaged("an offset leads out of the metadata")
    }
}

fn damaged(reason: &str) -> ReadError {
    ReadError::Damaged { format: FORMAT, reason: reason.into() }
}

fn unsupported(what: &str) -> ReadError {
    ReadError::Unsupported { format: FORMAT, what: what.into() }
}

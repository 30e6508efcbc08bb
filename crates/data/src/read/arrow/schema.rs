//! The columns of an Arrow file: their names and how their values lie in memory.

use std::collections::BTreeMap;

use crate::read::arrow::flat::Table;
use crate::read::arrow::{damaged, unsupported};
use crate::read::error::ReadError;

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// How values lie in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Nothing but gaps.
    Null,
    Bool,
    Number(Number),
    /// Text with 4- or 8-byte offsets into one buffer.
    Text {
        wide: bool,
    },
    /// Text with references into several buffers.
    TextView,
    /// Numbers of entries of the dictionary with this key.
    Dictionary {
        index: Number,
        id: i64,
    },
}

/// How a number lies in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) bytes: usize,
    pub(super) form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    Signed,
    Unsigned,
    Float,
    /// A whole number of this fraction of one.
    Decimal(f64),
}

/// The columns, and the kinds of the dictionaries that they refer to.
pub(super) struct Schema {
    pub(super) fields: Vec<Field>,
    pub(super) dictionaries: BTreeMap<i64, Kind>,
}

impl Schema {
    /// Reads a schema message.
    pub(super) fn parse(schema: Table<'_>) -> Result<Self, ReadError> {
        if schema.i16(0)? != 0 {
            return Err(unsupported("numbers with the large byte first"));
        }
        let mut parsed = Self { fields: Vec::new(), dictionaries: BTreeMap::new() };
        for field in schema.vector(1, 4)?.tables() {
            parsed.add(field?)?;
        }
        Ok(parsed)
    }

    fn add(&mut self, field: Table<'_>) -> Result<(), ReadError> {
        let name = String::from_utf8_lossy(field.string(0)?).into_owned();
        let value = value_kind(field)?
            .map_err(|kind| ReadError::UnsupportedType { column: name.clone(), kind: kind.into() })?;
        let kind = match field.table(4)? {
            None => value,
            Some(encoding) => {
                let id = encoding.i64(0)?;
                self.dictionaries.insert(id, value);
                Kind::Dictionary { index: index_type(encoding)?, id }
            }
        };
        self.fields.push(Field { name, kind });
        Ok(())
    }
}

/// The type of a dictionary's keys; 4 bytes with a sign if nothing else is said.
fn index_type(encoding: Table<'_>) -> Result<Number, ReadError> {
    match encoding.table(1)? {
        None => Ok(Number { bytes: 4, form: Form::Signed }),
        Some(integer) => integer_type(integer),
    }
}

fn integer_type(integer: Table<'_>) -> Result<Number, ReadError> {
    let form = if integer.u8(1)? != 0 { Form::Signed } else { Form::Unsigned };
    match integer.i32(0)? {
        bits @ (8 | 16 | 32 | 64) => Ok(Number { bytes: bits as usize / 8, form }),
        bits => Err(damaged(&format!("whole numbers of {bits} bits"))),
    }
}

/// The kind of a field's values, or the name of a type that is neither number nor category.
fn value_kind(field: Table<'_>) -> Result<Result<Kind, &'static str>, ReadError> {
    let details = || field.table(3)?.ok_or_else(|| damaged("a column without a type"));
    Ok(Ok(match field.u8(2)? {
        1 => Kind::Null,
        2 => Kind::Number(integer_type(details()?)?),
        3 => match details()?.i16(0)? {
            1 => Kind::Number(Number { bytes: 4, form: Form::Float }),
            2 => Kind::Number(Number { bytes: 8, form: Form::Float }),
            _ => return Ok(Err("half-precision number")),
        },
        5 => Kind::Text { wide: false },
        6 => Kind::Bool,
        7 => return decimal_kind(details()?),
        20 => Kind::Text { wide: true },
        24 => Kind::TextView,
        other => return Ok(Err(type_name(other))),
    }))
}

fn decimal_kind(decimal: Table<'_>) -> Result<Result<Kind, &'static str>, ReadError> {
    let form = Form::Decimal(10f64.powi(-decimal.i32(1)?));
    Ok(match decimal.i32(2)? {
        0 | 128 => Ok(Kind::Number(Number { bytes: 16, form })),
        bits @ (32 | 64) => Ok(Kind::Number(Number { bytes: bits as usize / 8, form })),
        _ => Err("long decimal"),
    })
}

/// What the format calls the types that are not read.
fn type_name(number: u8) -> &'static str {
    match number {
        4 | 15 | 19 | 23 => "binary",
        8 => "date",
        9 => "time",
        10 => "timestamp",
        11 => "interval",
        12 | 13 | 14 | 16 | 17 | 21 | 25 | 26 => "nested",
        18 => "duration",
        22 => "run-end encoded",
        _ => "unknown",
    }
}

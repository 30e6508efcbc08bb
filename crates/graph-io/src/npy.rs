//! NumPy's `.npy` files: one bare matrix of integers, booleans or floats.

use gflowcausal_graph::NamedGraph;

use crate::cursor::Cursor;
use crate::{Format, FormatError, ReadOptions, WriteError, matrix};

const MAGIC: &[u8] = b"\x93NUMPY";

pub(crate) fn is_npy(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

pub(crate) fn read(file: &[u8], options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let (header, body) = split(file)?;
    let header = Header::parse(header)?;
    let kind = Kind::parse(&header.descr)?;
    let nodes = header.nodes()?;
    let expected = (nodes as u64).saturating_mul(nodes as u64).saturating_mul(kind.size as u64);
    if expected != body.len() as u64 {
        return Err(FormatError::NpyLength { expected, found: body.len() as u64 });
    }
    matrix::check_size(nodes)?;
    let numbers = body.chunks_exact(kind.size).map(|bytes| kind.number(bytes));
    let mut values: Vec<f64> = numbers.collect();
    if header.fortran_order {
        values = (0..values.len()).map(|at| values[at % nodes * nodes + at / nodes]).collect();
    }
    matrix::to_graph(matrix::names(options.names.as_deref(), nodes)?, &values, options.orientation)
}

/// The header text and the numbers.
fn split(file: &[u8]) -> Result<(&str, &[u8]), FormatError> {
    let damaged = FormatError::NpyHeader;
    let rest = file.strip_prefix(MAGIC).ok_or(damaged("it does not start with \\x93NUMPY"))?;
    let (&[major, _minor], rest) = rest.split_first_chunk().ok_or(damaged("it ends early"))?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk().map(|(bytes, rest)| (u16::from_le_bytes(*bytes) as usize, rest)),
        2 | 3 => rest.split_first_chunk().map(|(bytes, rest)| (u32::from_le_bytes(*bytes) as usize, rest)),
        _ => return Err(damaged("its version is not 1, 2 or 3")),
    }
    .ok_or(damaged("it ends early"))?;
    let (header, body) = rest.split_at_checked(length).ok_or(damaged("it ends early"))?;
    Ok((std::str::from_utf8(header).map_err(|_| damaged("it is not text"))?, body))
}

struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the Python literal `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }`.
    fn parse(text: &str) -> Result<Self, FormatError> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        let mut cursor = Cursor::new(text);
        let damaged = |_| FormatError::NpyHeader("it is not a Python dictionary");
        cursor.skip_blanks();
        cursor.expect("{").map_err(damaged)?;
        while !eat(&mut cursor, "}") {
            let key = string(&mut cursor)?;
            cursor.skip_blanks();
            cursor.expect(":").map_err(damaged)?;
            cursor.skip_blanks();
            match key {
                "descr" => descr = Some(string(&mut cursor)?.to_owned()),
                "fortran_order" => fortran_order = Some(boolean(&mut cursor)?),
                "shape" => shape = Some(tuple(&mut cursor)?),
                _ => return Err(FormatError::NpyHeader("it has an unknown key")),
            }
            eat(&mut cursor, ",");
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => Ok(Self { descr, fortran_order, shape }),
            _ => Err(FormatError::NpyHeader("it lacks descr, fortran_order or shape")),
        }
    }

    fn nodes(&self) -> Result<usize, FormatError> {
        let size = |length: u64| usize::try_from(length).unwrap_or(usize::MAX);
        match *self.shape {
            [rows, columns] if rows == columns => Ok(size(rows)),
            [rows, columns] => Err(FormatError::NotSquare { rows: size(rows), columns: size(columns) }),
            _ => Err(FormatError::NpyHeader("its shape is not that of a matrix")),
        }
    }
}

/// Goes past `token` and the blanks around it, if it comes next.
fn eat(cursor: &mut Cursor<'_>, token: &str) -> bool {
    cursor.skip_blanks();
    let here = cursor.eat(token);
    cursor.skip_blanks();
    here
}

fn string<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, FormatError> {
    let no_text = FormatError::NpyHeader("text in quotes is missing");
    match cursor.bump() {
        Some(quote @ ('\'' | '"')) => {
            let text = cursor.take_while(|c| c != quote);
            cursor.bump().map(|_| text).ok_or(no_text)
        }
        Some('[') => Err(FormatError::NpyType("a record".to_owned())),
        _ => Err(no_text),
    }
}

fn boolean(cursor: &mut Cursor<'_>) -> Result<bool, FormatError> {
    match cursor.take_while(char::is_alphabetic) {
        "True" => Ok(true),
        "False" => Ok(false),
        _ => Err(FormatError::NpyHeader("fortran_order is neither True nor False")),
    }
}

fn tuple(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, FormatError> {
    let damaged = || FormatError::NpyHeader("its shape is not a tuple of numbers");
    cursor.expect("(").map_err(|_| damaged())?;
    let mut lengths = Vec::new();
    while !eat(cursor, ")") {
        let digits = cursor.take_while(|c| c.is_ascii_digit());
        lengths.push(digits.parse().map_err(|_| damaged())?);
        cursor.eat("L");
        eat(cursor, ",");
    }
    Ok(lengths)
}

/// A number type: what kind, how many bytes, in which order.
struct Kind {
    kind: char,
    size: usize,
    big_endian: bool,
}

impl Kind {
    fn parse(descr: &str) -> Result<Self, FormatError> {
        let (order, rest) = match descr.chars().next() {
            Some(order @ ('<' | '>' | '|' | '=')) => (order, &descr[1..]),
            _ => ('<', descr),
        };
        let (kind, size) = match rest {
            "b1" | "?" => ('b', 1),
            "i1" | "i2" | "i4" | "i8" => ('i', usize::from(rest.as_bytes()[1] - b'0')),
            "u1" | "u2" | "u4" | "u8" => ('u', usize::from(rest.as_bytes()[1] - b'0')),
            "f4" | "f8" => ('f', usize::from(rest.as_bytes()[1] - b'0')),
            _ => return Err(FormatError::NpyType(descr.to_owned())),
        };
        Ok(Self { kind, size, big_endian: order == '>' })
    }

    fn number(&self, bytes: &[u8]) -> f64 {
        let mut raw = [0; 8];
        for (to, &from) in raw.iter_mut().zip(bytes) {
            *to = from;
        }
        if self.big_endian {
            raw[..self.size].reverse();
        }
        let bits = u64::from_le_bytes(raw);
        let spare = 64 - 8 * self.size as u32;
        match (self.kind, self.size) {
            ('f', 4) => f64::from(f32::from_bits(bits as u32)),
            ('f', _) => f64::from_bits(bits),
            ('i', _) => ((bits << spare) as i64 >> spare) as f64,
            _ => bits as f64,
        }
    }
}

/// Whole numbers as `i1` where there are no weights, else `f8`.
pub(crate) fn write(named: &NamedGraph) -> Result<Vec<u8>, WriteError> {
    let values = matrix::from_graph(named, Format::Npy)?;
    let nodes = named.names().len();
    let descr = if named.has_weights() { "<f8" } else { "|i1" };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({nodes}, {nodes}), }}");
    // The numbers start at a multiple of 64 bytes, after a line break.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    for value in values {
        if named.has_weights() { file.extend(value.to_le_bytes()) } else { file.push(value as u8) }
    }
    Ok(file)
}

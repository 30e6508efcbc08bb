//! One column while it is read: numbers until text turns up, and the rule that says what type it is.

use std::collections::HashMap;

use crate::read::error::ReadError;
use crate::read::options::ColumnType;
use crate::{Column, MISSING_CODE, Values};

/// More distinct whole numbers than this are measurements or counts, not codes.
const MAX_CODES: usize = 10;

/// Fewer rows than this for each distinct whole number say nothing about whether they are codes.
const ROWS_PER_CODE: usize = 5;

/// Whole numbers up to this are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// One value from a file, or from another program, that knows its types.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Nothing was measured.
    Missing,
    /// A measurement.
    Number(f64),
    /// A whole number, which may be a code.
    Whole(i128),
    /// A word.
    Text(&'a str),
}

/// A column of values that another program holds, by the rules of [`read_table`](crate::read_table).
///
/// ```
/// use gflowcausal_data::{Value, column_of};
/// let cells = ["no", "yes", "no"].map(Value::Text);
/// assert_eq!(column_of("smokes", cells, None)?.values.len(), 3);
/// # Ok::<(), gflowcausal_data::ReadError>(())
/// ```
///
/// # Errors
/// Text among numbers, or whole numbers that real numbers cannot hold.
pub fn column_of<'a>(
    name: &str,
    values: impl IntoIterator<Item = Value<'a>>,
    asked: Option<ColumnType>,
) -> Result<Column, ReadError> {
    let mut column = ColumnBuilder::numbers();
    for value in values {
        if let (Value::Number(_), ColumnBuilder::Numbers(numbers)) = (value, &mut column) {
            numbers.whole = false;
        }
        column.push(value);
    }
    column.finish(name, asked)
}

/// The values of one column so far.
#[derive(Debug)]
pub(super) enum ColumnBuilder {
    Numbers(NumberBuilder),
    Text(TextBuilder),
}

impl ColumnBuilder {
    pub(super) fn numbers() -> Self {
        Self::Numbers(NumberBuilder { values: Vec::new(), whole: true, inexact: None })
    }

    /// Numbers that are measurements even where they happen to be whole.
    pub(super) fn reals() -> Self {
        Self::Numbers(NumberBuilder { values: Vec::new(), whole: false, inexact: None })
    }

    pub(super) fn text() -> Self {
        Self::Text(TextBuilder::default())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(builder) => builder.values.len(),
            Self::Text(builder) => builder.codes.len(),
        }
    }

    pub(super) fn push_missing(&mut self) {
        match self {
            Self::Numbers(builder) => builder.values.push(f64::NAN),
            Self::Text(builder) => builder.codes.push(MISSING_CODE),
        }
    }

    /// Adds a number, written as `text`.
    pub(super) fn push_number(&mut self, value: f64, text: &[u8]) {
        match self {
            Self::Numbers(builder) => builder.push(value, text),
            Self::Text(builder) => builder.push_number(&String::from_utf8_lossy(text)),
        }
    }

    pub(super) fn push(&mut self, value: Value<'_>) {
        match (value, self) {
            (Value::Missing, column) => column.push_missing(),
            (Value::Number(number), column) => column.push_number(number, b""),
            (Value::Whole(number), Self::Numbers(builder)) => builder.push_whole(number),
            (Value::Whole(number), Self::Text(builder)) => builder.push_number(&number.to_string()),
            (Value::Text(text), column) => column.push_text(text),
        }
    }

    pub(super) fn push_text(&mut self, text: &str) {
        self.turn_into_text().push_word(text);
    }

    /// Adds the rows of `later`.
    pub(super) fn append(&mut self, later: Self) {
        match (&mut *self, later) {
            (Self::Numbers(builder), Self::Numbers(later)) => builder.append(later),
            (_, mut later) => {
                self.turn_into_text().append(later.turn_into_text());
            }
        }
    }

    fn turn_into_text(&mut self) -> &mut TextBuilder {
        if let Self::Numbers(builder) = self {
            *self = Self::Text(TextBuilder::of_numbers(builder));
        }
        match self {
            Self::Text(builder) => builder,
            Self::Numbers(_) => unreachable!("numbers were just turned into text"),
        }
    }

    /// The numbers, or the row (counted from 0) and the text of the first cell that is none.
    pub(super) fn into_numbers(self) -> Result<Vec<f64>, (usize, String)> {
        match self {
            Self::Numbers(builder) => Ok(builder.values),
            Self::Text(builder) => Err((builder.first_word, builder.first_text())),
        }
    }

    /// The finished column: of the type that was asked for, or by rule.
    ///
    /// Whole numbers with at most ten distinct values, each found five times on average, are categories, and so is
    /// text. A column in which more than half of the cells are numbers must not hold text.
    pub(super) fn finish(self, name: &str, asked: Option<ColumnType>) -> Result<Column, ReadError> {
        let values = match self {
            Self::Numbers(builder) => {
                builder.check(name, asked)?;
                builder.finish(asked)
            }
            Self::Text(builder) => {
                builder.check(name, asked)?;
                builder.finish()
            }
        };
        Ok(Column { name: name.into(), values })
    }
}

/// Numbers alone.
#[derive(Debug)]
pub(super) struct NumberBuilder {
    values: Vec<f64>,
    /// Whether each is written as a whole number.
    whole: bool,
    inexact: Option<Inexact>,
}

/// The first whole number that became another one: where it stands, counted from 0, and how it is written.
#[derive(Debug, Clone)]
struct Inexact {
    row: usize,
    digits: String,
}

impl Inexact {
    fn behind(self, rows: usize) -> Self {
        Self { row: self.row + rows, ..self }
    }

    fn refuse(&self, column: &str) -> ReadError {
        ReadError::Inexact { column: column.into(), row: self.row + 1, digits: self.digits.clone() }
    }
}

impl NumberBuilder {
    fn push(&mut self, value: f64, text: &[u8]) {
        self.whole = self.whole && is_whole(value, text);
        if value.abs() >= EXACT && self.inexact.is_none() && loses_digits(value, text) {
            self.note_inexact(String::from_utf8_lossy(text).into_owned());
        }
        self.values.push(value);
    }

    fn push_whole(&mut self, number: i128) {
        let value = number as f64;
        if value.abs() >= EXACT && self.inexact.is_none() && value as i128 != number {
            self.note_inexact(number.to_string());
        }
        self.push(value, b"");
    }

    fn note_inexact(&mut self, digits: String) {
        self.inexact = Some(Inexact { row: self.values.len(), digits });
    }

    fn append(&mut self, later: Self) {
        let rows = self.values.len();
        self.inexact = self.inexact.take().or(later.inexact.map(|inexact| inexact.behind(rows)));
        self.values.extend(later.values);
        self.whole &= later.whole;
    }

    /// Whole numbers that became others are an error, unless the user wants a measurement.
    fn check(&self, column: &str, asked: Option<ColumnType>) -> Result<(), ReadError> {
        match &self.inexact {
            Some(inexact) if asked != Some(ColumnType::Continuous) => Err(inexact.refuse(column)),
            _ => Ok(()),
        }
    }

    fn finish(self, asked: Option<ColumnType>) -> Values {
        match asked {
            None if self.whole => by_rule(self),
            None | Some(ColumnType::Continuous) => Values::Continuous(self.values),
            Some(ColumnType::Categorical) => TextBuilder::of_numbers(&self).finish(),
        }
    }
}

/// Written without point and exponent, and small enough to be exact.
fn is_whole(value: f64, text: &[u8]) -> bool {
    value.fract() == 0.0 && value.abs() <= EXACT && !text.iter().any(|byte| b".,eE".contains(byte))
}

/// Whether `text` is a whole number and `value` another one.
///
/// Programs print a large real number with all its digits, or fill up with zeros those that tell it from others.
fn loses_digits(value: f64, text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let zeros = unsigned.iter().take_while(|&&byte| byte == b'0').count();
    let digits = &unsigned[zeros..];
    let is = |printed: String| printed.as_bytes() == digits;
    let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_whole && !is(format!("{:.0}", value.abs())) && !is(value.abs().to_string())
}

/// Categories if the whole numbers are few, else numbers.
fn by_rule(numbers: NumberBuilder) -> Values {
    let values = &numbers.values;
    let mut distinct: Vec<f64> = Vec::with_capacity(MAX_CODES + 1);
    let mut present = 0;
    // Adding zero turns −0 into 0.
    for value in values.iter().filter(|value| !value.is_nan()).map(|value| value + 0.0) {
        present += 1;
        if let Err(place) = distinct.binary_search_by(|known| known.total_cmp(&value)) {
            distinct.insert(place, value);
        }
        if distinct.len() > MAX_CODES {
            return Values::Continuous(numbers.values);
        }
    }
    if distinct.is_empty() || present < ROWS_PER_CODE * distinct.len() {
        return Values::Continuous(numbers.values);
    }
    TextBuilder::of_numbers(&numbers).finish()
}

/// Cells as text: a number for each, and the text of each number.
#[derive(Debug, Default)]
pub(super) struct TextBuilder {
    codes: Vec<u32>,
    levels: Vec<String>,
    known: HashMap<String, u32>,
    /// How many cells are numbers.
    numbers: usize,
    /// How many cells are not.
    words: usize,
    /// The row of the first cell that is not.
    first_word: usize,
    inexact: Option<Inexact>,
}

impl TextBuilder {
    /// Numbers as the shortest text that reads back to them.
    fn of_numbers(numbers: &NumberBuilder) -> Self {
        let mut builder = Self { inexact: numbers.inexact.clone(), ..Self::default() };
        for value in &numbers.values {
            if value.is_nan() {
                builder.codes.push(MISSING_CODE);
            } else {
                // Adding zero turns −0 into 0.
                builder.push_number(&(value + 0.0).to_string());
            }
        }
        builder
    }

    fn push_number(&mut self, text: &str) {
        self.numbers += 1;
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        let code = self.code(text);
        self.codes.push(code);
    }

    fn push_word(&mut self, text: &str) {
        if self.words == 0 {
            self.first_word = self.codes.len();
        }
        self.words += 1;
        self.push(text);
    }

    fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.known.get(text) {
            return code;
        }
        let code = self.levels.len() as u32;
        self.known.insert(text.to_owned(), code);
        self.levels.push(text.to_owned());
        code
    }

    fn append(&mut self, later: &Self) {
        if self.words == 0 {
            self.first_word = self.codes.len() + later.first_word;
        }
        let later_inexact = later.inexact.clone().map(|inexact| inexact.behind(self.codes.len()));
        self.inexact = self.inexact.take().or(later_inexact);
        self.words += later.words;
        self.numbers += later.numbers;
        let new_codes: Vec<u32> = later.levels.iter().map(|level| self.code(level)).collect();
        let translate = |&code: &u32| if code == MISSING_CODE { code } else { new_codes[code as usize] };
        self.codes.extend(later.codes.iter().map(translate));
    }

    /// Text among numbers is an error, unless the user wants categories; whole numbers that became others are one.
    fn check(&self, column: &str, asked: Option<ColumnType>) -> Result<(), ReadError> {
        let wants_numbers = match asked {
            Some(ColumnType::Continuous) => true,
            Some(ColumnType::Categorical) => false,
            None => self.numbers > self.words,
        };
        if wants_numbers && self.words > 0 {
            let (row, cell) = (self.first_word + 1, self.first_text());
            return Err(ReadError::MixedTypes { column: column.into(), row, cell });
        }
        self.inexact.as_ref().map_or(Ok(()), |inexact| Err(inexact.refuse(column)))
    }

    /// The first cell that is no number.
    fn first_text(&self) -> String {
        let level = self.codes.get(self.first_word).and_then(|&code| self.levels.get(code as usize));
        level.cloned().unwrap_or_default()
    }

    /// Levels sorted: numbers by size, then text by its letters. Row order must not decide a code.
    fn finish(self) -> Values {
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        let number =
            |level: usize| fast_float2::parse::<f64, _>(&self.levels[level]).unwrap_or(f64::INFINITY);
        order.sort_by(|&a, &b| {
            number(a).total_cmp(&number(b)).then_with(|| self.levels[a].cmp(&self.levels[b]))
        });
        let mut new_codes = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_codes[old] = new as u32;
        }
        let translate = |&code: &u32| if code == MISSING_CODE { code } else { new_codes[code as usize] };
        let codes = self.codes.iter().map(translate).collect();
        Values::Categorical { codes, levels: order.iter().map(|&level| self.levels[level].clone()).collect() }
    }
}

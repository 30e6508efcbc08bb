//! One column while it is read: numbers until text turns up, and the rule that says what type it is.

use std::collections::HashMap;

use crate::read::error::ReadError;
use crate::read::options::ColumnType;
use crate::{Column, MISSING_CODE, Values};

/// More distinct whole numbers than this are measurements or counts, not codes.
const MAX_CODES: usize = 10;

/// Fewer rows than this for each distinct whole number say nothing about whether they are codes.
const ROWS_PER_CODE: usize = 5;

/// One value from a file that knows its types.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}

/// The values of one column so far.
#[derive(Debug)]
pub(super) enum ColumnBuilder {
    /// Numbers alone; `whole` as long as each is written as a whole number.
    Numbers { values: Vec<f64>, whole: bool },
    /// Cells as text.
    Text(TextBuilder),
}

impl ColumnBuilder {
    pub(super) fn numbers() -> Self {
        Self::Numbers { values: Vec::new(), whole: true }
    }

    /// Numbers that are measurements even where they happen to be whole.
    pub(super) fn reals() -> Self {
        Self::Numbers { values: Vec::new(), whole: false }
    }

    pub(super) fn text() -> Self {
        Self::Text(TextBuilder::default())
    }

    pub(super) fn push_missing(&mut self) {
        match self {
            Self::Numbers { values, .. } => values.push(f64::NAN),
            Self::Text(builder) => builder.codes.push(MISSING_CODE),
        }
    }

    /// Adds a number, written as `text`.
    pub(super) fn push_number(&mut self, value: f64, text: &[u8]) {
        match self {
            Self::Numbers { values, whole } => {
                *whole = *whole && is_whole(value, text);
                values.push(value);
            }
            Self::Text(builder) => {
                builder.numbers += 1;
                builder.push(&String::from_utf8_lossy(text));
            }
        }
    }

    pub(super) fn push(&mut self, value: Value<'_>) {
        match value {
            Value::Missing => self.push_missing(),
            Value::Number(number) => self.push_number(number, b""),
            Value::Text(text) => self.push_text(text),
        }
    }

    pub(super) fn push_text(&mut self, text: &str) {
        self.turn_into_text().push_word(text);
    }

    /// Adds the rows of `later`.
    pub(super) fn append(&mut self, later: Self) {
        match (&mut *self, later) {
            (Self::Numbers { values, whole }, Self::Numbers { values: more, whole: also }) => {
                values.extend(more);
                *whole &= also;
            }
            (_, mut later) => {
                self.turn_into_text().append(later.turn_into_text());
            }
        }
    }

    fn turn_into_text(&mut self) -> &mut TextBuilder {
        if let Self::Numbers { values, .. } = self {
            *self = Self::Text(TextBuilder::of_numbers(values));
        }
        match self {
            Self::Text(builder) => builder,
            Self::Numbers { .. } => unreachable!("numbers were just turned into text"),
        }
    }

    /// The numbers, or the row (counted from 0) and the text of the first cell that is none.
    pub(super) fn into_numbers(self) -> Result<Vec<f64>, (usize, String)> {
        match self {
            Self::Numbers { values, .. } => Ok(values),
            Self::Text(builder) => Err((builder.first_word, builder.first_text())),
        }
    }

    /// The finished column: of the type that was asked for, or by rule.
    ///
    /// Whole numbers with at most ten distinct values, each found five times on average, are categories, and so is
    /// text. A column in which more than half of the cells are numbers must not hold text.
    pub(super) fn finish(self, name: &str, asked: Option<ColumnType>) -> Result<Column, ReadError> {
        let values = match self {
            Self::Numbers { values, whole } => match asked {
                None if whole => by_rule(values),
                None | Some(ColumnType::Continuous) => Values::Continuous(values),
                Some(ColumnType::Categorical) => TextBuilder::of_numbers(&values).finish(),
            },
            Self::Text(builder) => {
                builder.check(name, asked)?;
                builder.finish()
            }
        };
        Ok(Column { name: name.into(), values })
    }
}

/// Written without point and exponent, and small enough to be exact.
fn is_whole(value: f64, text: &[u8]) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.fract() == 0.0 && value.abs() <= EXACT && !text.iter().any(|byte| b".,eE".contains(byte))
}

/// Categories if the whole numbers are few, else numbers.
fn by_rule(values: Vec<f64>) -> Values {
    let mut distinct: Vec<f64> = Vec::with_capacity(MAX_CODES + 1);
    let mut present = 0;
    // Adding zero turns −0 into 0.
    for value in values.iter().filter(|value| !value.is_nan()).map(|value| value + 0.0) {
        present += 1;
        if let Err(place) = distinct.binary_search_by(|known| known.total_cmp(&value)) {
            distinct.insert(place, value);
        }
        if distinct.len() > MAX_CODES {
            return Values::Continuous(values);
        }
    }
    if distinct.is_empty() || present < ROWS_PER_CODE * distinct.len() {
        return Values::Continuous(values);
    }
    TextBuilder::of_numbers(&values).finish()
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
}

impl TextBuilder {
    /// Numbers as the shortest text that reads back to them.
    fn of_numbers(values: &[f64]) -> Self {
        let mut builder = Self::default();
        for value in values {
            if value.is_nan() {
                builder.codes.push(MISSING_CODE);
            } else {
                builder.numbers += 1;
                // Adding zero turns −0 into 0.
                builder.push(&(value + 0.0).to_string());
            }
        }
        builder
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
        self.words += later.words;
        self.numbers += later.numbers;
        let new_codes: Vec<u32> = later.levels.iter().map(|level| self.code(level)).collect();
        let translate = |&code: &u32| if code == MISSING_CODE { code } else { new_codes[code as usize] };
        self.codes.extend(later.codes.iter().map(translate));
    }

    /// Text among numbers is a mistake, unless the user wants categories.
    fn check(&self, column: &str, asked: Option<ColumnType>) -> Result<(), ReadError> {
        let wants_numbers = match asked {
            Some(ColumnType::Continuous) => true,
            Some(ColumnType::Categorical) => false,
            None => self.numbers > self.words,
        };
        if !wants_numbers || self.words == 0 {
            return Ok(());
        }
        Err(ReadError::MixedTypes {
            column: column.into(),
            row: self.first_word + 1,
            cell: self.first_text(),
        })
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

//! Attributes of an edge in files: numbers and flags, in every spelling.

use crate::FormatError;

/// The number that `text` says, nothing if it is blank.
pub(crate) fn number(key: &'static str, text: &str, line: usize) -> Result<Option<f64>, FormatError> {
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| wrong(key, text, "a number", line)),
    }
}

/// Whether `text` says yes, nothing if it is blank.
pub(crate) fn flag(key: &'static str, text: &str, line: usize) -> Result<Option<bool>, FormatError> {
    match text.trim() {
        "" => Ok(None),
        text => truth(text).map(Some).ok_or_else(|| wrong(key, text, "true or false", line)),
    }
}

/// The spellings of true and false: XML has two, Python and R have others.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "True" | "TRUE" => Some(true),
        "0" | "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The refusal of `text`, which should be `expected`.
pub(crate) fn wrong(key: &'static str, text: &str, expected: &'static str, line: usize) -> FormatError {
    FormatError::Attribute { line, key, text: text.to_owned(), expected }
}

/// A number that reads back as itself.
pub(crate) fn text(value: f64) -> String {
    format!("{value:?}")
}

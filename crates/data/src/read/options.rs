//! Options of readers: header, delimiter, column types, tokens for missing values.

use std::collections::BTreeMap;
use std::str::FromStr;

use gflowcausal_graph::{Advice, UnknownChoice, choices};
use serde::{Deserialize, Serialize};

/// What is written for a value that is not there, unless the user says otherwise: by R, pandas, SQL, SAS, the error
/// values of spreadsheets, and what C libraries print for an undefined result.
#[rustfmt::skip]
const MISSING_TOKENS: [&str; 28] = [
    "", "NA", "N/A", "n/a", "<NA>", "NaN", "nan", "None", "NULL", "null", "?", ".",
    "#N/A", "#NA", "#DIV/0!", "#NUM!", "#VALUE!", "#REF!", "#NAME?", "#NULL!",
    "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "1.#SNAN", "-1.#SNAN", "-nan(ind)", "nan(ind)",
];

/// What the reader does not find out by itself.
///
/// ```
/// use gflowcausal_data::{ColumnType, ReadOptions, parse_types};
/// let options = ReadOptions { types: parse_types("dose=continuous,ward=categorical")?, ..ReadOptions::default() };
/// assert_eq!(options.types["ward"], ColumnType::Categorical);
/// # Ok::<(), gflowcausal_data::OptionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether the first row holds names.
    pub header: Header,
    /// What separates cells; found out from the first rows if not given.
    pub delimiter: Option<Delimiter>,
    /// Types that differ from what the rule would say.
    pub types: BTreeMap<String, ColumnType>,
    /// Texts that stand for a value that is not there.
    pub missing_tokens: Vec<String>,
    /// How many bytes the numbers of a table may take; none: any number. A stream of moments needs no limit.
    pub memory_limit: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let missing_tokens = MISSING_TOKENS.iter().map(ToString::to_string).collect();
        Self {
            header: Header::Detect,
            delimiter: None,
            types: BTreeMap::new(),
            missing_tokens,
            memory_limit: None,
        }
    }
}

/// Whether the first row of a text file holds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Header {
    /// It does, unless every cell of it is a number or missing.
    #[default]
    Detect,
    /// It does.
    Present,
    /// It does not: the columns are called X1, X2, …
    Absent,
}

choices! {
    /// What kind of values a column holds.
    pub enum ColumnType: "column type" {
        /// Real numbers.
        Continuous = "continuous",
        /// One of a few values without size.
        Categorical = "categorical",
    }
}

/// The byte between two cells. A space stands for any run of spaces and tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// Those that are tried, the likeliest to be right when several fit first: a comma may also stand in numbers,
    /// a space in text.
    pub(super) const CANDIDATES: [Self; 5] = [Self(b'\t'), Self(b';'), Self(b'|'), Self(b','), Self(b' ')];

    /// The usual one.
    pub(super) const COMMA: Self = Self(b',');

    pub(super) fn byte(self) -> u8 {
        self.0
    }

    /// Whether any run of spaces and tabs separates.
    pub(super) fn is_blank(self) -> bool {
        self.0 == b' '
    }
}

impl FromStr for Delimiter {
    type Err = OptionError;

    /// One punctuation mark, or `tab`, `\t`, `space`.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        match text.as_bytes() {
            b"tab" | b"\\t" | b"\t" => Ok(Self(b'\t')),
            b"space" | b" " => Ok(Self(b' ')),
            [byte] if byte.is_ascii_punctuation() && !b"\"+-.".contains(byte) => Ok(Self(*byte)),
            _ => Err(OptionError::UnknownDelimiter(text.into())),
        }
    }
}

/// An option that says nothing sensible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A separator that cannot be one.
    #[error("'{0}' cannot separate cells")]
    UnknownDelimiter(String),
    /// A type that does not exist.
    #[error(transparent)]
    UnknownType(#[from] UnknownChoice),
    /// A column without a type.
    #[error("'{0}' does not say a type")]
    NoType(String),
    /// Two types for one column.
    #[error("column '{0}' is given a type twice")]
    TypedTwice(String),
}

impl OptionError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "bad-option"
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::UnknownDelimiter(_) => "use one of , ; | or another mark, or tab or space".into(),
            Self::UnknownType(_) | Self::NoType(_) => {
                Advice::new("write ").set("types", "NAME=continuous").then(" or categorical")
            }
            Self::TypedTwice(_) => "leave one of the two out".into(),
        }
    }
}

/// Reads `A=continuous,B=categorical`.
///
/// # Errors
/// The first part that names no type, an unknown one, or a column for the second time.
pub fn parse_types(text: &str) -> Result<BTreeMap<String, ColumnType>, OptionError> {
    let mut types = BTreeMap::new();
    for part in text.split(',') {
        let (name, kind) = part.rsplit_once('=').ok_or_else(|| OptionError::NoType(part.trim().into()))?;
        if types.insert(name.trim().to_owned(), kind.trim().parse()?).is_some() {
            return Err(OptionError::TypedTwice(name.trim().into()));
        }
    }
    Ok(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_mistakes_named() {
        let types = parse_types("a b=continuous, c=d=categorical").unwrap();
        assert_eq!(types["a b"], ColumnType::Continuous);
        assert_eq!(types["c=d"], ColumnType::Categorical);
        let error = |text| parse_types(text).unwrap_err().to_string();
        assert_eq!(error("a"), "'a' does not say a type");
        assert_eq!(error("a=real"), "unknown column type 'real': known are continuous, categorical");
        assert_eq!(error("a=continuous,a=categorical"), "column 'a' is given a type twice");
    }

    #[test]
    fn delimiters_are_marks_or_words() {
        let byte = |text: &str| text.parse::<Delimiter>().map(Delimiter::byte);
        assert_eq!([byte("tab"), byte("\\t"), byte("space")], [Ok(b'\t'), Ok(b'\t'), Ok(b' ')]);
        assert_eq!(byte(":"), Ok(b':'));
        for wrong in ["", ",,", "a", "1", "\"", ".", "-", "é"] {
            let message = format!("'{wrong}' cannot separate cells");
            assert_eq!(byte(wrong).unwrap_err().to_string(), message);
        }
    }
}

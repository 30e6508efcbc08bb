//! Advice about an error as data, so that each front end writes the options in its own notation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A sentence of advice: words, and the options and verbs that they mention.
///
/// An option has the name it has in a configuration file, and at most one value. The command line writes `--types
/// dose=continuous` where Python writes `types={"dose": "continuous"}`, so the sentence holds neither.
///
/// ```
/// use gflowcausal_graph::Advice;
/// let advice = Advice::new("use ").set("missing", "drop").then(", or fill the gaps");
/// let flag = |option: &str, value: Option<&str>| format!("--{option} {}", value.unwrap_or_default());
/// let verb = |verb: &str| format!("`gflowcausal {verb}`");
/// assert_eq!(advice.phrase(flag, verb), "use --missing drop, or fill the gaps");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Advice(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Words(String),
    Option { option: &'static str, value: Option<String> },
    Verb(&'static str),
}

impl Advice {
    /// Advice that begins with these words.
    #[must_use]
    pub fn new(words: impl Into<String>) -> Self {
        Self(vec![Part::Words(words.into())])
    }

    /// Goes on with these words.
    #[must_use]
    pub fn then(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// Goes on with the name of an option.
    #[must_use]
    pub fn option(mut self, option: &'static str) -> Self {
        self.0.push(Part::Option { option, value: None });
        self
    }

    /// Goes on with an option and its value.
    #[must_use]
    pub fn set(mut self, option: &'static str, value: impl Into<String>) -> Self {
        self.0.push(Part::Option { option, value: Some(value.into()) });
        self
    }

    /// Goes on with another thing that the program does, such as `doctor`.
    #[must_use]
    pub fn verb(mut self, verb: &'static str) -> Self {
        self.0.push(Part::Verb(verb));
        self
    }

    /// The sentence, with every option and every verb written by the front end.
    pub fn phrase(
        &self,
        option: impl Fn(&'static str, Option<&str>) -> String,
        verb: impl Fn(&'static str) -> String,
    ) -> String {
        let part = |part: &Part| match part {
            Part::Words(words) => words.clone(),
            Part::Option { option: name, value } => option(name, value.as_deref()),
            Part::Verb(name) => verb(name),
        };
        self.0.iter().map(part).collect()
    }
}

impl fmt::Display for Advice {
    /// As the command line writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option = |option: &str, value: Option<&str>| match value {
            Some(value) => format!("--{option} {value}"),
            None => format!("--{option}"),
        };
        f.pad(&self.phrase(option, |verb| format!("`gflowcausal {verb}`")))
    }
}

impl From<Advice> for String {
    fn from(advice: Advice) -> Self {
        advice.to_string()
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Self::new(words)
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Self::new(words)
    }
}

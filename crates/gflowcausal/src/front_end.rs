//! How the command line and Python each write an option.

use crate::{Kind, OptionSpec};

/// The front end that a sentence is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontEnd {
    /// Options are written `--max-parents 3`.
    CommandLine,
    /// Options are written `max_parents=3`.
    Python,
}

impl FrontEnd {
    /// The option called `name`, with dashes or underscores, without a value.
    ///
    /// ```
    /// use gflowcausal::FrontEnd;
    /// assert_eq!(FrontEnd::CommandLine.option("max_parents"), "--max-parents");
    /// assert_eq!(FrontEnd::Python.option("max-parents"), "max_parents");
    /// ```
    #[must_use]
    pub fn option(self, name: &str) -> String {
        match self {
            Self::CommandLine => format!("--{}", name.replace('_', "-")),
            // An estimator of scikit-learn with an attribute `transform` would be taken for a transformer.
            Self::Python if name == "transform" => "transforms".to_owned(),
            Self::Python => name.replace('-', "_"),
        }
    }

    /// The option called `name` with its value.
    ///
    /// ```
    /// use gflowcausal::FrontEnd;
    /// assert_eq!(FrontEnd::CommandLine.setting("missing", "drop"), "--missing drop");
    /// assert_eq!(FrontEnd::Python.setting("missing", "drop"), "missing=\"drop\"");
    /// assert_eq!(FrontEnd::Python.setting("exclude", "a"), "exclude=[\"a\"]");
    /// assert_eq!(FrontEnd::Python.setting("types", "a=continuous"), "types={\"a\": \"continuous\"}");
    /// ```
    #[must_use]
    pub fn setting(self, name: &str, value: &str) -> String {
        let option = self.option(name);
        let is_list = OptionSpec::of_name(name).is_some_and(|spec| matches!(spec.kind, Kind::List));
        match (self, value.rsplit_once('=')) {
            (Self::CommandLine, _) => format!("{option} {value}"),
            (Self::Python, Some((column, kind))) if name == "types" => {
                format!("{option}={{{column:?}: {kind:?}}}")
            }
            (Self::Python, _) if is_list => format!("{option}=[{value:?}]"),
            (Self::Python, _) => format!("{option}={value:?}"),
        }
    }

    /// How data are given to the verb `name`.
    ///
    /// ```
    /// use gflowcausal::FrontEnd;
    /// assert_eq!(FrontEnd::CommandLine.verb("doctor"), "`gflowcausal doctor`");
    /// assert_eq!(FrontEnd::Python.verb("doctor"), "`gflowcausal.doctor(data)`");
    /// ```
    #[must_use]
    pub fn verb(self, name: &str) -> String {
        match self {
            Self::CommandLine => format!("`gflowcausal {name}`"),
            Self::Python => format!("`gflowcausal.{name}(data)`"),
        }
    }

    /// `advice` with options and verbs as this front end writes them.
    #[must_use]
    pub fn phrase(self, advice: &gflowcausal_graph::Advice) -> String {
        let option = |name: &str, value: Option<&str>| match value {
            Some(value) => self.setting(name, value),
            None => self.option(name),
        };
        advice.phrase(option, |name| self.verb(name))
    }
}

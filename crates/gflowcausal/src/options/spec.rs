//! What an option is: front ends, files, documentation and checks all follow from one declaration of it.

use gflowcausal_graph::Choice;

use crate::Error;

/// An option, as it was declared.
#[derive(Debug, Clone, Copy)]
pub struct OptionSpec {
    /// The field of [`Config`](crate::Config), and the keyword in Python.
    pub name: &'static str,
    /// The key in TOML, and the long option of the command line: the name with dashes.
    pub key: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// What stands for a value in help.
    pub value_name: &'static str,
    /// What happens where it is left open.
    pub open: Option<&'static str>,
    /// Under which heading help lists it.
    pub heading: Option<&'static str>,
    /// Whether every method reads it; else those that name it do.
    pub is_common: bool,
}

/// A value with a name, and what it means.
pub type Named = (&'static str, &'static str);

/// Which values an option takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Given or not.
    Flag,
    /// One of a few names.
    OneOf(fn() -> Vec<Named>),
    /// A whole number within bounds.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A number.
    Number(Range),
    /// A number, or `auto`, which leaves the option open.
    AutoOrNumber(Range),
    /// The text of a file; front ends take its path.
    File,
    /// A text.
    Text,
    /// Texts; may be repeated.
    List,
}

/// Which numbers an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Those that its reader takes.
    Any,
    /// Finite, and not below zero.
    NotNegative,
    /// Finite, and above zero.
    Positive,
    /// From 0 to 1.
    Share,
    /// From a millionth to a million.
    Moderate,
}

impl Range {
    fn contains(self, value: f64) -> bool {
        match self {
            Self::Any => true,
            Self::NotNegative => value.is_finite() && value >= 0.0,
            Self::Positive => value.is_finite() && value > 0.0,
            Self::Share => (0.0..=1.0).contains(&value),
            Self::Moderate => (1e-6..=1e6).contains(&value),
        }
    }

    /// The range in words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Any => "any number",
            Self::NotNegative => "finite and zero or more",
            Self::Positive => "finite and above zero",
            Self::Share => "from 0 to 1",
            Self::Moderate => "from 0.000001 to 1000000",
        }
    }
}

impl OptionSpec {
    const fn of(kind: Kind, value_name: &'static str) -> Self {
        Self { name: "", key: "", help: "", kind, value_name, open: None, heading: None, is_common: false }
    }

    /// The same with what the declaration calls it and says of it.
    pub(crate) const fn declared(
        mut self,
        name: &'static str,
        key: &'static [u8],
        help: &'static str,
    ) -> Self {
        let Ok(key) = std::str::from_utf8(key) else { panic!("names are ASCII") };
        (self.name, self.key, self.help) = (name, key, help);
        self
    }

    /// The same for an option that has no one default.
    pub(crate) const fn open(mut self, text: &'static str) -> Self {
        self.open = Some(text);
        self
    }

    /// The same for an option that every method reads.
    pub(crate) const fn common(mut self) -> Self {
        self.is_common = true;
        self
    }

    /// The same under a heading.
    pub(crate) const fn under(mut self, heading: &'static str) -> Self {
        self.heading = Some(heading);
        self
    }

    /// What it does, on one line.
    #[must_use]
    pub fn about(&self) -> &'static str {
        self.help.trim()
    }

    /// The names of its values, where it has few.
    #[must_use]
    pub fn values(&self) -> Vec<Named> {
        match self.kind {
            Kind::OneOf(values) => values(),
            _ => Vec::new(),
        }
    }

    /// Refuses a whole number that is out of bounds.
    ///
    /// # Errors
    /// The option, the number and its bounds.
    pub fn check_whole(&self, value: u64) -> Result<(), Error> {
        match self.kind {
            Kind::Whole { least, .. } if value < least => {
                self.out_of_range(value as f64, format!("at least {least}"))
            }
            Kind::Whole { most, .. } if value > most => {
                self.out_of_range(value as f64, format!("at most {most}"))
            }
            _ => Ok(()),
        }
    }

    fn check_number(&self, value: f64) -> Result<(), Error> {
        match self.kind {
            Kind::Number(range) | Kind::AutoOrNumber(range) if !range.contains(value) => {
                self.out_of_range(value, range.text().to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Refuses a value that is out of range.
    pub(crate) fn check(&self, value: &dyn OptionValue) -> Result<(), Error> {
        value.whole().map_or(Ok(()), |whole| self.check_whole(whole))?;
        value.number().map_or(Ok(()), |number| self.check_number(number))
    }

    fn out_of_range(&self, value: f64, range: String) -> Result<(), Error> {
        Err(Error::Value { option: self.name, value, range })
    }
}

/// `name` with dashes for underscores.
pub(crate) const fn kebab<const N: usize>(name: &str) -> [u8; N] {
    let mut key = [0; N];
    let mut at = 0;
    while at < N {
        key[at] = if name.as_bytes()[at] == b'_' { b'-' } else { name.as_bytes()[at] };
        at += 1;
    }
    key
}

pub(crate) const fn flag() -> OptionSpec {
    OptionSpec::of(Kind::Flag, "")
}

pub(crate) const fn one_of<T: Choice>() -> OptionSpec {
    OptionSpec::of(Kind::OneOf(names::<T>), "NAME")
}

fn names<T: Choice>() -> Vec<Named> {
    T::ALL.iter().map(|choice| (choice.name(), "")).collect()
}

pub(crate) const fn one_of_named(values: fn() -> Vec<Named>) -> OptionSpec {
    OptionSpec::of(Kind::OneOf(values), "NAME")
}

pub(crate) const fn whole(value_name: &'static str, least: u64, most: u64) -> OptionSpec {
    OptionSpec::of(Kind::Whole { least, most }, value_name)
}

pub(crate) const fn number(value_name: &'static str, range: Range) -> OptionSpec {
    OptionSpec::of(Kind::Number(range), value_name)
}

pub(crate) const fn auto_or_number(value_name: &'static str, range: Range) -> OptionSpec {
    OptionSpec::of(Kind::AutoOrNumber(range), value_name)
}

pub(crate) const fn file(value_name: &'static str) -> OptionSpec {
    OptionSpec::of(Kind::File, value_name)
}

pub(crate) const fn text(value_name: &'static str) -> OptionSpec {
    OptionSpec::of(Kind::Text, value_name)
}

pub(crate) const fn list(value_name: &'static str) -> OptionSpec {
    OptionSpec::of(Kind::List, value_name)
}

/// The value of an option in a [`Config`](crate::Config).
pub(crate) trait OptionValue {
    /// Whether there is nothing to write down.
    fn is_open(&self) -> bool {
        false
    }

    /// The value, if it is a whole number.
    fn whole(&self) -> Option<u64> {
        None
    }

    /// The value, if it is a number that need not be whole.
    fn number(&self) -> Option<f64> {
        None
    }
}

impl OptionValue for String {}
impl OptionValue for bool {}

impl OptionValue for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl OptionValue for u64 {
    fn whole(&self) -> Option<u64> {
        Some(*self)
    }
}

impl OptionValue for usize {
    fn whole(&self) -> Option<u64> {
        Some(*self as u64)
    }
}

impl OptionValue for Vec<String> {
    fn is_open(&self) -> bool {
        self.is_empty()
    }
}

impl<T: OptionValue> OptionValue for Option<T> {
    fn is_open(&self) -> bool {
        self.is_none()
    }

    fn whole(&self) -> Option<u64> {
        self.as_ref().and_then(T::whole)
    }

    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(T::number)
    }
}

/// Declares [`Config`](crate::Config): each option once, with its help, type, default and kind.
///
/// From the list follow the fields, their defaults and their TOML, [`OPTIONS`](crate::OPTIONS) for the front ends and the
/// documentation, and in the module `option` a constant for each name, by which methods say what they read.
macro_rules! options {
    (
        choices: $($Choice:ty),+;
        $($(#[doc = $help:literal])+ $name:ident: $Type:ty = $default:expr, $spec:expr;)+
    ) => {
        $(impl $crate::options::OptionValue for $Choice {})+

        /// How a causal graph is searched for. Keys in TOML are the command line's options without their dashes in front.
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Config {
            $(
                $(#[doc = $help])+
                #[serde(skip_serializing_if = "OptionValue::is_open")]
                pub $name: $Type,
            )+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// Every option, in the order users see them.
        pub static OPTIONS: &[OptionSpec] =
            &[$($spec.declared(stringify!($name), &const { kebab::<{ stringify!($name).len() }>(stringify!($name)) }, concat!($($help),+)),)+];

        /// The name of each option: methods list those that they read.
        #[expect(non_upper_case_globals, reason = "a constant is named as its option is")]
        pub mod option {
            $(
                $(#[doc = $help])+
                pub const $name: &str = stringify!($name);
            )+
        }

        impl Config {
            /// Each option with its value.
            fn values(&self) -> impl Iterator<Item = (&'static OptionSpec, &dyn OptionValue)> {
                let values: Vec<&dyn OptionValue> = vec![$(&self.$name),+];
                OPTIONS.iter().zip(values)
            }

            /// The options whose values differ from the default.
            fn changed(&self) -> Vec<&'static OptionSpec> {
                let default = Self::default();
                let differs = [$(self.$name != default.$name),+];
                OPTIONS.iter().zip(differs).filter_map(|(spec, differs)| differs.then_some(spec)).collect()
            }
        }
    };
}

pub(crate) use options;

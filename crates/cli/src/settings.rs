//! The options of discovery on the command line, as their declaration has them.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use gflowcausal::{Config, Kind, OPTIONS, OptionSpec, option, read_knowledge};
use toml::{Table, Value};

use crate::failure::Failure;

/// What the user said of every option.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(Given);

/// What the user said of the options that a score depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scoring(Given);

/// Options of the score.
const SCORING: [&str; 7] = [
    option::score,
    option::penalty,
    option::sample_size,
    option::rows_used,
    option::missing,
    option::standardize,
    option::interventions,
];

/// Options that were given, each with what was written.
type Given = Vec<(&'static OptionSpec, Written)>;

/// What was written for an option.
#[derive(Debug, Clone)]
enum Written {
    Value(Value),
    /// A whole number, which may be too large for TOML.
    Whole(u64),
    /// The path of a file.
    Path(String),
}

impl Settings {
    /// Whether nothing was said.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `config` with what was said.
    pub(crate) fn apply(&self, config: &Config) -> Result<Config, Failure> {
        apply(&self.0, config)
    }
}

impl Scoring {
    /// The configuration of what was said.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        apply(&self.0, &Config::default())
    }
}

fn apply(given: &Given, config: &Config) -> Result<Config, Failure> {
    let mut table = Table::new();
    for (spec, written) in given {
        table.insert(spec.key.to_owned(), value(spec, written)?);
    }
    config.with(table).map_err(|reason| Failure::input("bad-option", reason))
}

fn value(spec: &OptionSpec, written: &Written) -> Result<Value, Failure> {
    Ok(match written {
        Written::Value(value) => value.clone(),
        Written::Path(path) => Value::String(read_knowledge(path.as_ref())?),
        Written::Whole(number) => {
            spec.check_whole(*number)?;
            let number = i64::try_from(*number);
            Value::Integer(number.map_err(|error| Failure::input("bad-option", error.to_string()))?)
        }
    })
}

fn chosen() -> impl Iterator<Item = &'static OptionSpec> {
    OPTIONS.iter().filter(|spec| SCORING.contains(&spec.name))
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        command.args(by_need().into_iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(OPTIONS.iter(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Scoring {
    fn augment_args(command: Command) -> Command {
        command.args(chosen().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Scoring {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(given(chosen(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Headings in the order of need; those of [`RESEARCH`] come after all others.
const NEEDED: [&str; 3] = ["Knowledge", "Reading", "Score and probabilities"];

/// Headings that `-h` leaves to `--help`.
const RESEARCH: [&str; 3] = ["Pruning", "Other methods", "Training a policy"];

/// All options, those that people need first before the others; within a heading as they are declared.
fn by_need() -> Vec<&'static OptionSpec> {
    let rank = |spec: &&OptionSpec| {
        spec.heading.map_or(0, |heading| {
            let all = NEEDED.iter().chain(&RESEARCH);
            1 + all.clone().position(|&other| other == heading).unwrap_or(NEEDED.len())
        })
    };
    let mut specs: Vec<&OptionSpec> = OPTIONS.iter().collect();
    specs.sort_by_key(rank);
    specs
}

/// The option as clap takes it.
fn argument(spec: &'static OptionSpec) -> Arg {
    let is_research = spec.heading.is_some_and(|heading| RESEARCH.contains(&heading));
    let argument = Arg::new(spec.name).long(spec.key).help(help(spec)).help_heading(spec.heading);
    let argument = argument.hide_short_help(is_research);
    let argument = match spec.kind {
        Kind::Flag => return argument.action(ArgAction::SetTrue),
        Kind::OneOf(_) => return argument.value_parser(names(spec)),
        Kind::Whole { .. } => argument.value_parser(value_parser!(u64)),
        Kind::Number(_) => argument.value_parser(value_parser!(f64)),
        Kind::AutoOrNumber(_) => argument.value_parser(auto_or_number),
        Kind::File | Kind::Text => argument,
        Kind::List => argument.action(ArgAction::Append),
    };
    argument.value_name(spec.value_name).allow_negative_numbers(true)
}

fn help(spec: &OptionSpec) -> String {
    let about = spec.about().trim_end_matches('.');
    spec.default_text().map_or_else(|| about.to_owned(), |default| format!("{about} [default: {default}]"))
}

fn names(spec: &OptionSpec) -> PossibleValuesParser {
    let value = |(name, about): (&'static str, &'static str)| match about {
        "" => PossibleValue::new(name),
        about => PossibleValue::new(name).help(about),
    };
    spec.values().into_iter().map(value).collect::<Vec<_>>().into()
}

fn auto_or_number(text: &str) -> Result<Value, String> {
    match text {
        "auto" => Ok(Value::String("auto".into())),
        number => number.parse().map(Value::Float).map_err(|_| "give auto or a number".into()),
    }
}

/// What was given of `specs`.
fn given(specs: impl Iterator<Item = &'static OptionSpec>, matches: &ArgMatches) -> Given {
    let is_given = |spec: &&OptionSpec| matches.value_source(spec.name) == Some(ValueSource::CommandLine);
    let written = |spec| written(spec, matches).map(|written| (spec, written));
    specs.filter(is_given).filter_map(written).collect()
}

fn written(spec: &OptionSpec, matches: &ArgMatches) -> Option<Written> {
    let text = || matches.get_one::<String>(spec.name).cloned();
    Some(match spec.kind {
        Kind::Flag => Written::Value(Value::Boolean(true)),
        Kind::OneOf(_) | Kind::Text => Written::Value(Value::String(text()?)),
        Kind::Whole { .. } => Written::Whole(*matches.get_one(spec.name)?),
        Kind::Number(_) => Written::Value(Value::Float(*matches.get_one(spec.name)?)),
        Kind::AutoOrNumber(_) => Written::Value(matches.get_one::<Value>(spec.name)?.clone()),
        Kind::File => Written::Path(text()?),
        Kind::List => {
            let items = matches.get_many::<String>(spec.name)?.cloned();
            Written::Value(Value::Array(items.map(Value::String).collect()))
        }
    })
}

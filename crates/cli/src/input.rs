//! Where data and graphs come from: files, standard input, built-in data sets.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gflowcausal::data::{
    Delimiter, Header, OptionError, ReadOptions, Source, Table, builtin, parse_types, read_table,
};
use gflowcausal::graph::Dag;
use gflowcausal::{Error, graph};

use crate::failure::Failure;

/// A table to read, and what the reader cannot find out by itself.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArguments {
    /// A table: .csv .tsv .txt (also .gz) .parquet .arrow .feather .npy, `-` for CSV on standard input, or `sachs`.
    #[arg(value_name = "DATA")]
    data: String,
    #[command(flatten)]
    reading: Reading,
}

impl DataArguments {
    /// Reads the table.
    pub(crate) fn read(&self) -> Result<Data, Failure> {
        self.reading.read(&self.data)
    }
}

/// What the reader of a table cannot find out by itself, as the user writes it.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct Reading {
    /// The first row is data, not names: columns are called X1, X2, …
    #[arg(long, help_heading = "Reading")]
    pub(crate) no_header: bool,
    /// What separates cells: a mark, `tab` or `space`. Found out if not given.
    #[arg(long, value_name = "MARK", value_parser = checked(delimiter), help_heading = "Reading")]
    pub(crate) delimiter: Option<String>,
    /// Types that differ from the rule, such as `dose=continuous,ward=categorical`.
    #[arg(long, value_name = "NAME=TYPE,…", value_parser = checked(parse_types), help_heading = "Reading")]
    pub(crate) types: Option<String>,
}

fn delimiter(text: &str) -> Result<Delimiter, OptionError> {
    text.parse()
}

/// A parser that keeps the text as it is but refuses what `parse` refuses.
fn checked<T, E: Display>(
    parse: fn(&str) -> Result<T, E>,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static
where
    T: 'static,
    E: 'static,
{
    move |text| parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A table and where it comes from.
#[derive(Debug)]
pub(crate) struct Data {
    /// What the user calls it: a built-in name, or the file's name.
    pub(crate) name: String,
    /// The values.
    pub(crate) table: Table,
    /// The graph held to be true, if it comes with the data.
    pub(crate) truth: Option<Dag>,
}

impl Reading {
    /// Reads the table in the file, or of the name, `data`.
    pub(crate) fn read(&self, data: &str) -> Result<Data, Failure> {
        if let Some(data) = self.builtin(data)? {
            return Ok(data);
        }
        let source = if data == "-" { Source::Stdin } else { Source::Path(PathBuf::from(data)) };
        let table = read_table(&source, &self.options()?).map_err(Error::from)?;
        tracing::info!(rows = table.rows(), columns = table.columns().len(), "read {data}");
        Ok(Data { name: file_name(data), table, truth: None })
    }

    fn builtin(&self, data: &str) -> Result<Option<Data>, Failure> {
        if Path::new(data).exists() {
            return Ok(None);
        }
        let Some(known) = builtin(data) else { return Ok(None) };
        if *self != Self::default() {
            let message = format!("the built-in data set '{data}' takes no reading options");
            return Err(Failure::input("option-without-effect", message));
        }
        Ok(Some(Data { name: data.to_owned(), table: known.table, truth: Some(known.truth) }))
    }

    fn options(&self) -> Result<ReadOptions, Error> {
        Ok(ReadOptions {
            header: if self.no_header { Header::Absent } else { Header::Detect },
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            types: self.types.as_deref().map(parse_types).transpose()?.unwrap_or_default(),
            ..ReadOptions::default()
        })
    }
}

fn file_name(data: &str) -> String {
    match Path::new(data).file_name() {
        Some(name) if data != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// Which way the edges of a bare matrix point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Orientation {
    /// `[i][j]` is the edge from i to j.
    #[default]
    RowToColumn,
    /// `[i][j]` is the edge from j to i.
    ColumnToRow,
}

impl From<Orientation> for graph::Orientation {
    fn from(orientation: Orientation) -> Self {
        match orientation {
            Orientation::RowToColumn => Self::RowToColumn,
            Orientation::ColumnToRow => Self::ColumnToRow,
        }
    }
}

/// A parser for a type whose values have fixed names: shows them in `--help`, completes them, refuses others.
pub(crate) fn named<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
    T::Err: Display,
{
    PossibleValuesParser::new(names.into_iter().collect::<Vec<_>>())
        .try_map(|name| name.parse::<T>().map_err(|error| error.to_string()))
}

/// A parser for one of `all`, by the name that `name` gives it.
pub(crate) fn choice<T>(
    all: &'static [T],
    name: impl Fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names: Vec<&'static str> = all.iter().map(|&one| name(one)).collect();
    PossibleValuesParser::new(names.clone()).map(move |chosen| {
        let at = names.iter().position(|&name| name == chosen).expect("the parser knows only these");
        all[at]
    })
}

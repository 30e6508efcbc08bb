//! Where data and graphs come from: files, standard input, built-in data sets.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gflowcausal::data::{Delimiter, OptionError, ReadError, parse_types};
use gflowcausal::graph::{Choice, NamedGraph};
use gflowcausal::graph_io::{Format, FormatError};
use gflowcausal::{DataFile, Error, FileError, NamedTable, RunDir, graph_io, request_help};

use crate::failure::Failure;

/// A table to read, and what the reader cannot find out by itself.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArguments {
    /// A table: .csv .tsv .txt (also .gz) .parquet .arrow .feather .npy, `-` for CSV on standard input, or `sachs`, `sachs-interventions`.
    #[arg(value_name = "DATA")]
    data: String,
    #[command(flatten)]
    reading: Reading,
}

impl DataArguments {
    /// Reads the table.
    pub(crate) fn read(&self) -> Result<NamedTable, Failure> {
        self.reading.read(&self.data)
    }
}

/// What the reader of a table cannot find out by itself, as the user writes it.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct Reading {
    #[arg(long, help = request_help::NO_HEADER, help_heading = "Reading")]
    pub(crate) no_header: bool,
    #[arg(long, value_name = "MARK", value_parser = checked(delimiter), help = request_help::DELIMITER, help_heading = "Reading")]
    pub(crate) delimiter: Option<String>,
    #[arg(long, value_name = "NAME=TYPE,…", value_parser = checked(parse_types), help = format!("{}, such as `dose=continuous,ward=categorical`", request_help::TYPES), help_heading = "Reading")]
    pub(crate) types: Option<String>,
}

fn delimiter(text: &str) -> Result<Delimiter, OptionError> {
    text.parse()
}

/// A parser that keeps the text as it is but refuses what `parse` refuses.
fn checked<T: 'static>(
    parse: fn(&str) -> Result<T, OptionError>,
) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| parse(text).map(|_| text.to_owned()).map_err(|error| format!("{error}: {}", error.advice()))
}

impl Reading {
    /// Reads the table in the file, or of the name, `data`.
    fn read(&self, data: &str) -> Result<NamedTable, Failure> {
        let Self { no_header, delimiter, types } = self.clone();
        let file = DataFile { path: data.to_owned(), no_header, delimiter, types, sha256: None };
        Ok(file.read(free_memory())?)
    }
}

/// How many bytes of memory are free, where the system says so.
pub(crate) fn free_memory() -> Option<u64> {
    let report = fs::read_to_string("/proc/meminfo").ok()?;
    let line = report.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Refuses a directory where a file is to be read or written.
pub(crate) fn refuse_directory(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        Err(Error::from(ReadError::Directory(path.display().to_string())).into())
    } else {
        Ok(())
    }
}

/// The run in the directory at `path`.
pub(crate) fn open_run(path: &Path) -> Result<RunDir, Failure> {
    let help = "name the directory that `gflowcausal discover DATA --out DIR` wrote";
    RunDir::open(path).map_err(|error| {
        let is_missing = error.source.kind() == std::io::ErrorKind::NotFound;
        let failure = Failure::from(Error::from(error));
        if is_missing { failure.with_help(help) } else { failure }
    })
}

/// The file of a graph: of a run, that of its best graph.
pub(crate) fn graph_path(path: &Path) -> PathBuf {
    let of_run = path.join("graph.json");
    if of_run.is_file() { of_run } else { path.to_owned() }
}

/// A graph file in memory: what comes through a pipe can be read but once.
pub(crate) struct GraphFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// How the graph is written there.
    pub(crate) format: Format,
}

impl GraphFile {
    /// Reads the bytes of a file, of a run's best graph, or of standard input for `-`; the format is as the user says, or as the name or the
    /// content tells.
    pub(crate) fn open(path: &Path, said: Option<Format>) -> Result<Self, Failure> {
        let path = &graph_path(path);
        refuse_directory(path)?;
        let mut bytes = Vec::new();
        let read = if path.as_os_str() == "-" {
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            fs::read(path).map(|read| bytes = read)
        };
        let refused = |source| FileError { action: "read", path: path.to_owned(), source };
        read.map_err(refused).map_err(Error::from)?;
        let format = said.map_or_else(|| Format::of(path, &bytes), Ok);
        let format = format.map_err(|source| refuse_graph(path, source))?;
        Ok(Self { path: path.to_owned(), bytes, format })
    }

    /// The graph.
    pub(crate) fn read(&self, options: &graph_io::ReadOptions) -> Result<NamedGraph, Failure> {
        self.format.read(&self.bytes, options).map_err(|source| refuse_graph(&self.path, source))
    }
}

fn refuse_graph(path: &Path, source: FormatError) -> Failure {
    Error::GraphFile { path: path.to_owned(), source }.into()
}

/// A parser for a type whose values have fixed names: shows them in `--help`, completes them, refuses others.
pub(crate) fn one_of<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    choice(T::ALL, T::name)
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

//! Why a graph file cannot be read or written, with the line and the names in the user's words.

use gflowcausal_graph::{Advice, GraphError, pluralize};

use crate::Format;

fn formats() -> String {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

/// A graph file that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum FormatError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Bytes that are not text.
    #[error("line {line}: not UTF-8 text")]
    NotUtf8 { line: usize },
    /// Neither the extension nor the content tells the format.
    #[error("this is none of the graph formats {}", formats())]
    Unrecognized,
    /// A packed file that cannot be unpacked.
    #[error("the gzip file is damaged: {0}")]
    Gzip(String),
    /// A network without the probabilities that data could be drawn from.
    #[error("line {line}: {what}")]
    Network { line: usize, what: String },
    /// Text that does not follow the format.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Syntax { line: usize, column: usize, expected: String, found: String },
    /// Something that makes no graph, on a certain line.
    #[error("line {line}: {error}")]
    Line { line: usize, error: GraphError },
    /// Something that makes no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An edge that is neither an arrow nor undirected.
    #[error("line {line}: the edge '{from}' {mark} '{to}' is neither directed nor undirected")]
    Mark { line: usize, from: String, mark: String, to: String },
    /// A part of the format that is not understood.
    #[error("line {line}: {what} cannot be read")]
    Unsupported { line: usize, what: &'static str },
    /// A number or flag of an edge that is none.
    #[error("line {line}: {key} '{text}' is not {expected}")]
    Attribute { line: usize, key: &'static str, text: String, expected: &'static str },
    /// Text that is not JSON.
    #[error("line {line}, column {column}: not valid JSON")]
    Json { line: usize, column: usize },
    /// JSON of another shape than a graph.
    #[error("{path}: expected {expected}")]
    JsonShape { path: String, expected: &'static str },
    /// Text that is not XML.
    #[error("line {line}: not valid XML: {reason}")]
    Xml { line: usize, reason: String },
    /// A row with more or fewer cells than the others.
    #[error("row {row} has {}, expected {expected}", pluralize(*cells, "cell"))]
    Ragged { row: usize, cells: usize, expected: usize },
    /// A matrix with more or fewer rows than columns.
    #[error("a matrix of {} and {} is not square", pluralize(*rows, "row"), pluralize(*columns, "column"))]
    NotSquare { rows: usize, columns: usize },
    /// A matrix that calls its rows otherwise than its columns.
    #[error("the rows are named {}, but the columns {}", rows.join(", "), columns.join(", "))]
    RowNames { rows: Vec<String>, columns: Vec<String> },
    /// Maybe a list of edges between numbered variables.
    #[error("{} of {columns} numbers are no square matrix", pluralize(*rows, "row"))]
    EdgesWithoutNames { rows: usize, columns: usize },
    /// A cell that should be a number.
    #[error("row {row}, column {column}: '{text}' is not a number")]
    NotANumber { row: usize, column: usize, text: String },
    /// Two different values for one pair: no matrix of edges, maybe one of end marks.
    #[error(
        "'{from}' -> '{to}' is {there} and '{to}' -> '{from}' is {back}: an undirected edge has one value"
    )]
    BothWays { from: String, to: String, there: f64, back: f64 },
    /// An npy file that does not say what it holds.
    #[error("the npy file is damaged: {0}")]
    NpyHeader(String),
    /// An npy file of something else than numbers.
    #[error("the npy file has {0}, which cannot be read: use integers, booleans or floats")]
    NpyType(String),
    /// An npy file with another number of bytes than its header says.
    #[error("the npy file holds {found} bytes of numbers, its header says {expected}")]
    NpyLength { expected: u64, found: u64 },
}

impl FormatError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty-file",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::Unrecognized => "unknown-format",
            Self::Ragged { .. } => "ragged-row",
            Self::NotSquare { .. } | Self::EdgesWithoutNames { .. } => "not-square",
            Self::RowNames { .. } => "other-variables",
            Self::NpyLength { .. } => "truncated-file",
            Self::Line { error, .. } | Self::Graph(error) => error.code(),
            _ => "bad-graph-file",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        Advice::from(match self {
            Self::Empty => "check that the program that wrote it had finished",
            Self::NotUtf8 { .. } => "save the file as UTF-8",
            Self::Unrecognized => "give the file its usual extension, such as .json or .csv",
            Self::Syntax { .. } | Self::Json { .. } | Self::JsonShape { .. } | Self::Xml { .. } => {
                "correct that place, or write the file again"
            }
            Self::Line { error, .. } | Self::Graph(error) => return error.advice(),
            Self::Mark { .. } => "give a graph of arrows and undirected edges alone",
            Self::Unsupported { .. } => "write the file again without it",
            Self::Attribute { .. } => "correct the value, or leave it out",
            Self::Ragged { .. } | Self::NotSquare { .. } => {
                "an adjacency matrix has one row and one column for each variable"
            }
            Self::RowNames { .. } => "name the rows as the columns, in any order",
            Self::EdgesWithoutNames { .. } => "if it is a list of edges, write 'from,to' above it",
            Self::NotANumber { .. } => "write 0 for no edge, and 1 or a weight for an edge",
            Self::BothWays { .. } => "write 0 in one direction for an arrow, or the same number in both",
            Self::NpyHeader(_) | Self::NpyLength { .. } | Self::Gzip(_) => "write the file again",
            Self::Network { .. } => {
                "give each variable its levels and, for each joint value of its parents, as many probabilities"
            }
            Self::NpyType(_) => "save numbers: numpy.save(file, array.astype(float))",
        })
    }
}

/// A graph that a format cannot hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum WriteError {
    /// A format that is only read.
    #[error("{0} is read, but not written")]
    ReadOnly(Format),
    /// A name with characters that mean something else there.
    #[error("{format} cannot hold the name {name:?}")]
    Name { format: Format, name: String },
    /// In a matrix zero means no edge.
    #[error("{format} cannot hold the edge from '{from}' to '{to}': its weight is 0")]
    ZeroWeight { format: Format, from: String, to: String },
}

impl WriteError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "format-cannot-hold"
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        "write JSON, GraphML or DOT, which hold every graph".into()
    }
}

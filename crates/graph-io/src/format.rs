//! The graph formats: which one a file has, and the reader and writer of each.

use std::path::Path;

use gflowcausal_graph::{NamedGraph, choices};

use crate::cursor::has_word;
use crate::{FormatError, WriteError, bif, csv, cursor, dot, gml, graphml, json, npy, tetrad};

choices! {
    /// How a graph is written in a file.
    #[non_exhaustive]
    pub enum Format: "graph format" {
        /// Our own: names and edges, with whatever is known of each. The result of a discovery is read too.
        Json = "json",
        /// A matrix with named rows and columns, a named header, or numbers alone; read also as a list of edges.
        ///
        /// In a matrix any number but zero is an edge, and the same number both ways is one without direction. Its
        /// corner says which way it points: `from\to`.
        Csv = "csv",
        /// A table of edges: `from,to`, and `weight`, `probability`, `directed` where they say something.
        EdgeList = "edge-list",
        /// Graphviz.
        Dot = "dot",
        /// GraphML, as networkx, igraph and yEd write it.
        Graphml = "graphml",
        /// GML, as networkx and igraph write it; only read.
        Gml = "gml",
        /// The structure of a Bayesian network, as bnlearn and JavaBayes write it; only read.
        Bif = "bif",
        /// NumPy's matrix file, numbers as in a CSV matrix.
        Npy = "npy",
        /// Tetrad's text (`Graph Nodes:`, `Graph Edges:`).
        Tetrad = "tetrad",
    }
}

choices! {
    /// Which way the edges of a bare matrix point.
    #[derive(Default)]
    pub enum Orientation: "orientation" {
        /// `[i][j]` is the edge from `i` to `j`.
        #[default]
        RowToColumn = "row-to-column",
        /// `[i][j]` is the edge from `j` to `i`.
        ColumnToRow = "column-to-row",
    }
}

/// What a file itself may leave open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Which way a matrix points that does not say so itself.
    pub orientation: Orientation,
    /// The variables, for files that do not name them all: a bare matrix, a list of edges, a DOT file.
    pub names: Option<Vec<String>>,
}

impl Format {
    /// The formats that are written as well as read.
    pub const WRITTEN: &[Self] =
        &[Self::Json, Self::Csv, Self::EdgeList, Self::Dot, Self::Graphml, Self::Npy, Self::Tetrad];

    /// The format that goes with a file name's extension; `.txt` tells nothing.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "csv" | "tsv" => Some(Self::Csv),
            "dot" | "gv" => Some(Self::Dot),
            "graphml" | "xml" => Some(Self::Graphml),
            "gml" => Some(Self::Gml),
            "bif" => Some(Self::Bif),
            "npy" => Some(Self::Npy),
            "tetrad" => Some(Self::Tetrad),
            _ => None,
        }
    }

    /// The format that the first words of a file tell.
    #[must_use]
    pub fn detect(file: &[u8]) -> Option<Self> {
        if npy::is_npy(file) {
            return Some(Self::Npy);
        }
        let text = text(file).ok()?;
        let first = first_words(text);
        let starts = |words: &[&str]| words.iter().any(|word| has_word(first, word));
        match first.chars().next()? {
            '{' | '[' => Some(Self::Json),
            '<' => Some(Self::Graphml),
            _ if first.starts_with("Graph Nodes:") => Some(Self::Tetrad),
            _ if starts(&["network", "variable", "probability"]) && first.contains('{') => Some(Self::Bif),
            _ if opens(first, &["graph", "Creator", "Version", "directed", "comment"], '[', '{') => {
                Some(Self::Gml)
            }
            _ if opens(first, &["strict", "graph", "digraph", "dag", "pdag"], '{', '[') => Some(Self::Dot),
            _ => csv::looks_like(text).then_some(Self::Csv),
        }
    }

    /// The format of a file by its name or else by its content.
    ///
    /// # Errors
    /// When neither tells.
    pub fn of(path: &Path, file: &[u8]) -> Result<Self, FormatError> {
        Self::from_path(path).or_else(|| Self::detect(file)).ok_or(FormatError::Unrecognized)
    }

    /// Reads a graph.
    ///
    /// ```
    /// use gflowcausal_graph::Edge;
    /// use gflowcausal_graph_io::{Format, ReadOptions};
    /// let named = Format::Dot.read(b"digraph { rain -> wet }", &ReadOptions::default())?;
    /// assert_eq!(named.names(), ["rain", "wet"]);
    /// assert!(named.graph().has_directed(Edge::new(0, 1)));
    /// # Ok::<(), gflowcausal_graph_io::FormatError>(())
    /// ```
    ///
    /// # Errors
    /// When the file does not follow the format or what it says is no graph.
    pub fn read(self, file: &[u8], options: &ReadOptions) -> Result<NamedGraph, FormatError> {
        match self {
            Self::Json => json::read(content(file)?, options),
            Self::Csv => csv::read(content(file)?, options),
            Self::EdgeList => csv::read_edge_list(content(file)?, options),
            Self::Dot => dot::read(content(file)?, options),
            Self::Graphml => graphml::read(content(file)?),
            Self::Gml => gml::read(content(file)?),
            Self::Bif => bif::read(content(file)?),
            Self::Npy if file.is_empty() => Err(FormatError::Empty),
            Self::Npy => npy::read(file, options),
            Self::Tetrad => tetrad::read(content(file)?),
        }
    }

    /// Writes a graph. Matrices point from row to column.
    ///
    /// Weights are kept by all formats but `tetrad`, probabilities by `json`, `edge-list`, `dot` and `graphml`. A matrix
    /// holds 1 for an edge without a weight. `gml` and `bif` are only read: a BIF file would need probability tables,
    /// which a graph does not have.
    ///
    /// # Errors
    /// When the format is only read, or has no place for a name or an edge.
    pub fn write(self, named: &NamedGraph) -> Result<Vec<u8>, WriteError> {
        Ok(match self {
            Self::Json => json::write(named).into_bytes(),
            Self::Csv => csv::write_matrix(named)?.into_bytes(),
            Self::EdgeList => csv::write_edges(named).into_bytes(),
            Self::Dot => dot::write(named).into_bytes(),
            Self::Graphml => graphml::write(named)?.into_bytes(),
            Self::Gml | Self::Bif => return Err(WriteError::ReadOnly(self)),
            Self::Npy => npy::write(named)?,
            Self::Tetrad => tetrad::write(named)?.into_bytes(),
        })
    }
}

fn text(file: &[u8]) -> Result<&str, FormatError> {
    utf8_text(file).map_err(|line| FormatError::NotUtf8 { line })
}

/// The file as text, without a byte-order mark; else the line that is none.
pub(crate) fn utf8_text(file: &[u8]) -> Result<&str, usize> {
    let text = std::str::from_utf8(file).map_err(|error| {
        let before = &file[..error.valid_up_to()];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The text of a file that says something.
fn content(file: &[u8]) -> Result<&str, FormatError> {
    text(file).and_then(|text| if text.trim().is_empty() { Err(FormatError::Empty) } else { Ok(text) })
}

/// The text from its first word on, comments apart.
fn first_words(text: &str) -> &str {
    let mut cursor = cursor::Cursor::new(text);
    while cursor.skip_comments().is_ok() && cursor.eat("#") {
        cursor.take_while(|c| c != '\n');
    }
    cursor.rest()
}

/// Whether `text` starts with one of `words` and has an `opening` bracket before any `other` one.
fn opens(text: &str, words: &[&str], opening: char, other: char) -> bool {
    let bracket = text.find([opening, other]).and_then(|at| text[at..].chars().next());
    words.iter().any(|word| has_word(text, word)) && bracket == Some(opening)
}

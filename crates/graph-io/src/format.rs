//! The graph formats: which one a file has, and the reader and writer of each.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use gflowcausal_data::gunzipped;
use gflowcausal_graph::{NamedGraph, choices};

use crate::{FormatError, WriteError, bif, csv, cursor, dot, gml, graphml, json, npy, tetrad_graph};

/// What the crate has to know of a format; each format's file declares its own.
pub(crate) struct Registration {
    /// The extensions of its files.
    pub(crate) extensions: &'static [&'static str],
    pub(crate) read: FormatReader,
    /// None: it is only read.
    pub(crate) write: Option<Writer>,
}

type Writer = fn(&NamedGraph) -> Result<Vec<u8>, WriteError>;

/// How a format is detected and read.
pub(crate) enum FormatReader {
    /// Text: detected by its first words, comments apart.
    Text {
        detects: fn(&str) -> bool,
        read: fn(&str, &ReadOptions) -> Result<NamedGraph, FormatError>,
    },
    Bytes {
        detects: fn(&[u8]) -> bool,
        read: fn(&[u8], &ReadOptions) -> Result<NamedGraph, FormatError>,
    },
}

/// Declares [`Format`] and what is registered for each of its values.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $Variant:ident = $name:literal => $registration:path,)+) => {
        choices! {
            /// How a graph is written in a file.
            #[non_exhaustive]
            pub enum Format: "graph format" {
                $($(#[doc = $doc])+ $Variant = $name,)+
            }
        }

        impl Format {
            const fn registration(self) -> &'static Registration {
                match self {
                    $(Self::$Variant => &$registration,)+
                }
            }
        }
    };
}

formats! {
    /// Our own: names and edges, with whatever is known of each. The result of a discovery is read too.
    Json = "json" => json::FORMAT,
    /// A matrix with named rows and columns, a named header, or numbers alone; read also as a list of edges.
    ///
    /// In a matrix any number but zero is an edge, and the same number in both directions is an undirected one. Its
    /// corner states its orientation: `from\to`.
    Csv = "csv" => csv::MATRIX,
    /// A table of edges: `from,to`, and `weight`, `probability`, `directed` where they say something.
    EdgeList = "edge-list" => csv::EDGE_LIST,
    /// Graphviz.
    Dot = "dot" => dot::FORMAT,
    /// GraphML, as networkx, igraph and yEd write it.
    Graphml = "graphml" => graphml::FORMAT,
    /// GML, as networkx and igraph write it; only read.
    Gml = "gml" => gml::FORMAT,
    /// The structure of a Bayesian network, as bnlearn and JavaBayes write it; only read.
    Bif = "bif" => bif::FORMAT,
    /// NumPy's matrix file, numbers as in a CSV matrix.
    Npy = "npy" => npy::FORMAT,
    /// Tetrad's text (`Graph Nodes:`, `Graph Edges:`).
    Tetrad = "tetrad" => tetrad_graph::FORMAT,
}

choices! {
    /// The orientation of a bare matrix.
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
    /// The orientation of a matrix that does not state it.
    pub orientation: Orientation,
    /// The variables, for files that do not name them all: a bare matrix, a list of edges, a DOT file.
    pub names: Option<Vec<String>>,
}

impl Format {
    /// The formats that are written as well as read.
    #[must_use]
    pub fn written() -> &'static [Self] {
        static WRITTEN: LazyLock<Vec<Format>> = LazyLock::new(|| {
            Format::ALL.iter().copied().filter(|format| format.registration().write.is_some()).collect()
        });
        &WRITTEN
    }

    /// The extensions of its files, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.registration().extensions
    }

    /// The format that goes with a file name's extension, `.gz` apart; `.txt` tells nothing.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let path = if is_gzip(path) { Path::new(path.file_stem()?) } else { path };
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let has_it = |format: &&Self| format.registration().extensions.contains(&extension.as_str());
        Self::ALL.iter().find(has_it).copied()
    }

    /// The format that the first words of a file tell; what no other format claims may be a table. The last of the list is
    /// tried first: `Graph Nodes:` of Tetrad before the `graph` of DOT and GML.
    #[must_use]
    pub fn detect(file: &[u8]) -> Option<Self> {
        let file = &*unpacked(file).ok()?;
        let text = text(file).ok();
        let first = text.map(first_words);
        let claims = |format: &&Self| match format.registration().read {
            FormatReader::Bytes { detects, .. } => detects(file),
            FormatReader::Text { detects, .. } => first.is_some_and(detects),
        };
        let is_table = || text.is_some_and(csv::looks_like) && first.is_some_and(|first| !first.is_empty());
        Self::ALL.iter().rev().find(claims).copied().or_else(|| is_table().then_some(Self::Csv))
    }

    /// The format of a file by its name or else by its content.
    ///
    /// # Errors
    /// When neither tells.
    pub fn of(path: &Path, file: &[u8]) -> Result<Self, FormatError> {
        Self::from_path(path).or_else(|| Self::detect(file)).ok_or(FormatError::Unrecognized)
    }

    /// Reads a graph; a file that is packed by gzip is unpacked first.
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
        let file = &*unpacked(file)?;
        match self.registration().read {
            FormatReader::Text { read, .. } => read(content(file)?, options),
            FormatReader::Bytes { .. } if file.is_empty() => Err(FormatError::Empty),
            FormatReader::Bytes { read, .. } => read(file, options),
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
        self.registration().write.ok_or(WriteError::ReadOnly(self))?(named)
    }
}

/// The most bytes of a graph file that is unpacked.
const LONGEST: u64 = 1 << 30;

/// The file, unpacked where it is gzip.
pub(crate) fn unpacked(file: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    gunzipped(file, LONGEST).map_err(|error| FormatError::Gzip(error.to_string()))
}

fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
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
pub(crate) fn content(file: &[u8]) -> Result<&str, FormatError> {
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

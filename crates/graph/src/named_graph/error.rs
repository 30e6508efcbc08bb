//! Why names and edges do not make the graph that was asked for, in the user's words.

use crate::{Advice, UnknownName, pluralize};

/// Names and edges that do not make the graph that was asked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum GraphError {
    /// A variable without a name.
    #[error("variable {position} has an empty name")]
    EmptyName { position: usize },
    /// Two variables of one name.
    #[error("two variables are named '{0}'")]
    DuplicateName(String),
    /// More or fewer names than variables.
    #[error("{} given for {}", pluralize(*names, "name"), pluralize(*nodes, "variable"))]
    NameCount { names: usize, nodes: usize },
    /// More variables than a file may name.
    #[error("{nodes} variables are too many: at most {limit} can be read")]
    TooMany { nodes: usize, limit: usize },
    /// No variable at all.
    #[error("the graph has no variables")]
    NoVariables,
    /// An edge from a variable to itself.
    #[error("'{0}' has an edge to itself")]
    Loop(String),
    /// Two edges between the same two variables.
    #[error("'{from}' and '{to}' are joined twice")]
    Joined { from: String, to: String },
    /// A name that no variable has.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A weight or probability that is no finite number.
    #[error("the edge from '{from}' to '{to}' has the value {value}")]
    NotFinite { from: String, to: String, value: f64 },
    /// A weight for an edge that is not there.
    #[error("there is no edge from '{from}' to '{to}'")]
    NoEdge { from: String, to: String },
    /// A directed cycle, the first variable repeated at the end.
    #[error("the graph has a cycle: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// An undirected edge where directions are needed.
    #[error("the edge between '{from}' and '{to}' has no direction")]
    Undirected { from: String, to: String },
    /// Other variables than expected.
    #[error("the variables differ: {}", differences(missing, unknown))]
    Names { missing: Vec<String>, unknown: Vec<String> },
}

impl GraphError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Cycle(_) => "cycle",
            Self::Names { .. } | Self::Unknown(_) => "other-variables",
            Self::DuplicateName(_) => "duplicate-names",
            Self::Loop(_) => "self-loop",
            Self::Undirected { .. } => "undirected-edge",
            _ => "bad-graph",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        Advice::from(match self {
            Self::EmptyName { .. } => "give every variable a name",
            Self::DuplicateName(_) => "give every variable a name of its own",
            Self::NameCount { .. } => "give one name for each variable",
            Self::TooMany { .. } => "choose fewer variables",
            Self::NoVariables => "name at least one variable",
            Self::Loop(_) => "remove the edge: nothing causes itself here",
            Self::Joined { .. } => "keep one of the two edges",
            Self::Unknown(_) | Self::Names { .. } => "use the same names in both, each variable once",
            Self::NotFinite { .. } => "give a finite number, or leave it out",
            Self::NoEdge { .. } => "name an edge of the graph",
            Self::Cycle(_) => "remove or turn one of these edges",
            Self::Undirected { .. } => "give a graph in which every edge has a direction",
        })
    }
}

fn differences(missing: &[String], unknown: &[String]) -> String {
    let part =
        |what: &str, names: &[String]| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    [part("missing", missing), part("unknown", unknown)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

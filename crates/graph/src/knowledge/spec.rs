//! A variable or an edge as the user writes it, before it is known which variables there are.

use std::fmt;

use crate::Edge;
use crate::names::{Names, UnknownName};

/// A variable by name or by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variable {
    /// The user's name for it.
    Name(String),
    /// Its place among the variables, from 0.
    Index(usize),
}

/// An edge as the user writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeSpec {
    /// Text such as `A->B`, `A → B`, `"my variable" -> B` or `*->A`, understood once the names are known.
    Text(String),
    /// The cause and the effect.
    Pair(Variable, Variable),
}

/// A variable or an edge that cannot be made out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum SpecError {
    /// A name that no variable has.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A number that no variable has.
    #[error("there is no variable number {index}: the {nodes} variables are numbered from 0")]
    OutOfRange { index: usize, nodes: usize },
    /// Text without an arrow.
    #[error("'{0}' is not an edge: write it as A->B")]
    NoArrow(String),
    /// Text that can be split at more than one arrow.
    #[error("'{text}' can be read as {}: give the two names apart", either(.readings))]
    Ambiguous { text: String, readings: Vec<(String, String)> },
    /// A pattern that fits no variable.
    #[error("no variable fits '{0}'")]
    NoMatch(String),
    /// An edge from a variable to itself.
    #[error("an edge from '{0}' to itself can be neither required nor forbidden")]
    Loop(String),
}

fn either(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(from, to)| format!("'{from}' to '{to}'")).collect::<Vec<_>>().join(" or ")
}

impl From<&str> for Variable {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for Variable {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for Variable {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<&str> for EdgeSpec {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for EdgeSpec {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Edge> for EdgeSpec {
    fn from(edge: Edge) -> Self {
        Self::Pair(edge.from.into(), edge.to.into())
    }
}

impl<F: Into<Variable>, T: Into<Variable>> From<(F, T)> for EdgeSpec {
    fn from((from, to): (F, T)) -> Self {
        Self::Pair(from.into(), to.into())
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(index) => write!(f, "variable {index}"),
        }
    }
}

impl fmt::Display for EdgeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text.trim()),
            Self::Pair(from, to) => write!(f, "{from}->{to}"),
        }
    }
}

impl Variable {
    pub(super) fn resolve(&self, names: &Names<'_>) -> Result<usize, SpecError> {
        match *self {
            Self::Name(ref name) => Ok(names.get(name)?),
            Self::Index(index) if index < names.len() => Ok(index),
            Self::Index(index) => Err(SpecError::OutOfRange { index, nodes: names.len() }),
        }
    }

    pub(super) fn named(&self, names: &Names<'_>) -> Self {
        match *self {
            Self::Index(index) if index < names.len() => names.name(index).into(),
            _ => self.clone(),
        }
    }
}

impl EdgeSpec {
    /// The edge, or with a wildcard in the text all edges that fit, self-loops apart.
    pub(super) fn resolve(&self, names: &Names<'_>) -> Result<Vec<Edge>, SpecError> {
        let edges = match self {
            Self::Text(text) => split(text, names)?,
            Self::Pair(from, to) => vec![Edge { from: from.resolve(names)?, to: to.resolve(names)? }],
        };
        match *edges {
            [edge] if edge.from == edge.to => Err(SpecError::Loop(names.name(edge.from).to_owned())),
            _ => Ok(edges),
        }
    }

    pub(super) fn named(&self, names: &Names<'_>) -> Self {
        match self {
            Self::Text(_) => self.clone(),
            Self::Pair(from, to) => Self::Pair(from.named(names), to.named(names)),
        }
    }
}

/// The unique split of `text` at an arrow with names on both sides; names may hold arrows and asterisks themselves.
fn split(text: &str, names: &Names<'_>) -> Result<Vec<Edge>, SpecError> {
    let sides = splits(text);
    let mut edges: Vec<Edge> = sides.iter().filter_map(|&(from, to)| edge(from, to, names)).collect();
    edges.sort();
    edges.dedup();
    match edges.len() {
        1 => Ok(edges),
        0 if text.contains(WILDCARD) => expand(text, &sides, names),
        0 => Err(unreadable(text, &sides, names)),
        _ => Err(ambiguous(text, &edges, names)),
    }
}

/// The edges of the first split whose sides both fit some variable, self-loops apart.
fn expand(text: &str, sides: &[(&str, &str)], names: &Names<'_>) -> Result<Vec<Edge>, SpecError> {
    let fitting =
        |side: &str| find(side, names).map_or_else(|| matches(side.trim(), names), |node| vec![node]);
    let product = |&(from, to): &(&str, &str)| -> Vec<Edge> {
        let (from, to) = (fitting(from), fitting(to));
        from.iter().flat_map(|&from| to.iter().map(move |&to| Edge { from, to })).collect()
    };
    let edges = sides.iter().map(product).find(|edges| !edges.is_empty());
    let edges = edges.ok_or_else(|| {
        let unknown = sides.iter().flat_map(|&(from, to)| [from, to]).find(|side| fitting(side).is_empty());
        match unknown.map(str::trim) {
            Some(side) if side.contains(WILDCARD) => SpecError::NoMatch(side.to_owned()),
            Some(side) => names.get(side).map_or_else(SpecError::from, |_| unreadable(text, sides, names)),
            None => unreadable(text, sides, names),
        }
    })?;
    let proper: Vec<Edge> = edges.iter().copied().filter(|edge| edge.from != edge.to).collect();
    Ok(if proper.is_empty() { edges } else { proper })
}

/// What stands for any letters in a pattern.
pub(super) const WILDCARD: char = '*';

/// The variables that `pattern` fits; without an asterisk, the one of that name.
pub(super) fn matches(pattern: &str, names: &Names<'_>) -> Vec<usize> {
    (0..names.len()).filter(|&node| fits(pattern, names.name(node))).collect()
}

/// Whether `name` is `pattern` with letters in place of each asterisk. Takes the earliest place for each part between
/// two of them, which leaves most room for the rest.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once(WILDCARD) else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split(WILDCARD).collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(tail)
}

/// Both sides of every arrow in `text`: `->`, `-->` and `→`.
fn splits(text: &str) -> Vec<(&str, &str)> {
    let at = |arrow: &'static str| {
        text.match_indices(arrow).map(move |(start, _)| (&text[..start], &text[start + arrow.len()..]))
    };
    at("->").chain(at("-->")).chain(at("→")).collect()
}

fn edge(from: &str, to: &str, names: &Names<'_>) -> Option<Edge> {
    Some(Edge { from: find(from, names)?, to: find(to, names)? })
}

/// A side of an arrow as it stands, without the blanks around it, or without its quotes.
fn find(side: &str, names: &Names<'_>) -> Option<usize> {
    let trimmed = side.trim();
    names.find(side).or_else(|| names.find(trimmed)).or_else(|| names.find(unquoted(trimmed)?))
}

pub(super) fn unquoted(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// Says what is wrong with the split that comes nearest: one with a known side, else the first.
fn unreadable(text: &str, sides: &[(&str, &str)], names: &Names<'_>) -> SpecError {
    let half_known = |(from, to): &&(&str, &str)| find(from, names).is_some() || find(to, names).is_some();
    let Some(&(from, to)) = sides.iter().find(half_known).or_else(|| sides.first()) else {
        return SpecError::NoArrow(text.trim().to_owned());
    };
    let side = if find(from, names).is_none() { from } else { to }.trim();
    names.unknown(unquoted(side).unwrap_or(side)).into()
}

fn ambiguous(text: &str, edges: &[Edge], names: &Names<'_>) -> SpecError {
    let named = |edge: &Edge| (names.name(edge.from).to_owned(), names.name(edge.to).to_owned());
    SpecError::Ambiguous { text: text.trim().to_owned(), readings: edges.iter().map(named).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, names: &[&str]) -> Result<(usize, usize), String> {
        EdgeSpec::from(text)
            .resolve(&Names::new(names))
            .map(|edges| (edges[0].from, edges[0].to))
            .map_err(|e| e.to_string())
    }

    #[test]
    fn an_asterisk_stands_for_any_letters() {
        let names = ["age", "dose_1", "dose_2", "a*b"];
        let all = |text: &str| -> Result<Vec<(usize, usize)>, String> {
            let edges = EdgeSpec::from(text).resolve(&Names::new(&names)).map_err(|e| e.to_string())?;
            Ok(edges.iter().map(|edge| (edge.from, edge.to)).collect())
        };
        assert_eq!(all("*->age"), Ok(vec![(1, 0), (2, 0), (3, 0)]));
        assert_eq!(all("dose_* -> *e"), Ok(vec![(1, 0), (2, 0)]));
        assert_eq!(all("d*e*2->age"), Ok(vec![(2, 0)]));
        assert_eq!(all("a*b->age"), Ok(vec![(3, 0)]), "a name that holds an asterisk is meant as it stands");
        assert_eq!(all("wine*->age"), Err("no variable fits 'wine*'".into()));
        assert_eq!(all("*->agee"), Err("no variable is named 'agee'; did you mean 'age'?".into()));
    }

    #[test]
    fn arrows_blanks_and_quotes() {
        let names = ["A", "B", "my variable", "\"quoted\"", " padded"];
        for text in ["A->B", " A -> B ", "A-->B", "A → B", "\"A\"->'B'"] {
            assert_eq!(read(text, &names), Ok((0, 1)), "{text}");
        }
        assert_eq!(read("my variable->A", &names), Ok((2, 0)));
        assert_eq!(read("\"my variable\" -> A", &names), Ok((2, 0)));
        assert_eq!(read("\"quoted\"->A", &names), Ok((3, 0)));
        assert_eq!(read(" padded->A", &names), Ok((4, 0)));
    }

    #[test]
    fn names_that_hold_arrows() {
        assert_eq!(read("a->b->c", &["a->b", "c", "b"]), Ok((0, 1)));
        assert_eq!(read("a->b->c", &["a", "b->c"]), Ok((0, 1)));
        assert_eq!(
            read("a->b->c", &["a", "b->c", "a->b", "c"]),
            Err("'a->b->c' can be read as 'a' to 'b->c' or 'a->b' to 'c': give the two names apart".into())
        );
    }

    #[test]
    fn the_nearest_split_is_explained() {
        let names = ["Raf", "Mek"];
        let is = |text, error: &str| assert_eq!(read(text, &names), Err(error.to_owned()));
        is("Raf Mek", "'Raf Mek' is not an edge: write it as A->B");
        is("", "'' is not an edge: write it as A->B");
        is("->", "no variable is named ''");
        is("Raf->Mekk", "no variable is named 'Mekk'; did you mean 'Mek'?");
        is("Rff->Mek", "no variable is named 'Rff'; did you mean 'Raf'?");
        is("Raf->Raf", "an edge from 'Raf' to itself can be neither required nor forbidden");
    }
}

//! Tetrad's text: `Graph Nodes:`, then `Graph Edges:` with one numbered edge a line.

use gflowcausal_graph::{Edge, NamedGraph, Names};

use crate::builder::{Builder, Link, at};
use crate::format::{FormatReader, Registration};
use crate::{Format, FormatError, WriteError};

/// The marks between two names, and whether the edge is read as an arrow, backwards, or without direction.
const MARKS: [(&str, Option<Mark>); 8] = [
    ("-->", Some(Mark::Forward)),
    ("<--", Some(Mark::Backward)),
    ("---", Some(Mark::Undirected)),
    ("<->", None),
    ("o->", None),
    ("<-o", None),
    ("o-o", None),
    ("o--", None),
];

#[derive(Debug, Clone, Copy)]
enum Mark {
    Forward,
    Backward,
    Undirected,
}

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["tetrad"],
    read: FormatReader::Text { detects: |text| text.starts_with("Graph Nodes:"), read: |text, _| read(text) },
    write: Some(|named| Ok(write(named)?.into_bytes())),
};

fn read(text: &str) -> Result<NamedGraph, FormatError> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    find_heading(&mut lines, "Graph Nodes:")?;
    let mut builder = Builder::default();
    for (number, line) in lines.by_ref().take_while(|(_, line)| *line != "Graph Edges:") {
        for name in line.split([',', ';']).map(str::trim).filter(|name| !name.is_empty()) {
            builder.declare(unbracketed(name)).map_err(|error| at(Some(number), error))?;
        }
    }
    if !text.lines().any(|line| line.trim() == "Graph Edges:") {
        return Err(expected(text.lines().count(), "'Graph Edges:'", "the end of the file"));
    }
    let edges = lines.skip_while(|(_, line)| line.is_empty());
    let names = builder.names().to_vec();
    let names = Names::new(&names);
    for (number, line) in edges.take_while(|(_, line)| !line.is_empty() && !line.ends_with(':')) {
        builder.link(link(line, number, &names)?);
    }
    builder.finish()
}

fn find_heading<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    heading: &str,
) -> Result<(), FormatError> {
    match lines.find(|(_, line)| !line.is_empty()) {
        Some((_, line)) if line == heading => Ok(()),
        Some((number, line)) => Err(expected(number, &format!("'{heading}'"), &format!("'{line}'"))),
        None => Err(expected(1, &format!("'{heading}'"), "the end of the file")),
    }
}

fn expected(line: usize, expected: &str, found: &str) -> FormatError {
    FormatError::Syntax { line, column: 1, expected: expected.to_owned(), found: found.to_owned() }
}

/// Latent variables stand in parentheses, selection variables in brackets.
fn unbracketed(name: &str) -> &str {
    let inside = |open, close| name.strip_prefix(open)?.strip_suffix(close);
    inside('(', ')').or_else(|| inside('[', ']')).unwrap_or(name)
}

/// `1. A --> B`, with whatever Tetrad adds behind the second name.
fn link(line: &str, number: usize, names: &Names<'_>) -> Result<Link, FormatError> {
    let numbered =
        line.split_once(". ").filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let text = numbered.map_or(line, |(_, rest)| rest).trim();
    let splits = || {
        MARKS.iter().flat_map(|&(mark, kind)| {
            text.match_indices(mark)
                .map(move |(start, _)| (&text[..start], mark, kind, &text[start + mark.len()..]))
        })
    };
    let known = |(from, mark, kind, to): (&'_ str, &'static str, _, &'_ str)| {
        Some((names.find(from.trim())?, mark, kind, find_start(to.trim(), names)?))
    };
    let Some((from, mark, kind, to)) = splits().find_map(known) else {
        return Err(unreadable(line, splits().next().map(|(from, _, _, to)| (from, to)), number, names));
    };
    let edge = Edge { from, to };
    let link = Link::directed(edge, number);
    match kind {
        Some(Mark::Forward) => Ok(link),
        Some(Mark::Backward) => Ok(Link { edge: edge.reversed(), ..link }),
        Some(Mark::Undirected) => Ok(Link { directed: false, ..link }),
        None => {
            let (from, to) = (names.name(from).to_owned(), names.name(to).to_owned());
            Err(FormatError::Mark { line: number, from, mark: mark.to_owned(), to })
        }
    }
}

/// The variable that `text` names, or the one with the longest name that it starts with.
fn find_start(text: &str, names: &Names<'_>) -> Option<usize> {
    let ends = text.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(end, _)| end);
    let heads = ends.take_while(|&end| end <= names.longest()).filter_map(|end| names.find(&text[..end]));
    names.find(text).or_else(|| heads.last())
}

fn unreadable(text: &str, sides: Option<(&str, &str)>, line: usize, names: &Names<'_>) -> FormatError {
    let Some((from, to)) = sides else {
        return expected(line, "an edge such as '1. A --> B'", &format!("'{text}'"));
    };
    let side = if names.find(from.trim()).is_none() { from } else { to };
    at(Some(line), names.unknown(side.trim()).into())
}

fn write(named: &NamedGraph) -> Result<String, WriteError> {
    if let Some(name) = named.names().iter().find(|name| !can_hold(name)) {
        return Err(WriteError::Name { format: Format::Tetrad, name: name.clone() });
    }
    let mut file = format!("Graph Nodes:\n{}\n\nGraph Edges:\n", named.names().join(";"));
    for (index, (edge, directed)) in named.edges().enumerate() {
        let mark = if directed { "-->" } else { "---" };
        let (from, to) = (named.name(edge.from), named.name(edge.to));
        file.push_str(&format!("{}. {from} {mark} {to}\n", index + 1));
    }
    Ok(file)
}

/// Whether a name can be distinguished from what stands around it.
fn can_hold(name: &str) -> bool {
    name.trim() == name
        && !name.contains([',', ';', '\n', '\r'])
        && unbracketed(name) == name
        && MARKS.iter().all(|(mark, _)| !name.contains(mark))
        && !name.ends_with(':')
}

//! GML, as networkx and igraph write it: keys with numbers, texts and lists in brackets.

use gflowcausal_graph::{Edge, NamedGraph, Names};

use crate::builder::{Builder, Link, at};
use crate::cursor::{Cursor, opens};
use crate::format::{FormatReader, Registration};
use crate::{FormatError, attribute};

/// Lists inside lists; real files have two or three levels.
const DEEPEST: usize = 64;

enum Value<'a> {
    Number(&'a str),
    Text(String),
    List(List<'a>),
}

struct List<'a> {
    line: usize,
    entries: Vec<(&'a str, Value<'a>)>,
}

impl<'a> List<'a> {
    fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.entries.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    fn lists(&self, key: &str) -> impl Iterator<Item = &List<'a>> {
        self.entries.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(key)).filter_map(
            |(_, value)| {
                if let Value::List(list) = value { Some(list) } else { None }
            },
        )
    }

    /// A number or text as it stands.
    fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Number(text) => Some(text),
            Value::Text(text) => Some(text),
            Value::List(_) => None,
        }
    }

    fn number(&self, key: &'static str) -> Result<Option<f64>, FormatError> {
        attribute::number(key, self.attribute(key), self.line)
    }

    fn flag(&self, key: &'static str) -> Result<Option<bool>, FormatError> {
        attribute::flag(key, self.attribute(key), self.line)
    }

    /// What an attribute says, nothing if it is not there.
    fn attribute(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Value::List(_)) => "[…]",
            _ => self.text(key).unwrap_or_default(),
        }
    }

    fn required(&self, key: &'static str) -> Result<&str, FormatError> {
        let missing = || FormatError::Syntax {
            line: self.line,
            column: 1,
            expected: format!("'{key}' in this list"),
            found: "none".to_owned(),
        };
        self.text(key).ok_or_else(missing)
    }
}

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["gml"],
    read: FormatReader::Text {
        detects: |text| opens(text, &["graph", "Creator", "Version", "directed", "comment"], '[', '{'),
        read: |text, _| read(text),
    },
    write: None,
};

fn read(text: &str) -> Result<NamedGraph, FormatError> {
    let mut cursor = Cursor::new(text);
    let file = list(&mut cursor, 0)?;
    let graph = file.lists("graph").next().ok_or_else(|| cursor.expected("'graph ['"))?;
    let mut builder = Builder::default();
    for node in graph.lists("node") {
        builder.declare(node.required("id")?).map_err(|error| at(Some(node.line), error))?;
    }
    let ids = builder.names().to_vec();
    let ids = Names::new(&ids);
    let directed = graph.flag("directed")?.unwrap_or(false);
    for edge in graph.lists("edge") {
        let end = |key| {
            let id = edge.required(key)?;
            ids.get(id).map_err(|unknown| at(Some(edge.line), unknown.into()))
        };
        builder.link(Link {
            edge: Edge { from: end("source")?, to: end("target")? },
            directed: edge.flag("directed")?.unwrap_or(directed),
            weight: edge.number("weight")?,
            probability: edge.number("probability")?,
            line: Some(edge.line),
        });
    }
    if let Some(names) = names(graph) {
        builder.rename(names);
    }
    builder.finish()
}

/// The variables' labels or names, if all have one.
fn names(graph: &List<'_>) -> Option<Vec<String>> {
    let all = |key| -> Option<Vec<String>> {
        let name = |node: &List<'_>| node.text(key).filter(|name| !name.is_empty()).map(str::to_owned);
        graph.lists("node").map(name).collect()
    };
    all("label").or_else(|| all("name"))
}

/// Keys and values up to the closing bracket, or to the end of the file at depth 0.
fn list<'a>(cursor: &mut Cursor<'a>, depth: usize) -> Result<List<'a>, FormatError> {
    let mut list = List { line: cursor.line(), entries: Vec::new() };
    loop {
        skip(cursor);
        match cursor.peek() {
            None if depth == 0 => return Ok(list),
            Some(']') if depth > 0 => {
                cursor.bump();
                return Ok(list);
            }
            _ => {}
        }
        let key = match cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_') {
            "" => return Err(cursor.expected(if depth == 0 { "a key" } else { "a key or ']'" })),
            key => key,
        };
        skip(cursor);
        list.entries.push((key, value(cursor, depth)?));
    }
}

fn value<'a>(cursor: &mut Cursor<'a>, depth: usize) -> Result<Value<'a>, FormatError> {
    if cursor.eat("[") {
        if depth == DEEPEST {
            return Err(FormatError::Unsupported { line: cursor.line(), what: "a list this deep in lists" });
        }
        return Ok(Value::List(list(cursor, depth + 1)?));
    }
    if cursor.eat("\"") {
        return Ok(Value::Text(unescape(cursor.take_until("\"")?)));
    }
    match cursor.take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
        "" => Err(cursor.expected("a number, a text in quotes or '['")),
        number => Ok(Value::Number(number)),
    }
}

/// Skips blanks and lines that start with `#`.
fn skip(cursor: &mut Cursor<'_>) {
    cursor.skip_blanks();
    while cursor.eat("#") {
        cursor.take_while(|c| c != '\n');
        cursor.skip_blanks();
    }
}

/// Characters that GML cannot hold stand in it as they do in HTML, by name or number.
fn unescape(text: &str) -> String {
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        match part.split_once(';').and_then(|(entity, rest)| Some((character(entity)?, rest))) {
            Some((character, rest)) => {
                plain.push(character);
                plain.push_str(rest);
            }
            None => {
                plain.push('&');
                plain.push_str(part);
            }
        }
    }
    plain
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "quot" => Some('"'),
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}

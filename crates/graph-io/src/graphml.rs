//! GraphML, as networkx, igraph and yEd write it.

use std::collections::HashMap;

use gflowcausal_graph::{Edge, NamedGraph, Names};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use crate::builder::{Builder, Link, at};
use crate::format::{FormatReader, Registration};
use crate::{Format, FormatError, WriteError, attribute};

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["graphml", "xml"],
    read: FormatReader::Text { detects: |text| text.starts_with('<'), read: |text, _| read(text) },
    write: Some(|named| Ok(write(named)?.into_bytes())),
};

fn read(text: &str) -> Result<NamedGraph, FormatError> {
    let mut parser = Parser { text, ..Parser::default() };
    let mut reader = Reader::from_str(text);
    loop {
        let event = reader.read_event().map_err(|error| parser.invalid(&error));
        parser.move_to(reader.buffer_position());
        match event? {
            Event::Start(element) => {
                parser.depth += 1;
                parser.start(&element)?;
            }
            Event::Empty(element) => {
                parser.start(&element)?;
                parser.end(element.local_name().as_ref())?;
            }
            Event::End(element) => {
                parser.depth -= 1;
                parser.end(element.local_name().as_ref())?;
            }
            Event::Text(text) => parser.content.push_str(&text.xml10_content()),
            Event::CData(text) => parser.content.push_str(&text.xml10_content()),
            Event::GeneralRef(entity) => parser.entity(&entity)?,
            Event::Eof => return parser.finish(),
            _ => {}
        }
    }
}

/// What is being read, and all that was read before it.
#[derive(Default)]
struct Parser<'a> {
    text: &'a str,
    position: usize,
    line: usize,
    depth: usize,
    /// Whether the edges are directed that do not say so themselves; unknown before `<graph>`.
    directed: Option<bool>,
    /// What each `<key>` is called.
    keys: HashMap<String, String>,
    nodes: Vec<Node>,
    edges: Vec<RawEdge>,
    inside: Inside,
    /// The `key` of the `<data>` that is open, and the text in it so far.
    data: Option<String>,
    content: String,
}

#[derive(Default)]
enum Inside {
    #[default]
    Graph,
    Node,
    Edge,
}

#[derive(Default)]
struct Node {
    id: String,
    line: usize,
    name: Option<String>,
    label: Option<String>,
}

struct RawEdge {
    source: String,
    target: String,
    directed: bool,
    weight: Option<f64>,
    probability: Option<f64>,
    line: usize,
}

impl Parser<'_> {
    /// Counts lines up to byte `position`.
    fn move_to(&mut self, position: u64) {
        let position =
            usize::try_from(position).map_or(self.text.len(), |position| position.min(self.text.len()));
        let passed = self.text.as_bytes().get(self.position..position).unwrap_or_default();
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.position = position;
    }

    /// The line, counted from 1.
    fn line(&self) -> usize {
        self.line + 1
    }

    fn invalid(&self, reason: &impl ToString) -> FormatError {
        FormatError::Xml { line: self.line(), reason: reason.to_string() }
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), FormatError> {
        self.content.clear();
        match element.local_name().as_ref() {
            "key" => {
                let (id, name) = (self.attribute(element, "id")?, self.attribute(element, "attr.name")?);
                self.keys.insert(id.unwrap_or_default(), name.unwrap_or_default());
            }
            "graph" if self.directed.is_some() => return Err(self.unsupported("a second graph")),
            "graph" => {
                self.directed = Some(match self.attribute(element, "edgedefault")?.as_deref() {
                    None | Some("directed") => true,
                    Some("undirected") => false,
                    Some(other) => {
                        let expected = "directed or undirected";
                        return Err(attribute::wrong("edgedefault", other, expected, self.line()));
                    }
                });
            }
            "hyperedge" => return Err(self.unsupported("a hyperedge")),
            "node" => {
                let (id, line) = (self.required(element, "id")?, self.line());
                self.nodes.push(Node { id, line, ..Node::default() });
                self.inside = Inside::Node;
            }
            "edge" => self.start_edge(element)?,
            "data" => {
                self.data = self.attribute(element, "key")?.and_then(|key| self.keys.get(&key).cloned());
            }
            // yEd keeps the label of a node in the drawing of it.
            "NodeLabel" => self.data = Some("label".to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn start_edge(&mut self, element: &BytesStart<'_>) -> Result<(), FormatError> {
        let (source, target) = (self.required(element, "source")?, self.required(element, "target")?);
        let line = self.line();
        let says = self.attribute(element, "directed")?.unwrap_or_default();
        let directed = attribute::flag("directed", &says, line)?.or(self.directed).unwrap_or(true);
        self.edges.push(RawEdge { source, target, directed, weight: None, probability: None, line });
        self.inside = Inside::Edge;
        Ok(())
    }

    fn end(&mut self, element: &str) -> Result<(), FormatError> {
        match element {
            "data" | "NodeLabel" => {
                if let Some(key) = self.data.take() {
                    self.datum(&key)?;
                }
            }
            "node" | "edge" => self.inside = Inside::Graph,
            _ => {}
        }
        Ok(())
    }

    /// Keeps what stood in `<data>` if it says something about the graph; nothing says nothing.
    fn datum(&mut self, key: &str) -> Result<(), FormatError> {
        let text = self.content.trim();
        if text.is_empty() {
            return Ok(());
        }
        let line = self.line();
        match (&self.inside, key) {
            (Inside::Node, "name") => {
                self.nodes.last_mut().expect("inside a node").name = Some(self.content.clone());
            }
            (Inside::Node, "label") => {
                self.nodes.last_mut().expect("inside a node").label = Some(text.to_owned());
            }
            (Inside::Edge, "weight") => {
                let weight = attribute::number("weight", text, line)?;
                self.edges.last_mut().expect("inside an edge").weight = weight;
            }
            (Inside::Edge, "probability") => {
                let probability = attribute::number("probability", text, line)?;
                self.edges.last_mut().expect("inside an edge").probability = probability;
            }
            _ => {}
        }
        Ok(())
    }

    fn entity(&mut self, entity: &BytesRef<'_>) -> Result<(), FormatError> {
        let character = entity.resolve_char_ref().map_err(|error| self.invalid(&error))?;
        let name = entity.xml10_content();
        match character
            .map(String::from)
            .or_else(|| quick_xml::escape::resolve_xml_entity(&name).map(str::to_owned))
        {
            Some(text) => self.content.push_str(&text),
            None => return Err(self.invalid(&format!("unknown entity '&{name};'"))),
        }
        Ok(())
    }

    fn attribute(&self, element: &BytesStart<'_>, key: &str) -> Result<Option<String>, FormatError> {
        let attribute = element.try_get_attribute(key).map_err(|error| self.invalid(&error))?;
        let value =
            attribute.map(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).map(Into::into));
        value.transpose().map_err(|error| self.invalid(&error))
    }

    fn required(&self, element: &BytesStart<'_>, key: &'static str) -> Result<String, FormatError> {
        let missing = || self.invalid(&format!("<{}> has no '{key}'", element.local_name().as_ref()));
        self.attribute(element, key)?.ok_or_else(missing)
    }

    fn unsupported(&self, what: &'static str) -> FormatError {
        FormatError::Unsupported { line: self.line(), what }
    }

    fn finish(self) -> Result<NamedGraph, FormatError> {
        if self.depth > 0 {
            return Err(self.invalid(&"the file ends inside an element"));
        }
        if self.directed.is_none() {
            return Err(self.invalid(&"there is no <graph>"));
        }
        let mut builder = Builder::default();
        for node in &self.nodes {
            builder.declare(&node.id).map_err(|error| at(Some(node.line), error))?;
        }
        let ids: Vec<&str> = self.nodes.iter().map(|node| node.id.as_str()).collect();
        let ids = Names::new(&ids);
        for edge in &self.edges {
            builder.link(edge.link(&ids)?);
        }
        if let Some(names) = self.names() {
            builder.rename(names);
        }
        builder.finish()
    }

    /// What the variables are called besides their identifiers, if all are.
    fn names(&self) -> Option<Vec<String>> {
        let names: Option<Vec<String>> = self.nodes.iter().map(|node| node.name.clone()).collect();
        names.or_else(|| self.nodes.iter().map(|node| node.label.clone()).collect())
    }
}

impl RawEdge {
    fn link(&self, ids: &Names<'_>) -> Result<Link, FormatError> {
        let &Self { directed, weight, probability, line, .. } = self;
        let find = |id: &str| ids.get(id).map_err(|unknown| at(Some(line), unknown.into()));
        let edge = Edge { from: find(&self.source)?, to: find(&self.target)? };
        Ok(Link { edge, directed, weight, probability, line: Some(line) })
    }
}

fn write(named: &NamedGraph) -> Result<String, WriteError> {
    let names: Vec<String> = named.names().iter().map(|name| escape(name)).collect::<Result<_, _>>()?;
    let mut file = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        "  <desc>source causes target</desc>\n",
        "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n",
        "  <key id=\"probability\" for=\"edge\" attr.name=\"probability\" attr.type=\"double\"/>\n",
        "  <graph edgedefault=\"directed\">\n",
    ));
    for name in &names {
        file.push_str(&format!("    <node id=\"{name}\"/>\n"));
    }
    for (edge, directed) in named.edges() {
        let (source, target) = (&names[edge.from], &names[edge.to]);
        let kind = if directed { "" } else { " directed=\"false\"" };
        file.push_str(&format!("    <edge source=\"{source}\" target=\"{target}\"{kind}>"));
        for (key, value) in [("weight", named.weight(edge)), ("probability", named.probability(edge))] {
            if let Some(value) = value {
                file.push_str(&format!("<data key=\"{key}\">{}</data>", attribute::text(value)));
            }
        }
        file.push_str("</edge>\n");
    }
    file.push_str("  </graph>\n</graphml>\n");
    Ok(file)
}

/// A name as the value of an attribute. XML cannot hold most control characters.
fn escape(name: &str) -> Result<String, WriteError> {
    let mut escaped = String::new();
    for c in name.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push_str(&format!("&#{};", u32::from(c))),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                return Err(WriteError::Name { format: Format::Graphml, name: name.to_owned() });
            }
            _ => escaped.push(c),
        }
    }
    Ok(escaped)
}

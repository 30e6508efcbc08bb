//! Graphviz DOT, as networkx, igraph, Tetrad, causal-learn, dagitty and people write it.

mod style;

use gflowcausal_graph::{Edge, NamedGraph};

use self::style::{Attribute, Attributes, End, Ends, Style};
use crate::builder::{Builder, Link};
use crate::cursor::{Cursor, escaped, has_word, opens, quoted};
use crate::format::{FormatReader, Registration};
use crate::{FormatError, ReadOptions, attribute};

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["dot", "gv"],
    read: FormatReader::Text {
        detects: |text| opens(text, &["strict", "graph", "digraph", "dag", "pdag"], '{', '['),
        read,
    },
    write: Some(|named| Ok(write(named).into_bytes())),
};

fn read(text: &str, options: &ReadOptions) -> Result<NamedGraph, FormatError> {
    let mut parser = Parser::new(text);
    parser.file()?;
    let named = parser.finish()?;
    match &options.names {
        Some(names) => Ok(named.extend_to(names)?),
        None => Ok(named),
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    builder: Builder,
    labels: Vec<Labels>,
    /// What `edge [ … ]` said, one entry for each open bracket.
    edge_defaults: Vec<Style>,
}

/// What a variable is called besides its identifier.
#[derive(Debug, Default)]
struct Labels {
    name: Option<String>,
    label: Option<String>,
}

/// An identifier; only a plain one can be a keyword.
struct Id {
    text: String,
    plain: bool,
}

impl Id {
    fn is(&self, keyword: &str) -> bool {
        self.plain && self.text.eq_ignore_ascii_case(keyword)
    }
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text),
            builder: Builder::default(),
            labels: Vec::new(),
            edge_defaults: vec![Style::default()],
        }
    }

    /// `strict? (graph | digraph) name? { … }`; dagitty says `dag` and `pdag`.
    fn file(&mut self) -> Result<(), FormatError> {
        let mut kind = self.id("'graph' or 'digraph'")?;
        if kind.is("strict") {
            kind = self.id("'graph' or 'digraph'")?;
        }
        if !["graph", "digraph", "dag", "pdag"].iter().any(|keyword| kind.is(keyword)) {
            return Err(self.cursor.expected("a file that starts with 'graph' or 'digraph'"));
        }
        self.skip()?;
        if self.cursor.peek() != Some('{') {
            self.id("'{'")?;
        }
        self.skip()?;
        self.cursor.expect("{")?;
        while !self.edge_defaults.is_empty() {
            self.statement()?;
        }
        self.skip()?;
        if self.cursor.peek().is_some() { Err(self.cursor.expected("the end of the file")) } else { Ok(()) }
    }

    fn statement(&mut self) -> Result<(), FormatError> {
        self.skip()?;
        match self.cursor.peek() {
            Some(';' | ',') => _ = self.cursor.bump(),
            Some('}') => self.close()?,
            Some('{') => self.open()?,
            _ => self.named_statement()?,
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), FormatError> {
        self.cursor.expect("{")?;
        let inherited = self.edge_style();
        self.edge_defaults.push(inherited);
        Ok(())
    }

    /// How edges are drawn here that say nothing themselves.
    fn edge_style(&self) -> Style {
        self.edge_defaults.last().copied().unwrap_or_default()
    }

    fn close(&mut self) -> Result<(), FormatError> {
        self.cursor.expect("}")?;
        self.edge_defaults.pop();
        self.skip()?;
        match self.arrow() {
            Some(_) => Err(self.group_as_end()),
            None => Ok(()),
        }
    }

    fn group_as_end(&self) -> FormatError {
        FormatError::Unsupported { line: self.cursor.line(), what: "a group as an end of an edge" }
    }

    /// An assignment, defaults, a subgraph, a variable or a chain of edges.
    fn named_statement(&mut self) -> Result<(), FormatError> {
        let id = self.id("a name or '}'")?;
        self.skip()?;
        if self.cursor.eat("=") {
            self.id("a value")?;
        } else if id.is("subgraph") {
            if self.cursor.peek() != Some('{') {
                self.id("a name")?;
                self.skip()?;
            }
            self.open()?;
        } else if id.is("edge") {
            let attributes = self.attribute_lists()?;
            if let Some(style) = self.edge_defaults.last_mut() {
                *style = style.with(&attributes)?;
            }
        } else if id.is("node") || id.is("graph") {
            self.attribute_lists()?;
        } else {
            self.chain(&id)?;
        }
        Ok(())
    }

    /// `a`, `a -> b` or `a -> b -> c`, with attributes for all of it.
    fn chain(&mut self, first: &Id) -> Result<(), FormatError> {
        let mut from = self.node(first)?;
        let mut links = Vec::new();
        while let Some(arrow) = self.arrow() {
            let line = self.cursor.line();
            self.skip()?;
            if self.cursor.peek() == Some('{') || self.next_is_subgraph() {
                return Err(self.group_as_end());
            }
            let to = self.id("a name")?;
            let to = self.node(&to)?;
            links.push((Edge { from, to }, arrow, line));
            from = to;
        }
        let attributes = self.attribute_lists()?;
        if links.is_empty() {
            self.labels[from].read(attributes);
            return Ok(());
        }
        let style = self.edge_style().with(&attributes)?;
        for (edge, arrow, line) in links {
            let link = self.link(edge, arrow, line, style)?;
            self.builder.link(link);
        }
        Ok(())
    }

    fn next_is_subgraph(&self) -> bool {
        has_word(self.cursor.rest(), "subgraph")
    }

    /// The variable of an identifier; a port behind it is passed over.
    fn node(&mut self, id: &Id) -> Result<usize, FormatError> {
        let node = self.builder.node(&id.text);
        self.labels.resize_with(self.builder.names().len(), Labels::default);
        self.skip()?;
        while self.cursor.eat(":") {
            self.id("a port")?;
            self.skip()?;
        }
        Ok(node)
    }

    /// The kind of edge that comes next, if one does.
    fn arrow(&mut self) -> Option<Ends> {
        let kinds = [
            ("<->", Ends { tail: End::Arrow, head: End::Arrow }),
            ("->", Ends { tail: End::Plain, head: End::Arrow }),
            ("<-", Ends { tail: End::Arrow, head: End::Plain }),
            ("--", Ends { tail: End::Plain, head: End::Plain }),
        ];
        kinds.into_iter().find(|(mark, _)| self.cursor.eat(mark)).map(|(_, ends)| ends)
    }

    fn link(&self, edge: Edge, arrow: Ends, line: usize, style: Style) -> Result<Link, FormatError> {
        let Style { weight, probability, .. } = style;
        let link = Link { edge, directed: true, weight, probability, line: Some(line) };
        let ends = style.ends(arrow);
        match (ends.tail, ends.head) {
            (End::Plain, End::Arrow) => Ok(link),
            (End::Arrow, End::Plain) => Ok(Link { edge: edge.reversed(), ..link }),
            (End::Plain, End::Plain) => Ok(Link { directed: false, ..link }),
            _ => Err(FormatError::Mark {
                line,
                from: self.builder.names()[edge.from].clone(),
                mark: ends.mark(),
                to: self.builder.names()[edge.to].clone(),
            }),
        }
    }

    /// Any number of `[ key = value, … ]`.
    fn attribute_lists(&mut self) -> Result<Attributes, FormatError> {
        let mut attributes = Attributes::new();
        self.skip()?;
        while self.cursor.eat("[") {
            self.skip()?;
            while !self.cursor.eat("]") {
                let line = self.cursor.line();
                let key = self.id("an attribute or ']'")?.text;
                self.skip()?;
                let value = if self.cursor.eat("=") { self.id("a value")?.text } else { String::new() };
                attributes.push(Attribute { key, value, line });
                self.skip()?;
                _ = self.cursor.eat(",") || self.cursor.eat(";");
                self.skip()?;
            }
            self.skip()?;
        }
        Ok(attributes)
    }

    /// A plain word or number, a text in quotes, or HTML in angle brackets.
    fn id(&mut self, expected: &str) -> Result<Id, FormatError> {
        self.skip()?;
        match self.cursor.peek() {
            Some('"') => Ok(Id { text: self.quoted()?, plain: false }),
            Some('<') => Ok(Id { text: self.html()?, plain: false }),
            _ => {
                let mut text = String::new();
                if self.cursor.rest().starts_with(['-', '+']) && !self.cursor.rest().starts_with("--") {
                    text.extend(self.cursor.bump());
                }
                text.push_str(self.cursor.take_while(is_plain));
                if text.is_empty() || text == "-" || text == "+" {
                    return Err(self.cursor.expected(expected));
                }
                Ok(Id { text, plain: true })
            }
        }
    }

    /// A text in quotes, or several joined by `+`.
    fn quoted(&mut self) -> Result<String, FormatError> {
        let mut text = String::new();
        loop {
            self.cursor.expect("\"")?;
            text.push_str(&escaped(&mut self.cursor)?);
            let mut ahead = self.cursor.clone();
            ahead.skip_comments()?;
            if !ahead.eat("+") {
                return Ok(text);
            }
            ahead.skip_comments()?;
            self.cursor = ahead;
        }
    }

    /// HTML without its tags' brackets.
    fn html(&mut self) -> Result<String, FormatError> {
        let mut text = String::new();
        let mut depth = 0;
        loop {
            match self.cursor.bump() {
                Some('<') => depth += 1,
                Some('>') => depth -= 1,
                Some(other) => text.push(other),
                None => return Err(self.cursor.expected("'>'")),
            }
            if depth == 0 {
                return Ok(text);
            }
        }
    }

    /// Skips blanks and comments; a line that starts with `#` is one.
    fn skip(&mut self) -> Result<(), FormatError> {
        self.cursor.skip_comments()?;
        while self.cursor.eat("#") {
            self.cursor.take_while(|c| c != '\n');
            self.cursor.skip_comments()?;
        }
        Ok(())
    }

    /// Calls the variables by their `name`, or by their `label` where the identifiers are mere numbers.
    fn finish(mut self) -> Result<NamedGraph, FormatError> {
        let numbered = self.builder.names().iter().all(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
        let names: Option<Vec<String>> = self.labels.iter().map(|of_node| of_node.name.clone()).collect();
        let labels = || self.labels.iter().map(|of_node| of_node.label.clone()).collect();
        let names = names.or_else(|| if numbered { labels() } else { None });
        if let Some(names) = names {
            self.builder.rename(names);
        }
        self.builder.finish()
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.' || !c.is_ascii()
}

impl Labels {
    fn read(&mut self, attributes: Attributes) {
        for Attribute { key, value, .. } in attributes {
            match key.as_str() {
                _ if value.is_empty() => {}
                "name" => self.name = Some(value),
                "label" => self.label = Some(value),
                _ => {}
            }
        }
    }
}

/// One line for each variable and each edge; an edge without direction has `dir=none`.
fn write(named: &NamedGraph) -> String {
    let mut file = String::from("// a -> b: a causes b\ndigraph {\n");
    for name in named.names() {
        file.push_str(&format!("  {};\n", quoted(name)));
    }
    for (edge, directed) in named.edges() {
        let value = |key: &str, value: Option<f64>| {
            value.map(|value| format!("{key}=\"{}\"", attribute::text(value)))
        };
        let attributes = [
            (!directed).then(|| "dir=none".to_owned()),
            value("weight", named.weight(edge)),
            value("probability", named.probability(edge)),
        ];
        let attributes = attributes.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let shown = if attributes.is_empty() { String::new() } else { format!(" [{attributes}]") };
        let (from, to) = (quoted(named.name(edge.from)), quoted(named.name(edge.to)));
        file.push_str(&format!("  {from} -> {to}{shown};\n"));
    }
    file.push_str("}\n");
    file
}

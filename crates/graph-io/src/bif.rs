//! BIF: the structure of a Bayesian network, read from `probability ( X | A, B )`.

use gflowcausal_graph::{Edge, NamedGraph, Names};

use crate::FormatError;
use crate::builder::{Builder, Link, at};
use crate::cursor::{Cursor, escaped, has_word};
use crate::format::{FormatReader, Registration};

pub(crate) const FORMAT: Registration = Registration {
    extensions: &["bif"],
    read: FormatReader::Text {
        detects: |text| {
            text.contains('{')
                && ["network", "variable", "probability"].iter().any(|word| has_word(text, word))
        },
        read: |text, _| read(text),
    },
    write: None,
};

fn read(text: &str) -> Result<NamedGraph, FormatError> {
    let mut cursor = Cursor::new(text);
    let mut builder = Builder::default();
    let mut families = Vec::new();
    loop {
        cursor.skip_comments()?;
        match cursor.take_while(char::is_alphabetic) {
            "" if cursor.peek().is_none() => break,
            "network" => _ = word(&mut cursor)?,
            "variable" => {
                let line = cursor.line();
                let name = word(&mut cursor)?;
                builder.declare(&name).map_err(|error| at(Some(line), error))?;
            }
            "probability" => families.push(Family::read(&mut cursor)?),
            _ => return Err(cursor.expected("'network', 'variable' or 'probability'")),
        }
        skip_block(&mut cursor)?;
    }
    let names = builder.names().to_vec();
    let names = Names::new(&names);
    for family in families {
        family.link(&mut builder, &names)?;
    }
    builder.finish()
}

/// A variable and its parents, by name.
pub(crate) struct Family {
    pub(crate) line: usize,
    pub(crate) child: String,
    pub(crate) parents: Vec<String>,
}

impl Family {
    /// `( X | A, B )`; JavaBayes leaves out the bar and the comma.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        cursor.skip_comments()?;
        let line = cursor.line();
        cursor.expect("(")?;
        let child = word(cursor)?;
        let mut parents = Vec::new();
        cursor.skip_comments()?;
        cursor.eat("|");
        cursor.skip_comments()?;
        while !cursor.eat(")") {
            parents.push(word(cursor)?);
            cursor.skip_comments()?;
            cursor.eat(",");
            cursor.skip_comments()?;
        }
        Ok(Self { line, child, parents })
    }

    fn link(self, builder: &mut Builder, names: &Names<'_>) -> Result<(), FormatError> {
        let find = |name: &str| names.get(name).map_err(|unknown| at(Some(self.line), unknown.into()));
        let to = find(&self.child)?;
        for parent in &self.parents {
            builder.link(Link::directed(Edge { from: find(parent)?, to }, self.line));
        }
        Ok(())
    }
}

/// A name: in quotes, or up to the next blank or punctuation.
pub(crate) fn word(cursor: &mut Cursor<'_>) -> Result<String, FormatError> {
    cursor.skip_comments()?;
    if cursor.eat("\"") {
        return escaped(cursor);
    }
    match cursor.take_while(is_bare) {
        "" => Err(cursor.expected("a name")),
        name => Ok(name.to_owned()),
    }
}

fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !"{}()[]|,;\"\\".contains(c)
}

/// Skips `{ … }` with all that is in it.
pub(crate) fn skip_block(cursor: &mut Cursor<'_>) -> Result<(), FormatError> {
    cursor.skip_comments()?;
    cursor.expect("{")?;
    let mut depth = 1;
    while depth > 0 {
        cursor.skip_comments()?;
        match cursor.take_while(|c| is_bare(c) && c != '/') {
            "" => {}
            "property" => {
                skip_property(cursor)?;
                continue;
            }
            _ => continue,
        }
        match cursor.bump() {
            Some('"') => _ = escaped(cursor)?,
            Some('{') => depth += 1,
            Some('}') => depth -= 1,
            Some(_) => {}
            None => return Err(cursor.expected("'}'")),
        }
    }
    Ok(())
}

/// Skips free text up to its semicolon: in an address, `//` begins no comment.
pub(crate) fn skip_property(cursor: &mut Cursor<'_>) -> Result<(), FormatError> {
    loop {
        cursor.take_while(|c| c != ';' && c != '"');
        match cursor.bump() {
            Some('"') => _ = escaped(cursor)?,
            Some(_) => return Ok(()),
            None => return Err(cursor.expected("';' at the end of the property")),
        }
    }
}

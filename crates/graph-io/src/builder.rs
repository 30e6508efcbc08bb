//! Collects nodes and edges of a file, line by line, and makes the graph at its end.

use std::collections::HashMap;

use gflowcausal_graph::{Edge, GraphError, NamedGraph, Pdag};

use crate::FormatError;

/// A file may name this many variables: a graph takes memory with the square, and a small file could name a million.
pub(crate) const MAX_NODES: usize = 10_000;

/// An edge as a file states it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) edge: Edge,
    pub(crate) directed: bool,
    pub(crate) weight: Option<f64>,
    pub(crate) probability: Option<f64>,
    /// Where it stands, if the format has lines.
    pub(crate) line: Option<usize>,
}

impl Link {
    pub(crate) fn directed(edge: Edge, line: usize) -> Self {
        Self { edge, directed: true, weight: None, probability: None, line: Some(line) }
    }
}

/// A graph under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    names: Vec<String>,
    index: HashMap<String, usize>,
    links: Vec<Link>,
}

impl Builder {
    /// The variable called `name`; a new one if there was none.
    pub(crate) fn node(&mut self, name: &str) -> usize {
        if let Some(&node) = self.index.get(name) {
            return node;
        }
        self.index.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// A new variable called `name`.
    pub(crate) fn declare(&mut self, name: &str) -> Result<usize, GraphError> {
        if self.index.contains_key(name) {
            return Err(GraphError::DuplicateName(name.to_owned()));
        }
        Ok(self.node(name))
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Calls the variables by other names: what identifies them in the file is not what the user calls them.
    pub(crate) fn rename(&mut self, names: Vec<String>) {
        self.names = names;
    }

    pub(crate) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    pub(crate) fn finish(self) -> Result<NamedGraph, FormatError> {
        let nodes = self.names.len();
        if nodes > MAX_NODES {
            return Err(GraphError::TooMany { nodes, limit: MAX_NODES }.into());
        }
        if nodes == 0 {
            return Err(GraphError::NoVariables.into());
        }
        let mut graph = Pdag::empty(nodes);
        for link in &self.links {
            insert(&mut graph, link).map_err(|error| at(link.line, error(&self.names)))?;
        }
        let mut named = NamedGraph::new(self.names, graph)?;
        for link in &self.links {
            annotate(&mut named, link).map_err(|error| at(link.line, error))?;
        }
        Ok(named)
    }
}

fn insert(graph: &mut Pdag, link: &Link) -> Result<(), impl FnOnce(&[String]) -> GraphError> {
    let edge = link.edge;
    let inserted = if link.directed { graph.insert_directed(edge) } else { graph.insert_undirected(edge) };
    inserted.map_err(|_| {
        move |names: &[String]| {
            let (from, to) = (names[edge.from].clone(), names[edge.to].clone());
            if edge.from == edge.to { GraphError::Loop(from) } else { GraphError::Joined { from, to } }
        }
    })
}

fn annotate(named: &mut NamedGraph, link: &Link) -> Result<(), GraphError> {
    if let Some(weight) = link.weight {
        named.set_weight(link.edge, weight)?;
    }
    if let Some(probability) = link.probability {
        named.set_probability(link.edge, probability)?;
    }
    Ok(())
}

pub(crate) fn at(line: Option<usize>, error: GraphError) -> FormatError {
    match line {
        Some(line) => FormatError::Line { line, error },
        None => error.into(),
    }
}

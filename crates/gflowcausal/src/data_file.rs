//! Where data come from, and how they are read: a file, standard input, or a built-in data set.

use std::path::{Path, PathBuf};

use gflowcausal_data::{Header, ReadOptions, Source, Table, builtin, parse_types, read_table};
use gflowcausal_graph::Dag;
use serde::{Deserialize, Serialize};

use crate::Error;

/// Where data come from and how they are read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataFile {
    /// A file, `-` for standard input, or the name of a built-in data set.
    pub path: String,
    /// The fingerprint of what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The first row is data.
    #[serde(default)]
    pub no_header: bool,
    /// What separates cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Types that differ from the rule, as `name=type,…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
}

/// A table and where it comes from.
#[derive(Debug)]
pub struct NamedTable {
    /// What the user calls it: a built-in name, or the file's name.
    pub name: String,
    /// The values.
    pub table: Table,
    /// The graph held to be true, if it comes with the data.
    pub truth: Option<Dag>,
}

impl DataFile {
    /// Reads the table, in at most `memory_limit` bytes.
    ///
    /// # Errors
    /// When it cannot be read, or as asked for.
    pub fn read(&self, memory_limit: Option<u64>) -> Result<NamedTable, Error> {
        if let Some(table) = self.builtin()? {
            return Ok(table);
        }
        let source = if self.path == "-" { Source::Stdin } else { Source::Path(PathBuf::from(&self.path)) };
        let table = read_table(&source, &self.options(memory_limit)?)?;
        Ok(NamedTable { name: self.name(), table, truth: None })
    }

    fn builtin(&self) -> Result<Option<NamedTable>, Error> {
        let path = Path::new(&self.path);
        // A directory is no table: it may well be the run of the data that it is named after.
        if path.exists() && !path.is_dir() {
            return Ok(None);
        }
        let Some(known) = builtin(&self.path) else { return Ok(None) };
        if self.no_header || self.delimiter.is_some() || self.types.is_some() {
            return Err(Error::BuiltinOptions(self.path.clone()));
        }
        Ok(Some(NamedTable { name: self.path.clone(), table: known.table, truth: Some(known.truth) }))
    }

    fn options(&self, memory_limit: Option<u64>) -> Result<ReadOptions, Error> {
        Ok(ReadOptions {
            header: if self.no_header { Header::Absent } else { Header::Detect },
            delimiter: self.delimiter.as_deref().map(str::parse).transpose()?,
            types: self.types.as_deref().map(parse_types).transpose()?.unwrap_or_default(),
            memory_limit,
            ..ReadOptions::default()
        })
    }

    fn name(&self) -> String {
        match Path::new(&self.path).file_name() {
            Some(name) if self.path != "-" => name.to_string_lossy().into_owned(),
            _ => "standard input".to_owned(),
        }
    }

    /// The same file by its full path, with the fingerprint of what was read; names of built-in data stay.
    pub(crate) fn pinned(mut self, sha256: String) -> Self {
        let full = std::path::absolute(&self.path).ok().filter(|_| Path::new(&self.path).is_file());
        self.path = full.map_or(self.path, |full| full.to_string_lossy().into_owned());
        self.sha256 = Some(sha256);
        self
    }
}

//! The configuration file: what the user wants, and in a run's own copy also on which data.

use std::path::{Path, PathBuf};

use gflowcausal_graph_io as graph_io;
use serde::{Deserialize, Serialize};

use crate::{Config, DataFile, Error, FileError, RunDir};

/// A configuration file: the keys of [`Config`], and beside them which data and for how long.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFile {
    /// The options.
    pub config: Config,
    /// What goes with it.
    pub about: About,
}

/// What a configuration file says beside the options.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct About {
    /// The program that wrote the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When to stop with the best so far, such as `60s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_budget: Option<String>,
    /// The file of the true graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<PathBuf>,
    /// The data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataFile>,
}

/// The keys of [`About`].
const ABOUT: [&str; 4] = ["version", "time-budget", "truth", "data"];

impl RunFile {
    /// Reads the configuration file at `path`, and checks the knowledge in it.
    ///
    /// # Errors
    /// A file that cannot be read, or what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let refused = |reason: String| Error::ConfigFile { path: path.to_owned(), reason };
        let file = Self::parse(&read_text(path, "read config file")?).map_err(refused)?;
        let knowledge =
            file.config.knowledge.as_deref().map(|text| graph_io::read_knowledge(text.as_bytes()));
        knowledge.transpose().map_err(|error| refused(format!("knowledge: {error}")))?;
        Ok(file)
    }

    /// Reads the text of a configuration file.
    ///
    /// # Errors
    /// What is wrong with it; unknown keys with the list of known ones.
    pub fn parse(text: &str) -> Result<Self, String> {
        let said = |error: toml::de::Error| error.to_string().trim_end().to_owned();
        let mut rest: toml::Table = toml::from_str(text).map_err(said)?;
        let mut about = toml::Table::new();
        for key in ABOUT {
            if let Some(value) = rest.remove(key) {
                about.insert(key.to_owned(), value);
            }
        }
        Ok(Self { config: Config::from_table(rest)?, about: about.try_into().map_err(said)? })
    }

    /// The file's text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = self.config.to_table();
        table.extend(toml::Table::try_from(&self.about).expect("every value has a TOML form"));
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "# Repeat this run: gflowcausal discover --config config.toml (gflowcausal {version})\n{table}"
        )
    }
}

/// The configuration of the run in `dir`, if it has one.
#[must_use]
pub fn stored_run(dir: &RunDir) -> Option<RunFile> {
    let text = dir.read("config.toml").ok()?;
    RunFile::parse(std::str::from_utf8(&text).ok()?).ok()
}

/// The text of the knowledge file at `path`, in Tetrad's format.
///
/// # Errors
/// A file that cannot be read, or that holds no knowledge.
pub fn read_knowledge(path: &Path) -> Result<String, Error> {
    let text = read_text(path, "read knowledge file")?;
    graph_io::read_knowledge(text.as_bytes())
        .map_err(|source| Error::KnowledgeFile { path: Some(path.to_owned()), source })?;
    Ok(text)
}

fn read_text(path: &Path, action: &'static str) -> Result<String, Error> {
    let text = std::fs::read_to_string(path);
    text.map_err(|source| FileError { action, path: path.to_owned(), source }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let data = DataFile {
            path: "a \"b\".csv".into(),
            sha256: Some("00".into()),
            no_header: true,
            delimiter: Some("tab".into()),
            types: Some("x y=categorical".into()),
        };
        let config = Config { require: vec!["a->b".into()], seed: 7, ..Config::default() };
        let about = About { time_budget: Some("60s".into()), data: Some(data), ..About::default() };
        let file = RunFile { config, about };
        assert_eq!(RunFile::parse(&file.to_toml()), Ok(file));
    }

    #[test]
    fn a_short_file_leaves_the_rest_open() {
        let file = RunFile::parse("score = 'bge'\ntime-budget = '5m'\n[data]\npath = 'x.csv'").unwrap();
        assert_eq!(file.config, Config { score: crate::ScoreName::Bge, ..Config::default() });
        assert_eq!(file.about.data.unwrap().path, "x.csv");
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(RunFile::parse("speed = 3").unwrap_err().contains("unknown field `speed`"));
        assert!(RunFile::parse("[data]\npath = 'x'\nfoo = 1").unwrap_err().contains("unknown field `foo`"));
    }
}

//! The configuration file: what the user wants, and in a run's own copy also on which data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Config, RunDir};

/// A configuration file: the keys of [`Config`], and beside them which data and for how long.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFile {
    /// How graphs are looked for.
    pub config: Config,
    /// What goes with it.
    pub about: About,
}

/// What a configuration file says beside how graphs are looked for.
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

/// Where data come from and how they are read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataFile {
    /// A file, or the name of a built-in data set.
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

/// The keys of [`About`].
const ABOUT: [&str; 4] = ["version", "time-budget", "truth", "data"];

impl RunFile {
    /// Reads a configuration file.
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
        Ok(Self { config: rest.try_into().map_err(said)?, about: about.try_into().map_err(said)? })
    }

    /// The file's text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut table = toml::Table::try_from(&self.config).expect("every value has a TOML form");
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

//! The configuration file: what the user wants, and in a run's own copy also on which data.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gflowcausal_graph_io as graph_io;
use serde::{Deserialize, Serialize};

use crate::fingerprint::digest;
use crate::run_dir::CONFIG;
use crate::{Config, DataFile, Error, FileError, RunDir};

/// A configuration file: the keys of [`Config`], and beside them which data and for how long.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunFile {
    /// The options.
    pub config: Config,
    /// What goes with it.
    pub about: RunSettings,
}

/// What a configuration file says beside the options.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
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

/// `90`, `90s`, `1.5m`, `2h` or `500ms` as a time.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("there is no unit '{other}': use ms, s, m or h")),
    };
    let number: f64 = digits.parse().map_err(|_| "give a number and a unit, such as 60s".to_owned())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| match number {
        _ if number.is_nan() => "give a number and a unit, such as 60s".to_owned(),
        _ if number < 0.0 => "a time cannot be negative".to_owned(),
        _ => "that is longer than any run: leave the option out".to_owned(),
    })
}

/// The keys of [`RunSettings`].
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

/// What stands before the checksum at the end of a run's own configuration.
const CHECKSUM: &str = "# sha256 of all above: ";

impl RunFile {
    /// The text of a run's own copy, with a checksum at its end.
    pub(crate) fn to_run_toml(&self) -> String {
        let text = self.to_toml();
        let sum = digest(text.as_bytes());
        format!("{text}{CHECKSUM}{sum}\n")
    }

    /// Reads the configuration of the run in `dir`, which nobody may have changed.
    ///
    /// # Errors
    /// A file that cannot be read, that was changed, or that another version of the program wrote.
    pub fn read_run(dir: &RunDir) -> Result<Self, Error> {
        let path = dir.file(CONFIG);
        let text = read_text(&path, "read config file")?;
        let damaged = |reason: &str| Error::DamagedRun { path: path.clone(), reason: reason.to_owned() };
        let (above, sum) = text.rsplit_once(CHECKSUM).ok_or_else(|| damaged("it has no checksum"))?;
        if sum.strip_suffix('\n') != Some(&digest(above.as_bytes())) {
            return Err(damaged("it is not what the run began with"));
        }
        let file = Self::read(&path)?;
        check_version(&path, file.about.version.as_deref())?;
        Ok(file)
    }
}

/// Refuses files of another version of the program: the same seed need not give the same numbers there.
pub(crate) fn check_version(path: &Path, found: Option<&str>) -> Result<(), Error> {
    if found == Some(env!("CARGO_PKG_VERSION")) {
        return Ok(());
    }
    Err(Error::OtherVersion { path: path.to_owned(), found: found.unwrap_or("unknown").to_owned() })
}

/// The configuration of the run in `dir`, if it has one.
#[must_use]
pub fn stored_run(dir: &RunDir) -> Option<RunFile> {
    let text = dir.read(CONFIG).ok()?;
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
        let about =
            RunSettings { time_budget: Some("60s".into()), data: Some(data), ..RunSettings::default() };
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

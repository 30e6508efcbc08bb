//! A result page: a table with command, date, commit and machine.

use std::path::Path;

use gflowcausal::{Error, RunDir, thread_count};
use serde::Serialize;

use super::study::Findings;
use super::table::{self, Table};
use crate::BenchError;

/// A table, and what it was made by.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    command: String,
    version: &'static str,
    /// When the table was made; its runs may be older.
    date: String,
    machine: String,
    #[serde(flatten)]
    content: Content,
}

/// A table of runs or of what a study found.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    Runs(Table),
    Study(Findings),
}

impl Page {
    pub(super) fn new(content: Content) -> Self {
        let (version, date) = (env!("CARGO_PKG_VERSION"), chrono::Utc::now().format("%Y-%m-%d").to_string());
        Self { command: command(), version, date, machine: machine(), content }
    }

    /// For the terminal.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.content {
            Content::Runs(table) => table.text(),
            Content::Study(findings) => findings.text(),
        }
    }

    /// For documents.
    #[must_use]
    pub fn markdown(&self) -> String {
        let table = match &self.content {
            Content::Runs(table) => table.markdown(),
            Content::Study(findings) => findings.markdown(),
        };
        format!("{table}{}\n\n", self.origin())
    }

    /// Whether runs were made and none gave a graph.
    #[must_use]
    pub fn has_no_graph(&self) -> bool {
        self.runs().is_some_and(|table| table.has_no_graph)
    }

    /// The suite that it is of.
    pub(crate) fn suite(&self) -> &str {
        match &self.content {
            Content::Runs(table) => &table.suite,
            Content::Study(findings) => &findings.suite,
        }
    }

    /// The command, version, date and machine.
    pub(crate) fn origin(&self) -> String {
        format!("`{}`, version {}, {}, {}", self.command, self.version, self.date, self.machine)
    }

    /// Title, header, rows and remarks.
    pub(crate) fn shown(&self) -> (String, Vec<&str>, Vec<Vec<String>>, Vec<String>) {
        match &self.content {
            Content::Runs(table) => {
                let (header, rows) = table.filled();
                (format!("{}: {}", table.suite, table.title), header, rows, table.remarks())
            }
            Content::Study(findings) => {
                let (header, rows) = findings.shown();
                (format!("{}: {}", findings.suite, findings.title), header, rows, findings.notes.clone())
            }
        }
    }

    pub(crate) fn runs(&self) -> Option<&Table> {
        match &self.content {
            Content::Runs(table) => Some(table),
            Content::Study(_) => None,
        }
    }

    pub(crate) fn study(&self) -> Option<&Findings> {
        match &self.content {
            Content::Runs(_) => None,
            Content::Study(findings) => Some(findings),
        }
    }
}

/// All pages for programs: the runs as one table, then the table of each study.
#[must_use]
pub fn csv(pages: &[Page]) -> String {
    let runs = pages.iter().any(|page| page.runs().is_some()).then(|| runs_csv(pages));
    let studies = pages.iter().filter_map(Page::study).map(Findings::csv);
    runs.into_iter().chain(studies).collect::<Vec<_>>().join("\n")
}

/// The runs of all pages as one table.
fn runs_csv(pages: &[Page]) -> String {
    table::csv(pages.iter().filter_map(Page::runs))
}

/// Writes the pages of one suite, and its runs, if there are any, as a table of their own.
pub(super) fn write_suite(out: &Path, name: &str, pages: &[Page]) -> Result<(), BenchError> {
    write(out, name, pages)?;
    if pages.iter().all(|page| page.runs().is_none()) {
        return Ok(());
    }
    put(out, &format!("{name}-runs.csv"), runs_csv(pages).as_bytes())
}

/// Writes the pages of a call.
pub(super) fn write_results(out: &Path, pages: &[Page]) -> Result<(), BenchError> {
    write(out, "results", pages)?;
    put(out, "results.csv", csv(pages).as_bytes())
}

/// Writes `pages` as `name` for people and for programs.
fn write(out: &Path, name: &str, pages: &[Page]) -> Result<(), BenchError> {
    let json = serde_json::to_vec_pretty(pages).map_err(BenchError::Json)?;
    put(out, &format!("{name}.json"), &json)?;
    put(out, &format!("{name}.md"), pages.iter().map(Page::markdown).collect::<String>().as_bytes())
}

pub(crate) fn put(out: &Path, name: &str, bytes: &[u8]) -> Result<(), BenchError> {
    let dir = RunDir::create(out).map_err(Error::from)?;
    Ok(dir.write(name, |file| file.write_all(bytes)).map_err(Error::from)?)
}

/// What was typed, with quotation marks where a shell needs them.
fn command() -> String {
    let quoted = |word: String| {
        let is_plain = word.chars().all(|c| c.is_alphanumeric() || "-_=.,/:".contains(c));
        if is_plain { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    ["gflowcausal".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// The processor, where the system names it, and what else CPU seconds depend on.
fn machine() -> String {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {} threads, {}", thread_count(), std::env::consts::OS)
}

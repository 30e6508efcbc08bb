//! What is wrong or odd in a table, and what to do about it: named findings.

mod columns;
mod experiments;
mod nonlinearity;
mod relations;
mod rows;
mod tails;

use std::fmt;

use gflowcausal_graph::Advice;
use serde::{Deserialize, Serialize};

use crate::Table;
use crate::read::name_list;

pub use experiments::{doctor_of_experiments, rarely_free};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Causal discovery on this table makes no sense.
    Error,
    /// The result may mislead.
    Warning,
    /// Good to know.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// The code of every finding, and how much it matters.
pub const FINDINGS: [(&str, Severity); 26] = [
    ("one-column", Severity::Error),
    ("too-few-rows", Severity::Error),
    ("empty-column", Severity::Error),
    ("constant-column", Severity::Error),
    ("infinite-value", Severity::Error),
    ("index-column", Severity::Error),
    ("id-like-column", Severity::Error),
    ("duplicate-columns", Severity::Error),
    ("collinear-columns", Severity::Error),
    ("missing-values", Severity::Warning),
    ("numbers-as-text", Severity::Warning),
    ("high-cardinality", Severity::Warning),
    ("duplicate-rows", Severity::Warning),
    ("ordered-rows", Severity::Warning),
    ("isolated-values", Severity::Warning),
    ("category-codes", Severity::Warning),
    ("rarely-free", Severity::Warning),
    ("experiments", Severity::Note),
    ("mixed-columns", Severity::Note),
    ("rare-level", Severity::Note),
    ("skewed-column", Severity::Note),
    ("outliers", Severity::Note),
    ("heavy-tails", Severity::Note),
    ("non-linear", Severity::Note),
    ("changing-variance", Severity::Note),
    ("huge-scale", Severity::Note),
];

/// One thing that is wrong or odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind, as a stable word.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The columns concerned.
    pub columns: Vec<String>,
    /// What was found, in one sentence.
    pub what: String,
    /// What to do, in one sentence.
    pub fix: Advice,
}

/// What the doctor says about a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// How many rows the table has.
    pub rows: usize,
    /// How many of the columns hold real numbers.
    pub continuous: usize,
    /// How many of the columns hold categories.
    pub categorical: usize,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Findings that make discovery impossible.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> + '_ {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }
}

/// Inspects every column, their relations and the rows.
///
/// Linear relations of numbers are evaluated on at most 20,000 rows, evenly spread, and other shapes on 2,000, for up to 60
/// columns. Costs `O(n d + d³)` beside their covariance.
///
/// ```
/// use gflowcausal_data::{Column, Table, doctor};
/// let table = Table::new(vec![
///     Column::continuous("unit", vec![1.0; 5]),
///     Column::continuous("dose", vec![0.1, 0.7, 0.2, 0.9, 0.4]),
/// ])?;
/// let finding = &doctor(&table).findings[0];
/// assert_eq!((finding.code, finding.columns[0].as_str()), ("constant-column", "unit"));
/// # Ok::<(), gflowcausal_data::TableError>(())
/// ```
#[must_use]
pub fn doctor(table: &Table) -> Diagnosis {
    let mut findings = columns::findings(table);
    findings.extend(relations::findings(table));
    findings.extend(rows::findings(table));
    findings.extend(nonlinearity::findings(table));
    findings.sort_by_key(|finding| finding.severity);
    let continuous = table.columns().iter().filter(|column| column.as_continuous().is_some()).count();
    let categorical = table.columns().len() - continuous;
    Diagnosis { rows: table.rows(), continuous, categorical, findings }
}

/// A finding about `columns`, unless there are none.
fn about(
    columns: Vec<String>,
    code: &'static str,
    what: impl FnOnce(&str) -> String,
    fix: impl Into<Advice>,
) -> Option<Finding> {
    if columns.is_empty() {
        return None;
    }
    let &(code, severity) =
        FINDINGS.iter().find(|(listed, _)| *listed == code).expect("every code is listed");
    let quoted: Vec<String> = columns.iter().map(|name| format!("'{name}'")).collect();
    let subject = format!("{} {}", if columns.len() == 1 { "column" } else { "columns" }, name_list(&quoted));
    Some(Finding { code, severity, what: what(&subject), fix: fix.into(), columns })
}

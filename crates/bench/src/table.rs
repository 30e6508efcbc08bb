//! From runs to a table: means with their spread, for the terminal, Markdown, CSV and JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bounds::Bounds;
use super::growth::growth;
use super::runs::{Metrics, Record, Run, RunFailure};
use super::suite::{Paper, Scale, Suite};
use crate::cells::{csv_table, markdown_table};
use gflowcausal_report::aligned;

/// What the paper's own row is called.
const PAPER: &str = "the paper";

/// The columns of words.
const WORDS: [&str; 3] = ["data", "scale", "method"];

/// The columns of metrics.
const METRICS: [&str; 11] = [
    "graphs",
    "TPR",
    "FDR",
    "SHD",
    "class SHD",
    "CPDAG-SHD",
    "E-SHD",
    "AUROC",
    "CPU s",
    "peak MB",
    "iterations",
];

/// A suite's table.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Table {
    pub(super) suite: String,
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
    /// What there is to know about all of it.
    pub(super) notes: Vec<String>,
    /// Whether runs were made and none gave a graph.
    #[serde(skip)]
    pub(super) has_no_graph: bool,
}

/// One method on one kind of data.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) data: String,
    pub(super) scale: String,
    pub(super) method: String,
    /// How many graphs the metrics are means of.
    pub(super) graphs: usize,
    /// Of how many others no run gave a graph.
    pub(super) without_result: usize,
    /// How many others somebody did not wait for.
    pub(super) not_run: usize,
    pub(super) tpr: Option<Spread>,
    pub(super) fdr: Option<Spread>,
    pub(super) shd: Option<Spread>,
    /// With reversible edges in either direction.
    pub(super) class_shd: Option<Spread>,
    pub(super) cpdag_shd: Option<Spread>,
    pub(super) expected_shd: Option<Spread>,
    pub(super) auroc: Option<Spread>,
    pub(super) cpu_seconds: Option<Spread>,
    pub(super) peak_megabytes: Option<Spread>,
    /// Of training, where there was any.
    pub(super) iterations: Option<Spread>,
    /// Whether no graph can have its metrics.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_impossible: bool,
    /// What there is to say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// A mean and the standard deviation around it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) mean: f64,
    /// Of one graph to the next; none with one graph, or where only the mean is known.
    pub(super) deviation: Option<f64>,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Some(Self { mean, deviation: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()) })
    }

    fn known(mean: f64) -> Option<Self> {
        Some(Self { mean, deviation: None })
    }

    pub(super) fn text(spread: Option<Self>, digits: usize) -> String {
        match spread {
            None => String::new(),
            Some(Self { mean, deviation: None }) => format!("{mean:.digits$}"),
            Some(Self { mean, deviation: Some(deviation) }) => {
                format!("{mean:.digits$} ± {deviation:.digits$}")
            }
        }
    }
}

impl Table {
    /// The table of `suite`: for each kind of data its methods, the bounds and the paper. Of the planned `runs` those with a
    /// record are done.
    pub(super) fn new(suite: &Suite, runs: &[Run], records: &[Record], bounds: &[Bounds]) -> Self {
        let mut rows = Vec::new();
        for (data, Bounds { limit, chance }) in suite.data.iter().zip(bounds) {
            let of_data: Vec<&Record> = records.iter().filter(|record| record.data == data.name).collect();
            let planned: Vec<&Run> = runs.iter().filter(|run| run.data.name == data.name).collect();
            rows.extend(method_rows(suite, &data.name, &planned, &of_data));
            let found = of_data.iter().filter_map(|record| record.outcome.as_ref().ok());
            let edges = limit.iter().chain(found).map(|metrics| metrics.true_edges).reduce(f64::min);
            if let Some(rule) = data.limit {
                let true_order = (format!("limit: true order, {rule}"), limit);
                let random_orders = (format!("chance: {} random orders, {rule}", data.random_orders), chance);
                let known =
                    [true_order, random_orders].into_iter().filter(|(_, metrics)| !metrics.is_empty());
                rows.extend(known.map(|(name, metrics)| Row::new(&data.name, rule.scale(), name, metrics)));
            }
            let own = data.paper.map(|paper| (PAPER, paper));
            let others = data.reported.iter().map(|(name, &paper)| (name.as_str(), paper));
            rows.extend(
                own.into_iter()
                    .chain(others)
                    .map(|(name, paper)| Row::of_paper(&data.name, name, paper, edges)),
            );
        }
        let notes = suite.notes.iter().cloned().chain(growth(suite, &rows)).collect();
        let has_no_graph = !records.is_empty() && records.iter().all(|record| record.outcome.is_err());
        Self { suite: suite.name.clone(), title: suite.title.clone(), rows, notes, has_no_graph }
    }

    /// For the terminal.
    pub(super) fn text(&self) -> String {
        let (header, cells) = self.filled();
        let is_figure = |&at: &usize| METRICS.contains(&header[at]);
        let right: Vec<usize> = (0..header.len()).filter(is_figure).collect();
        let mut text = format!("{}: {}\n{}", self.suite, self.title, aligned(&header, &cells, &right));
        for note in self.remarks() {
            text.push_str(&format!("  {note}\n"));
        }
        text
    }

    /// For documents.
    pub(super) fn markdown(&self) -> String {
        let (header, cells) = self.filled();
        let table = markdown_table(&header, &cells);
        let notes: String = self.remarks().iter().map(|note| format!("\n{note}\n")).collect();
        format!("### {}: {}\n\n{table}{notes}\n", self.suite, self.title)
    }

    /// The columns that have something to show, and what they show.
    pub(super) fn filled(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let cells: Vec<Vec<String>> = self.rows.iter().map(Row::cells).collect();
        let header = [&WORDS[..], &METRICS[..]].concat();
        let is_filled = |&at: &usize| cells.iter().any(|row| !row[at].is_empty());
        let filled: Vec<usize> = (0..header.len()).filter(is_filled).collect();
        let pick = |row: &Vec<String>| filled.iter().map(|&at| row[at].clone()).collect();
        (filled.iter().map(|&at| header[at]).collect(), cells.iter().map(pick).collect())
    }

    /// The remarks on rows, then those on the whole.
    pub(super) fn remarks(&self) -> Vec<String> {
        let of_row = |row: &Row| Some(format!("{}, {}: {}", row.data, row.method, row.note.as_ref()?));
        self.rows.iter().filter_map(of_row).chain(self.notes.iter().cloned()).collect()
    }
}

/// What stands before the metrics in a row of the CSV file.
const LEADING: [&str; 6] = ["suite", "data", "scale", "method", "graphs", "without_result"];

/// A metric of a row, by its name in the CSV file.
type Metric = (&'static str, fn(&Row) -> Option<Spread>);

const CSV_METRICS: [Metric; 10] = [
    ("tpr", |row| row.tpr),
    ("fdr", |row| row.fdr),
    ("shd", |row| row.shd),
    ("class_shd", |row| row.class_shd),
    ("cpdag_shd", |row| row.cpdag_shd),
    ("expected_shd", |row| row.expected_shd),
    ("auroc", |row| row.auroc),
    ("cpu_seconds", |row| row.cpu_seconds),
    ("peak_megabytes", |row| row.peak_megabytes),
    ("iterations", |row| row.iterations),
];

/// All tables as one with a row a line: each metric with its standard deviation.
pub(super) fn csv<'a>(tables: impl Iterator<Item = &'a Table>) -> String {
    let metrics = CSV_METRICS.iter().flat_map(|(name, _)| [(*name).to_owned(), format!("{name}_sd")]);
    let named = LEADING.iter().map(|&name| name.to_owned()).chain(metrics).chain(["note".to_owned()]);
    let header: Vec<String> = named.collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows = tables.flat_map(|table| table.rows.iter().map(|row| csv_row(&table.suite, row)));
    csv_table(&header, rows)
}

fn csv_row(suite: &str, row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let metrics = CSV_METRICS.iter().flat_map(|(_, metric)| {
        let spread = metric(row);
        [number(spread.map(|s| s.mean)), number(spread.and_then(|s| s.deviation))]
    });
    let names = [suite, &row.data, &row.scale, &row.method].map(ToOwned::to_owned);
    let counts = [row.graphs.to_string(), row.without_result.to_string()];
    names.into_iter().chain(counts).chain(metrics).chain([row.note.clone().unwrap_or_default()]).collect()
}

/// The rows of all methods on one kind of data, in the suite's order.
fn method_rows(suite: &Suite, data: &str, planned: &[&Run], records: &[&Record]) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in &suite.method {
        for scale in &method.on {
            let is_own = |run: &&&Run| run.method == method.name && run.scale == *scale;
            let planned = planned.iter().filter(is_own).count();
            if planned == 0 {
                continue;
            }
            let own = records.iter().filter(|record| record.method == method.name && record.scale == *scale);
            let outcomes: Vec<&Result<Metrics, RunFailure>> = own.map(|record| &record.outcome).collect();
            let metrics: Vec<Metrics> =
                outcomes.iter().filter_map(|outcome| outcome.as_ref().ok().copied()).collect();
            let mut row = Row::new(data, scale.name(), method.name.clone(), &metrics);
            row.without_result = outcomes.len() - row.graphs;
            row.not_run = planned - outcomes.len();
            let failures = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
            row.note = reasons(failures.map(ToString::to_string), row.not_run, scale.name());
            rows.push(row);
        }
    }
    rows
}

/// How many runs came to nothing for each reason, the most frequent first.
fn reasons(all: impl Iterator<Item = String>, not_run: usize, scale: &str) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for reason in all {
        *counts.entry(reason).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> = counts
        .into_iter()
        .map(|(reason, count)| format!("{count} {scale} without result: {reason}"))
        .collect();
    if not_run > 0 {
        parts.push(format!("{not_run} {scale} not run yet"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl Row {
    pub(super) fn new(data: &str, scale: &str, method: String, metrics: &[Metrics]) -> Self {
        let spread = |field: fn(&Metrics) -> f64| Spread::of(&metrics.iter().map(field).collect::<Vec<_>>());
        let known = |field: fn(&Metrics) -> Option<f64>| {
            Spread::of(&metrics.iter().filter_map(field).collect::<Vec<_>>())
        };
        Self {
            data: data.to_owned(),
            scale: scale.to_owned(),
            method,
            graphs: metrics.len(),
            without_result: 0,
            not_run: 0,
            tpr: spread(|metrics| metrics.tpr),
            fdr: spread(|metrics| metrics.fdr),
            shd: spread(|metrics| metrics.shd),
            class_shd: spread(|metrics| metrics.class_shd),
            cpdag_shd: spread(|metrics| metrics.cpdag_shd),
            expected_shd: known(|metrics| metrics.expected_shd),
            auroc: known(|metrics| metrics.auroc),
            cpu_seconds: known(|metrics| metrics.cpu_seconds),
            peak_megabytes: known(|metrics| metrics.peak_megabytes),
            iterations: known(|metrics| metrics.iterations),
            is_impossible: false,
            note: None,
        }
    }

    fn of_paper(data: &str, name: &str, paper: Paper, edges: Option<f64>) -> Self {
        let note = |edges: f64, tpr: f64, shd: f64| {
            let missed = (1.0 - tpr) * edges;
            format!(
                "impossible: a TPR of {tpr} misses {missed:.1} of {edges} edges, more than its SHD of {shd}"
            )
        };
        let impossible = edges.filter(|&edges| paper.is_impossible(edges));
        let metrics = paper.tpr.zip(paper.shd);
        Self {
            tpr: paper.tpr.and_then(Spread::known),
            shd: paper.shd.and_then(Spread::known),
            expected_shd: paper.expected_shd.and_then(Spread::known),
            auroc: paper.auroc.and_then(Spread::known),
            is_impossible: impossible.is_some(),
            note: impossible.zip(metrics).map(|(edges, (tpr, shd))| note(edges, tpr, shd)),
            ..Self::new(data, paper.scale.unwrap_or(Scale::Raw).name(), name.to_owned(), &[])
        }
    }

    /// How many graphs there are, of how many that were wanted.
    fn count(&self) -> String {
        match (self.graphs, self.without_result + self.not_run) {
            (0, 0) => String::new(),
            (graphs, 0) => graphs.to_string(),
            (graphs, missing) => format!("{graphs} of {}", graphs + missing),
        }
    }

    fn cells(&self) -> Vec<String> {
        let mark = if self.is_impossible { " !" } else { "" };
        vec![
            self.data.clone(),
            self.scale.clone(),
            self.method.clone(),
            self.count(),
            Spread::text(self.tpr, 2) + mark,
            Spread::text(self.fdr, 2),
            Spread::text(self.shd, 1) + mark,
            Spread::text(self.class_shd, 1),
            Spread::text(self.cpdag_shd, 1),
            Spread::text(self.expected_shd, 1),
            Spread::text(self.auroc, 3),
            Spread::text(self.cpu_seconds, 2),
            Spread::text(self.peak_megabytes, 0),
            Spread::text(self.iterations, 0),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_mean_and_sample_deviation() {
        let spread = Spread::of(&[1.0, 2.0, 6.0]);
        assert_eq!(Spread::text(spread, 1), "3.0 ± 2.6");
        assert_eq!(Spread::text(Spread::of(&[4.0]), 0), "4");
        assert_eq!(Spread::text(Spread::of(&[]), 1), "");
    }
}

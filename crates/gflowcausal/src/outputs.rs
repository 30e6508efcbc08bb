//! The files of a run, each in a form that some other program reads.

use std::io::{self, Write};

use gflowcausal_graph::{NamedGraph, Pdag};
use gflowcausal_graph_io::{Format, csv_name};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::effects::{EFFECTS, EffectsResult, MOMENTS, StoredMoments};
use crate::posterior::GraphSample;
use crate::run_file::check_version;
use crate::training_log::{read_log, write_log};
use crate::{
    Discovery, EdgeResult, Error, RunDir, RunFile, RunResult, SampleSummary, graph_bytes, stored_run,
};

/// The files that hold the best graph.
const GRAPHS: [(&str, Format); 3] =
    [("graph.json", Format::Json), ("graph.dot", Format::Dot), ("graph.graphml", Format::Graphml)];

/// A few rows of the data.
const PREVIEW: &str = "preview.json";

/// Writes what was found to `dir`; checksums come last, so where they are, all others are. The report is written by the observer.
///
/// # Errors
/// When the system refuses, or a name has no place in one of the formats.
pub fn write_outputs(dir: &RunDir, found: &Discovery, result: &RunResult) -> Result<(), Error> {
    dir.unseal()?;
    let graph = found.named_graph()?;
    for (name, format) in GRAPHS {
        write_graph(dir, name, format, &graph)?;
    }
    write_graph(dir, "adjacency.csv", Format::Csv, &bare(found)?)?;
    dir.write("edges.csv", |out| write_edges(out, result))?;
    dir.write("edge_probabilities.csv", |out| write_probabilities(out, found))?;
    dir.write("samples.jsonl", |out| write_samples(out, &found.names, &found.draws))?;
    if let Some(moments) = StoredMoments::of(found) {
        write_json(dir, MOMENTS, &moments)?;
    }
    if let Some(effects) = &result.effects {
        write_json(dir, EFFECTS, effects)?;
    }
    if let Some(training) = &found.training {
        dir.write("training.csv", |out| write_log(out, &training.history))?;
    }
    if let Some(preview) = &result.preview {
        dir.write(PREVIEW, |out| Ok(serde_json::to_writer(out, preview)?))?;
    }
    dir.write("result.json", |out| {
        serde_json::to_writer_pretty(&mut *out, result)?;
        out.write_all(b"\n")
    })?;
    Ok(dir.write_checksums()?)
}

fn write_json(dir: &RunDir, name: &str, value: &impl Serialize) -> Result<(), Error> {
    Ok(dir.write(name, |out| {
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")
    })?)
}

/// Refuses names that one of the formats has no place for, before anything is computed.
pub(crate) fn check_names(names: &[String]) -> Result<(), Error> {
    let in_result = |source| Error::Graph { path: "result".into(), source };
    let graph = NamedGraph::new(names.to_vec(), Pdag::empty(names.len())).map_err(in_result)?;
    for (name, format) in GRAPHS {
        graph_bytes(name.as_ref(), Some(format), &graph)?;
    }
    Ok(())
}

fn write_graph(dir: &RunDir, name: &str, format: Format, graph: &NamedGraph) -> Result<(), Error> {
    let bytes = graph_bytes(&dir.file(name), Some(format), graph)?;
    Ok(dir.write(name, |out| out.write_all(&bytes))?)
}

/// The best graph without weights: an adjacency of zeros and ones.
fn bare(found: &Discovery) -> Result<NamedGraph, Error> {
    NamedGraph::new(found.names.clone(), Pdag::from(&found.graph))
        .map_err(|source| Error::Graph { path: "adjacency.csv".into(), source })
}

fn write_edges(out: &mut dyn Write, result: &RunResult) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    for edge in &result.graph.edges {
        let name = |name: &str| csv_name(name).into_owned();
        table.serialize(EdgeResult { from: name(&edge.from), to: name(&edge.to), ..edge.clone() })?;
    }
    if result.graph.edges.is_empty() {
        table.write_record(["from", "to"])?;
    }
    table.flush()
}

fn write_probabilities(out: &mut dyn Write, found: &Discovery) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let names: Vec<String> = found.names.iter().map(|name| csv_name(name).into_owned()).collect();
    table.write_record(std::iter::once("").chain(names.iter().map(String::as_str)))?;
    for (name, row) in names.iter().zip(found.posterior.edges().chunks(found.names.len())) {
        let cells = row.iter().map(f64::to_string);
        table.write_record(std::iter::once(name.clone()).chain(cells))?;
    }
    table.flush()
}

/// One drawn graph as a line of JSON.
#[derive(Serialize)]
struct SampleLine<'a> {
    order: Vec<&'a str>,
    edges: Vec<(&'a str, &'a str)>,
    log_reward: f64,
    log_prob: Option<f64>,
    log_weight: f64,
    count: u32,
}

/// Writes one line of JSON for each of `draws`.
///
/// # Errors
/// What the system says.
pub fn write_samples(out: &mut dyn Write, names: &[String], draws: &[GraphSample]) -> io::Result<()> {
    for draw in draws {
        let line = SampleLine {
            order: draw.order.iter().map(|node| names[node].as_str()).collect(),
            edges: draw
                .dag
                .edges()
                .map(|edge| (names[edge.from].as_str(), names[edge.to].as_str()))
                .collect(),
            log_reward: draw.log_reward,
            log_prob: draw.log_prob,
            log_weight: draw.log_weight,
            count: draw.count,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// What is read of such a line again.
#[derive(Deserialize)]
struct StoredSample {
    edges: Vec<IgnoredAny>,
    log_reward: Option<f64>,
    log_weight: Option<f64>,
    count: u32,
}

impl RunResult {
    /// Reads the files of the run in `dir`.
    ///
    /// # Errors
    /// When the run is not finished, or its files are damaged.
    pub fn read(dir: &RunDir) -> Result<Self, Error> {
        let result = dir.read_checked("result.json")?;
        let log = || dir.read_checked("training.csv");
        let parsed = Self::parse(&result, &dir.read_checked("samples.jsonl")?, log, stored_run(dir));
        let mut result = parsed.map_err(|error| match error {
            Error::DamagedRun { path, reason } => Error::DamagedRun { path: dir.path().join(path), reason },
            other => other,
        })?;
        check_version(&dir.file("result.json"), Some(&result.version))?;
        if dir.file(PREVIEW).exists() {
            let damaged = |error: serde_json::Error| Error::DamagedRun {
                path: dir.file(PREVIEW),
                reason: error.to_string(),
            };
            result.preview = Some(serde_json::from_slice(&dir.read_checked(PREVIEW)?).map_err(damaged)?);
        }
        Ok(Self { effects: read_effects(dir)?, ..result })
    }

    /// The same of the bytes of `result.json` and `samples.jsonl`; `log` gives those of `training.csv`, where there was
    /// training.
    ///
    /// # Errors
    /// When one of them is damaged.
    pub fn parse(
        result: &[u8],
        samples: &[u8],
        log: impl FnOnce() -> Result<Vec<u8>, Error>,
        run: Option<RunFile>,
    ) -> Result<Self, Error> {
        let damaged =
            |name: &'static str| move |reason: String| Error::DamagedRun { path: name.into(), reason };
        let mut result: Self =
            serde_json::from_slice(result).map_err(|error| damaged("result.json")(error.to_string()))?;
        result.samples = read_samples(samples).map_err(damaged("samples.jsonl"))?;
        if let Some(training) = &mut result.training {
            training.history = read_log(&log()?)
                .ok_or_else(|| damaged("training.csv")("it is not a log of training".into()))?;
        }
        result.run = run;
        Ok(result)
    }
}

/// The effects of all pairs, where the run has them.
fn read_effects(dir: &RunDir) -> Result<Option<EffectsResult>, Error> {
    if !dir.file(EFFECTS).exists() {
        return Ok(None);
    }
    let damaged =
        |error: serde_json::Error| Error::DamagedRun { path: dir.file(EFFECTS), reason: error.to_string() };
    serde_json::from_slice(&dir.read_checked(EFFECTS)?).map(Some).map_err(damaged)
}

fn read_samples(bytes: &[u8]) -> Result<Vec<SampleSummary>, String> {
    let lines = serde_json::Deserializer::from_slice(bytes).into_iter::<StoredSample>();
    let sampled = |line: StoredSample| SampleSummary {
        edges: line.edges.len(),
        log_reward: line.log_reward.unwrap_or(f64::NAN),
        log_weight: line.log_weight.unwrap_or(0.0),
        count: line.count,
    };
    lines.map(|line| line.map(sampled).map_err(|error| error.to_string())).collect()
}

//! What a suite is made of: data sets, methods, and what the paper reports.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use gflowcausal::data::{
    NetworkSimulation, Simulated, Simulation, SimulationError, builtin, simulate, simulate_network,
};
use gflowcausal::graph::choices;
use gflowcausal::{methods, option};
use gflowcausal_report::wrapped;
use serde::{Deserialize, Serialize};

use super::peers::Peer;
use super::study::Study;
use crate::BenchError;

/// The suites that come with the program, by name.
const SUITES: &[(&str, &str)] = &[
    ("table1", include_str!("../suites/table1.toml")),
    ("table2", include_str!("../suites/table2.toml")),
    ("table3", include_str!("../suites/table3.toml")),
    ("table5", include_str!("../suites/table5.toml")),
    ("table6", include_str!("../suites/table6.toml")),
    ("auto", include_str!("../suites/auto.toml")),
    ("sachs", include_str!("../suites/sachs.toml")),
    ("ablation", include_str!("../suites/ablation.toml")),
    ("dag-gflownet", include_str!("../suites/dag-gflownet.toml")),
    ("standardised", include_str!("../suites/standardised.toml")),
    ("unequal-variance", include_str!("../suites/unequal-variance.toml")),
    ("networks", include_str!("../suites/networks.toml")),
    ("scale", include_str!("../suites/scale.toml")),
    ("fig-case", include_str!("../suites/fig-case.toml")),
    ("fig-diverse", include_str!("../suites/fig-diverse.toml")),
    ("fig-sampling", include_str!("../suites/fig-sampling.toml")),
    ("fig-loss", include_str!("../suites/fig-loss.toml")),
    ("speed", include_str!("../suites/speed.toml")),
    ("calibration", include_str!("../suites/calibration.toml")),
    ("effects", include_str!("../suites/effects.toml")),
    ("exactness", include_str!("../suites/exactness.toml")),
    ("training", include_str!("../suites/training.toml")),
    ("paper-mode", include_str!("../suites/paper-mode.toml")),
];

/// The most graphs of one kind of data.
pub const MOST_SEEDS: u64 = 10_000;

/// A table or figure to rebuild.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    /// What it is called; not part of the file.
    #[serde(skip)]
    pub(super) name: String,
    /// What it shows, in one line.
    pub(super) title: String,
    /// How many graphs are drawn for each kind of data.
    #[serde(default = "five")]
    pub(super) seeds: u64,
    #[serde(default)]
    pub(super) data: Vec<Data>,
    #[serde(default)]
    pub(super) method: Vec<Method>,
    /// Methods of other packages, run on request.
    #[serde(default)]
    pub(super) peer: Vec<PeerMethod>,
    /// What is measured inside the program, beside the runs.
    pub(super) study: Option<Study>,
    /// What there is to know about the table.
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) quick: Quick,
}

/// What is left of a suite that has to be quick.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Quick {
    /// The data sets by name; all if none is named.
    pub(super) data: Vec<String>,
    /// Iterations of every run that trains.
    iterations: Option<u64>,
    /// In place of the suite's own.
    pub(super) study: Option<Study>,
}

/// One kind of data.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    pub(super) name: String,
    pub(super) source: Source,
    /// What the paper reports.
    pub(super) paper: Option<Paper>,
    /// What the paper reports of other methods, by the names of the rows.
    #[serde(default)]
    pub(super) reported: BTreeMap<String, Paper>,
    /// What the true order would be pruned by.
    pub(super) limit: Option<Limit>,
    /// How many random orders are pruned by the same rule, for what chance gives.
    #[serde(default)]
    pub(super) random_orders: u32,
}

impl Data {
    /// What errors call it.
    pub(super) fn title(&self, suite: &str) -> String {
        format!("suite {suite}, data '{}'", self.name)
    }

    /// How many graphs there are if `seeds` are asked for.
    pub(super) fn graphs(&self, seeds: u64) -> u64 {
        if matches!(self.source, Source::Builtin(_)) { 1 } else { seeds }
    }
}

/// Where data come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    /// The options of `simulate`; the seed is that of the run.
    Simulate(Simulation),
    /// The options of `simulate --network`; the seed is that of the run.
    Network(NetworkSimulation),
    /// Data that come with the program.
    Builtin(String),
}

impl Source {
    /// The data of `seed` and their graph; nothing where there is no such data set.
    pub(super) fn draw(&self, seed: u64) -> Result<Option<Simulated>, SimulationError> {
        match self {
            Self::Simulate(simulation) => simulate(&Simulation { seed, ..simulation.clone() }).map(Some),
            Self::Network(simulation) => {
                simulate_network(&NetworkSimulation { seed, ..simulation.clone() }).map(Some)
            }
            Self::Builtin(name) => {
                Ok(builtin(name).map(|data| Simulated { table: data.table, dag: data.truth, weights: None }))
            }
        }
    }
}

choices! {
    /// How the true order is pruned, for the best that any order could give.
    pub enum Limit: "limit" {
        /// To the parents that `bic` selects.
        Selected = "selected",
        /// By additive models.
        Cam = "cam",
        /// By the score `gp`.
        Gp = "gp",
        /// By the score `quadratic-equal`.
        QuadraticEqual = "quadratic-equal",
    }
}

impl Limit {
    /// The columns that it is the limit of.
    pub(super) fn scale(self) -> &'static str {
        match self {
            Self::Selected | Self::Cam | Self::Gp => "any",
            Self::QuadraticEqual => Scale::Raw.name(),
        }
    }
}

/// A row of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Paper {
    pub(super) tpr: Option<f64>,
    pub(super) shd: Option<f64>,
    pub(super) expected_shd: Option<f64>,
    pub(super) auroc: Option<f64>,
    /// What it does to the columns, if not nothing.
    pub(super) scale: Option<Scale>,
}

impl Paper {
    /// Whether no graph has these figures: every edge that is not found counts once, so `(1 − TPR)·edges ≤ SHD`.
    /// Rounding of the printed figures is allowed for.
    pub(super) fn is_impossible(self, edges: f64) -> bool {
        self.tpr.zip(self.shd).is_some_and(|(tpr, shd)| (1.0 - tpr - 0.005) * edges > shd + 0.05)
    }
}

choices! {
    /// Whether columns keep their scales.
    pub enum Scale: "scale" {
        /// As they are.
        Raw = "raw",
        /// Each with mean 0 and standard deviation 1.
        Standardised = "standardised",
    }
}

/// A method, by the options of `discover`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Method {
    pub(super) name: String,
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) on: Vec<Scale>,
    /// The data sets by name; all if none is named.
    #[serde(default)]
    pub(super) data: Vec<String>,
    /// Whose method it is, if not ours.
    #[serde(skip)]
    pub(super) peer: Option<Peer>,
}

impl Method {
    /// Whether it is one of ours that reads `--iterations`.
    pub(super) fn trains(&self) -> bool {
        let name = self.option("--method").unwrap_or("gflowcausal");
        let known = methods().iter().find(|method| method.name() == name);
        let may_train = matches!(self.option("--posterior"), None | Some("auto" | "policy"));
        self.peer.is_none() && may_train && known.is_some_and(|method| method.reads(option::iterations))
    }

    /// The word that stands behind an option.
    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().skip_while(|option| *option != name).nth(1).map(String::as_str)
    }

    /// Trains for so many iterations, whatever was said before.
    fn train_for(&mut self, iterations: u64) {
        if let Some(given) = self.options.iter().position(|option| option == "--iterations") {
            self.options.drain(given..(given + 2).min(self.options.len()));
        }
        self.options.extend(["--iterations".to_owned(), iterations.to_string()]);
    }
}

/// A method of another package on the suite's data.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeerMethod {
    run: Peer,
    on: Vec<Scale>,
    /// The data sets by name; all if none is named.
    #[serde(default)]
    pub(super) data: Vec<String>,
}

fn five() -> u64 {
    5
}

impl Suite {
    /// The suites called `names`, each once: those of the program, `all` of them, or files.
    pub(super) fn named(names: &[String]) -> Result<Vec<Self>, BenchError> {
        let mut suites: Vec<Self> = Vec::new();
        for name in names {
            let found = match SUITES.iter().find(|(known, _)| known == name) {
                _ if name == "all" => SUITES.iter().map(|&(name, text)| Self::parse(name, text)).collect(),
                Some(&(name, text)) => vec![Self::parse(name, text)],
                None if name.ends_with(".toml") => vec![Self::read(name.as_ref())?],
                None => return Err(BenchError::UnknownSuite { name: name.clone(), known: Self::names() }),
            };
            for suite in found {
                match suites.iter().find(|known| known.name == suite.name) {
                    None => suites.push(suite),
                    Some(known) if *known == suite => {}
                    Some(_) => return Err(BenchError::SameName { file: name.clone(), name: suite.name }),
                }
            }
        }
        Ok(suites)
    }

    fn parse(name: &str, text: &str) -> Self {
        let suite: Self = toml::from_str(text).expect("a test reads every suite that comes with the program");
        suite.called(name)
    }

    /// The suite by its name, with every option and its value as two words.
    fn called(mut self, name: &str) -> Self {
        for method in &mut self.method {
            let words = method.options.iter().flat_map(|option| match option.split_once('=') {
                Some((name, value)) if name.starts_with("--") => vec![name.to_owned(), value.to_owned()],
                _ => vec![option.clone()],
            });
            method.options = words.collect();
        }
        Self { name: name.to_owned(), ..self }
    }

    /// A suite of the user's own, called like its file.
    fn read(path: &Path) -> Result<Self, BenchError> {
        let refused = |reason: &dyn fmt::Display| BenchError::BadSuite {
            path: path.to_owned(),
            reason: reason.to_string(),
        };
        let text = fs::read_to_string(path).map_err(|error| refused(&error))?;
        let suite: Self = toml::from_str(&text).map_err(|error| refused(&error.to_string().trim_end()))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let suite = suite.called(&name);
        suite.validate().map_err(|reason| refused(&reason))?;
        Ok(suite)
    }

    /// Whether a suite of that name comes with the program.
    pub(super) fn is_known(name: &str) -> bool {
        SUITES.iter().any(|(known, _)| *known == name)
    }

    /// The names of the suites that come with the program.
    fn names() -> Vec<&'static str> {
        SUITES.iter().map(|&(name, _)| name).collect()
    }

    /// The names and titles of all suites.
    pub(super) fn list() -> String {
        let indent = " ".repeat(20);
        let line = |&(name, text): &(&str, &str)| {
            let words = format!("  {:18}{}", name, Self::parse(name, text).title);
            format!("{}\n", wrapped(&words, &indent))
        };
        SUITES.iter().map(line).collect()
    }

    /// Whether it has more than one graph to show where more are asked for.
    pub(super) fn takes_seeds(&self) -> bool {
        let has_runs = !self.method.is_empty() && self.data.iter().any(|data| data.graphs(2) > 1);
        has_runs || self.study.as_ref().is_some_and(Study::takes_seeds)
    }

    /// The other packages' methods that could be put behind ours.
    pub(super) fn peers(&self) -> impl Iterator<Item = &str> {
        self.peer.iter().map(|peer| peer.run.name())
    }

    /// Puts the other packages' methods behind ours: those whose names begin like one of `wanted`, all if none is.
    pub(super) fn add_peers(&mut self, wanted: &[&str]) {
        let is_wanted = |peer: &&PeerMethod| {
            wanted.is_empty() || wanted.iter().any(|name| peer.run.name().starts_with(name))
        };
        let method = |peer: &PeerMethod| Method {
            name: peer.run.label(),
            options: Vec::new(),
            on: peer.on.clone(),
            data: peer.data.clone(),
            peer: Some(peer.run),
        };
        self.method.extend(self.peer.iter().filter(is_wanted).map(method));
    }

    /// One graph of few data sets, with the options that make runs short.
    pub(super) fn quick(mut self) -> Self {
        self.seeds = 1;
        if !self.quick.data.is_empty() {
            self.data.retain(|data| self.quick.data.contains(&data.name));
        }
        if self.quick.study.is_some() {
            self.study.clone_from(&self.quick.study);
        }
        if let Some(iterations) = self.quick.iterations {
            self.train_for(iterations);
        }
        self
    }

    /// Gives every run that trains so many iterations.
    pub(super) fn train_for(&mut self, iterations: u64) {
        self.method
            .iter_mut()
            .filter(|method| method.trains())
            .for_each(|method| method.train_for(iterations));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_is_read_and_valid() {
        for suite in Suite::named(&["all".to_owned()]).expect("all suites") {
            let quick = suite.clone().quick();
            assert_eq!(quick.data.is_empty(), suite.data.is_empty(), "{}", suite.name);
            assert!(
                quick.study.is_none() || quick.study != suite.study,
                "{}: its study is not quick",
                suite.name
            );
            let own = Suite { name: "mine".to_owned(), ..suite.clone() };
            assert_eq!(own.validate(), Ok(()), "{}", suite.name);
        }
    }

    fn paper(tpr: f64, shd: f64) -> Paper {
        Paper { tpr: Some(tpr), shd: Some(shd), ..Paper::default() }
    }

    #[test]
    fn figures_that_no_graph_can_have_are_found() {
        assert!(paper(0.93, 1.8).is_impossible(60.0));
        assert!(!paper(0.92, 44.5).is_impossible(150.0));
        assert!(!paper(1.0, 0.0).is_impossible(24.0));
    }
}

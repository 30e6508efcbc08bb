//! Other packages on the same files: a Python environment of their own, one driver, one thread each.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gflowcausal::graph::{Dag, Edge, NamedGraph, Pdag, choices};
use gflowcausal::graph_io::ReadOptions;
use gflowcausal::read_graph;
use serde::Deserialize;

use super::bounds::metrics;
use super::runs::{Metrics, RunFailure, digest};
use super::suite::Scale;

/// What runs in the environment: one driver and what it shares with the other comparisons.
const SCRIPTS: [(&str, &str); 4] = [
    ("driver.py", include_str!("../peers/driver.py")),
    ("harness.py", include_str!("../peers/harness.py")),
    ("causal_learn.py", include_str!("../peers/causal_learn.py")),
    ("linear_packages.py", include_str!("../peers/linear_packages.py")),
];

/// The packages, each at one version.
const REQUIREMENTS: &str = include_str!("../peers/requirements.txt");

/// What keeps numeric libraries to one thread, progress bars away and sets of names in one order.
const SURROUNDINGS: [(&str, &str); 6] = [
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("TQDM_DISABLE", "1"),
    ("PYTHONHASHSEED", "0"),
];

choices! {
    /// A method of another package: the package, then what the driver calls the method.
    pub enum Peer: "peer" {
        /// PC-stable with Fisher's z, or G² for categories.
        CausalLearnPc = "causal-learn pc",
        /// Greedy equivalence search with the ordinary BIC, or BDeu for categories.
        CausalLearnGes = "causal-learn ges",
        /// Best insertions into one order, the ordinary BIC.
        CausalLearnBoss = "causal-learn boss",
        /// Tucks in one order, the ordinary BIC.
        CausalLearnGrasp = "causal-learn grasp",
        /// LiNGAM by independent components.
        LingamIca = "lingam ica-lingam",
        /// LiNGAM by pairwise measures.
        LingamDirect = "lingam direct-lingam",
        /// Weights without cycles, by an augmented Lagrangian.
        GcastleNotears = "gcastle notears",
        /// Weights without cycles, by a log-determinant barrier.
        DagmaLinear = "dagma dagma",
        /// The sort by variance with LASSO.
        CausalDiscoVar = "CausalDisco sort-var",
        /// The sort by R² with LASSO.
        CausalDiscoR2 = "CausalDisco sort-r2",
    }
}

impl Peer {
    fn package_and_method(self) -> (&'static str, &'static str) {
        self.name().split_once(' ').expect("a peer is a package and a method")
    }

    /// What stands in the table: the method, the package and its version.
    pub(super) fn label(self) -> String {
        let (package, method) = self.package_and_method();
        let pinned = |line: &&str| line.split_once("==").is_some_and(|(name, _)| name == package);
        let version = REQUIREMENTS.lines().find(pinned).and_then(|line| line.split_once("=="));
        format!("{method} of {package} {}", version.map_or("", |(_, version)| version))
    }
}

/// What the driver prints.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Printed {
    Found { directed: Vec<(usize, usize)>, undirected: Vec<(usize, usize)>, cpu_seconds: f64 },
    TooLong,
}

/// Where the packages are installed, and how long a run of theirs may take.
#[derive(Debug)]
pub(super) struct Environment {
    python: PathBuf,
    scripts: PathBuf,
    /// CPU seconds.
    pub(super) seconds: u64,
}

impl Environment {
    /// Makes the environment on first use; says in one sentence what is missing if that cannot be done.
    pub(super) fn prepare(seconds: u64, report: impl Fn(&str)) -> Result<Self, String> {
        let home =
            cache(|name| std::env::var_os(name))?.join(format!("peers-{}", &digest(REQUIREMENTS)[..16]));
        let scripts = home.join(format!("scripts-{}", &scripts_digest()[..16]));
        write_all(&scripts, &SCRIPTS)?;
        let python = home.join("venv").join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let is_ready = || home.join("ready").exists();
        if !is_ready() {
            // One bench installs, and others wait for it.
            let lock = fs::File::create(home.join("lock")).and_then(|file| file.lock().map(|()| file));
            let _lock = lock.map_err(|error| format!("cannot write to {}: {error}", home.display()))?;
            if !is_ready() {
                report(&format!("installing other packages into {} (once; about 700 MB)", home.display()));
                install(&home, &python)?;
            }
        }
        Ok(Self { python, scripts, seconds })
    }

    /// What is run for `peer` on the table `data`.
    pub(super) fn command(&self, peer: Peer, data: &Path, seed: u64, scale: Scale) -> Command {
        let (package, method) = peer.package_and_method();
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join("driver.py")).args([package, method]).arg(data);
        command.args([&seed.to_string(), scale.name(), &self.seconds.to_string()]).envs(SURROUNDINGS);
        command
    }

    /// The metrics of the graph that the driver printed, against the truth in `dir`.
    pub(super) fn metrics(&self, printed: &str, dir: &Path) -> Result<Metrics, RunFailure> {
        let failed = |error: &dyn ToString| RunFailure::Failed(error.to_string());
        let printed = serde_json::from_str(printed).map_err(|error| failed(&error))?;
        let Printed::Found { directed, undirected, cpu_seconds } = printed else {
            return Err(RunFailure::TooLong { seconds: self.seconds });
        };
        let truth = truth(dir).map_err(|reason| failed(&reason))?;
        let graph =
            partly_directed(truth.nodes(), &directed, &undirected).map_err(|reason| failed(&reason))?;
        Ok(Metrics { cpu_seconds: Some(cpu_seconds), ..metrics(&graph, &truth) })
    }
}

/// Changes with the driver.
fn scripts_digest() -> String {
    digest(&SCRIPTS.map(|(_, text)| text).concat())
}

/// Changes with the driver and the packages.
pub(super) fn environment_digest() -> String {
    digest(&format!("{} {REQUIREMENTS}", scripts_digest()))
}

/// Where programs keep what they can make again.
///
/// # Errors
/// When nothing says where: a directory that anybody may write to is not trusted.
fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
    let from = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = from("XDG_CACHE_HOME")
        .or_else(|| from("LOCALAPPDATA"))
        .or_else(|| from("HOME").map(|home| home.join(".cache")));
    let missing = || "neither XDG_CACHE_HOME nor HOME says where to keep other packages: set one".to_owned();
    Ok(base.ok_or_else(missing)?.join("gflowcausal"))
}

fn write_all(dir: &Path, files: &[(&str, &str)]) -> Result<(), String> {
    let refused = |error: std::io::Error| format!("cannot write to {}: {error}", dir.display());
    fs::create_dir_all(dir).map_err(refused)?;
    files.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text)).map_err(refused)
}

fn install(home: &Path, python: &Path) -> Result<(), String> {
    write_all(home, &[("requirements.txt", REQUIREMENTS)])?;
    let venv = home.join("venv");
    step(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv), "python3 -m venv")?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "-r"]);
    step(pip.arg(home.join("requirements.txt")), "pip install")?;
    write_all(home, &[("ready", "")])
}

/// Runs a command to its end; the last thing it said if it fails.
fn step(command: &mut Command, what: &str) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Err(format!("{what}: {}", last_line(&said)))
}

/// Where Python programs say what went wrong.
pub(super) fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason given").trim().to_owned()
}

/// The true graph of the data in `dir`.
pub(super) fn truth(dir: &Path) -> Result<Dag, String> {
    let graph: NamedGraph = read_graph(&dir.join("truth.csv"), None, &ReadOptions::default())
        .map_err(|error| error.to_string())?;
    graph.to_dag().map_err(|error| error.to_string())
}

fn partly_directed(
    nodes: usize,
    directed: &[(usize, usize)],
    undirected: &[(usize, usize)],
) -> Result<Pdag, String> {
    let mut graph = Pdag::empty(nodes);
    let mut insert = || {
        directed.iter().try_for_each(|&(from, to)| graph.insert_directed(Edge::new(from, to)))?;
        undirected.iter().try_for_each(|&(a, b)| graph.insert_undirected(Edge::new(a, b)))
    };
    insert().map_err(|error: gflowcausal::graph::EdgeError| format!("a graph that is none: {error}"))?;
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_has_a_version() {
        for peer in Peer::ALL {
            let label = peer.label();
            assert!(label.ends_with(|last: char| last.is_ascii_digit()), "{label}");
        }
        assert_eq!(Peer::CausalLearnBoss.label(), "boss of causal-learn 0.1.4.8");
    }

    #[test]
    fn without_a_home_nothing_is_trusted() {
        let none = cache(|_| None).unwrap_err();
        assert!(none.contains("HOME"), "{none}");
        let home = cache(|name| (name == "HOME").then(|| "/home/me".into()));
        assert_eq!(home, Ok(PathBuf::from("/home/me/.cache/gflowcausal")));
    }

    #[test]
    fn a_pair_joined_twice_is_no_graph() {
        assert!(partly_directed(3, &[(0, 1)], &[(1, 2)]).is_ok());
        assert!(partly_directed(3, &[(0, 1), (1, 0)], &[]).is_err());
        assert!(partly_directed(3, &[(0, 3)], &[]).is_err());
    }
}

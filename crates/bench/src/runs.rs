//! The runs of a suite: each a process of its own on one thread, kept in a file so that a bench goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use gflowcausal::{Error, FileError, RunDir, RunResult, write_simulated};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::peers::{Environment, Peer, environment_digest, last_line, truth};
use super::process::{Watch, wait};
use super::suite::{Data, Scale, Source, Suite};
use crate::BenchError;

/// The variable that asks a run to end when its standard input does, so that a killed bench leaves nothing running.
pub const ENDS_WITH_INPUT: &str = "GFLOWCAUSAL_ENDS_WITH_INPUT";

/// Changes when metrics come to mean something else, so that those of other packages are not kept.
const METRICS: u32 = 2;

/// Changes when the same options and seed draw other data, so that those of before are not read.
const DRAWN: u32 = 1;

/// The checksums of the files of a data set: one that was cut short or changed is drawn again.
const SUMS: &str = "sha256.txt";

/// One method on one data set.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) suite: String,
    pub(super) data: Data,
    /// Of the data.
    pub(super) seed: u64,
    pub(super) scale: Scale,
    pub(super) method: String,
    pub(super) options: Vec<String>,
    /// Whose method it is, if not ours.
    pub(super) peer: Option<Peer>,
}

/// What came out of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) key: String,
    pub(super) suite: String,
    pub(super) data: String,
    pub(super) seed: u64,
    pub(super) scale: Scale,
    pub(super) method: String,
    /// What the program printed, or why there is nothing.
    pub(super) outcome: Result<Metrics, RunFailure>,
}

impl Record {
    /// Whether the run would give the same if it were given `limit`.
    fn stands(&self, limit: Duration) -> bool {
        match &self.outcome {
            Ok(_) => true,
            Err(RunFailure::TooLong { seconds }) => *seconds >= limit.as_secs(),
            Err(RunFailure::Failed(_)) => false,
        }
    }
}

/// Why a run gave nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RunFailure {
    /// It was given up.
    TooLong { seconds: u64 },
    /// It ended without a graph.
    Failed(String),
}

impl RunFailure {
    pub(super) fn of(reason: &impl ToString) -> Self {
        Self::Failed(reason.to_string())
    }
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { seconds } => write!(f, "took longer than {seconds} s"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

/// The metrics of one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Metrics {
    pub(super) tpr: f64,
    pub(super) fdr: f64,
    pub(super) shd: f64,
    /// With reversible edges in either direction.
    pub(super) class_shd: f64,
    pub(super) cpdag_shd: f64,
    /// The mean SHD of the draws, where there are any.
    pub(super) expected_shd: Option<f64>,
    /// Of the edge probabilities.
    pub(super) auroc: Option<f64>,
    /// None of what is not a run.
    pub(super) cpu_seconds: Option<f64>,
    pub(super) true_edges: f64,
    /// The most memory that the process held at a time, where the system reports it.
    #[serde(default)]
    pub(super) peak_megabytes: Option<f64>,
    /// How many iterations of training were done, where there was any.
    #[serde(default)]
    pub(super) iterations: Option<f64>,
}

impl Metrics {
    /// From the object that `discover --format json` prints.
    ///
    /// What is expected of draws is left out where there is one graph.
    fn of_result(result: &RunResult, true_edges: usize, peak_megabytes: Option<f64>) -> Option<Self> {
        let metrics = result.metrics.as_ref()?;
        let draws = result.consensus.is_some();
        Some(Self {
            tpr: metrics.graph.tpr,
            fdr: metrics.graph.fdr,
            shd: metrics.graph.shd as f64,
            class_shd: metrics.class_shd as f64,
            cpdag_shd: metrics.graph.cpdag_shd as f64,
            expected_shd: draws.then_some(metrics.expected_shd),
            auroc: draws.then_some(metrics.auroc),
            cpu_seconds: Some(result.seconds.cpu),
            true_edges: true_edges as f64,
            peak_megabytes,
            iterations: result.training.as_ref().map(|training| training.iterations as f64),
        })
    }
}

impl Run {
    /// All runs of `suite`.
    pub(super) fn all(suite: &Suite, scales: &[Scale]) -> Vec<Self> {
        let mut runs = Vec::new();
        for data in &suite.data {
            let seeds = data.graphs(suite.seeds);
            for method in &suite.method {
                let applies = method.data.is_empty() || method.data.contains(&data.name);
                for &scale in method.on.iter().filter(|scale| applies && scales.contains(scale)) {
                    runs.extend((1..=seeds).map(|seed| Self {
                        suite: suite.name.clone(),
                        data: data.clone(),
                        seed,
                        scale,
                        method: method.name.clone(),
                        options: method.options.clone(),
                        peer: method.peer,
                    }));
                }
            }
        }
        runs
    }

    /// The same for the same program, data and options.
    fn key(&self) -> String {
        let program = match self.peer {
            None => program_stamp(),
            Some(peer) => format!("{peer} {} {DRAWN} {METRICS}", environment_digest()),
        };
        let Self { data: Data { source, .. }, options, scale, seed, .. } = self;
        digest(&format!("{program} {source:?} {options:?} {scale} {seed}"))
    }

    /// What is typed to repeat the run on data in `dir`.
    pub(super) fn command(&self, dir: &Path) -> Vec<String> {
        let mut words = vec!["discover".to_owned()];
        match &self.data.source {
            Source::Builtin(name) => words.push(name.clone()),
            Source::Simulate(_) | Source::Network(_) => {
                words.push(dir.join("data.csv").to_string_lossy().into_owned());
                words.extend(["--truth".to_owned(), dir.join("truth.csv").to_string_lossy().into_owned()]);
            }
        }
        if self.scale == Scale::Standardised {
            words.push("--standardize".to_owned());
        }
        words.extend(self.options.iter().cloned());
        words
    }
}

/// The directory of a bench: data by their hash, and a line for every run that is done.
pub(super) struct Store {
    root: PathBuf,
    known: Mutex<BTreeMap<String, Record>>,
    /// The directories of data that are as they were drawn.
    sound: Mutex<BTreeSet<PathBuf>>,
    file: Mutex<File>,
    /// Where other packages run, if they do.
    pub(super) environment: Option<Environment>,
}

impl Store {
    /// Opens or makes the directory.
    pub(super) fn open(root: &Path) -> Result<Self, BenchError> {
        let refused = |action, path: &Path| {
            let path = path.to_owned();
            move |source| BenchError::from(Error::from(FileError { action, path, source }))
        };
        fs::create_dir_all(root).map_err(refused("create", root))?;
        let path = root.join("runs.jsonl");
        let known = File::open(&path).map_or_else(|_| BTreeMap::new(), |file| read_records(&file));
        let mut file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(refused("write", &path))?;
        // A line that a killed bench left half is closed, so that the next one stands alone.
        if fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|&last| last != b'\n')) {
            file.write_all(b"\n").map_err(refused("write", &path))?;
        }
        let (known, sound, file) = (Mutex::new(known), Mutex::default(), Mutex::new(file));
        Ok(Self { root: root.to_owned(), known, sound, file, environment: None })
    }

    /// Where the data of a run are; made if they are not there, or not as they were made.
    pub(super) fn data(&self, run: &Run) -> Result<PathBuf, BenchError> {
        let Run { data: Data { source, .. }, seed, .. } = run;
        let dir = self.root.join("data").join(&digest(&format!("{DRAWN} {source:?} {seed}"))[..16]);
        let mut sound = self.sound.lock().expect("no run panics while it draws");
        if sound.contains(&dir) {
            return Ok(dir);
        }
        let written = fs::read_to_string(dir.join(SUMS)).ok();
        let is_sound = written.is_some() && written == sums(&dir).ok();
        if !is_sound && let Some(drawn) = source.draw(*seed).map_err(Error::from)? {
            write_simulated(&dir, "data.csv", &drawn, None)?;
            let files = RunDir::open(&dir).map_err(Error::from)?;
            files.write(SUMS, |file| file.write_all(sums(&dir)?.as_bytes())).map_err(Error::from)?;
        }
        sound.insert(dir.clone());
        Ok(dir)
    }

    /// Does what is not done yet, on `jobs` processes at a time, and returns what all runs gave that came to an end
    /// before somebody interrupted.
    pub(super) fn perform(
        &self,
        runs: &[Run],
        jobs: usize,
        limit: Duration,
        stop: &AtomicBool,
        report: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Record>, BenchError> {
        for run in runs {
            self.data(run).map_err(|error| error.within(run.data.title(&run.suite)))?;
        }
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let slots: Vec<Mutex<Option<Record>>> = runs.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(at).filter(|_| !stop.load(Ordering::Relaxed)) else { return Ok(()) };
                let record = self.record(run, limit, stop)?;
                *slots[at].lock().expect("no run panics with a slot") = record;
                report(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        let outcomes: Vec<Result<(), BenchError>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
        });
        outcomes.into_iter().collect::<Result<Vec<()>, BenchError>>()?;
        Ok(slots
            .into_iter()
            .filter_map(|slot| slot.into_inner().expect("no run panics with a slot"))
            .collect())
    }

    /// What is known of `run`, or what it gives now; nothing if it was interrupted.
    fn record(&self, run: &Run, limit: Duration, stop: &AtomicBool) -> Result<Option<Record>, BenchError> {
        let key = run.key();
        let allowed = self.environment.as_ref().filter(|_| run.peer.is_some());
        let allowed = allowed.map_or(limit, |environment| Duration::from_secs(environment.seconds));
        let known = self.known.lock().expect("no run panics while it reads what is known").get(&key).cloned();
        if let Some(known) = known.filter(|known| known.stands(allowed)) {
            let (suite, data, method) = (run.suite.clone(), run.data.name.clone(), run.method.clone());
            return Ok(Some(Record { suite, data, method, ..known }));
        }
        let dir = self.data(run)?;
        let outcome = match (run.peer, &self.environment) {
            (Some(peer), Some(environment)) => execute_peer(run, peer, environment, &dir, stop),
            _ => execute(run, &dir, limit, stop),
        };
        if outcome.is_err() && stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let record = Record {
            key,
            suite: run.suite.clone(),
            data: run.data.name.clone(),
            seed: run.seed,
            scale: run.scale,
            method: run.method.clone(),
            outcome,
        };
        self.keep(&record)?;
        self.known
            .lock()
            .expect("no run panics while it reads what is known")
            .insert(record.key.clone(), record.clone());
        Ok(Some(record))
    }

    fn keep(&self, record: &Record) -> Result<(), BenchError> {
        let mut line = serde_json::to_string(record).map_err(BenchError::Json)?;
        line.push('\n');
        let mut file = self.file.lock().expect("no run panics while it writes");
        // At once, so that two benches in one directory do not write into each other's lines.
        file.write_all(line.as_bytes()).map_err(|source| {
            Error::from(FileError { action: "write", path: self.root.join("runs.jsonl"), source }).into()
        })
    }
}

/// The last that is known of each run. Lines that a killed bench left half are passed over.
fn read_records(file: &File) -> BTreeMap<String, Record> {
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    let records = lines.filter_map(|line| serde_json::from_slice::<Record>(&line).ok());
    records.map(|record| (record.key.clone(), record)).collect()
}

/// Runs `discover` in a process of its own, on one thread.
fn execute(run: &Run, dir: &Path, limit: Duration, stop: &AtomicBool) -> Result<Metrics, RunFailure> {
    let program = program().map_err(|error| RunFailure::of(&error))?;
    let mut command = Command::new(program);
    command.args(run.command(dir)).args(["--seed", &run.seed.to_string()]);
    command.args(["--threads", "1", "--format", "json", "--quiet"]);
    command.env(ENDS_WITH_INPUT, "1");
    let ended = wait(command, limit, Watch::Ours, stop)?;
    if !ended.success {
        let said = ended.complaint.lines().find(|line| !line.trim().is_empty());
        return Err(RunFailure::of(&said.unwrap_or("no reason given")));
    }
    let result: RunResult = serde_json::from_str(&ended.printed).map_err(|error| RunFailure::of(&error))?;
    let truth = truth(dir).map_err(|reason| RunFailure::of(&reason))?;
    Metrics::of_result(&result, truth.edge_count(), ended.peak_megabytes)
        .ok_or_else(|| RunFailure::of(&"no metrics were printed"))
}

/// Runs a method of another package, which watches its CPU seconds itself.
fn execute_peer(
    run: &Run,
    peer: Peer,
    environment: &Environment,
    dir: &Path,
    stop: &AtomicBool,
) -> Result<Metrics, RunFailure> {
    let command = environment.command(peer, &dir.join("data.csv"), run.seed, run.scale);
    let ended = wait(command, Duration::from_secs(environment.seconds), Watch::Its, stop)?;
    if !ended.success {
        return Err(RunFailure::Failed(last_line(&ended.complaint)));
    }
    environment.metrics(&ended.printed, dir)
}

/// The environment variable that names this program where it runs inside another, as Python's does.
const PROGRAM: &str = "GFLOWCAUSAL_PROGRAM";

/// This program.
fn program() -> std::io::Result<PathBuf> {
    std::env::var_os(PROGRAM).map_or_else(std::env::current_exe, |path| Ok(path.into()))
}

/// Changes with every build, so that metrics of an older program are not taken for its own.
pub(super) fn program_stamp() -> String {
    let built = program().and_then(fs::metadata);
    let stamp = built.and_then(|meta| Ok((meta.len(), meta.modified()?)));
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
}

/// The checksums of the files of a data set.
fn sums(dir: &Path) -> std::io::Result<String> {
    let sum = |name: &str| {
        let (mut file, mut sum) = (BufReader::new(File::open(dir.join(name))?), Sha256::new());
        while let piece = file.fill_buf()?
            && !piece.is_empty()
        {
            sum.update(piece);
            let read = piece.len();
            file.consume(read);
        }
        Ok(format!("{}  {name}\n", hex(&sum.finalize())))
    };
    ["data.csv", "truth.csv"].into_iter().map(sum).collect()
}

pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

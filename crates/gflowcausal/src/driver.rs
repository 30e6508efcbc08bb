//! The one driver behind every front end: checks a request, runs it in time, saves it and writes its files.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use gflowcausal_data::{Column, Moments, Table};
use gflowcausal_determinism::StopFlag;
use gflowcausal_graph::Dag;

use crate::clock::{Clock, keeping_time};
use crate::outputs::check_names;
use crate::run_dir::LockedDir;
use crate::{
    Checkpoints, Config, DataResult, Deadlines, DirectoryMode, Discovery, Error, Phase, Preview, Problem,
    RunContext, RunDir, RunFile, RunResult, fingerprint, stored_run, write_outputs,
};

/// Everything that a run is given.
pub struct RunRequest<'a> {
    /// The options, and where the data come from.
    pub file: RunFile,
    /// The data.
    pub data: RunData<'a>,
    /// What the user calls the data.
    pub name: String,
    /// The true graph, if it is known.
    pub truth: Option<Dag>,
    /// When to stop with the best so far.
    pub time_budget: Option<Duration>,
    /// A directory to write the run to.
    pub out: Option<PathBuf>,
    /// What becomes of a run that is in that directory.
    pub begin: DirectoryMode,
}

/// The data of a run.
pub enum RunData<'a> {
    /// A table.
    Rows(&'a Table),
    /// The names of variables, and their means and covariances alone.
    Moments(&'a [String], &'a Moments),
}

/// An observer of a run.
pub trait Observer {
    /// Is called at each phase.
    fn observe(&mut self, phase: Phase);

    /// Whether the result is still wanted; else nothing is written.
    fn is_waiting(&self) -> bool {
        true
    }

    /// Writes files of its own to the directory of the run, before the run's own.
    ///
    /// # Errors
    /// When they cannot be made or written.
    fn write(&mut self, dir: &RunDir, result: &RunResult) -> Result<(), Error>;
}

/// What became of a run.
pub struct RunOutcome {
    /// What was found.
    pub found: Discovery,
    /// The same, as files and front ends show it.
    pub result: RunResult,
    /// All that is needed to repeat the run.
    pub file: RunFile,
    /// Where its files are, if they were asked for.
    pub dir: Option<RunDir>,
    /// Why some of them could not be written.
    pub unwritten: Option<Error>,
}

impl RunRequest<'_> {
    /// Runs until a graph is found, time is up or `stop` is set.
    ///
    /// Whatever is wrong with data or options is found before anything is written. The data are fingerprinted once.
    ///
    /// # Errors
    /// Data or options that cannot be used, a checkpoint that does not fit, or a system that refuses.
    pub fn run(self, observer: &mut dyn Observer, stop: &StopFlag) -> Result<RunOutcome, Error> {
        let (start, processors) = (Instant::now(), ProcessTime::now());
        let sha256 = self.data.fingerprint()?;
        self.check_data(&sha256)?;
        let deadlines = Deadlines { budget: self.time_budget, ..Deadlines::new(stop) };
        let problem =
            keeping_time(start, &deadlines, || self.data.problem(&self.file.config, &deadlines.search))?;
        let score = start.elapsed().as_secs_f64();
        let file = self.stored_file(&sha256);
        let locked = self.lock_directory(&problem.names, &file)?;
        let dir = locked.as_ref().map(|locked| locked.dir.clone());
        let mut clock = Clock::new(dir.is_some());
        clock.seconds.score = score;
        let fingerprint =
            self.data.reward_fingerprint(&sha256, &file.config) + &problem.model.fingerprint_suffix();
        let unsaved = RefCell::new(None);
        let checkpoints =
            dir.as_ref().map(|dir| Checkpoints::new(dir, &fingerprint, self.resumes(), &unsaved));
        checkpoints.as_ref().map_or(Ok(()), Checkpoints::check)?;
        let mut observe = |phase: Phase| {
            observer.observe(phase);
            clock.note(phase)
        };
        let mut context = RunContext::new(&mut observe, &deadlines, checkpoints);
        let data = self.data_result(&problem, sha256);
        let preview = Preview::of(&problem.table);
        let (found, mut result) = keeping_time(start, &deadlines, || {
            let found = problem.discover(&mut context)?;
            let mut result = found.to_result(&file.config, data, self.truth.as_ref());
            result.effects = found.all_effects(&result, self.data.table(), &file.config);
            Ok::<_, Error>((found, result))
        })?;
        clock.seconds.total = start.elapsed().as_secs_f64();
        clock.seconds.cpu = processors.elapsed().as_secs_f64();
        result.seconds = clock.seconds;
        result.preview = preview;
        let mut unwritten = unsaved.into_inner();
        if let Some(dir) = dir.as_ref().filter(|_| observer.is_waiting()) {
            result.run = stored_run(dir);
            let written = observer.write(dir, &result).and_then(|()| write_outputs(dir, &found, &result));
            unwritten = unwritten.or(written.err());
        }
        Ok(RunOutcome { found, result, file, dir, unwritten })
    }

    /// Refuses data that the run did not begin with.
    fn check_data(&self, sha256: &str) -> Result<(), Error> {
        match &self.file.about.data {
            Some(file)
                if self.resumes() && file.sha256.as_deref().is_some_and(|expected| expected != sha256) =>
            {
                Err(Error::OtherTable(file.path.clone()))
            }
            _ => Ok(()),
        }
    }

    /// All that is needed to repeat the run.
    fn stored_file(&self, sha256: &str) -> RunFile {
        let mut file = self.file.clone();
        file.about.version = Some(env!("CARGO_PKG_VERSION").to_owned());
        file.about.truth = file.about.truth.map(|path| std::path::absolute(&path).unwrap_or(path));
        file.about.data = file.about.data.map(|data| data.pinned(sha256.to_owned()));
        file
    }

    /// The directory of the run, where files are asked for.
    fn lock_directory(&self, names: &[String], file: &RunFile) -> Result<Option<LockedDir>, Error> {
        let Some(path) = &self.out else { return Ok(None) };
        check_names(names)?;
        LockedDir::begin(path, file, self.begin).map(Some)
    }

    fn data_result(&self, problem: &Problem<'_>, sha256: String) -> DataResult {
        let rows = self.data.rows();
        let rows_used = problem.model.rows_used(rows);
        DataResult { name: self.name.clone(), rows, rows_used, variables: problem.names.clone(), sha256 }
    }

    fn resumes(&self) -> bool {
        self.begin == DirectoryMode::Resume
    }
}

impl<'a> RunData<'a> {
    fn table(&self) -> Option<&'a Table> {
        match self {
            Self::Rows(table) => Some(table),
            Self::Moments(..) => None,
        }
    }

    /// How many rows there are or were.
    fn rows(&self) -> usize {
        match self {
            Self::Rows(table) => table.rows(),
            Self::Moments(_, moments) => moments.rows() as usize,
        }
    }

    fn problem(&self, config: &Config, stop: &StopFlag) -> Result<Problem<'a>, Error> {
        match self {
            Self::Rows(table) => Problem::until(table, config, stop),
            Self::Moments(names, moments) => Problem::of_moments(names.to_vec(), (*moments).clone(), config),
        }
    }

    fn fingerprint(&self) -> Result<String, Error> {
        match self {
            Self::Rows(table) => Ok(fingerprint(table)),
            Self::Moments(names, moments) => {
                let refused = |error: String| Error::Table(error);
                let text =
                    serde_json::to_string(&(names, moments)).map_err(|error| refused(error.to_string()))?;
                let column = Column::categorical("moments", vec![], vec![text]);
                let table = Table::new(vec![column]).map_err(|error| refused(error.to_string()))?;
                Ok(fingerprint(&table))
            }
        }
    }

    /// What the rewards are made of: the data and every option that changes the reward of a graph.
    fn reward_fingerprint(&self, sha256: &str, config: &Config) -> String {
        let reward = config.reward_fingerprint();
        match self {
            Self::Rows(_) => format!("{sha256}:{reward}"),
            Self::Moments(..) => format!("{sha256}:{}:{reward}", fingerprint(&Table::default())),
        }
    }
}

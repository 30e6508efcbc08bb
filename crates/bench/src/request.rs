//! A request for a bench, resolved into suites.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::suite::{Method, Scale, Suite};
use crate::{BenchError, paper};

/// A request for a bench.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// Suites by name, `all` for every one, `paper` alone for the whole paper, or files that end in `.toml`.
    pub suites: Vec<String>,
    /// One graph of few data sets, with short runs.
    pub quick: bool,
    /// How many graphs for each kind of data; as the suite has it if not given.
    pub seeds: Option<u64>,
    /// Iterations of every run that trains.
    pub iterations: Option<u64>,
    /// Only methods whose names begin like one of these; all if there is none.
    pub methods: Vec<String>,
    /// Other packages on the same files: those whose names begin like one of these, all if there is none.
    pub peers: Option<Vec<String>>,
    /// CPU seconds of a run of another package.
    pub peer_seconds: u64,
    /// Standardised columns only.
    pub standardize: bool,
    /// CPU seconds of a run.
    pub limit: Option<u64>,
    /// Where data, runs and tables are kept.
    pub out: PathBuf,
}

impl Request {
    /// The suites, with only what was asked for left in them.
    pub(crate) fn suites(&self) -> Result<Vec<Suite>, BenchError> {
        if self.suites.is_empty() {
            return Err(BenchError::NoSuite);
        }
        let mut suites = if self.is_paper() { paper::suites()? } else { Suite::named(&self.suites)? };
        if self.quick {
            suites = suites.into_iter().map(Suite::quick).collect();
        }
        for suite in &mut suites {
            self.adapt(suite);
        }
        self.choose_methods(&mut suites)?;
        if self.standardize {
            let is_standardised = |method: &Method| method.on.contains(&Scale::Standardised);
            suites.iter_mut().for_each(|suite| suite.method.retain(is_standardised));
        }
        suites.retain(|suite| !suite.method.is_empty() || suite.study.is_some());
        if suites.is_empty() {
            return Err(BenchError::NothingStandardised);
        }
        each_begins_one("peer", &self.chosen_peers(), suites.iter().flat_map(Suite::peers))?;
        self.refuse_idle(&suites)?;
        Ok(suites)
    }

    /// Whether the whole paper is asked for, and nothing else.
    pub(crate) fn is_paper(&self) -> bool {
        self.suites.len() == 1 && self.suites[0] == paper::NAME
    }

    fn adapt(&self, suite: &mut Suite) {
        suite.seeds = self.seeds.unwrap_or(suite.seeds);
        if let Some(iterations) = self.iterations {
            suite.train_for(iterations);
        }
        if !self.methods.is_empty() || self.standardize {
            suite.study = None;
        }
    }

    /// Refuses what would change nothing.
    fn refuse_idle(&self, suites: &[Suite]) -> Result<(), BenchError> {
        let any = |has: fn(&Suite) -> bool| suites.iter().any(has);
        let given = [
            ("--peers", self.peers.is_some(), any(|suite| suite.peers().next().is_some())),
            ("--limit", self.limit.is_some(), any(|suite| !suite.method.is_empty())),
            ("--iterations", self.iterations.is_some(), any(|suite| suite.method.iter().any(Method::trains))),
            ("--seeds", self.seeds.is_some(), any(Suite::takes_seeds)),
        ];
        let idle = given.into_iter().find(|&(_, is_given, has_effect)| is_given && !has_effect);
        idle.map_or(Ok(()), |(option, ..)| {
            let suites = suites.iter().map(|suite| suite.name.clone()).collect();
            Err(BenchError::OptionWithoutEffect { option, suites })
        })
    }

    /// Leaves the methods that were asked for.
    fn choose_methods(&self, suites: &mut [Suite]) -> Result<(), BenchError> {
        let chosen: Vec<&str> = self.methods.iter().map(|name| name.trim()).collect();
        let methods = suites.iter().flat_map(|suite| &suite.method);
        each_begins_one("method", &chosen, methods.map(|method| method.name.as_str()))?;
        for suite in suites.iter_mut().filter(|_| !chosen.is_empty()) {
            suite.method.retain(|method| chosen.iter().any(|name| method.name.starts_with(name)));
        }
        Ok(())
    }

    /// The beginnings of the names of other packages; none for all of them.
    pub(crate) fn chosen_peers(&self) -> Vec<&str> {
        self.peers.iter().flatten().map(|name| name.trim()).collect()
    }
}

/// Refuses a beginning that none of the `known` names has.
fn each_begins_one<'a>(
    what: &'static str,
    chosen: &[&str],
    known: impl Iterator<Item = &'a str>,
) -> Result<(), BenchError> {
    let known: BTreeSet<&str> = known.collect();
    let begins_one = |chosen: &str| !chosen.is_empty() && known.iter().any(|name| name.starts_with(chosen));
    let Some(unknown) = chosen.iter().find(|chosen| !begins_one(chosen)) else { return Ok(()) };
    let known = known.into_iter().map(str::to_owned).collect();
    Err(BenchError::UnknownBeginning { what, name: (*unknown).to_owned(), known })
}

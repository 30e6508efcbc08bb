//! The posterior over DAGs on the user's data: tables of parent sets, and from them exact sums or chains.

mod chain_settings;
mod chains;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::{Stream, rand::RngExt, stream};
use gflowcausal_graph::{Dag, Layering};
use gflowcausal_posterior::{
    Chains, ChainsConfig, Exact, ExactError, GraphSample, ParentSets, Posterior, Ranking, RunnerUp, Source,
};
use gflowcausal_score::{
    KnownTerms, LocalScore, ParentSetTables, ScoreError, TableSettings, candidate_parents, evaluate_by_size,
};

use self::chain_settings::chains_config;
use crate::method::RunContext;
use crate::{Config, Error, ScoringModel};

/// How many graphs are drawn between two checks of the stop flag.
const BLOCK: u64 = 64;

/// How many classes are ranked: the best and the runners-up.
const RANKED: usize = 11;

/// How many candidates a variable has when time is short.
const FEW_CANDIDATES: usize = 8;

/// Up to how many parent sets of all variables are evaluated in the order of their size: a cache holds as many with ease.
const MOST_BY_SIZE: usize = 1 << 18;

/// How many draws of exact sums are kept at a time where only their layerings are wanted.
const TRAINING_BLOCK: u64 = 4096;

/// From how many draws of the reference chains start to learn from: so many that each mode has its share of them.
const TRAINING_STARTS: usize = 500;

/// How many of these chains run at a time: all of their draws are kept until their layerings are known.
const TRAINING_GROUP: usize = 20;

/// The distribution `P(G) ∝ exp(score(G)/T + γ·edges)` over all DAGs that satisfy the constraints, each once.
pub(crate) struct DagPosterior<'a> {
    model: &'a ScoringModel,
    score: &'a dyn LocalScore,
    tables: ParentSetTables,
    graphs: Vec<Dag>,
    candidates: usize,
    /// How often graphs were added for parents that the tables had left out.
    widened: usize,
    /// How many parent sets are in the tables, where time ran out before all were evaluated.
    parent_sets: Option<ParentSets>,
    exact: OnceCell<Exact>,
}

/// Probabilities, and the draws behind them.
pub(crate) struct Inferred {
    pub(crate) posterior: Posterior,
    pub(crate) draws: Vec<GraphSample>,
}

/// How many candidate parents a variable has by default.
pub(crate) fn candidate_limit(model: &ScoringModel, is_short_of_time: bool) -> usize {
    let nodes = model.constraints().nodes();
    let most = match (model.is_cheap(), nodes) {
        (true, ..=18) => nodes - 1,
        (true, ..=40) => 14,
        (true, ..=120) => 12,
        (true, _) => 10,
        (false, ..=10) => nodes - 1,
        (false, _) => 8,
    };
    if is_short_of_time { most.min(FEW_CANDIDATES) } else { most }
}

impl<'a> DagPosterior<'a> {
    /// Builds the tables around the `graphs` that searches found, with at most `candidates` for each variable; none if
    /// `stop` is set before they are complete. Whoever is interrupted here with an expensive score has the small parent sets of all
    /// variables evaluated, which [`of_known`](Self::of_known) makes use of.
    ///
    /// # Errors
    /// A target without a distribution.
    pub(crate) fn new(
        (model, score): (&'a ScoringModel, &'a dyn LocalScore),
        graphs: Vec<Dag>,
        candidates: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let settings = table_settings(model, candidates);
        let constraints = model.constraints();
        let sets = candidate_parents(score, constraints, &graphs, candidates);
        if !model.is_cheap() && constraints.nodes() << candidates <= MOST_BY_SIZE {
            evaluate_by_size(score, constraints, &sets);
        }
        match ParentSetTables::new(score, constraints, &sets, &graphs, &settings, stop) {
            Ok(tables) => Ok(Some(Self::of_tables((model, score), tables, graphs, candidates))),
            Err(ScoreError::Stopped) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Builds tables in a moment, for a run that has no time for whole ones: of few candidates, and with an expensive score only
    /// of the parent sets that were evaluated before.
    ///
    /// # Errors
    /// A target without a distribution.
    pub(crate) fn of_known(
        (model, score): (&'a ScoringModel, &'a dyn LocalScore),
        graphs: Vec<Dag>,
        candidates: usize,
    ) -> Result<Self, Error> {
        let constraints = model.constraints();
        let settings = table_settings(model, candidates);
        let known = KnownTerms::new(score);
        let at_hand: &dyn LocalScore = if model.is_cheap() { score } else { &known };
        let sets = candidate_parents(at_hand, constraints, &graphs, candidates);
        let never = AtomicBool::new(false);
        let tables = ParentSetTables::new(at_hand, constraints, &sets, &graphs, &settings, &never)?;
        let (evaluated, wanted) = known.counts();
        let parent_sets = (evaluated < wanted).then_some(ParentSets { evaluated, wanted });
        Ok(Self { parent_sets, ..Self::of_tables((model, score), tables, graphs, candidates) })
    }

    fn of_tables(
        (model, score): (&'a ScoringModel, &'a dyn LocalScore),
        tables: ParentSetTables,
        graphs: Vec<Dag>,
        candidates: usize,
    ) -> Self {
        let exact = OnceCell::new();
        Self { model, score, tables, graphs, candidates, widened: 0, parent_sets: None, exact }
    }

    /// The same, with graphs that were added to so many times before.
    pub(crate) fn widened(self, widened: usize) -> Self {
        Self { widened, ..self }
    }

    /// The same with one more graph to rank.
    pub(crate) fn with_graph(mut self, graph: Dag) -> Self {
        self.graphs.push(graph);
        self
    }

    /// The graphs that the tables were built around.
    pub(crate) fn graphs(&self) -> &[Dag] {
        &self.graphs
    }

    pub(crate) fn into_tables(self) -> ParentSetTables {
        self.tables
    }

    /// The layerings of draws to learn from, other draws than those that are shown: independent ones where sums are exact;
    /// else of chains that start at draws of the reference and so need neither heated copies nor a burn-in.
    ///
    /// # Errors
    /// With too many variables for exact sums.
    pub(crate) fn training_layerings(
        &self,
        config: &Config,
        (reference, count): (&Inferred, usize),
        context: &RunContext<'_>,
    ) -> Result<Vec<Layering>, Error> {
        let seed = stream(config.seed, Stream::Part { k: u64::MAX }).random();
        if reference.posterior.source != Source::Exact {
            return self.layerings_of_chains(config, (&reference.draws, count), seed, context);
        }
        let Some(exact) = self.exact_sums(context.stop())? else { return Ok(Vec::new()) };
        let of_block = |start: u64| {
            let draws = start..(start + TRAINING_BLOCK).min(count as u64);
            let dags = exact.sample(&self.tables, seed, draws);
            dags.iter().map(Layering::of).collect::<Vec<_>>()
        };
        let starts = (0..count as u64).step_by(TRAINING_BLOCK as usize);
        Ok(context.until_stop(|| starts.flat_map(of_block).collect()).unwrap_or_default())
    }

    /// Layerings of `count` draws or a few more, of chains that start at `draws`, group after group of them.
    fn layerings_of_chains(
        &self,
        config: &Config,
        (draws, count): (&[GraphSample], usize),
        seed: u64,
        context: &RunContext<'_>,
    ) -> Result<Vec<Layering>, Error> {
        let starts: Vec<Dag> =
            evenly_spaced(draws, TRAINING_STARTS).into_iter().map(|draw| draw.dag.clone()).collect();
        let sweeps = count.div_ceil(starts.len().max(1)) as u64;
        let mut layerings = Vec::with_capacity(count);
        for (group, starts) in starts.chunks(TRAINING_GROUP).enumerate() {
            let settings = ChainsConfig {
                seed: stream(seed, Stream::Part { k: group as u64 }).random(),
                starts: starts.len(),
                copies: 1,
                sweeps,
                proposals: 0,
                burn_in: 0.0,
                max_draws: sweeps as usize,
                ..chains_config(config, self.tables.nodes())
            };
            let mut chains = Chains::new(&self.tables, self.model.constraints(), starts, settings)?;
            chains.advance(1, context.stop());
            layerings.extend(chains.draws().iter().flatten().map(|draw| Layering::of(&draw.dag)));
        }
        Ok(layerings)
    }

    pub(crate) fn tables(&self) -> &ParentSetTables {
        &self.tables
    }

    /// Sums over all DAGs, and independent draws; none if `stop` is set before the sums are complete.
    ///
    /// # Errors
    /// With too many variables.
    pub(crate) fn exact(&self, config: &Config, stop: &AtomicBool) -> Result<Option<Inferred>, Error> {
        let Some(exact) = self.exact_sums(stop)? else { return Ok(None) };
        let mut dags = Vec::new();
        let samples = config.samples as u64;
        for start in (0..samples).step_by(BLOCK as usize) {
            dags.extend(exact.sample(&self.tables, config.seed, start..samples.min(start + BLOCK)));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let draws =
            GraphSample::merged(dags.into_iter().map(|dag| self.sample(dag, Some(exact.log_z()))).collect());
        let mut posterior = Posterior::of_exact(exact, &draws);
        if self.is_limited() {
            posterior.limit_candidates(&self.tables);
        }
        posterior.parent_sets = self.parent_sets;
        Ok(Some(Inferred { posterior, draws }))
    }

    /// Whether a variable may have parents that are none of its candidates.
    fn is_limited(&self) -> bool {
        let constraints = self.model.constraints();
        (0..self.tables.nodes()).any(|node| {
            let is_known = |parent| {
                self.tables.candidates(node).contains(&parent) || self.tables.required(node).contains(parent)
            };
            !constraints.allowed_parents(node).iter().all(is_known)
        })
    }

    /// The sums over all DAGs, made once; none if `stop` is set before they are complete.
    fn exact_sums(&self, stop: &AtomicBool) -> Result<Option<&Exact>, Error> {
        if let Some(exact) = self.exact.get() {
            return Ok(Some(exact));
        }
        match Exact::new(&self.tables, stop) {
            Err(ExactError::Stopped) => Ok(None),
            exact => {
                let exact = exact?;
                Ok(Some(self.exact.get_or_init(|| exact)))
            }
        }
    }

    /// The best graph and the runners-up among `draws` and what the searches found, one for each class; the best alone
    /// where there is no time for more.
    pub(crate) fn ranked(&self, draws: &[GraphSample], context: &RunContext<'_>) -> Vec<RunnerUp> {
        let ranking = Ranking {
            tables: &self.tables,
            constraints: self.model.constraints(),
            is_score_equivalent: self.score.is_score_equivalent(),
        };
        let graphs = || self.graphs.iter().chain(draws.iter().map(|draw| &draw.dag));
        let ranked = context.finish(|| ranking.best(graphs(), RANKED));
        ranked.unwrap_or_else(|| ranking.heaviest(graphs()).into_iter().collect())
    }

    fn sample(&self, dag: Dag, log_z: Option<f64>) -> GraphSample {
        let log_reward = self.tables.log_dag(&dag);
        let log_prob = log_z.map(|log_z| log_reward - log_z);
        GraphSample { log_prob, ..GraphSample::of_target(dag.topological_order(), dag, log_reward) }
    }
}

/// At most `count` single draws, evenly spaced.
pub(crate) fn evenly_spaced(draws: &[GraphSample], count: usize) -> Vec<&GraphSample> {
    let single: Vec<&GraphSample> =
        draws.iter().flat_map(|draw| std::iter::repeat_n(draw, draw.count as usize)).collect();
    let count = count.min(single.len());
    (0..count).map(|k| single[k * single.len() / count]).collect()
}

fn table_settings(model: &ScoringModel, candidates: usize) -> TableSettings {
    TableSettings {
        temperature: model.temperature(),
        edge_log_odds: model.edge_log_odds(),
        max_candidates: candidates,
    }
}

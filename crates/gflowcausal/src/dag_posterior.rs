//! The posterior over DAGs on the user's data: tables of parent sets, and from them exact sums or chains.

mod chain_settings;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_determinism::{Stream, rand::RngExt, stream};
use gflowcausal_graph::{Dag, Edge};
use gflowcausal_posterior::{
    Chains, ChainsConfig, Exact, ExactError, GraphSample, ParentSets, Posterior, Ranking, RunnerUp,
    log_z_by_recapture,
};
use gflowcausal_score::{
    KnownTerms, LocalScore, OutsiderSearch, ParentSetTables, ScoreError, TableSettings, candidate_parents,
    evaluate_by_size,
};

use self::chain_settings::{
    FIRST_CHECK, chains_config, draws_per_round, hurried_config, most_rounds, next_check,
};
use crate::method::{Control, Phase, RunContext};
use crate::{Checkpoints, Config, Error, ScoringModel};

/// How many graphs are drawn between two checks of the stop flag.
const BLOCK: u64 = 64;

/// How many classes are ranked: the best and the runners-up.
const RANKED: usize = 11;

/// Up to how many variables one of the chains starts at random: with more it would not be through in time.
const MOST_WITH_RANDOM_START: usize = 40;

/// A graph is far better than another if it is likelier by more nats than this.
const FAR: f64 = 10.0;

/// An edge whose cause is no candidate matters from this probability on.
const LEAST_OUTSIDE: f64 = 0.02;

/// How often tables are built again for parents that were left out.
const MOST_WIDENED: usize = 3;

/// Up to how many variables that is done: with more it takes longer than it saves.
const MOST_NODES_WIDENED: usize = 120;

/// How many candidates a variable has when time is short.
const HURRIED_CANDIDATES: usize = 8;

/// Up to how many parent sets of all variables are evaluated in the order of their size: a cache holds as many with ease.
const MOST_BY_SIZE: usize = 1 << 18;

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

/// How a run of chains ended.
enum ChainsOutcome {
    /// With probabilities, unless there was no time for any.
    Inferred(Option<Box<Inferred>>),
    /// At graphs that the tables should have been built around, with probabilities all the same.
    Again(Missed, Option<Box<Inferred>>),
}

/// Graphs that the tables should have been built around.
enum Missed {
    /// One far better than all that the searches found.
    Better(Dag),
    /// Some with parents that the tables leave out although they matter.
    Parents(Vec<Dag>),
}

/// Probabilities, and the draws behind them.
pub(crate) struct Inferred {
    pub(crate) posterior: Posterior,
    pub(crate) draws: Vec<GraphSample>,
}

/// How many candidate parents a variable has by default.
pub(crate) fn candidate_limit(model: &ScoringModel, is_hurried: bool) -> usize {
    let nodes = model.constraints().nodes();
    let most = match (model.is_cheap(), nodes) {
        (true, ..=18) => nodes - 1,
        (true, ..=40) => 14,
        (true, ..=120) => 12,
        (true, _) => 10,
        (false, ..=10) => nodes - 1,
        (false, _) => 8,
    };
    if is_hurried { most.min(HURRIED_CANDIDATES) } else { most }
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

    pub(crate) fn into_tables(self) -> ParentSetTables {
        self.tables
    }

    /// Draws to learn from, other ones than those that are shown: independent ones where sums are exact, else of chains
    /// of their own.
    ///
    /// # Errors
    /// With too many variables for exact sums.
    pub(crate) fn training_draws(
        &self,
        config: &Config,
        (is_exact, count): (bool, usize),
        context: &RunContext<'_>,
    ) -> Result<Vec<Dag>, Error> {
        let seed = stream(config.seed, Stream::Part { k: u64::MAX }).random();
        if is_exact {
            let Some(exact) = self.exact_sums(context.stop())? else { return Ok(Vec::new()) };
            let draw = || exact.sample(&self.tables, seed, 0..count as u64);
            return Ok(context.until_stop(draw).unwrap_or_default());
        }
        let settings = chains_config(config, self.tables.nodes());
        let rounds = (count as f64 / draws_per_round(&settings)).ceil() as u64;
        let settings = ChainsConfig { seed, max_draws: (rounds * settings.sweeps) as usize, ..settings };
        let starts = self.starts(settings.starts);
        let mut chains = Chains::new(&self.tables, self.model.constraints(), &starts, settings)?;
        chains.advance(rounds, context.stop());
        Ok(chains.draws().into_iter().flatten().map(|draw| draw.dag).collect())
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

    /// Partition MCMC until the starts agree, the rounds are used up or the run is to stop; none if it stops before
    /// the first round is complete. Chains that come upon a far better graph, or upon parents that the tables leave out, start
    /// again with tables around those; where there is no time for that, what they had found counts.
    ///
    /// # Errors
    /// When a checkpoint cannot be written.
    pub(crate) fn chains(
        &mut self,
        config: &Config,
        context: &mut RunContext<'_>,
    ) -> Result<Option<Inferred>, Error> {
        let mut earlier = None;
        loop {
            let missed = match self.run_chains(config, context)? {
                ChainsOutcome::Inferred(inferred) => {
                    return Ok(inferred.or(earlier).map(|inferred| *inferred));
                }
                ChainsOutcome::Again(missed, inferred) => {
                    earlier = inferred.or(earlier);
                    missed
                }
            };
            match missed {
                Missed::Better(graph) => self.graphs.insert(0, graph),
                Missed::Parents(graphs) => {
                    self.widened += 1;
                    self.graphs.extend(graphs);
                }
            }
            let build =
                || Self::new((self.model, self.score), self.graphs.clone(), self.candidates, context.stop());
            match context.until_stop(build).unwrap_or(Ok(None))? {
                Some(target) => *self = target.widened(self.widened),
                None => return Ok(earlier.map(|inferred| *inferred)),
            }
        }
    }

    fn run_chains(&self, config: &Config, context: &mut RunContext<'_>) -> Result<ChainsOutcome, Error> {
        let nodes = self.tables.nodes();
        let settings = chains_config(config, nodes);
        let Some(chains) = context.until_stop(|| self.begin(&settings, context)) else {
            return Ok(ChainsOutcome::Inferred(None));
        };
        let mut chains = chains?;
        let for_draws = (config.samples as f64 / draws_per_round(&settings)).ceil() as u64;
        let asks_for_more = config.samples > Config::default().samples;
        let most = most_rounds(nodes).max(if asks_for_more { for_draws } else { 0 });
        let least = for_draws.min(most);
        // Asked before each stretch, so that a finished run that is resumed stays as it is.
        let is_done = |chains: &Chains<'_>| {
            let is_check = chains.rounds() > 0 && next_check(chains.rounds() - 1) == chains.rounds();
            let is_converged = || chains.summary().is_some_and(|summary| settings.is_converged(&summary));
            is_check && chains.rounds() >= least && is_converged()
        };
        while chains.rounds() < most && !is_done(&chains) {
            let next = next_check(chains.rounds()).min(most);
            let is_stopped =
                chains.advance(next - chains.rounds(), context.stop()) > 0 && chains.rounds() < next;
            let control = context.report(Phase::Chains { done: chains.rounds(), most });
            if is_stopped || context.is_stopped() {
                break;
            }
            let missed = if context.is_hurried() { None } else { self.missed(&chains, context) };
            if let Some(missed) = missed {
                return Ok(ChainsOutcome::Again(missed, self.inferred(&chains).map(Box::new)));
            }
            if control == Control::Save {
                self.save(&chains, context);
            }
        }
        self.save(&chains, context);
        let mut inferred = self.inferred(&chains);
        if let Some(inferred) = &mut inferred {
            inferred.posterior.missed_parents = self.missed_parents(&chains, context);
        }
        Ok(ChainsOutcome::Inferred(inferred.map(Box::new)))
    }

    /// A few short rounds of chains, until the last moment of a run that was stopped before it had any probabilities.
    ///
    /// # Errors
    /// Tables that the chains cannot run on.
    pub(crate) fn last_chains(
        &self,
        config: &Config,
        context: &RunContext<'_>,
    ) -> Result<Option<Inferred>, Error> {
        let settings = hurried_config(config, self.tables.nodes());
        let starts = self.starts(settings.starts);
        let run = || -> Result<_, Error> {
            let mut chains = Chains::new(&self.tables, self.model.constraints(), &starts, settings)?;
            chains.advance(FIRST_CHECK, context.last());
            Ok(self.inferred(&chains))
        };
        context.finish(run).unwrap_or(Ok(None))
    }

    /// New chains, or those of the checkpoint if it has the same graphs.
    fn begin(&self, settings: &ChainsConfig, context: &RunContext<'_>) -> Result<Chains<'_>, Error> {
        let stored = context.checkpoints.as_ref().map_or(Ok(None), Checkpoints::resume_chains)?;
        match stored {
            Some(stored) if stored.graphs(self.tables.nodes())? == self.graphs => {
                Ok(Chains::resume(&self.tables, &stored.state, settings.clone())?)
            }
            _ => {
                let starts = self.starts(settings.starts);
                Ok(Chains::new(&self.tables, self.model.constraints(), &starts, settings.clone())?)
            }
        }
    }

    /// What the tables should have been built around.
    fn missed(&self, chains: &Chains<'_>, context: &RunContext<'_>) -> Option<Missed> {
        if let Some(graph) = self.better_draw(chains) {
            return Some(Missed::Better(graph));
        }
        let is_due = chains.rounds() == FIRST_CHECK && self.widened < MOST_WIDENED;
        if !(is_due && self.can_widen()) {
            return None;
        }
        let draws = drawn(chains);
        let graphs = context.until_stop(|| self.outsiders(&draws).graphs(LEAST_OUTSIDE))?;
        (!graphs.is_empty()).then_some(Missed::Parents(graphs))
    }

    /// The edges that the tables leave out although they matter, and their probabilities, once the chains are through.
    fn missed_parents(&self, chains: &Chains<'_>, context: &RunContext<'_>) -> Vec<(Edge, f64)> {
        if context.is_stopped() || !self.can_widen() {
            return Vec::new();
        }
        let draws = drawn(chains);
        context.until_stop(|| self.outsiders(&draws).edges(LEAST_OUTSIDE)).unwrap_or_default()
    }

    /// Whether what the tables leave out is found in a moment.
    fn can_widen(&self) -> bool {
        self.model.is_cheap() && self.tables.nodes() <= MOST_NODES_WIDENED
    }

    fn outsiders<'d>(&'d self, draws: &'d [Dag]) -> OutsiderSearch<'d> {
        OutsiderSearch {
            tables: &self.tables,
            score: self.score,
            constraints: self.model.constraints(),
            settings: table_settings(self.model, self.candidates),
            draws,
        }
    }

    /// The best draw, if it is far better than what the searches found.
    fn better_draw(&self, chains: &Chains<'_>) -> Option<Dag> {
        let draws = chains.draws().into_iter().flatten();
        let best = draws.max_by(|a, b| a.log_score.total_cmp(&b.log_score))?;
        (best.log_score > self.best_term() + FAR).then_some(best.dag)
    }

    fn best_term(&self) -> f64 {
        self.graphs.iter().map(|graph| self.tables.log_dag(graph)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn inferred(&self, chains: &Chains<'_>) -> Option<Inferred> {
        let summary = chains.summary()?;
        let lists = chains.draws();
        let dags = |half: usize| {
            let part = move |list: &'_ Vec<gflowcausal_posterior::Draw>| {
                let middle = list.len() / 2;
                if half == 0 { 0..middle } else { middle..list.len() }
            };
            lists.iter().flat_map(move |list| list[part(list)].iter().map(|draw| &draw.dag))
        };
        let log_z = log_z_by_recapture(&self.tables, dags(0), dags(1));
        let draws = lists.iter().flatten().map(|draw| self.sample(draw.dag.clone(), None)).collect();
        let draws = GraphSample::merged(draws);
        let mut posterior = Posterior::of_chains(&self.tables, &summary, &draws);
        posterior.log_z = log_z;
        posterior.parent_sets = self.parent_sets;
        Some(Inferred { posterior, draws })
    }

    /// Where chains start: at the graphs that searches found, those far below the best left out, and one at random where
    /// that is soon forgotten.
    fn starts(&self, count: usize) -> Vec<Dag> {
        let at_random = usize::from(self.tables.nodes() <= MOST_WITH_RANDOM_START);
        let least = self.best_term() - FAR;
        let near = self.graphs.iter().filter(|graph| self.tables.log_dag(graph) >= least);
        near.cycle().take(count - at_random).cloned().collect()
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

    fn save(&self, chains: &Chains<'_>, context: &RunContext<'_>) {
        match &context.checkpoints {
            Some(checkpoints) if chains.rounds() > 0 && !context.is_hurried() => {
                checkpoints.save_chains((&self.graphs, self.widened), chains.state());
            }
            _ => {}
        }
    }

    fn sample(&self, dag: Dag, log_z: Option<f64>) -> GraphSample {
        let log_reward = self.tables.log_dag(&dag);
        let log_prob = log_z.map(|log_z| log_reward - log_z);
        GraphSample { log_prob, ..GraphSample::of_target(dag.topological_order(), dag, log_reward) }
    }
}

/// All graphs that the chains drew.
fn drawn(chains: &Chains<'_>) -> Vec<Dag> {
    chains.draws().into_iter().flatten().map(|draw| draw.dag).collect()
}

fn table_settings(model: &ScoringModel, candidates: usize) -> TableSettings {
    TableSettings {
        temperature: model.temperature(),
        edge_log_odds: model.edge_log_odds(),
        max_candidates: candidates,
    }
}

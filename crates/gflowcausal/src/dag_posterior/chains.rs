//! Partition MCMC on the tables, which are built again around what the chains come upon.

use gflowcausal_graph::{Dag, Edge};
use gflowcausal_posterior::{Chains, ChainsConfig, GraphSample, Posterior, log_z_by_recapture};
use gflowcausal_score::MissedParentSearch;

use super::chain_settings::{
    FIRST_CHECK, chains_config, draws_per_round, most_rounds, next_check, probing_config, short_config,
};
use super::{DagPosterior, Inferred, table_settings};
use crate::method::{Control, Phase, RunContext};
use crate::{Checkpoints, Config, Error};

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

impl DagPosterior<'_> {
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
        self.add_missed_parents(config, context)?;
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
            if !self.build_around(missed, context)? {
                return Ok(earlier.map(|inferred| *inferred));
            }
        }
    }

    /// Builds the tables again around graphs that they missed; says whether there was time for it.
    fn build_around(&mut self, missed: Missed, context: &RunContext<'_>) -> Result<bool, Error> {
        match missed {
            Missed::Better(graph) => self.graphs.insert(0, graph),
            Missed::Parents(graphs) => {
                self.widened += 1;
                self.graphs.extend(graphs);
            }
        }
        let build =
            || Self::new((self.model, self.score), self.graphs.clone(), self.candidates, context.stop());
        let built = context.until_stop(build).unwrap_or(Ok(None))?;
        let is_built = built.is_some();
        if let Some(target) = built {
            *self = target.widened(self.widened);
        }
        Ok(is_built)
    }

    /// Short chains that only tell which parents the tables leave out, until none is left out: most of what chains of the usual
    /// length would find, in a tenth of their time. Skipped where a run goes on from chains that were saved.
    fn add_missed_parents(&mut self, config: &Config, context: &RunContext<'_>) -> Result<(), Error> {
        let is_saved = match &context.checkpoints {
            Some(checkpoints) => checkpoints.resume_chains()?.is_some(),
            None => false,
        };
        while self.can_widen() && self.widened < MOST_WIDENED && !is_saved && !context.is_short_of_time() {
            let probe = || -> Result<_, Error> {
                let settings = probing_config(config, self.tables.nodes());
                let starts: Vec<Dag> = self.good_graphs().cycle().take(settings.starts).cloned().collect();
                let mut chains = Chains::new(&self.tables, self.model.constraints(), &starts, settings)?;
                chains.advance(FIRST_CHECK, context.stop());
                Ok(self.missed_parent_search(&drawn(&chains)).graphs(LEAST_OUTSIDE))
            };
            let graphs = context.until_stop(probe).transpose()?.unwrap_or_default();
            if graphs.is_empty() || !self.build_around(Missed::Parents(graphs), context)? {
                break;
            }
        }
        Ok(())
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
            let missed = if context.is_short_of_time() { None } else { self.missed(&chains, context) };
            if let Some(missed) = missed {
                return Ok(ChainsOutcome::Again(missed, self.inferred(&chains, config).map(Box::new)));
            }
            if control == Control::Save {
                self.save(&chains, context);
            }
        }
        self.save(&chains, context);
        let mut inferred = self.inferred(&chains, config);
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
        let settings = short_config(config, self.tables.nodes());
        let starts = self.starts(settings.starts);
        let run = || -> Result<_, Error> {
            let mut chains = Chains::new(&self.tables, self.model.constraints(), &starts, settings)?;
            chains.advance(FIRST_CHECK, context.late_chains_stop());
            Ok(self.inferred(&chains, config))
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
        let graphs = context.until_stop(|| self.missed_parent_search(&draws).graphs(LEAST_OUTSIDE))?;
        (!graphs.is_empty()).then_some(Missed::Parents(graphs))
    }

    /// The edges that the tables leave out although they matter, and their probabilities, once the chains are through.
    fn missed_parents(&self, chains: &Chains<'_>, context: &RunContext<'_>) -> Vec<(Edge, f64)> {
        if context.is_stopped() || !self.can_widen() {
            return Vec::new();
        }
        let draws = drawn(chains);
        context.until_stop(|| self.missed_parent_search(&draws).edges(LEAST_OUTSIDE)).unwrap_or_default()
    }

    /// Whether the tables leave out parents, and which of them matter is found in a moment.
    fn can_widen(&self) -> bool {
        let nodes = self.tables.nodes();
        let constraints = self.model.constraints();
        let held = |node| self.tables.candidates(node).len() + self.tables.required(node).len();
        let leaves_out = |node| held(node) < constraints.allowed_parents(node).len();
        self.model.is_cheap() && nodes <= MOST_NODES_WIDENED && (0..nodes).any(leaves_out)
    }

    fn missed_parent_search<'d>(&'d self, draws: &'d [Dag]) -> MissedParentSearch<'d> {
        MissedParentSearch {
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

    fn inferred(&self, chains: &Chains<'_>, config: &Config) -> Option<Inferred> {
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
        let draws = evenly(lists.iter().flatten(), config.samples);
        let draws = GraphSample::merged(draws.map(|draw| self.sample(draw.dag.clone(), None)).collect());
        let mut posterior = Posterior::of_chains(&self.tables, &summary, &draws);
        posterior.log_z = log_z;
        posterior.parent_sets = self.parent_sets;
        Some(Inferred { posterior, draws })
    }

    /// Where chains start: at the graphs that searches found, those far below the best left out, and one at random where
    /// that is soon forgotten.
    pub(super) fn starts(&self, count: usize) -> Vec<Dag> {
        let at_random = usize::from(self.tables.nodes() <= MOST_WITH_RANDOM_START);
        self.good_graphs().cycle().take(count - at_random).cloned().collect()
    }

    /// The graphs that are not far below the best.
    fn good_graphs(&self) -> impl Iterator<Item = &Dag> + Clone {
        let least = self.best_term() - FAR;
        self.graphs.iter().filter(move |graph| self.tables.log_dag(graph) >= least)
    }

    fn save(&self, chains: &Chains<'_>, context: &RunContext<'_>) {
        match &context.checkpoints {
            Some(checkpoints) if chains.rounds() > 0 && !context.is_short_of_time() => {
                checkpoints.save_chains((&self.graphs, self.widened), chains.state());
            }
            _ => {}
        }
    }
}

/// All graphs that the chains drew.
fn drawn(chains: &Chains<'_>) -> Vec<Dag> {
    chains.draws().into_iter().flatten().map(|draw| draw.dag).collect()
}

/// As many of the items as asked for at most, taken from everywhere alike.
fn evenly<T>(items: impl Iterator<Item = T> + Clone, most: usize) -> impl Iterator<Item = T> {
    let count = items.clone().count();
    let share = move |number: usize| number * most.min(count) / count.max(1);
    items.enumerate().filter(move |&(index, _)| share(index) < share(index + 1)).map(|(_, item)| item)
}

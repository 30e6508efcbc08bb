//! The posterior over DAGs on the user's data: tables of parent sets, and from them exact sums or chains.

use std::sync::atomic::{AtomicBool, Ordering};

use gflowcausal_graph::Dag;
use gflowcausal_posterior::{
    Chains, ChainsConfig, Exact, ExactError, GraphSample, Posterior, Ranking, RunnerUp, log_z_by_recapture,
};
use gflowcausal_score::{LocalScore, ParentSetTables, ScoreError, TableSettings, candidate_parents};

use crate::method::{Control, Phase, RunContext};
use crate::{Checkpoints, Config, Error, ScoringModel};

/// How many graphs are drawn between two checks of the stop flag.
const BLOCK: u64 = 64;

/// How many classes are ranked: the best and the runners-up.
const RANKED: usize = 11;

/// How many of the graphs that searches found are starts of chains; the others start at random.
const FOUND_STARTS: usize = 2;

/// How many draws all starts keep of a round, after the burn-in.
const DRAWS_PER_ROUND: u64 = 12;

/// How many candidates a variable has when time is short.
const HURRIED_CANDIDATES: usize = 8;

/// The distribution `P(G) ∝ exp(score(G)/T + γ·edges)` over all DAGs that satisfy the constraints, each once.
pub(crate) struct DagPosterior<'a> {
    model: &'a ScoringModel,
    score: &'a dyn LocalScore,
    tables: ParentSetTables,
    graphs: Vec<Dag>,
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
        (true, ..=17) => nodes - 1,
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
    /// `stop` is set before they are complete.
    ///
    /// # Errors
    /// A target without a distribution.
    pub(crate) fn new(
        (model, score): (&'a ScoringModel, &'a dyn LocalScore),
        graphs: Vec<Dag>,
        candidates: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Error> {
        let settings = TableSettings {
            temperature: model.temperature(),
            edge_log_odds: model.edge_log_odds(),
            max_candidates: candidates,
        };
        let constraints = model.constraints();
        let sets = candidate_parents(score, constraints, &graphs, candidates);
        match ParentSetTables::new(score, constraints, &sets, &graphs, &settings, stop) {
            Ok(tables) => Ok(Some(Self { model, score, tables, graphs })),
            Err(ScoreError::Stopped) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The same with one more graph to rank.
    pub(crate) fn with_graph(mut self, graph: Dag) -> Self {
        self.graphs.push(graph);
        self
    }

    pub(crate) fn tables(&self) -> &ParentSetTables {
        &self.tables
    }

    /// Sums over all DAGs, and independent draws; none if `stop` is set before the sums are complete.
    ///
    /// # Errors
    /// With too many variables.
    pub(crate) fn exact(&self, config: &Config, stop: &AtomicBool) -> Result<Option<Inferred>, Error> {
        let exact = match Exact::new(&self.tables, stop) {
            Err(ExactError::Stopped) => return Ok(None),
            exact => exact?,
        };
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
        Ok(Some(Inferred { posterior: Posterior::of_exact(&exact, &draws), draws }))
    }

    /// Partition MCMC until the starts agree, the rounds are used up or the run is to stop; none if it stops before
    /// the first round is complete.
    ///
    /// # Errors
    /// When a checkpoint cannot be written.
    pub(crate) fn chains(
        &self,
        config: &Config,
        context: &mut RunContext<'_>,
    ) -> Result<Option<Inferred>, Error> {
        let nodes = self.tables.nodes();
        let settings = chains_config(config, nodes);
        let stored = context.checkpoints.as_ref().map_or(Ok(None), Checkpoints::resume_chains)?;
        let mut chains = match &stored {
            Some(stored) => Chains::resume(&self.tables, &stored.state, settings.clone())?,
            None => {
                let starts = &self.graphs[..self.graphs.len().min(FOUND_STARTS)];
                Chains::new(&self.tables, self.model.constraints(), starts, settings.clone())?
            }
        };
        let most = most_rounds(nodes, config.samples);
        let least = most.min(config.samples as u64 / DRAWS_PER_ROUND);
        while chains.rounds() < most {
            let next = next_check(chains.rounds()).min(most);
            let is_stopped =
                chains.advance(next - chains.rounds(), context.stop) > 0 && chains.rounds() < next;
            let is_done = chains.rounds() >= least
                && chains.summary().is_some_and(|summary| settings.is_converged(&summary));
            let control = context.report(Phase::Chains { done: chains.rounds(), most });
            if control == Control::Save {
                self.save(&chains, context)?;
            }
            if is_done || is_stopped || context.is_stopped() {
                break;
            }
        }
        self.save(&chains, context)?;
        let Some(summary) = chains.summary() else { return Ok(None) };
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
        let mut posterior = Posterior::of_chains(nodes, &summary, &draws);
        posterior.log_z = log_z;
        Ok(Some(Inferred { posterior, draws }))
    }

    /// The best graph and the runners-up among `draws` and what the searches found, one for each class.
    pub(crate) fn ranked(&self, draws: &[GraphSample]) -> Vec<RunnerUp> {
        let ranking = Ranking {
            tables: &self.tables,
            constraints: self.model.constraints(),
            is_score_equivalent: self.score.is_score_equivalent(),
        };
        ranking.best(self.graphs.iter().chain(draws.iter().map(|draw| &draw.dag)), RANKED)
    }

    fn save(&self, chains: &Chains<'_>, context: &RunContext<'_>) -> Result<(), Error> {
        match &context.checkpoints {
            Some(checkpoints) if chains.rounds() > 0 && !context.is_hurried() => {
                checkpoints.save_chains(&self.graphs, chains.state())
            }
            _ => Ok(()),
        }
    }

    fn sample(&self, dag: Dag, log_z: Option<f64>) -> GraphSample {
        let log_reward = self.tables.log_dag(&dag);
        let log_prob = log_z.map(|log_z| log_reward - log_z);
        GraphSample { log_prob, ..GraphSample::of_target(dag.topological_order(), dag, log_reward) }
    }
}

/// Fewer heated copies and shorter rounds the more variables there are, so that a round takes a fraction of a second.
fn chains_config(config: &Config, nodes: usize) -> ChainsConfig {
    let default = ChainsConfig::default();
    ChainsConfig {
        seed: config.seed,
        copies: match nodes {
            ..=40 => default.copies,
            41..=120 => 4,
            _ => 2,
        },
        sweeps: (600 / nodes as u64).clamp(1, default.sweeps),
        max_draws: (config.samples as f64 / (default.starts as f64 * (1.0 - default.burn_in))).ceil()
            as usize,
        ..default
    }
}

/// The most rounds of all starts: fewer the longer one takes, and more where more draws than usual are asked for.
fn most_rounds(nodes: usize, samples: usize) -> u64 {
    let usual = match nodes {
        ..=40 => 80,
        41..=120 => 40,
        _ => 12,
    };
    let is_usual = samples <= Config::default().samples;
    if is_usual { usual } else { usual.max(samples as u64 / DRAWS_PER_ROUND) }
}

/// The number of rounds after which convergence is next checked: a fixed sequence, wherever a run was interrupted.
fn next_check(rounds: u64) -> u64 {
    let mut check = 8;
    while check <= rounds {
        check += (check / 8).max(1);
    }
    check
}

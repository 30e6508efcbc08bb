//! Effects among categories: `P(Y | do(X = x))` by adjustment on the parents of X, with Dirichlet posteriors.

use std::collections::BTreeMap;

use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, map, stream};
use gflowcausal_graph::NodeSet;
use rand_distr::{Distribution, Gamma};

use super::mixture::EffectDistribution;
use super::{EffectSettings, WeightedDag, adjustment_set};

/// Complete categorical columns.
#[derive(Debug, Clone, Copy)]
pub struct Categories<'a> {
    /// For each variable the category number of each row.
    pub codes: &'a [&'a [u32]],
    /// For each variable how many categories it has.
    pub levels: &'a [usize],
}

/// Effects of categorical variables, graph by graph.
pub struct DiscreteEffects<'a> {
    pub(super) graphs: &'a [WeightedDag],
    pub(super) data: Categories<'a>,
    pub(super) settings: EffectSettings,
}

/// What setting one variable to each of its levels does to another one.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelEffects {
    /// `P(Y = y | do(X = x))`, first by `x`, then by `y`.
    pub probabilities: Vec<Vec<EffectDistribution>>,
    /// The same less `P(Y = y | do(X = first level))`; a mass at zero where no directed path leads from X to Y.
    pub contrasts: Vec<Vec<EffectDistribution>>,
    /// The same less the frequency of `y` in the data.
    pub changes: Vec<Vec<EffectDistribution>>,
}

impl<'a> DiscreteEffects<'a> {
    /// Effects in `graphs` by the frequencies of `data`.
    #[must_use]
    pub fn new(graphs: &'a [WeightedDag], data: Categories<'a>, settings: EffectSettings) -> Self {
        Self { graphs, data, settings }
    }

    /// What each level of `cause` does to every other variable; none for itself.
    ///
    /// In a graph where `cause` leads to `Y`, `P(y | do(x)) = Σ_p P(y | x, p) P(p)` over the configurations `p` of
    /// those parents of `cause` that the back-door paths need. Each `P(· | x, p)` has a Dirichlet prior of one row's weight, spread evenly, and `P(p)` the Bayesian bootstrap's. Where it
    /// does not lead there, the distribution of `Y` stays what it is.
    #[must_use]
    pub fn total(&self, cause: usize) -> Vec<Option<LevelEffects>> {
        let nodes = self.data.levels.len();
        let others: Vec<usize> = (0..nodes).filter(|&node| node != cause).collect();
        let effects = map(others.len(), |k| self.on(cause, others[k]));
        let mut all: Vec<Option<LevelEffects>> = effects.into_iter().map(Some).collect();
        all.insert(cause, None);
        all
    }

    fn on(&self, cause: usize, effect: usize) -> LevelEffects {
        let levels = (self.data.levels[cause].max(1), self.data.levels[effect].max(1));
        let mut strata: BTreeMap<NodeSet, Strata> = BTreeMap::new();
        let marginal = self.marginal(effect);
        let mut draws = EffectDraws::new(levels.0, self.frequencies(effect));
        for (g, graph) in self.graphs.iter().enumerate() {
            cancellation_point();
            let count = graph.parameter_draws(self.settings.draws);
            let weight = graph.weight / count as f64;
            let purpose = Stream::EffectProbabilities {
                cause: (cause * self.data.levels.len() + effect) as u64,
                graph: g as u64,
            };
            let mut rng = stream(self.settings.seed, purpose);
            if !graph.dag.reaches(cause, effect) {
                (0..count).for_each(|_| draws.add_without_path(&dirichlet(&marginal, &mut rng), weight));
                continue;
            }
            let stratum = strata
                .entry(adjustment_set(&graph.dag, cause, effect))
                .or_insert_with_key(|given| Strata::new(&self.data, given, (cause, effect)));
            (0..count).for_each(|_| draws.add(&stratum.adjust(levels, &mut rng), weight));
        }
        draws.into_effects()
    }

    /// The share of the rows that each level of `node` has.
    pub(super) fn frequencies(&self, node: usize) -> Vec<f64> {
        let mut shares = vec![0.0; self.data.levels[node].max(1)];
        let codes = self.data.codes[node];
        codes.iter().for_each(|&code| shares[code as usize] += 1.0 / codes.len() as f64);
        shares
    }

    /// The rows of each level of `node`, with a prior of one row's weight.
    fn marginal(&self, node: usize) -> Vec<f64> {
        let levels = self.data.levels[node].max(1);
        let mut counts = vec![1.0 / levels as f64; levels];
        self.data.codes[node].iter().for_each(|&code| counts[code as usize] += 1.0);
        counts
    }
}

/// The rows of each configuration that some variables have, by the levels of cause and effect.
struct Strata {
    sizes: Vec<f64>,
    /// By configuration, level of the cause and level of the effect.
    counts: Vec<f64>,
}

impl Strata {
    fn new(data: &Categories<'_>, given: &NodeSet, (cause, effect): (usize, usize)) -> Self {
        let given: Vec<&[u32]> = given.iter().map(|node| data.codes[node]).collect();
        let (causes, effects) = (data.levels[cause].max(1), data.levels[effect].max(1));
        let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let (mut sizes, mut counts) = (Vec::new(), Vec::new());
        for (row, (&x, &y)) in data.codes[cause].iter().zip(data.codes[effect]).enumerate() {
            let configuration = given.iter().map(|codes| codes[row]).collect();
            let place = *known.entry(configuration).or_insert(sizes.len());
            if place == sizes.len() {
                sizes.push(0.0);
                counts.resize(counts.len() + causes * effects, 0.0);
            }
            sizes[place] += 1.0;
            counts[(place * causes + x as usize) * effects + y as usize] += 1.0;
        }
        Self { sizes, counts }
    }

    /// Draws `P(y | do(x))`, first by `x`, then by `y`.
    fn adjust(&self, (causes, effects): (usize, usize), rng: &mut StreamRng) -> Vec<f64> {
        let mut adjusted = vec![0.0; causes * effects];
        let shares = dirichlet(&self.sizes, rng);
        let prior = 1.0 / effects as f64;
        for (cells, share) in self.counts.chunks(causes * effects).zip(shares) {
            for (cells, into) in cells.chunks(effects).zip(adjusted.chunks_mut(effects)) {
                let alpha: Vec<f64> = cells.iter().map(|count| count + prior).collect();
                let drawn = dirichlet(&alpha, rng);
                into.iter_mut().zip(drawn).for_each(|(sum, probability)| *sum += share * probability);
            }
        }
        adjusted
    }
}

/// A draw of the Dirichlet distribution with the parameters `alpha`, which are above zero.
pub(super) fn dirichlet(alpha: &[f64], rng: &mut StreamRng) -> Vec<f64> {
    let gamma = |&shape: &f64| Gamma::new(shape, 1.0).map_or(0.0, |gamma| gamma.sample(rng));
    let drawn: Vec<f64> = alpha.iter().map(gamma).collect();
    let total: f64 = drawn.iter().sum();
    if total > 0.0 {
        drawn.into_iter().map(|value| value / total).collect()
    } else {
        vec![1.0 / alpha.len() as f64; alpha.len()]
    }
}

/// Drawn probabilities and contrasts, each with its weight.
struct EffectDraws {
    causes: usize,
    effects: usize,
    frequencies: Vec<f64>,
    probabilities: Vec<Vec<(f64, f64)>>,
    contrasts: Vec<Vec<(f64, f64)>>,
    changes: Vec<Vec<(f64, f64)>>,
    none: f64,
}

impl EffectDraws {
    fn new(causes: usize, frequencies: Vec<f64>) -> Self {
        let effects = frequencies.len();
        let cells = || vec![Vec::new(); causes * effects];
        let (probabilities, contrasts, changes) = (cells(), cells(), cells());
        Self { causes, effects, frequencies, probabilities, contrasts, changes, none: 0.0 }
    }

    fn add(&mut self, adjusted: &[f64], weight: f64) {
        for (cell, probability) in adjusted.iter().enumerate() {
            self.probabilities[cell].push((*probability, weight));
            let level = cell % self.effects;
            self.contrasts[cell].push((probability - adjusted[level], weight));
            self.changes[cell].push((probability - self.frequencies[level], weight));
        }
    }

    /// Counts a graph in which the effect does not depend on the cause.
    fn add_without_path(&mut self, marginal: &[f64], weight: f64) {
        for cell in 0..self.causes * self.effects {
            self.probabilities[cell].push((marginal[cell % self.effects], weight));
        }
        self.none += weight;
    }

    fn into_effects(self) -> LevelEffects {
        let by_level = |cells: Vec<Vec<(f64, f64)>>, none: f64| {
            let mut cells = cells.into_iter().map(|values| EffectDistribution::new(values, none));
            (0..self.causes).map(|_| cells.by_ref().take(self.effects).collect()).collect()
        };
        LevelEffects {
            probabilities: by_level(self.probabilities, 0.0),
            contrasts: by_level(self.contrasts, self.none),
            changes: by_level(self.changes, self.none),
        }
    }
}

//! Effects along curves: how the mean of one variable changes with the dose of another, over drawn graphs.

use std::collections::BTreeMap;

use gflowcausal_determinism::{Stream, StreamRng, stream};
use gflowcausal_graph::NodeSet;
use gflowcausal_score::{DoseResponse, DoseResponses};
use rand_distr::{Distribution, StandardNormal};

use super::mixture::EffectDistribution;
use super::{EffectSettings, WeightedDag, adjustment_set};

/// The doses between which a mean slope is taken: the tenth and the ninetieth percentile.
const SLOPE_BETWEEN: (usize, usize) = (1, 17);

/// Effects of numbers on numbers without a straight line, graph by graph.
pub struct CurveEffects<'a> {
    graphs: &'a [WeightedDag],
    data: &'a DoseResponses,
    settings: EffectSettings,
}

/// The effect of one variable on another.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveEffect {
    /// The doses, ascending.
    pub doses: Vec<f64>,
    /// For each of them the change of the mean from the observed one; a mass at zero where no directed path leads there.
    pub changes: Vec<EffectDistribution>,
    /// The mean slope between the tenth and the ninetieth percentile of the cause.
    pub slope: EffectDistribution,
}

impl<'a> CurveEffects<'a> {
    /// Effects in `graphs`, with curves from `data`.
    #[must_use]
    pub fn new(graphs: &'a [WeightedDag], data: &'a DoseResponses, settings: EffectSettings) -> Self {
        Self { graphs, data, settings }
    }

    /// The effect of `cause` on `effect`: in each graph by adjustment for the parents of `cause` that back-door paths need.
    #[must_use]
    pub fn total(&self, cause: usize, effect: usize) -> CurveEffect {
        let doses = self.data.doses(cause);
        let mut curves: BTreeMap<NodeSet, DoseResponse> = BTreeMap::new();
        let mut changes: Vec<Vec<(f64, f64)>> = vec![Vec::new(); doses.len()];
        let (mut slopes, mut none) = (Vec::new(), 0.0);
        let (from, to) = SLOPE_BETWEEN;
        let distance = doses[to] - doses[from];
        for (g, graph) in self.graphs.iter().enumerate() {
            if !graph.dag.reaches(cause, effect) {
                none += graph.weight;
                continue;
            }
            let curve = curves
                .entry(adjustment_set(&graph.dag, cause, effect))
                .or_insert_with_key(|given| self.data.curve(cause, effect, given));
            let count = graph.parameter_draws(self.settings.draws);
            let weight = graph.weight / count as f64;
            let pair = (cause * self.data.nodes() + effect) as u64;
            let purpose = Stream::EffectProbabilities { cause: pair, graph: g as u64 };
            let mut rng = stream(self.settings.seed, purpose);
            for _ in 0..count {
                let drawn = draw(curve, &mut rng);
                let slope = if distance > 0.0 { (drawn[to] - drawn[from]) / distance } else { 0.0 };
                slopes.push((slope, weight));
                changes.iter_mut().zip(drawn).for_each(|(values, change)| values.push((change, weight)));
            }
        }
        let mixture = |values| EffectDistribution::new(values, none);
        CurveEffect { doses, changes: changes.into_iter().map(mixture).collect(), slope: mixture(slopes) }
    }
}

/// A curve drawn from its posterior.
fn draw(curve: &DoseResponse, rng: &mut StreamRng) -> Vec<f64> {
    let size = curve.factor.first().map_or(0, Vec::len);
    let z: Vec<f64> = (0..size).map(|_| StandardNormal.sample(rng)).collect();
    let moved = |(mean, factor): (&f64, &Vec<f64>)| {
        mean + factor.iter().zip(&z).map(|(factor, z)| factor * z).sum::<f64>()
    };
    curve.mean.iter().zip(&curve.factor).map(moved).collect()
}

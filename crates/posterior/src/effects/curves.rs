//! Effects along curves: how the mean of one variable changes with the dose of another, over drawn graphs.

use std::collections::BTreeMap;

use gflowcausal_determinism::{Stream, StreamRng, cancellation_point, stream};
use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::{AdjustmentRegression, DoseResponse, DoseResponses, JointResponse};
use rand_distr::{Distribution, StandardNormal};

use super::joint_interventions::reaches_around;
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
            cancellation_point();
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

impl CurveEffects<'_> {
    /// How far the mean of `effect` moves when each of `interventions` is set to a value; a mass at zero where no directed path leads there.
    ///
    /// Where what one variable is adjusted for depends on another that is set, regressions follow one another (iterated
    /// conditional expectations), the last variable of the order first.
    #[must_use]
    pub fn under(&self, interventions: &[(usize, f64)], effect: usize) -> EffectDistribution {
        let mut responses: BTreeMap<Vec<(Vec<usize>, NodeSet)>, JointResponse> = BTreeMap::new();
        let (mut values, mut none) = (Vec::new(), 0.0);
        for (g, graph) in self.graphs.iter().enumerate() {
            cancellation_point();
            let stages = stages(&graph.dag, interventions, effect);
            if stages.is_empty() {
                none += graph.weight;
                continue;
            }
            let nodes = |stage: &AdjustmentRegression| stage.set.iter().map(|(node, _)| *node).collect();
            let key = stages.iter().map(|stage| (nodes(stage), stage.given.clone())).collect();
            let response = responses.entry(key).or_insert_with(|| self.data.joint(effect, &stages));
            let count = graph.parameter_draws(self.settings.draws);
            let purpose = Stream::EffectProbabilities { cause: u64::MAX - effect as u64, graph: g as u64 };
            let mut rng = stream(self.settings.seed, purpose);
            for _ in 0..count {
                let drawn = response.draw(|| StandardNormal.sample(&mut rng));
                values.push((drawn, graph.weight / count as f64));
            }
        }
        EffectDistribution::new(values, none)
    }
}

/// The regressions that give the effect of `interventions` on `effect` in `dag`; none where no directed path leads there.
fn stages(dag: &Dag, interventions: &[(usize, f64)], effect: usize) -> Vec<AdjustmentRegression> {
    let nodes = dag.nodes();
    let all = NodeSet::of(nodes, interventions.iter().map(|(node, _)| *node));
    // A variable that acts only through others that are set does not matter.
    let order = dag.topological_order();
    let set: Vec<(usize, f64)> = order
        .iter()
        .filter_map(|node| interventions.iter().copied().find(|(other, _)| *other == node))
        .filter(|(node, _)| reaches_around(dag, *node, effect, &all))
        .collect();
    if let [(cause, _)] = set[..] {
        return vec![AdjustmentRegression { given: adjustment_set(dag, cause, effect), set }];
    }
    let is_set = |node: usize| set.iter().any(|(other, _)| *other == node);
    let parents_of = |some: &[(usize, f64)]| {
        let parents = some.iter().flat_map(|(node, _)| dag.parents(*node).iter());
        NodeSet::of(nodes, parents.filter(|&parent| !is_set(parent)))
    };
    let given = parents_of(&set);
    let depends = |parent: usize| set.iter().any(|(node, _)| dag.reaches(*node, parent));
    if set.is_empty() || !given.iter().any(depends) {
        return if set.is_empty() { Vec::new() } else { vec![AdjustmentRegression { set, given }] };
    }
    let stage = |k: usize| {
        let mut given = parents_of(&set[..=k]);
        given.union_with(&NodeSet::of(nodes, set[..k].iter().map(|(node, _)| *node)));
        AdjustmentRegression { set: vec![set[k]], given }
    };
    (0..set.len()).rev().map(stage).collect()
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

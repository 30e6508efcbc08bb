//! The effects of all pairs, for the page's script.

use gflowcausal::{DoseResult, EffectResult, EffectsResult};
use serde::Serialize;

use super::data::{rounded, short};

/// Effects by the variables' indices.
#[derive(Serialize)]
pub(super) struct PageEffects<'a> {
    level: f64,
    assumptions: &'a str,
    pairs: Vec<PageEffect>,
}

#[derive(Serialize)]
struct PageEffect {
    cause: usize,
    effect: usize,
    mean: f64,
    low: f64,
    high: f64,
    none: f64,
    positive: f64,
    /// What pairs are sorted by: free of units, where there are units.
    rank: f64,
    /// Which levels are compared, among categories.
    levels: Option<String>,
    /// Ends of a histogram and the weights of its bars, where graphs disagree.
    bars: Option<(f64, f64, Vec<f64>)>,
    /// Dose, expected effect and the ends of its interval, where there is a curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curve: Vec<[f64; 4]>,
}

impl<'a> PageEffects<'a> {
    /// The pairs of `effects` with a path at all, over the variables `names`.
    pub(super) fn new(effects: &'a EffectsResult, names: &[String]) -> Self {
        let place = |name: &str| names.iter().position(|known| known == name);
        let page = |effect: &EffectResult| {
            let bars = effect.histogram.as_ref();
            Some(PageEffect {
                cause: place(&effect.cause)?,
                effect: place(&effect.effect)?,
                mean: short(effect.mean),
                low: short(effect.low),
                high: short(effect.high),
                none: rounded(effect.probability_none),
                positive: rounded(effect.probability_positive),
                rank: short(effect.standardized_mean.unwrap_or(effect.mean)),
                levels: levels(effect),
                curve: effect.curve.iter().map(point).collect(),
                bars: bars.map(|bars| {
                    (
                        short(bars.low),
                        short(bars.high),
                        bars.weights.iter().map(|&weight| rounded(weight)).collect(),
                    )
                }),
            })
        };
        let pairs = effects.effects.iter().filter(|effect| effect.probability_none < 1.0);
        Self {
            level: effects.level,
            assumptions: &effects.assumptions,
            pairs: pairs.filter_map(page).collect(),
        }
    }
}

fn point(point: &DoseResult) -> [f64; 4] {
    [point.dose, point.mean, point.low, point.high].map(short)
}

fn levels(effect: &EffectResult) -> Option<String> {
    let (to, from, on) = (&effect.cause_level, &effect.reference_level, &effect.effect_level);
    let compared = to.as_ref().zip(from.as_ref()).map(|(to, from)| format!("{to} instead of {from}"));
    match (compared, on) {
        (Some(compared), Some(on)) => Some(format!("{compared}, on {on}")),
        (compared, on) => compared.or_else(|| on.as_ref().map(|on| format!("on {on}"))),
    }
}

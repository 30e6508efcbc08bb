//! The strongest effects with their intervals, one line each: what an intervention moves, and how sure that is.

use gflowcausal::{EffectResult, EffectsResult};

use super::svg::Svg;
use crate::layout::{label, width_of};

/// How many effects are drawn.
const MOST: usize = 30;

/// The height of a line, and the width of the part with intervals.
const LINE: f64 = 22.0;
const ACROSS: f64 = 420.0;

/// A path that is less likely than this is not drawn.
const LEAST_PATH: f64 = 0.01;

/// An effect on the scale of the picture.
struct Drawn {
    name: String,
    mean: f64,
    low: f64,
    high: f64,
    none: f64,
}

/// The effects with a directed path of probability `least` or more, the strongest first; none where there are no such effects.
pub(super) fn effects(result: &EffectsResult, least: f64) -> Option<Svg> {
    let is_likely = |effect: &&EffectResult| 1.0 - effect.probability_none >= least.max(LEAST_PATH);
    let mut drawn: Vec<Drawn> = result.effects.iter().filter(is_likely).filter_map(Drawn::new).collect();
    drawn.sort_by(|a, b| b.mean.abs().total_cmp(&a.mean.abs()));
    drawn.truncate(MOST);
    let ends = drawn.iter().flat_map(|one| [one.low, one.high, 0.0]);
    let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
    if drawn.is_empty() || low >= high {
        return None;
    }
    let names = drawn.iter().map(|one| width_of(&one.name)).fold(80.0, f64::max);
    let left = names + 20.0;
    let place = |value: f64| left + ACROSS * (value - low) / (high - low);
    let base = 40.0 + LINE * drawn.len() as f64;
    let mut svg =
        Svg::new(left + ACROSS + 96.0, base + 66.0, "The strongest causal effects, with their intervals");
    let heading = match result.scale.as_str() {
        "probability" => "Change of a probability",
        _ => "Total effects, in standard deviations",
    };
    svg.text("heading", &format!("x=\"{left}\" y=\"18\""), heading);
    svg.text("small", &format!("x=\"{}\" y=\"18\" text-anchor=\"end\"", left + ACROSS + 88.0), "no path");
    svg.add("path", "grid", &format!("d=\"M{:.1} 28V{base}\"", place(0.0)));
    for (at, one) in drawn.iter().enumerate() {
        let y = 44.0 + LINE * at as f64;
        one.draw(&mut svg, (left, y), place);
    }
    svg.add("path", "axis", &format!("d=\"M{left} {base}h{ACROSS}\""));
    for value in [low, 0.0, high] {
        let shape = format!("x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\"", place(value), base + 16.0);
        svg.text("small", &shape, &format!("{value:.2}"));
    }
    let level = (100.0 * result.level).round();
    svg.text(
        "small",
        &format!("x=\"10\" y=\"{}\"", base + 38.0),
        &format!("dot: mean over the drawn graphs; line: {level} % interval; hollow: more likely none"),
    );
    svg.text("small", &format!("x=\"10\" y=\"{}\"", base + 54.0), &result.assumptions);
    Some(svg)
}

impl Drawn {
    /// In standard deviations where there are units; none where nothing moves.
    fn new(effect: &EffectResult) -> Option<Self> {
        let unit = match effect.standardized_mean {
            Some(standard) if effect.mean != 0.0 => standard / effect.mean,
            Some(_) => return None,
            None => 1.0,
        };
        Some(Self {
            name: format!("{} → {}", cause(effect), on(effect)),
            mean: unit * effect.mean,
            low: unit * effect.low,
            high: unit * effect.high,
            none: effect.probability_none,
        })
    }

    fn draw(&self, svg: &mut Svg, (left, y): (f64, f64), place: impl Fn(f64) -> f64) {
        svg.text("", &format!("x=\"{}\" y=\"{}\" text-anchor=\"end\"", left - 10.0, y + 4.0), &self.name);
        let (from, to) = (place(self.low), place(self.high));
        svg.add("path", "series first", &format!("d=\"M{from:.1} {y}H{to:.1}\""));
        let class = if self.none > 0.5 { "mark first" } else { "bar" };
        svg.add("circle", class, &format!("cx=\"{:.1}\" cy=\"{y}\" r=\"4\"", place(self.mean)));
        let shape = format!("x=\"{}\" y=\"{}\" text-anchor=\"end\"", left + ACROSS + 88.0, y + 4.0);
        svg.text("small", &shape, &format!("{:.2}", self.none));
    }
}

fn cause(effect: &EffectResult) -> String {
    match &effect.cause_level {
        Some(level) => format!("{}={}", label(&effect.cause), label(level)),
        None => label(&effect.cause),
    }
}

fn on(effect: &EffectResult) -> String {
    match &effect.effect_level {
        Some(level) => format!("{}={}", label(&effect.effect), label(level)),
        None => label(&effect.effect),
    }
}

//! Effects as text: a table of pairs, and a small histogram where graphs disagree.

use std::fmt::Write;

use gflowcausal::{DoseResult, EffectResult, EffectsResult, HistogramResult, OutcomeResult, Source};

use crate::text::{aligned, middle_ellipsis, wrapped};

/// How many pairs are shown unless variables are named.
const LISTED: usize = 30;

/// How many histograms are shown.
const HISTOGRAMS: usize = 5;

/// A path that is less likely than this is not listed.
const LEAST_PATH: f64 = 0.01;

/// Bars from empty to full.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What was asked of `result`, strongest first; with `all` every pair, however weak.
#[must_use]
pub fn effects_text(result: &EffectsResult, all: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut text, result);
    if result.outcomes.is_empty() {
        pairs(&mut text, result, all);
    } else {
        text.push_str(&outcomes(&result.outcomes, result.level));
    }
    let _ = writeln!(text, "{}", wrapped(&result.assumptions, "  "));
    text
}

fn head(text: &mut String, result: &EffectsResult) -> std::fmt::Result {
    let graphs = match result.graphs.by {
        Source::None => "the one graph that was found: its own uncertainty is not counted".to_owned(),
        _ => format!("{} graphs drawn, {} distinct", result.graphs.drawn, result.graphs.distinct),
    };
    let what = match (result.outcomes.is_empty(), result.kind.as_str(), result.scale.as_str()) {
        (false, ..) => "expected values under the intervention",
        (_, _, "probability") => "changes of a probability",
        (_, "direct", "standardized") => "direct effects, in standard deviations",
        (_, "direct", _) => "direct effects of one unit",
        (.., "standardized") => "total effects, in standard deviations",
        _ if result
            .effects
            .iter()
            .any(|effect| effect.cause_level.is_some() || effect.effect_level.is_some()) =>
        {
            "total effects of one unit or another level"
        }
        _ => "total effects of one unit",
    };
    writeln!(text, "{}", wrapped(&format!("{}: {what}; {graphs}", result.data), "  "))
}

fn pairs(text: &mut String, result: &EffectsResult, all: bool) {
    let mut listed: Vec<&EffectResult> = result.effects.iter().collect();
    let strength = |effect: &EffectResult| effect.standardized_mean.unwrap_or(effect.mean).abs();
    listed.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
    if !all {
        listed.retain(|effect| effect.probability_none <= 1.0 - LEAST_PATH);
        listed.truncate(LISTED);
    }
    let header = ["cause", "effect", "mean", &interval_name(result.level), "P(no path)", "P(> 0)"];
    let row = |effect: &&EffectResult| {
        vec![
            cause(effect),
            on(effect),
            number(effect.mean),
            interval(effect.low, effect.high),
            format!("{:.2}", effect.probability_none),
            format!("{:.2}", effect.probability_positive),
        ]
    };
    let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
    if rows.is_empty() {
        text.push_str("no directed path has a probability of 0.01 or more\n");
    } else {
        text.push_str(&aligned(&header, &rows, &[2, 3, 4, 5]));
    }
    if let Some(references) = references(&listed) {
        text.push_str(&references);
        text.push('\n');
    }
    let left = result.effects.len() - listed.len();
    if left > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  and {left} weaker or none; all of them with --format csv");
    }
    let is_shown = |effect: &&&EffectResult| {
        effect.histogram.is_some() && (effect.is_split || result.effects.len() == 1)
    };
    for effect in listed.iter().filter(|effect| !effect.curve.is_empty()) {
        text.push_str(&curve(effect, result.level));
    }
    for effect in listed.iter().filter(is_shown).take(HISTOGRAMS) {
        text.push_str(&histogram(effect));
    }
}

/// The most letters of a name with its level, so that a line has 80 columns.
const NAME: usize = 16;

fn cause(effect: &EffectResult) -> String {
    with_level(&effect.cause, effect.cause_level.as_deref())
}

fn on(effect: &EffectResult) -> String {
    with_level(&effect.effect, effect.effect_level.as_deref())
}

/// A variable and the level that is meant, both in so few letters that they stay apart from others.
fn with_level(name: &str, level: Option<&str>) -> String {
    match level {
        Some(level) => {
            let level = middle_ellipsis(level, NAME / 2);
            let left = NAME - 1 - level.chars().count();
            format!("{}={level}", middle_ellipsis(name, left))
        }
        None => middle_ellipsis(name, NAME),
    }
}

/// The levels that others are compared with, where there are any.
fn references(listed: &[&EffectResult]) -> Option<String> {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for effect in listed {
        if let Some(level) = &effect.reference_level
            && !known.iter().any(|(cause, _)| *cause == effect.cause)
        {
            known.push((&effect.cause, level));
        }
    }
    let each: Vec<String> = known.iter().map(|(cause, level)| format!("{cause}={level}")).collect();
    (!each.is_empty()).then(|| wrapped(&format!("  compared with {}", each.join(", ")), "    "))
}

/// The expected effect at each dose.
fn curve(effect: &EffectResult, level: f64) -> String {
    let header = [
        &middle_ellipsis(&effect.cause, NAME),
        &middle_ellipsis(&effect.effect, NAME),
        &interval_name(level),
    ];
    let header = header.map(String::as_str);
    let row =
        |point: &DoseResult| vec![number(point.dose), number(point.mean), interval(point.low, point.high)];
    aligned(&header, &effect.curve.iter().map(row).collect::<Vec<_>>(), &[0, 1, 2])
}

/// The distribution in two lines: what the graphs disagree on, and bars.
fn histogram(effect: &EffectResult) -> String {
    let Some(bars) = &effect.histogram else { return String::new() };
    let (none, given) = (effect.probability_none, effect.mean_given_path.unwrap_or(0.0));
    let words = match effect.is_split {
        true if none >= 0.05 => format!("none with probability {none:.2}, else {} on average", number(given)),
        true => "the graphs give two different effects".to_owned(),
        false => format!("median {}", number(effect.median)),
    };
    let line = format!("  {}\u{a0}->\u{a0}{}: {words}", cause(effect), on(effect));
    format!(
        "{}\n    {} {} {}\n",
        wrapped(&line, "    "),
        number(bars.low),
        sparkline(bars, none),
        number(bars.high)
    )
}

/// One character for each bar; the mass at zero is in the bar that zero is in.
fn sparkline(bars: &HistogramResult, none: f64) -> String {
    let mut weights = bars.weights.clone();
    let width = (bars.high - bars.low) / weights.len() as f64;
    let zero = (-bars.low / width).floor();
    if none > 0.0 && zero >= 0.0 {
        let last = weights.len() - 1;
        weights[(zero as usize).min(last)] += none;
    }
    let highest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let bar = |&weight: &f64| match weight {
        0.0 => ' ',
        _ => BARS[((weight / highest * 7.0).round() as usize).min(7)],
    };
    weights.iter().map(bar).collect()
}

fn outcomes(outcomes: &[OutcomeResult], level: f64) -> String {
    let interval_name = interval_name(level);
    let header = ["variable", "observed", "expected", &interval_name, "change", "P(no path)", "P(> 0)"];
    let row = |outcome: &OutcomeResult| {
        let variable = with_level(&outcome.variable, outcome.level.as_deref());
        let variable = if outcome.level.is_some() { format!("P({variable})") } else { variable };
        vec![
            variable,
            number(outcome.observed),
            number(outcome.mean),
            interval(outcome.low, outcome.high),
            number(outcome.change),
            format!("{:.2}", outcome.probability_none),
            format!("{:.2}", outcome.probability_positive),
        ]
    };
    let rows: Vec<Vec<String>> = outcomes.iter().map(row).collect();
    aligned(&header, &rows, &[1, 2, 3, 4, 5, 6])
}

fn interval_name(level: f64) -> String {
    format!("{} % interval", number(100.0 * level))
}

fn interval(low: f64, high: f64) -> String {
    format!("{} .. {}", number(low), number(high))
}

/// Three digits that count.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let whole = size.log10().floor() as i32;
    let digits = usize::try_from(2 - whole).unwrap_or(0);
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1.0, -0.123_45, 12.345, 1234.5, 0.000_12, 2.5e9].map(number);
        assert_eq!(shown, ["0", "1", "-0.123", "12.3", "1234", "1.20e-4", "2.50e9"]);
    }

    #[test]
    fn the_mass_at_zero_is_a_bar() {
        let bars = HistogramResult { low: -1.0, high: 1.0, weights: vec![0.0, 0.0, 0.0, 0.25] };
        assert_eq!(sparkline(&bars, 0.75), "  █▃");
        assert_eq!(sparkline(&bars, 0.0), "   █");
    }
}

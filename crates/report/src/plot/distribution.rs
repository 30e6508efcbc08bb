//! How the drawn graphs are spread: by their score and by their number of edges.

use gflowcausal::SampleSummary;

use super::chart::{Axis, Chart};
use super::svg::Svg;

/// How many bars a histogram has at most.
const BARS: usize = 30;

/// The shares of the draws by score.
pub(crate) fn scores(samples: &[(SampleSummary, f64)], temperature: f64, size: (f64, f64)) -> Svg {
    let values: Vec<(f64, f64)> =
        samples.iter().map(|(sample, share)| (sample.log_reward * temperature, *share)).collect();
    histogram("Score of the drawn graphs", "score", &bins(&values), size)
}

/// The shares of the draws by number of edges.
pub(crate) fn edge_counts(samples: &[(SampleSummary, f64)], size: (f64, f64)) -> Svg {
    let least = samples.iter().map(|(sample, _)| sample.edges).min().unwrap_or(0);
    let most = samples.iter().map(|(sample, _)| sample.edges).max().unwrap_or(0);
    let wide = (most - least + 1).div_ceil(BARS).max(1);
    let mut shares = vec![0.0; (most - least) / wide + 1];
    for (sample, share) in samples {
        shares[(sample.edges - least) / wide] += share;
    }
    // A bar stands around its number.
    let start = |bar: usize| (least + bar * wide) as f64 - 0.5;
    let bins: Vec<Bin> = shares
        .iter()
        .enumerate()
        .map(|(bar, &share)| Bin { low: start(bar), high: start(bar + 1), share })
        .collect();
    histogram("Edges of the drawn graphs", "number of edges", &bins, size)
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bin {
    low: f64,
    high: f64,
    share: f64,
}

/// Bins of equal width.
fn bins(values: &[(f64, f64)]) -> Vec<Bin> {
    let finite = || values.iter().filter(|(value, _)| value.is_finite());
    let low = finite().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let high = finite().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return Vec::new();
    }
    let wide = if high > low { (high - low) / BARS as f64 } else { 1.0 };
    let mut bins: Vec<Bin> = (0..BARS)
        .map(|bar| low + bar as f64 * wide)
        .map(|low| Bin { low, high: low + wide, share: 0.0 })
        .collect();
    for (value, share) in finite() {
        bins[(((value - low) / wide) as usize).min(BARS - 1)].share += share;
    }
    let used = bins.iter().rposition(|bin| bin.share > 0.0).map_or(0, |last| last + 1);
    bins.truncate(used);
    bins
}

fn histogram(heading: &str, along: &str, bins: &[Bin], size: (f64, f64)) -> Svg {
    let x = Axis::linear(bins.iter().flat_map(|bin| [bin.low, bin.high]));
    let y = Axis::from_zero(bins.iter().map(|bin| bin.share));
    let mut chart = Chart::new(size, heading, &format!("{along} (bars: share of the draws)"), x, y);
    for bin in bins {
        chart.bar(bin.low, bin.high, bin.share);
    }
    chart.into_svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_is_in_a_bar() {
        let values: Vec<(f64, f64)> = (0..100).map(|k| (f64::from(k * k), 0.01)).collect();
        let total: f64 = bins(&values).iter().map(|bin| bin.share).sum();
        assert!((total - 1.0).abs() < 1e-12);
        assert_eq!(bins(&[(3.0, 1.0)]), [Bin { low: 3.0, high: 4.0, share: 1.0 }]);
        assert_eq!(bins(&[(f64::NAN, 1.0)]), []);
    }
}

//! The course of training: loss, log-rewards and temperature of each iteration.

use gflowcausal::flow::Progress;

use super::chart::{Axis, Chart, thinned};
use super::svg::Svg;

/// The most points of a line: more could not be distinguished.
const POINTS: usize = 600;

/// What stands below every panel.
const ITERATIONS: &str = "iteration";

/// Loss, log-rewards, temperature.
pub(crate) fn panels(history: &[Progress], size: (f64, f64)) -> [Svg; 3] {
    let history = &thinned(history, POINTS);
    let across = Axis::linear(history.iter().map(|progress| progress.iteration as f64));
    let points = |value: fn(&Progress) -> f64| {
        history.iter().map(move |progress| (progress.iteration as f64, value(progress)))
    };
    let single = |heading: &str, value: fn(&Progress) -> f64| {
        let axis = Axis::log_where_it_helps(history.iter().map(value))
            .unwrap_or_else(|| Axis::linear(history.iter().map(value)));
        let mut chart = Chart::new(size, heading, ITERATIONS, across, axis);
        chart.line("first", points(value));
        chart.into_svg()
    };
    let both = history.iter().flat_map(|progress| [progress.mean_log_reward, progress.best_log_reward]);
    let mut rewards = Chart::new(size, "Log-reward", ITERATIONS, across, Axis::linear(both));
    rewards.line("first", points(|progress| progress.mean_log_reward));
    rewards.line("second", points(|progress| progress.best_log_reward));
    rewards.legend(&[("first", "mean"), ("second", "best")]);
    [
        single("Loss", |progress| progress.loss),
        rewards.into_svg(),
        single("Temperature", |progress| progress.temperature),
    ]
}

/// All panels, one above the other.
pub(super) fn stacked(history: &[Progress]) -> Svg {
    let (width, height) = (760.0, 240.0);
    let mut svg = Svg::new(width, 3.0 * height, "The course of training: loss, log-reward and temperature");
    for (place, panel) in panels(history, (width, height)).iter().enumerate() {
        svg.place(0.0, place as f64 * height, panel);
    }
    svg
}

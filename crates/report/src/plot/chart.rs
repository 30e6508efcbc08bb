//! Axes, lines and bars.

use super::svg::Svg;

/// Space for the numbers and words beside a chart.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 44.0;

/// From here on, values so many times apart are shown better on a logarithmic axis.
const LOG_HELPS: f64 = 30.0;

/// From here on, numbers are written as powers of ten, unless ticks are so close that these would be alike.
const LARGE: f64 = 1e5;

/// The number that has too many digits for an axis in any case.
const LONGEST: f64 = 1e9;

/// One direction of a chart: where values stand between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    /// From the least to the largest of `values`.
    pub(super) fn linear(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = range(values);
        let room = if high > low { 0.0 } else { 0.5 * high.abs().max(1.0) };
        Self { low: low - room, high: high + room, is_log: false }
    }

    /// By powers of ten, where that helps: all values are above zero and far apart.
    pub(super) fn log_where_it_helps(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = range(values);
        (low > 0.0 && high / low >= LOG_HELPS).then(|| Self {
            low: low.log10().floor(),
            high: high.log10().ceil(),
            is_log: true,
        })
    }

    /// From zero to the largest of `values`.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        Self::linear(values.chain([0.0]))
    }

    /// Whether `value` has a place.
    fn holds(&self, value: f64) -> bool {
        value.is_finite() && !(self.is_log && value <= 0.0)
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.is_log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers on the axis: 1, 2 or 5 times a power of ten apart; powers of ten on a logarithmic one.
    fn ticks(&self) -> Vec<f64> {
        if self.is_log {
            let every = ((self.high - self.low) / 5.0).ceil().max(1.0) as i64;
            let powers = self.low as i64..=self.high as i64;
            return powers.step_by(every as usize).map(|power| 10_f64.powi(power as i32)).collect();
        }
        let step = self.step();
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|times| times as f64 * step).collect()
    }

    /// The distance between ticks of a linear axis.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|&step| step >= rough);
        step.unwrap_or(10.0 * power)
    }

    /// The number beside a tick. Neighbours differ by a step, so large numbers that are close together keep all their digits.
    fn label(&self, tick: f64) -> String {
        let is_close = tick.abs() >= LARGE && tick.abs() < LONGEST && tick.abs() > 10.0 * self.step();
        if self.is_log || !is_close {
            return short(tick);
        }
        let digits = (-self.step().log10().floor()).max(0.0) as usize;
        format!("{tick:.digits$}")
    }
}

/// The least and the largest finite value; 0 and 1 if there is none.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// A number beside an axis: few digits, no zeros at the end.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..LARGE).contains(&size) {
        format!("{value:.1e}").replace(".0e", "e")
    } else {
        let digits = if size >= 100.0 {
            0
        } else if size >= 1.0 {
            2
        } else {
            4
        };
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// A chart with its axes drawn.
pub(super) struct Chart {
    svg: Svg,
    x: Axis,
    y: Axis,
    width: f64,
    height: f64,
}

impl Chart {
    /// An empty chart of this size under `heading`.
    pub(super) fn new((width, height): (f64, f64), heading: &str, along: &str, x: Axis, y: Axis) -> Self {
        let mut chart = Self { svg: Svg::new(width, height, heading), x, y, width, height };
        chart.svg.text("heading", &format!("x=\"{LEFT}\" y=\"18\""), heading);
        let bottom = height - 8.0;
        let middle = (LEFT + width - RIGHT) / 2.0;
        chart.svg.text("small", &format!("x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\""), along);
        chart.draw_axes();
        chart
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let across = LEFT + self.x.place(x) * (self.width - LEFT - RIGHT);
        (across, self.height - BOTTOM - self.y.place(y) * (self.height - TOP - BOTTOM))
    }

    fn draw_axes(&mut self) {
        let (left, right, base) = (LEFT, self.width - RIGHT, self.height - BOTTOM);
        for tick in self.y.ticks() {
            let y = base - self.y.place(tick) * (base - TOP);
            self.svg.add("path", "grid", &format!("d=\"M{left} {y:.1}H{right}\""));
            let shape = format!("x=\"{}\" y=\"{:.1}\" text-anchor=\"end\"", left - 6.0, y + 4.0);
            self.svg.text("small", &shape, &self.y.label(tick));
        }
        for tick in self.x.ticks() {
            let x = left + self.x.place(tick) * (right - left);
            self.svg.add("path", "axis", &format!("d=\"M{x:.1} {base}v4\""));
            let shape = format!("x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\"", base + 17.0);
            self.svg.text("small", &shape, &self.x.label(tick));
        }
        self.svg.add("path", "axis", &format!("d=\"M{left} {TOP}V{base}H{right}\""));
    }

    /// Adds a line through `points`; what is not finite, or not on the axis, is left out.
    pub(super) fn line(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let places = points.filter(|&(_, y)| self.y.holds(y)).map(|(x, y)| self.at(x, y));
        let path: Vec<String> = places.map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        if !path.is_empty() {
            self.svg.add("path", &format!("series {class}"), &format!("d=\"M{}\"", path.join("L")));
        }
    }

    /// Says what stands on the upward axis.
    pub(super) fn name_upward(&mut self, label: &str) {
        let middle = (TOP + self.height - BOTTOM) / 2.0;
        let shape = format!("transform=\"translate(13 {middle}) rotate(-90)\" text-anchor=\"middle\"");
        self.svg.text("small", &shape, label);
    }

    /// Marks `point` with the sign of line `number`; what is not on the axes is left out.
    pub(super) fn mark(&mut self, class: &str, number: usize, (x, y): (f64, f64)) {
        if self.y.holds(y) {
            let place = self.at(x, y);
            draw_mark(&mut self.svg, class, number, place);
        }
    }

    /// Adds a bar from `low` to `high`.
    pub(super) fn bar(&mut self, low: f64, high: f64, value: f64) {
        let ((left, top), (right, base)) = (self.at(low, value), self.at(high, 0.0));
        // A hair of space separates bars; none gets lost for it.
        let wide = (right - left - 1.0).max(0.5);
        let shape = format!(
            "x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"",
            (base - top).max(0.0)
        );
        self.svg.add("rect", "bar", &shape);
    }

    /// Names the lines, from the right end of the heading's row.
    pub(super) fn legend(&mut self, names: &[(&str, &str)]) {
        let mut x = self.width - RIGHT;
        for (class, name) in names.iter().rev() {
            self.svg.text("small", &format!("x=\"{x}\" y=\"18\" text-anchor=\"end\""), name);
            x -= 7.0 * name.chars().count() as f64 + 8.0;
            self.svg.add("path", &format!("series {class}"), &format!("d=\"M{} 14h20\"", x - 20.0));
            x -= 34.0;
        }
    }

    /// The finished picture.
    pub(super) fn into_svg(self) -> Svg {
        self.svg
    }
}

/// Every so many items, and the last: at most `most` and one.
pub(super) fn thinned<T: Copy>(items: &[T], most: usize) -> Vec<T> {
    let every = items.len().div_ceil(most).max(1);
    let last = items.len().saturating_sub(1);
    let is_kept = |at: usize| at.is_multiple_of(every) || at == last;
    items.iter().enumerate().filter(|&(at, _)| is_kept(at)).map(|(_, &item)| item).collect()
}

/// Draws the sign of line `number` at a place of the picture: a ring, a box, a triangle, a diamond, a cross, a triangle on its head,
/// an upright cross.
pub(super) fn draw_mark(svg: &mut Svg, class: &str, number: usize, (x, y): (f64, f64)) {
    let class = format!("mark {class}");
    let shape = match number % 7 {
        0 => return svg.add("circle", &class, &format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"")),
        1 => "m-3.4 -3.4h6.8v6.8h-6.8z",
        2 => "m0 -4.4l4.2 7.6h-8.4z",
        3 => "m0 -4.8l4.2 4.8l-4.2 4.8l-4.2 -4.8z",
        4 => "m-3.4 -3.4l6.8 6.8m0 -6.8l-6.8 6.8",
        5 => "m0 4.4l4.2 -7.6h-8.4z",
        _ => "m-4.2 0h8.4m-4.2 -4.2v8.4",
    };
    svg.add("path", &class, &format!("d=\"M{x:.1} {y:.1}{shape}\""));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_on_the_axis() {
        let axis = Axis::linear([-3.0, 17.0].into_iter());
        assert_eq!(axis.ticks(), [0.0, 5.0, 10.0, 15.0]);
        let axis = Axis::log_where_it_helps([0.02, 300.0].into_iter()).expect("far apart");
        assert_eq!(axis.ticks(), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(axis.place(1.0), 0.4);
    }

    #[test]
    fn neighbouring_ticks_of_large_numbers_differ() {
        let axis = Axis::linear([228_655.0, 228_671.1].into_iter());
        let labels: Vec<_> = axis.ticks().into_iter().map(|tick| axis.label(tick)).collect();
        assert_eq!(labels, ["228655", "228660", "228665", "228670"]);
        assert_eq!(Axis::linear([0.0, 1e6].into_iter()).label(1e6), "1e6");
    }

    #[test]
    fn a_logarithmic_axis_is_taken_only_where_it_helps() {
        assert!(Axis::log_where_it_helps([1.0, 2.0].into_iter()).is_none());
        assert!(Axis::log_where_it_helps([0.0, 1000.0].into_iter()).is_none());
        assert!(Axis::linear([5.0].into_iter()).place(5.0) == 0.5, "one value stands in the middle");
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 0.05, 2.5, 10.0, -1200.0, 1e6, 2e-5].map(short);
        assert_eq!(numbers, ["0", "0.05", "2.5", "10", "-1200", "1e6", "2e-5"]);
    }
}

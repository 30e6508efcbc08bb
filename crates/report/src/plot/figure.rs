//! A figure of several lines, for benches and papers: named axes, a legend, and lines that are distinguished without colour.

use serde::{Deserialize, Serialize};

use super::chart::{Axis, Chart, draw_mark, thinned};
use super::png::png;
use super::svg::Svg;
use gflowcausal::Error;

/// The size of the chart; the legend is put below it.
const SIZE: (f64, f64) = (720.0, 400.0);

/// The height of a row of the legend.
const ROW: f64 = 20.0;

/// The names of the line styles in the style sheet: a colour and a dash pattern each.
const STYLES: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/// The most points of a line: more could not be distinguished.
const POINTS: usize = 300;

/// How many marks a line has at most.
const MARKS: usize = 12;

/// How an axis is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisRange {
    /// From zero to the largest value.
    FromZero,
    /// From zero to the largest value, or by powers of ten from the least where they are far apart.
    Values,
    /// From zero to one.
    Share,
}

/// One direction of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureAxis {
    /// What stands on it, with its unit.
    pub label: String,
    /// How it is laid out.
    pub span: AxisRange,
}

impl FigureAxis {
    /// An axis called `label`.
    #[must_use]
    pub fn new(label: &str, span: AxisRange) -> Self {
        Self { label: label.to_owned(), span }
    }

    fn over(&self, values: impl Iterator<Item = f64> + Clone) -> Axis {
        match self.span {
            AxisRange::FromZero => Axis::from_zero(values),
            AxisRange::Values => {
                Axis::log_where_it_helps(values.clone()).unwrap_or_else(|| Axis::from_zero(values))
            }
            AxisRange::Share => Axis::linear([0.0, 1.0].into_iter()),
        }
    }
}

/// One line of a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Where it goes, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Lines over the same two axes.
///
/// ```
/// use gflowcausal_report::{AxisRange, Figure, FigureAxis, Series};
/// let figure = Figure {
///     heading: "Time".into(),
///     across: FigureAxis::new("graphs", AxisRange::FromZero),
///     up: FigureAxis::new("seconds", AxisRange::FromZero),
///     series: vec![Series { name: "ours".into(), points: vec![(0.0, 0.0), (10.0, 2.5)] }],
/// };
/// assert_eq!(figure.csv(), "series,graphs,seconds\nours,0,0\nours,10,2.5\n");
/// assert!(figure.svg().contains("seconds"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it shows.
    pub heading: String,
    /// The direction from left to right.
    pub across: FigureAxis,
    /// The direction upwards.
    pub up: FigureAxis,
    /// The lines, the first drawn first.
    pub series: Vec<Series>,
}

impl Figure {
    /// The figure as an SVG file.
    #[must_use]
    pub fn svg(&self) -> String {
        let chart = self.chart().into_svg();
        let mut svg = Svg::new(SIZE.0, SIZE.1 + ROW * self.rows() as f64 + 10.0, &self.heading);
        svg.place(0.0, 0.0, &chart);
        for (number, series) in self.series.iter().enumerate() {
            let (column, row) = (number / self.rows(), number % self.rows());
            let (x, y) = (62.0 + 329.0 * column as f64, SIZE.1 + 8.0 + ROW * row as f64);
            draw_key(&mut svg, number, (x, y), &series.name);
        }
        svg.into_file()
    }

    /// The figure as a PNG file, two dots for each unit of the SVG.
    ///
    /// # Errors
    /// When the picture cannot be made.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        png(&self.svg())
    }

    /// Every point: the series, where it stands across, and how high.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail.
        let _ = writer.write_record(["series", &self.across.label, &self.up.label]);
        for series in &self.series {
            for (x, y) in &series.points {
                let _ = writer.write_record([&series.name, &x.to_string(), &y.to_string()]);
            }
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// The rows of the legend, which has two columns.
    fn rows(&self) -> usize {
        self.series.len().div_ceil(2)
    }

    fn chart(&self) -> Chart {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let x = self.across.over(points().map(|point| point.0));
        let y = self.up.over(points().map(|point| point.1));
        let mut chart = Chart::new(SIZE, &self.heading, &self.across.label, x, y);
        chart.name_upward(&self.up.label);
        for (number, series) in self.series.iter().enumerate() {
            let points = thinned(&series.points, POINTS);
            chart.line(style(number), points.iter().copied());
            // Marks of different lines stand at different places.
            let every = points.len().div_ceil(MARKS).max(1);
            let marked = points.iter().skip(number % every.min(4)).step_by(every);
            marked.for_each(|&point| chart.mark(style(number), number, point));
        }
        chart
    }
}

fn style(number: usize) -> &'static str {
    STYLES[number % STYLES.len()]
}

/// A piece of the line, its mark and its name.
fn draw_key(svg: &mut Svg, number: usize, (x, y): (f64, f64), name: &str) {
    svg.add("path", &format!("series {}", style(number)), &format!("d=\"M{x} {y}h44\""));
    draw_mark(svg, style(number), number, (x + 22.0, y));
    svg.text("small", &format!("x=\"{}\" y=\"{}\"", x + 52.0, y + 4.0), name);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(lines: usize) -> Figure {
        let series = |k: usize| Series {
            name: format!("line {k}, with a comma"),
            points: (0..1000).map(|x| (f64::from(x), (k as f64 + 1.0) * f64::from(x))).collect(),
        };
        Figure {
            heading: "Lines".into(),
            across: FigureAxis::new("x", AxisRange::FromZero),
            up: FigureAxis::new("y", AxisRange::FromZero),
            series: (0..lines).map(series).collect(),
        }
    }

    #[test]
    fn every_line_has_its_own_look_and_a_key() {
        let svg = figure(8).svg();
        for style in STYLES {
            assert_eq!(svg.matches(&format!("class=\"series {style}\"")).count(), 2, "{style}: line and key");
        }
        assert_eq!(svg.matches("with a comma").count(), 8);
    }

    #[test]
    fn lines_of_the_same_colour_have_other_marks() {
        let svg = figure(9).svg();
        let marks = |name: &str| svg.matches(&format!("class=\"mark {name}\"")).count();
        assert!(marks("first") > marks("second"), "the ninth line is drawn like the first");
        assert!(svg.contains("<circle class=\"mark first\""));
        assert!(svg.contains("<path class=\"mark first\""), "but its marks are no circles");
    }

    #[test]
    fn points_are_all_in_the_file_but_only_some_in_the_picture() {
        let figure = figure(1);
        assert_eq!(figure.csv().lines().count(), 1001);
        assert!(figure.csv().contains("\"line 0, with a comma\",999,999\n"));
        assert!(figure.svg().len() < 12_000);
    }
}

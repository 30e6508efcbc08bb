//! SVG text, written so that whatever a name holds stays text.

use std::fmt::Write;

use crate::layout::printable;

/// The style of figures, in files and in the report.
pub(crate) const FIGURE_STYLE: &str = include_str!("figure.css");

/// A picture that grows element by element.
#[derive(Debug, Clone)]
pub(crate) struct Svg {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Svg {
    /// An empty picture; `title` is what it shows, in words.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: title.to_owned(), body: String::new() }
    }

    /// Adds an element without content; `shape` are its attributes, which hold no text of the user's.
    pub(crate) fn add(&mut self, element: &str, class: &str, shape: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.body, "<{element} class=\"{class}\" {shape}/>");
    }

    /// Adds a line of text.
    pub(crate) fn text(&mut self, class: &str, shape: &str, content: &str) {
        let _ = write!(self.body, "<text class=\"{class}\" {shape}>{}</text>", escaped(content));
    }

    /// Starts a group; `shape` are its attributes, which hold no text of the user's.
    pub(crate) fn open(&mut self, class: &str, shape: &str) {
        let _ = write!(self.body, "<g class=\"{class}\" {shape}>");
    }

    /// Says in words what the group just opened is.
    pub(crate) fn title(&mut self, content: &str) {
        let _ = write!(self.body, "<title>{}</title>", escaped(content));
    }

    /// Ends the group that was started last.
    pub(crate) fn close(&mut self) {
        self.body.push_str("</g>");
    }

    /// Puts `other` in at (`x`, `y`).
    pub(crate) fn place(&mut self, x: f64, y: f64, other: &Self) {
        let _ = write!(self.body, "<g transform=\"translate({x} {y})\">{}</g>", other.body);
    }

    /// A file of its own, on white paper.
    pub(crate) fn into_file(self) -> String {
        let Self { width, height, title, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\">\n<title>{}</title>\n<style>{FIGURE_STYLE}</style>\n\
             <rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n{body}\n</svg>\n",
            escaped(&title),
            w = width.ceil(),
            h = height.ceil(),
        )
    }

    /// A part of a page that has the style already.
    pub(crate) fn into_page(self) -> String {
        let Self { width, height, title, body } = self;
        let title = escaped(&title);
        format!(
            "<svg class=\"figure\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>{title}</title>{body}</svg>"
        )
    }
}

/// `text` for XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars().map(printable) {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A path through `points` that rounds its corners: each corner is left from the middle of the line before it to the
/// middle of the line after it.
pub(crate) fn smooth(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    let Some(((x, y), rest)) = points.split_first() else { return path };
    let _ = write!(path, "M{x:.1} {y:.1}");
    for pair in rest.windows(2) {
        let ((x, y), next) = (pair[0], pair[1]);
        let middle = ((x + next.0) / 2.0, (y + next.1) / 2.0);
        if path.contains('Q') {
            let _ = write!(path, "Q{x:.1} {y:.1} {:.1} {:.1}", middle.0, middle.1);
        } else {
            let start = points[0];
            let _ = write!(path, "L{:.1} {:.1}", (start.0 + x) / 2.0, (start.1 + y) / 2.0);
            let _ = write!(path, "Q{x:.1} {y:.1} {:.1} {:.1}", middle.0, middle.1);
        }
    }
    if let Some((x, y)) = rest.last() {
        let _ = write!(path, "L{x:.1} {y:.1}");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        let mut svg = Svg::new(1.0, 1.0, "</title><script>1</script>");
        svg.text("t", "", "\"<b>&\u{1}");
        let file = svg.into_file();
        assert!(file.contains("<title>&lt;/title&gt;&lt;script&gt;1&lt;/script&gt;</title>"), "{file}");
        assert!(file.contains(">&quot;&lt;b&gt;&amp;\u{fffd}</text>"), "{file}");
    }

    #[test]
    fn a_straight_edge_is_a_line_and_a_bent_one_is_round() {
        assert_eq!(smooth(&[(0.0, 0.0), (2.0, 4.0)]), "M0.0 0.0L2.0 4.0");
        assert_eq!(smooth(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)]), "M0.0 0.0L1.0 0.0Q2.0 0.0 2.0 1.0L2.0 2.0");
    }
}

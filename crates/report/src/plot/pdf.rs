//! SVG to a PDF of one page: every shape and letter as an outline.

use std::collections::BTreeSet;
use std::fmt::Write;

use gflowcausal::Error;
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, Node, Paint, Path, Tree};

use super::png::tree;

/// Points of a page for each unit of a picture.
const POINTS: f32 = 0.75;

/// Renders `svg`.
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, Error> {
    let tree = tree(svg).map_err(|reason| Error::Picture { reason })?;
    let mut page = Page::default();
    // PDF counts from the bottom, SVG from the top.
    let down = Transform::from_row(POINTS, 0.0, 0.0, -POINTS, 0.0, tree.size().height() * POINTS);
    page.group(tree.root(), down, 1.0);
    Ok(page.into_file(&tree))
}

/// The drawing commands of a page, and the opacities that it uses, in thousandths.
#[derive(Default)]
struct Page {
    content: String,
    opacities: BTreeSet<u16>,
}

impl Page {
    fn group(&mut self, group: &Group, root: Transform, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, root, opacity),
                Node::Path(path) if path.is_visible() => self.path(path, root, opacity),
                Node::Text(text) => self.group(text.flattened(), root, opacity),
                _ => {}
            }
        }
    }

    fn path(&mut self, path: &Path, root: Transform, opacity: f32) {
        let place = root.pre_concat(path.abs_transform());
        let outline = outline(path, place);
        if let Some(fill) = path.fill()
            && let Paint::Color(color) = fill.paint()
        {
            self.set_opacity(opacity * fill.opacity().get());
            let rule = if fill.rule() == FillRule::EvenOdd { "f*" } else { "f" };
            self.say(format_args!(
                "{} rg\n{outline}{rule}\n",
                components([color.red, color.green, color.blue])
            ));
        }
        if let Some(stroke) = path.stroke()
            && let Paint::Color(color) = stroke.paint()
        {
            self.set_opacity(opacity * stroke.opacity().get());
            let scale = place.get_scale().0.abs();
            let dashes: Vec<String> = stroke
                .dasharray()
                .unwrap_or_default()
                .iter()
                .map(|dash| format!("{:.3}", dash * scale))
                .collect();
            let (cap, join) = (stroke.linecap() as u8, stroke.linejoin() as u8);
            self.say(format_args!(
                "{} RG {:.3} w {} J {} j [{}] 0 d\n{outline}S\n",
                components([color.red, color.green, color.blue]),
                stroke.width().get() * scale,
                cap.min(2),
                join.saturating_sub(1),
                dashes.join(" ")
            ));
        }
    }

    fn set_opacity(&mut self, opacity: f32) {
        let thousandths = (opacity.clamp(0.0, 1.0) * 1000.0).round() as u16;
        self.opacities.insert(thousandths);
        self.say(format_args!("/o{thousandths} gs\n"));
    }

    fn say(&mut self, command: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.content.write_fmt(command);
    }

    /// The file: a catalogue, a page, its commands and its opacities, and where each of them begins.
    fn into_file(self, tree: &Tree) -> Vec<u8> {
        let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
        let states: String = self
            .opacities
            .iter()
            .map(|&at| format!("/o{at} << /ca {share} /CA {share} >> ", share = f64::from(at) / 1000.0))
            .collect();
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents 4 0 R /Resources << \
                 /ExtGState << {states}>> >> >>"
            ),
            format!("<< /Length {} >>\nstream\n{}endstream", self.content.len(), self.content),
        ];
        let mut file = "%PDF-1.4\n".to_owned();
        let mut starts = String::new();
        for (number, object) in (1..).zip(&objects) {
            starts.push_str(&format!("{:010} 00000 n \n", file.len()));
            file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
        }
        let (start, count) = (file.len(), objects.len() + 1);
        file.push_str(&format!(
            "xref\n0 {count}\n0000000000 65535 f \n{starts}trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
        ));
        file.into_bytes()
    }
}

/// A colour as PDF writes it.
fn components(color: [u8; 3]) -> String {
    color.map(|part| format!("{:.3}", f64::from(part) / 255.0)).join(" ")
}

/// The outline of a path; PDF has no quadratic curves, each is a cubic one.
fn outline(path: &Path, place: Transform) -> String {
    let mut text = String::new();
    let mut last = Point::zero();
    let at = |mut point: Point| {
        place.map_point(&mut point);
        format!("{:.3} {:.3}", point.x, point.y)
    };
    let between = |from: Point, to: Point| {
        Point::from_xy(from.x + (to.x - from.x) * 2.0 / 3.0, from.y + (to.y - from.y) * 2.0 / 3.0)
    };
    for segment in path.data().segments() {
        let (command, end) = match segment {
            PathSegment::MoveTo(p) => (format!("{} m\n", at(p)), p),
            PathSegment::LineTo(p) => (format!("{} l\n", at(p)), p),
            PathSegment::QuadTo(c, p) => {
                (format!("{} {} {} c\n", at(between(last, c)), at(between(p, c)), at(p)), p)
            }
            PathSegment::CubicTo(a, b, p) => (format!("{} {} {} c\n", at(a), at(b), at(p)), p),
            PathSegment::Close => ("h\n".to_owned(), last),
        };
        text.push_str(&command);
        last = end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_one_page_of_outlines() {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='40'><rect width='50' height='40' \
                   fill='#ff0000' fill-opacity='0.5'/><path d='M0 0Q10 0 10 10' stroke='black' fill='none'/>\
                   <text x='5' y='25'>Mek</text></svg>";
        let file = String::from_utf8(pdf(svg).unwrap()).unwrap();
        assert!(file.contains("/MediaBox [0 0 75.00 30.00]"), "{file}");
        assert!(file.contains("/o500 gs\n1.000 0.000 0.000 rg\n"), "{file}");
        assert!(file.contains("0.000 30.000 m\n5.000 30.000 7.500 27.500 7.500 22.500 c\nS\n"), "{file}");
        assert!(file.matches(" c\n").count() > 5, "letters are outlines: {file}");
        let start: usize = file.lines().rev().nth(1).unwrap().parse().unwrap();
        assert!(file[start..].starts_with("xref\n0 5\n"));
    }
}

//! SVG to PNG, in Rust alone, with a font of its own.

use std::collections::BTreeSet;
use std::sync::Mutex;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree};

use gflowcausal::Error;

/// Latin, Greek, Cyrillic, Hebrew and Arabic letters, and signs.
const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

/// What the font calls itself.
const FAMILY: &str = "DejaVu Sans";

/// Dots for each unit.
const SCALE: f32 = 2.0;

/// The most dots on a side.
const MOST: f32 = 8000.0;

/// What stands for a letter that no font has.
const UNKNOWN: char = '□';

/// Renders `svg`.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| Error::Picture { reason };
    let tree = tree(svg).map_err(failed)?;
    let size = tree.size();
    let scale = SCALE.min(MOST / size.width().max(size.height()));
    let dots = |length: f32| (length * scale).ceil() as u32;
    let mut pixmap = Pixmap::new(dots(size.width()), dots(size.height()))
        .ok_or_else(|| failed("it is too large".into()))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| failed(error.to_string()))
}

/// The picture with boxes in place of letters that no font has: left out, they would not be missed.
pub(super) fn tree(svg: &str) -> Result<Tree, String> {
    let unknown = Mutex::new(BTreeSet::new());
    let tree = Tree::from_str(svg, &options(svg, &unknown)).map_err(|error| error.to_string())?;
    let unknown = unknown.into_inner().map_err(|error| error.to_string())?;
    if unknown.is_empty() {
        return Ok(tree);
    }
    let boxed: String =
        svg.chars().map(|letter| if unknown.contains(&letter) { UNKNOWN } else { letter }).collect();
    Tree::from_str(&boxed, &options(svg, &Mutex::default())).map_err(|error| error.to_string())
}

/// Our font, and those of the system where `svg` needs them; letters that none of them has are put into `unknown`.
fn options<'a>(svg: &str, unknown: &'a Mutex<BTreeSet<char>>) -> Options<'a> {
    let other_font = FontResolver::default_fallback_selector();
    let font_resolver = FontResolver {
        select_fallback: Box::new(move |letter, used, fonts| {
            let font = other_font(letter, used, fonts);
            if let (None, true, Ok(mut unknown)) = (font, is_foreign(letter), unknown.lock()) {
                unknown.insert(letter);
            }
            font
        }),
        ..FontResolver::default()
    };
    let mut options = Options { font_family: FAMILY.to_owned(), font_resolver, ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    // The system's fonts are asked only for what ours does not have, so that pictures are the same everywhere.
    if svg.chars().any(is_foreign) {
        fonts.load_system_fonts();
    }
    fonts.set_sans_serif_family(FAMILY);
    options
}

/// Whether the font has no such letter.
fn is_foreign(letter: char) -> bool {
    !matches!(letter,
        '\0'..='\u{45f}' | '\u{490}'..='\u{491}' | '\u{591}'..='\u{5f4}' | '\u{600}'..='\u{6ff}'
        | '\u{1e00}'..='\u{1eff}' | '\u{2000}'..='\u{20bf}' | '\u{2100}'..='\u{2307}' | '\u{25a0}'..='\u{25ff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe70}'..='\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(svg: &str) -> usize {
        let picture = Pixmap::decode_png(&png(svg).unwrap()).unwrap();
        picture.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    }

    fn with(content: &str) -> String {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='100' height='40'>\
                 <rect width='100' height='40' fill='white'/>{content}</svg>"
        )
    }

    #[test]
    fn letters_are_drawn_without_any_font_of_the_system() {
        assert_eq!(ink(&with("")), 0);
        for word in ["Mek", "Ψ²", "Дж", "שלום", "سبب"] {
            assert!(ink(&with(&format!("<text x='5' y='25'>{word}</text>"))) > 100, "{word}");
        }
    }

    #[test]
    fn a_letter_that_no_font_has_is_a_box() {
        // The last private letter: nobody draws it.
        assert!(ink(&with("<text x='5' y='25'>\u{10fffd}</text>")) > 10);
    }

    #[test]
    fn a_huge_picture_is_scaled_down() {
        let wide = png("<svg xmlns='http://www.w3.org/2000/svg' width='20000' height='10'/>").unwrap();
        assert_eq!(Pixmap::decode_png(&wide).unwrap().width(), 8000);
    }
}

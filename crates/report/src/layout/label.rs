//! Names of variables as they stand in boxes: one line, not too long, nothing that a picture cannot hold.

/// The widest label, in letters of the usual width.
const MOST: f64 = 20.0;

/// The width of a usual letter at the size of labels.
const LETTER: f64 = 7.6;

/// Space on both sides of a label.
const PADDING: f64 = 22.0;

/// The narrowest box.
const LEAST: f64 = 44.0;

/// How wide a letter is, in letters of the usual width.
fn breadth(letter: char) -> f64 {
    match letter {
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => 0.0,
        '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => 0.0,
        'i' | 'j' | 'l' | 'I' | '.' | ',' | '\'' | '|' | ':' | ';' | '!' => 0.5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.5,
        'A'..='Z' => 1.15,
        // Hangul, Chinese, Japanese, wide forms, and emoji.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 1.8,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{3ffff}' => 1.8,
        _ => 1.0,
    }
}

/// `name` without what XML refuses and without line breaks, cut where it gets too long.
pub(crate) fn label(name: &str) -> String {
    let clean: String = name.chars().map(printable).collect();
    if clean.chars().map(breadth).sum::<f64>() <= MOST {
        return clean;
    }
    let mut wide = 1.0;
    let short = clean.chars().take_while(|&letter| {
        wide += breadth(letter);
        wide <= MOST
    });
    let mut short: String = short.collect();
    // Half a joined letter would read as another one.
    while short.ends_with('\u{200d}') {
        short.pop();
        short.pop();
    }
    format!("{}…", short.trim_end())
}

/// The width of the box around `label`.
pub(crate) fn width_of(label: &str) -> f64 {
    (label.chars().map(breadth).sum::<f64>() * LETTER + PADDING).max(LEAST).round()
}

/// What stands for a letter in a picture: XML has no place for control characters, and a label is one line.
pub(crate) fn printable(letter: char) -> char {
    match letter {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stay_and_long_ones_end_in_dots() {
        assert_eq!(label("Mek 1/2"), "Mek 1/2");
        let long = label(&"x".repeat(200));
        assert!(long.ends_with('…') && long.chars().count() == 20, "{long}");
        assert!(width_of(&label(&"W".repeat(200))) < 190.0);
    }

    #[test]
    fn what_xml_refuses_is_replaced() {
        assert_eq!(label("a\u{1}b\nc"), "a\u{fffd}b c");
    }

    #[test]
    fn a_family_is_not_cut_in_two() {
        let cut = label(&"👨‍👩‍👧".repeat(10));
        assert!(!cut.contains("\u{200d}…"), "{cut}");
    }
}

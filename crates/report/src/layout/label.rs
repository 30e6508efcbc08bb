//! Names of variables as they stand in boxes: one line, not too long, nothing that a picture cannot hold.

/// The widest label, in letters of the usual width.
const MOST: f64 = 20.0;

/// How much of that the beginning of a long name takes.
const START: f64 = 11.0;

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

/// `name` without what XML refuses and without line breaks; of a long one the beginning and the end, where names differ.
pub(crate) fn label(name: &str) -> String {
    let clean: String = name.chars().map(printable).collect();
    if clean.chars().map(breadth).sum::<f64>() <= MOST {
        return clean;
    }
    let mut start = fitting(clean.chars(), START);
    // Half a joined letter would read as another one.
    while start.ends_with('\u{200d}') {
        start.pop();
        start.pop();
    }
    let end: String = fitting(clean.chars().rev(), MOST - 1.0 - START).chars().rev().collect();
    let end = end.trim_start_matches(|letter| breadth(letter) == 0.0).trim_start();
    format!("{}…{end}", start.trim_end())
}

/// As many of the letters, from the first on, as fit.
fn fitting(letters: impl Iterator<Item = char>, most: f64) -> String {
    let mut wide = 0.0;
    let fit = letters.take_while(|&letter| {
        wide += breadth(letter);
        wide <= most
    });
    fit.collect()
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
    fn short_names_stay_and_long_ones_keep_both_ends() {
        assert_eq!(label("Mek 1/2"), "Mek 1/2");
        let long = label(&"x".repeat(200));
        assert!(long.contains('…') && long.chars().count() == 20, "{long}");
        let [first, second] =
            ["1", "2"].map(|visit| label(&format!("systolic_blood_pressure_visit_{visit}")));
        assert_ne!(first, second);
        assert!(first.starts_with("systol") && first.ends_with("visit_1"), "{first}");
        assert!(width_of(&label(&"W".repeat(200))) < 190.0);
    }

    #[test]
    fn what_xml_refuses_is_replaced() {
        assert_eq!(label("a\u{1}b\nc"), "a\u{fffd}b c");
    }

    #[test]
    fn a_family_is_not_cut_in_two() {
        let cut = label(&"👨‍👩‍👧".repeat(10));
        assert!(!cut.contains("\u{200d}…") && !cut.contains("…\u{200d}"), "{cut}");
    }
}

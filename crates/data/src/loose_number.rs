//! Numbers as people write them: thousands in groups, percent and currency signs, a comma for the point.

const SIGNS: [char; 8] = ['$', '€', '£', '¥', '₹', '%', '‰', '¢'];

/// What may part thousands besides commas and points.
const GAPS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '’'];

/// Whether `text` is a number to people but not to programs: `1,234.5`, `€ 12`, `7 %`, `0,5`.
pub(crate) fn is_loose_number(text: &str) -> bool {
    let text = text.trim();
    fast_float2::parse::<f64, _>(text).is_err() && is_number(text.trim_matches(is_decoration))
}

fn is_decoration(c: char) -> bool {
    SIGNS.contains(&c) || GAPS.contains(&c) || c == '+' || c == '-' || c == '−'
}

/// Digits in which points, commas and gaps stand where they can.
fn is_number(text: &str) -> bool {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let (points, commas) = (text.matches('.').count(), text.matches(',').count());
    let (whole, fraction) = match (points, commas) {
        (0 | 1, 0) => text.split_once('.').unwrap_or((text, "")),
        (0, 1) => text.split_once(',').unwrap_or((text, "")),
        (1, _) if text.rfind('.') > text.rfind(',') => text.rsplit_once('.').unwrap_or((text, "")),
        (_, 1) if text.rfind(',') > text.rfind('.') => text.rsplit_once(',').unwrap_or((text, "")),
        _ => (text, ""),
    };
    is_digits(fraction) && is_grouped(whole)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits alone, or in groups of three of which only the first may be shorter.
fn is_grouped(text: &str) -> bool {
    let groups: Vec<&str> = text.split(|c: char| c == ',' || c == '.' || GAPS.contains(&c)).collect();
    let (first, others) = (groups[0], &groups[1..]);
    is_digits(first)
        && (others.is_empty() || (1..=3).contains(&first.len()))
        && others.iter().all(|group| group.len() == 3 && is_digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        for text in ["1,234", "1,234,567.89", "1.234.567,89", "0,5", "-0,5", "12 345", "1'000", "5%", "7.5 %"]
        {
            assert!(is_loose_number(text), "{text}");
        }
        for text in ["$5", "-$5.50", "€ 1.234,50", "12 345,6 €", "\u{2212}4", "£1,000"] {
            assert!(is_loose_number(text), "{text}");
        }
    }

    #[test]
    fn plain_numbers_and_other_text() {
        for text in ["1234", "1.5", "-3e4", "", "%", "$", "1,23,456", "192.168.1.1", "12.05.2020", "1,2,3"] {
            assert!(!is_loose_number(text), "{text}");
        }
        for text in ["12:30", "2020-01-02", "3a", "1-5", "555 123 4567", "NaN", "C3", "+"] {
            assert!(!is_loose_number(text), "{text}");
        }
    }
}

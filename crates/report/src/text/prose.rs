//! Words and tables in lines of 80 columns.

/// The most columns of a line of prose.
const WIDTH: usize = 80;

/// `name` in at most `most` letters: of a longer one the beginning and the end, which is where names differ.
///
/// ```
/// use gflowcausal_report::middle_ellipsis;
/// assert_eq!(middle_ellipsis("dose", 10), "dose");
/// assert_eq!(middle_ellipsis("systolic_pressure_visit_2", 15), "systoli…visit_2");
/// ```
#[must_use]
pub fn middle_ellipsis(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most || most < 3 {
        return name.to_owned();
    }
    let end = (most - 1) / 2;
    let start = most - 1 - end;
    letters[..start].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
}

/// `prose` in lines of at most `WIDTH` columns, broken between words; lines after the first begin with `indent`.
///
/// Colour codes count for nothing, and no-break spaces keep an edge together.
#[must_use]
pub fn wrapped(prose: &str, indent: &str) -> String {
    let words = prose.trim_start_matches(' ');
    let mut used = prose.len() - words.len();
    let mut lines = " ".repeat(used);
    for word in words.split(' ') {
        let needed = visible_width(word);
        let is_first = lines.trim_start_matches(' ').is_empty();
        if !is_first && used + 1 + needed > WIDTH {
            lines.push('\n');
            lines.push_str(indent);
            used = indent.len();
        } else if !is_first {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += needed;
    }
    lines.replace('\u{a0}', " ")
}

/// How many columns `word` takes without its colour codes.
fn visible_width(word: &str) -> usize {
    let mut is_code = false;
    word.chars()
        .filter(|&letter| {
            let hidden = is_code || letter == '\x1b';
            is_code = hidden && letter != 'm';
            !hidden
        })
        .count()
}

pub(super) fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// Rows of cells as aligned text, two spaces apart; columns listed in `right` are aligned to the right.
#[must_use]
pub fn aligned(header: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let header = header.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(&header).chain(rows).map(|row| aligned_row(row, &widths, right)).collect()
}

fn aligned_row(row: &[String], widths: &[usize], right: &[usize]) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, &wide))| {
        let gap = " ".repeat(wide - width(cell));
        if right.contains(&column) { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
    });
    let line = cells.collect::<Vec<_>>().join("  ");
    format!("  {}\n", line.trim_end())
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_never_inside_an_edge() {
        let edge = "a -> b".replace(' ', "\u{a0}");
        let text = wrapped(&format!("{} {edge} \x1b[1mbold\x1b[0m", "word ".repeat(15).trim_end()), "  ");
        assert!(text.lines().all(|line| visible_width(line) <= WIDTH), "{text}");
        assert_eq!(wrapped("  fix: it", "    "), "  fix: it");
        assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("  a -> b")), "{text}");
    }
}

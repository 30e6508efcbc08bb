//! The user's names for the variables, and what was meant by a name that no variable has.

use std::collections::HashMap;

/// Longer names are not compared letter by letter: the table of distances would grow with the square.
const LONGEST_COMPARED: usize = 200;

/// A name that no variable has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no variable is named '{name}'{}", did_you_mean(suggestion.as_deref()))]
pub struct UnknownName {
    /// What was written.
    pub name: String,
    /// The nearest name there is, if it is near enough for a typing error.
    pub suggestion: Option<String>,
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean '{name}'?"))
}

/// Variables by name.
#[derive(Debug)]
pub struct Names<'a> {
    list: Vec<&'a str>,
    index: HashMap<&'a str, usize>,
    longest: usize,
}

impl<'a> Names<'a> {
    /// The variables of these names, numbered from zero.
    #[must_use]
    pub fn new<S: AsRef<str>>(names: &'a [S]) -> Self {
        let list: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let index = list.iter().enumerate().rev().map(|(node, &name)| (name, node)).collect();
        let longest = list.iter().map(|name| name.len()).max().unwrap_or(0);
        Self { list, index, longest }
    }

    /// How many bytes the longest name has.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// How many variables there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The name of a variable.
    #[must_use]
    pub fn name(&self, node: usize) -> &'a str {
        self.list[node]
    }

    /// The variable of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        if name.len() > self.longest { None } else { self.index.get(name).copied() }
    }

    /// The variable of that name.
    ///
    /// # Errors
    /// When there is none; the error suggests the nearest name.
    pub fn get(&self, name: &str) -> Result<usize, UnknownName> {
        self.find(name).ok_or_else(|| self.unknown(name))
    }

    /// The refusal of `name`, which no variable has.
    #[must_use]
    pub fn unknown(&self, name: &str) -> UnknownName {
        UnknownName { name: name.to_owned(), suggestion: self.nearest(name) }
    }

    /// The name with the fewest slips from `wanted`, capitals apart; at most one slip in three letters.
    fn nearest(&self, wanted: &str) -> Option<String> {
        let wanted = lowercase(wanted);
        let tolerance = (wanted.len() + 1) / 3;
        self.list
            .iter()
            .map(|name| (slips(&wanted, &lowercase(name)), name))
            .filter(|&(distance, _)| distance <= tolerance)
            .min_by_key(|&(distance, _)| distance)
            .map(|(_, name)| (*name).to_owned())
    }
}

fn lowercase(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Letters to add, drop, change or swap with their neighbour to get from `a` to `b` (optimal string alignment).
fn slips(a: &[char], b: &[char]) -> usize {
    if a.len() > LONGEST_COMPARED || b.len() > LONGEST_COMPARED {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_suggested() {
        let names = ["Raf", "Mek", "PIP2", "PIP3", "income after tax"];
        let names = Names::new(&names);
        let text = |wanted: &str| names.get(wanted).unwrap_err().to_string();
        assert_eq!(text("mek"), "no variable is named 'mek'; did you mean 'Mek'?");
        assert_eq!(text("Mke"), "no variable is named 'Mke'; did you mean 'Mek'?");
        assert_eq!(text("PIP4"), "no variable is named 'PIP4'; did you mean 'PIP2'?");
        assert_eq!(
            text("income aftr tax"),
            "no variable is named 'income aftr tax'; did you mean 'income after tax'?"
        );
        assert_eq!(text("age"), "no variable is named 'age'");
        assert_eq!(text(&"m".repeat(100_000)).len(), 100_000 + "no variable is named ''".len());
    }
}

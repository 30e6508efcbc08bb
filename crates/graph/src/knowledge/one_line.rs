//! Knowledge in one line: tiers such as `age, sex | dose | outcome`, and lists of names with wildcards.

use super::spec::{WILDCARD, matches, unquoted};
use super::{Knowledge, KnowledgeError, Rule, SpecError};
use crate::names::Names;

impl Knowledge {
    /// States tiers written `age, sex | dose | outcome`: no edge leads from a later tier to an earlier one.
    ///
    /// Tiers are numbered from `first`; the number after the last is returned. A name may be quoted, `*` stands for any
    /// letters, and a lone `*` for the variables that no other part of the text fits.
    ///
    /// ```
    /// use gflowcausal_graph::{Edge, Knowledge};
    /// let names = ["age", "x1", "x2", "death"];
    /// let mut knowledge = Knowledge::default();
    /// assert_eq!(knowledge.tiers("age | * | death", 1, &names)?, 4);
    /// let constraints = knowledge.compile(&names)?;
    /// assert!(!constraints.allows(Edge::new(1, 0)) && !constraints.allows(Edge::new(3, 2)));
    /// assert!(constraints.allows(Edge::new(0, 3)) && constraints.allows(Edge::new(1, 2)));
    /// # Ok::<(), gflowcausal_graph::KnowledgeError>(())
    /// ```
    ///
    /// # Errors
    /// A name that no variable has.
    pub fn tiers<S: AsRef<str>>(
        &mut self,
        text: &str,
        first: usize,
        names: &[S],
    ) -> Result<usize, KnowledgeError> {
        let names = Names::new(names);
        let refused =
            |reason| KnowledgeError::Statement { statement: format!("tiers {}", text.trim()), reason };
        let mut placed: Vec<(Precision, usize, usize)> = Vec::new();
        let tiers = separated(text, '|');
        for (tier, part) in (first..).zip(&tiers) {
            for found in items(part, &names).map_err(refused)? {
                placed.extend(found.nodes.iter().map(|&node| (found.precision, node, tier)));
            }
        }
        // What names a variable most precisely says where it stands.
        let best = |node: usize| placed.iter().filter(|placed| placed.1 == node).map(|placed| placed.0).max();
        for &(precision, node, tier) in &placed {
            if best(node) == Some(precision) {
                self.tier(tier, [names.name(node)]);
            }
        }
        Ok(first + tiers.len())
    }

    /// States that nothing causes the variables of a list such as `age, sex`.
    ///
    /// # Errors
    /// A name that no variable has.
    pub fn exogenous<S: AsRef<str>>(&mut self, list: &str, names: &[S]) -> Result<&mut Self, KnowledgeError> {
        self.each("exogenous", list, names, |name| Rule::Exogenous(name.into()))
    }

    /// States that the variables of a list such as `death, relapse` cause nothing.
    ///
    /// # Errors
    /// A name that no variable has.
    pub fn outcome<S: AsRef<str>>(&mut self, list: &str, names: &[S]) -> Result<&mut Self, KnowledgeError> {
        self.each("outcome", list, names, |name| Rule::Outcome(name.into()))
    }

    fn each<S: AsRef<str>>(
        &mut self,
        what: &str,
        list: &str,
        names: &[S],
        rule: fn(&str) -> Rule,
    ) -> Result<&mut Self, KnowledgeError> {
        let names = Names::new(names);
        let refused =
            |reason| KnowledgeError::Statement { statement: format!("{what} {}", list.trim()), reason };
        for found in items(list, &names).map_err(refused)? {
            found.nodes.iter().for_each(|&node| _ = self.state(rule(names.name(node))));
        }
        Ok(self)
    }
}

/// How precisely a part of a list names a variable, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    /// `*`.
    Everything,
    /// Some letters and `*`.
    Pattern,
    /// Its name.
    Name,
}

/// The variables that one part of a list stands for.
struct Found {
    precision: Precision,
    nodes: Vec<usize>,
}

/// The variables of a list; a text that is itself a name may hold commas.
fn items(list: &str, names: &Names<'_>) -> Result<Vec<Found>, SpecError> {
    match names.find(list.trim()) {
        Some(node) => Ok(vec![Found { precision: Precision::Name, nodes: vec![node] }]),
        None => separated(list, ',').into_iter().map(|item| found(item, names)).collect(),
    }
}

fn found(item: &str, names: &Names<'_>) -> Result<Found, SpecError> {
    let name = unquoted(item).unwrap_or(item);
    if let Some(node) = names.find(item).or_else(|| names.find(name)) {
        return Ok(Found { precision: Precision::Name, nodes: vec![node] });
    }
    if !item.contains(WILDCARD) {
        return Err(names.unknown(name).into());
    }
    let precision = if item == "*" { Precision::Everything } else { Precision::Pattern };
    match matches(item, names) {
        nodes if nodes.is_empty() => Err(SpecError::NoMatch(item.to_owned())),
        nodes => Ok(Found { precision, nodes }),
    }
}

/// The parts of `text` between separators outside quotes, without blanks around them; empty ones are left out.
fn separated(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            // An apostrophe inside a word opens no quotation.
            None if matches!(letter, '"' | '\'') && text[start..at].trim().is_empty() => quote = Some(letter),
            None if letter == separator => {
                parts.push(&text[start..at]);
                start = at + letter.len_utf8();
            }
            None => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edge;

    const NAMES: [&str; 5] = ["age", "a,b", "lag_x", "lag_y", "y's"];

    fn tiers(text: &str) -> Result<Vec<String>, String> {
        let mut knowledge = Knowledge::default();
        knowledge.tiers(text, 1, &NAMES).map_err(|error| error.to_string())?;
        Ok(knowledge.statements().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn names_before_patterns_before_everything() {
        let expected = ["tier 1: lag_x", "tier 2: age", "tier 2: a,b", "tier 2: y's", "tier 3: lag_y"];
        assert_eq!(tiers("lag_* | * | lag_y").unwrap(), expected);
    }

    #[test]
    fn quotes_keep_separators() {
        assert_eq!(tiers("\"a,b\", age | y's").unwrap(), ["tier 1: a,b", "tier 1: age", "tier 2: y's"]);
        assert_eq!(tiers("a,b | age").unwrap(), ["tier 1: a,b", "tier 2: age"]);
        assert_eq!(
            tiers("age | agee").unwrap_err(),
            "tiers age | agee: no variable is named 'agee'; did you mean 'age'?"
        );
        assert_eq!(tiers("q*").unwrap_err(), "tiers q*: no variable fits 'q*'");
    }

    #[test]
    fn exogenous_variables_have_no_causes_and_outcomes_no_effects() {
        let mut knowledge = Knowledge::default();
        knowledge.exogenous("age", &NAMES).unwrap().outcome("lag_*", &NAMES).unwrap();
        let constraints = knowledge.compile(&NAMES).unwrap();
        assert!((1..5).all(|from| !constraints.allows(Edge::new(from, 0))));
        assert!((0..5).all(|to| to == 2 || !constraints.allows(Edge::new(2, to))));
        assert!(constraints.allows(Edge::new(0, 2)) && constraints.allows(Edge::new(1, 4)));
        knowledge.require("a,b->age");
        let conflict = knowledge.compile(&NAMES).unwrap_err().to_string();
        assert_eq!(conflict, "these constraints cannot all hold: exogenous age; require a,b->age");
    }
}

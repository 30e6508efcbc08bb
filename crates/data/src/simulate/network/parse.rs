//! Reads the text in which networks come with the program.

use super::cpds::{BayesNetwork, Cpds, LinearGaussianCpd, TabularCpd};

/// What is said of one variable.
struct Block<'a> {
    name: &'a str,
    /// Levels, or intercept and variance.
    own: Vec<&'a str>,
    /// Parents, with their slopes where there are any.
    parents: Vec<&'a str>,
    /// The probabilities of the levels; none for a number.
    rows: Vec<Vec<f64>>,
}

/// The network that `text` describes, if it does.
pub(super) fn network(text: &str) -> Option<BayesNetwork> {
    let blocks = blocks(text)?;
    let names: Vec<String> = blocks.iter().map(|block| block.name.to_owned()).collect();
    let position = |name: &str| names.iter().position(|known| known == name);
    let cpds = if blocks.iter().all(|block| block.rows.is_empty()) {
        Cpds::Gaussian(blocks.iter().map(|block| block.gaussian(position)).collect::<Option<_>>()?)
    } else {
        Cpds::Discrete(blocks.iter().map(|block| block.discrete(position)).collect::<Option<_>>()?)
    };
    BayesNetwork::new(names, cpds)
}

fn blocks(text: &str) -> Option<Vec<Block<'_>>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in text.lines() {
        if let Some((name, rest)) = line.split_once(": ") {
            let (own, parents) = rest.split_once(" | ").unwrap_or((rest, ""));
            let [own, parents] = [own, parents].map(|part| part.split_whitespace().collect());
            blocks.push(Block { name, own, parents, rows: Vec::new() });
        } else {
            let numbers = line.split(' ').map(|word| word.parse().ok()).collect::<Option<_>>()?;
            blocks.last_mut()?.rows.push(numbers);
        }
    }
    Some(blocks)
}

impl Block<'_> {
    fn discrete(&self, position: impl Fn(&str) -> Option<usize>) -> Option<TabularCpd> {
        let levels = self.own.iter().map(|&level| level.to_owned()).collect();
        let parents = self.parents.iter().map(|parent| position(parent)).collect::<Option<_>>()?;
        Some(TabularCpd { levels, parents, rows: self.rows.clone() })
    }

    fn gaussian(&self, position: impl Fn(&str) -> Option<usize>) -> Option<LinearGaussianCpd> {
        let &[intercept, variance] = self.own.as_slice() else { return None };
        let slope = |word: &&str| {
            let (parent, slope) = word.split_once('*')?;
            Some((position(parent)?, slope.parse().ok()?))
        };
        let slopes = self.parents.iter().map(slope).collect::<Option<_>>()?;
        Some(LinearGaussianCpd {
            intercept: intercept.parse().ok()?,
            slopes,
            variance: variance.parse().ok()?,
        })
    }
}

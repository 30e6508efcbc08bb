//! What two runs agree and differ on, pair by pair: as data, as text and as one HTML page.

use gflowcausal::graph::pluralize;
use gflowcausal::{Error, RunResult};
use minijinja::value::Value;
use minijinja::{Environment, context};
use serde::Serialize;

use crate::html::command::command;
use crate::indexed::IndexedRun;
use crate::plot::{FIGURE_STYLE, comparison_graph};
use crate::text::{aligned, middle_ellipsis, wrapped};

/// A probability from which on something is sure.
const SURE: f64 = 0.9;

/// An edge that is less likely than this is not listed.
const LEAST: f64 = 0.1;

/// How many differences a text lists.
const LISTED: usize = 20;

/// The most letters of a name in a table.
const NAME: usize = 14;

const TEMPLATE: &str = include_str!("html/page/compare.html");
const STYLE: &str = include_str!("html/page/report.css");

/// What two runs say of the variables that both have.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The runs.
    pub runs: [ComparedRun; 2],
    /// Variables that both have.
    pub variables: Vec<String>,
    /// Variables that only the first has, and only the second.
    pub others: [Vec<String>; 2],
    /// Pairs that are connected in both, and of which both say the same.
    pub agree: Vec<ComparedPair>,
    /// Pairs of which they say different things, the most different first.
    pub differ: Vec<ComparedPair>,
    /// The mean difference of edge probabilities over all ordered pairs.
    pub mean_difference: f64,
    /// The largest.
    pub largest_difference: f64,
}

/// A run, in a few words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are those of a result")]
pub struct ComparedRun {
    pub data: String,
    pub sha256: String,
    pub rows: usize,
    pub method: String,
    pub score: String,
    pub seed: u64,
    /// The command that repeats the run, where its configuration is known.
    pub command: Option<String>,
}

/// What both runs say of a pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedPair {
    /// One end.
    pub from: String,
    /// The other.
    pub to: String,
    /// What each run says.
    pub says: [PairVerdict; 2],
    /// Half the sum of the differences of the three probabilities.
    pub difference: f64,
}

/// What a run says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairVerdict {
    /// The probability of `from → to`.
    pub forward: f64,
    /// Of `to → from`.
    pub backward: f64,
    /// Of neither.
    pub absent: f64,
    /// `->`, `<-`, `--` (connected, direction open), `?` (unsure) or `none`.
    pub verdict: &'static str,
}

impl PairVerdict {
    fn new(forward: f64, backward: f64) -> Self {
        let absent = (1.0 - forward - backward).max(0.0);
        let verdict = match forward + backward {
            _ if forward >= SURE => "->",
            _ if backward >= SURE => "<-",
            either if either >= SURE => "--",
            either if either >= LEAST => "?",
            _ => "none",
        };
        Self { forward, backward, absent, verdict }
    }

    fn distance(&self, other: &Self) -> f64 {
        let parts =
            [self.forward - other.forward, self.backward - other.backward, self.absent - other.absent];
        0.5 * parts.iter().map(|part| part.abs()).sum::<f64>()
    }
}

impl Comparison {
    /// Compares two runs over the variables that both have.
    ///
    /// # Errors
    /// When a result contradicts itself, or the runs have fewer than two variables in common.
    pub fn new(first: &RunResult, second: &RunResult) -> Result<Self, Error> {
        let indexed = [IndexedRun::new(first)?, IndexedRun::new(second)?];
        let place = |run: &IndexedRun<'_>, name: &String| run.names().iter().position(|other| other == name);
        let shared: Vec<(String, [usize; 2])> = first
            .data
            .variables
            .iter()
            .filter_map(|name| Some((name.clone(), [place(&indexed[0], name)?, place(&indexed[1], name)?])))
            .collect();
        if shared.len() < 2 {
            return Err(Error::Table("the runs have fewer than two variables in common".into()));
        }
        let only = |one: &RunResult, other: &RunResult| -> Vec<String> {
            one.data.variables.iter().filter(|name| !other.data.variables.contains(name)).cloned().collect()
        };
        let (agree, differ, differences) = pairs(&indexed, &shared);
        Ok(Self {
            runs: [first, second].map(ComparedRun::new),
            variables: shared.into_iter().map(|(name, _)| name).collect(),
            others: [only(first, second), only(second, first)],
            agree,
            differ,
            mean_difference: differences.iter().sum::<f64>() / differences.len() as f64,
            largest_difference: differences.iter().copied().fold(0.0, f64::max),
        })
    }

    /// The comparison as text; all differences, or the first of them.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut text = String::new();
        for (number, run) in ["1", "2"].iter().zip(&self.runs) {
            let line = format!("run {number}: {}", run.text());
            text.push_str(&format!("{}\n", wrapped(&line, "  ")));
            if let Some(command) = &run.command {
                text.push_str(&format!("{}\n", wrapped(&format!("  {command}"), "    ")));
            }
        }
        for (number, names) in ["1", "2"].iter().zip(&self.others) {
            if !names.is_empty() {
                text.push_str(&format!(
                    "{}\n",
                    wrapped(&format!("only in run {number}: {}", names.join(", ")), "  ")
                ));
            }
        }
        let pairs = pluralize(self.agree.len(), "pair");
        let both: Vec<String> = self.agree.iter().map(|pair| pair.arrow().replace(' ', "\u{a0}")).collect();
        let shown = if all { both.len() } else { both.len().min(LISTED) };
        let more =
            if shown < both.len() { format!(", and {} more", both.len() - shown) } else { String::new() };
        let agree = format!("agree on {pairs}: {}{more}", both[..shown].join(", "));
        text.push_str(&format!("\n{}\n\n", wrapped(agree.trim_end_matches(": "), "  ")));
        self.differences(&mut text, all);
        let numbers = format!(
            "edge probabilities differ by {:.3} on average and {:.3} at most",
            self.mean_difference, self.largest_difference
        );
        text.push_str(&format!("{}\n", wrapped(&numbers, "  ")));
        text
    }

    fn differences(&self, text: &mut String, all: bool) {
        text.push_str(&format!("differ on {}\n", pluralize(self.differ.len(), "pair")));
        let shown = if all { self.differ.len() } else { self.differ.len().min(LISTED) };
        let chance = |share: f64| format!("{share:.2}");
        let row = |pair: &ComparedPair| {
            let [one, two] = &pair.says;
            let name = |name: &str| if all { name.to_owned() } else { middle_ellipsis(name, NAME) };
            let mut cells = vec![format!("{}, {}", name(&pair.from), name(&pair.to))];
            for said in [one, two] {
                cells.push(said.verdict.to_owned());
                cells.extend([said.forward, said.backward, said.absent].map(chance));
            }
            cells
        };
        if shown > 0 {
            let rows: Vec<_> = self.differ[..shown].iter().map(row).collect();
            let header = ["pair", "run 1", "->", "<-", "none", "run 2", "->", "<-", "none"];
            text.push_str(&aligned(&header, &rows, &[2, 3, 4, 6, 7, 8]));
        }
        if shown < self.differ.len() {
            text.push_str(&format!("  and {} more: --all shows them\n", self.differ.len() - shown));
        }
        text.push('\n');
    }

    /// The comparison as one HTML page without any reference to the outside: both graphs, and every difference.
    ///
    /// # Errors
    /// When a result contradicts itself.
    pub fn page(&self, first: &RunResult, second: &RunResult) -> Result<String, Error> {
        let failed = |error: minijinja::Error| Error::Picture { reason: error.to_string() };
        let graph = |run| Ok::<_, Error>(Value::from_safe_string(comparison_graph(&IndexedRun::new(run)?)));
        let mut templates = Environment::new();
        templates.add_template("compare.html", TEMPLATE).map_err(failed)?;
        let page = context! {
            comparison => self,
            titles => [self.runs[0].text(), self.runs[1].text()],
            graphs => [graph(first)?, graph(second)?],
            version => env!("CARGO_PKG_VERSION"),
            figure_style => Value::from_safe_string(FIGURE_STYLE.to_owned()),
            style => Value::from_safe_string(STYLE.to_owned()),
        };
        templates.get_template("compare.html").and_then(|template| template.render(page)).map_err(failed)
    }
}

/// Pairs that both runs see alike, pairs that they do not, and the difference of each edge probability.
fn pairs(
    runs: &[IndexedRun<'_>; 2],
    shared: &[(String, [usize; 2])],
) -> (Vec<ComparedPair>, Vec<ComparedPair>, Vec<f64>) {
    let (mut agree, mut differ, mut differences) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (from, a)) in shared.iter().enumerate() {
        for (to, b) in &shared[at + 1..] {
            let verdict =
                |k: usize| PairVerdict::new(runs[k].probability(a[k], b[k]), runs[k].probability(b[k], a[k]));
            let says = [verdict(0), verdict(1)];
            differences.extend([
                (says[0].forward - says[1].forward).abs(),
                (says[0].backward - says[1].backward).abs(),
            ]);
            let difference = says[0].distance(&says[1]);
            let pair = ComparedPair { from: from.clone(), to: to.clone(), says, difference };
            match (says[0].verdict, says[1].verdict) {
                ("none", "none") => {}
                (one, other) if one == other => agree.push(pair),
                _ => differ.push(pair),
            }
        }
    }
    differ.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    (agree, differ, differences)
}

impl ComparedPair {
    fn arrow(&self) -> String {
        match self.says[0].verdict {
            "<-" => format!("{} -> {}", self.to, self.from),
            joint => format!("{} {joint} {}", self.from, self.to),
        }
    }
}

impl ComparedRun {
    fn new(result: &RunResult) -> Self {
        Self {
            data: result.data.name.clone(),
            sha256: result.data.sha256.clone(),
            rows: result.data.rows,
            method: result.method.clone(),
            score: result.score.name.clone(),
            seed: result.seed,
            command: result.run.as_ref().map(|run| command(run).join(" ")),
        }
    }

    fn text(&self) -> String {
        let Self { data, rows, method, score, seed, .. } = self;
        format!("{data}, {}, method {method}, score {score}, seed {seed}", pluralize(*rows, "row"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_probabilities() {
        let verdict = |forward, backward| PairVerdict::new(forward, backward).verdict;
        assert_eq!([verdict(0.95, 0.0), verdict(0.0, 0.9), verdict(0.5, 0.45)], ["->", "<-", "--"]);
        assert_eq!([verdict(0.2, 0.3), verdict(0.04, 0.05)], ["?", "none"]);
        let distance = PairVerdict::new(1.0, 0.0).distance(&PairVerdict::new(0.25, 0.25));
        assert!((distance - 0.75).abs() < 1e-12);
    }
}

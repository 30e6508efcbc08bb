//! Findings about single columns.

use std::collections::BTreeSet;

use gflowcausal_graph::{Advice, pluralize};

use super::tails::{FAR, skewness, tails};
use super::{Finding, about};
use crate::loose_number::is_loose_number;
use crate::missing::fill_gaps;
use crate::{Column, MISSING_CODE, Table, Values};

/// Skewness above which a logarithm is suggested.
const SKEWED: f64 = 2.0;

/// More levels than this make tables that no data fill.
const MANY_LEVELS: usize = 50;

/// Readers take whole numbers of at most this many kinds for categories: more kinds of numbers came as text.
const MOST_CATEGORY_LEVELS: usize = 10;

/// A level seen in fewer rows says little.
const FEW_ROWS: usize = 5;

/// At most so many rows are named in a finding.
const SHOWN_ROWS: usize = 5;

/// What is notable about one column.
#[derive(Debug, Default)]
struct ColumnProfile {
    missing: usize,
    empty: bool,
    infinite: bool,
    constant: bool,
    id: bool,
    skewed: bool,
    outliers: bool,
    isolated_rows: Vec<usize>,
    heavy: bool,
    codes: bool,
    many_levels: bool,
    rare_level: bool,
    numbers_as_text: bool,
}

pub(super) fn findings(table: &Table) -> Vec<Finding> {
    let columns = Profiled::of(table);
    let found = one_column(table).into_iter().chain(columns.without_variation());
    found
        .chain(columns.without_measurements(table))
        .chain(columns.incomplete())
        .chain(columns.unusual())
        .collect()
}

/// The columns of a table, each with what is notable about it.
struct Profiled<'a>(Vec<(&'a str, ColumnProfile)>);

impl<'a> Profiled<'a> {
    fn of(table: &'a Table) -> Self {
        let columns = table.columns();
        let profiles =
            gflowcausal_determinism::map(columns.len(), |index| ColumnProfile::of(&columns[index]));
        Self(table.names().zip(profiles).collect())
    }

    /// The names of the columns that pass a test.
    fn such(&self, test: impl Fn(&ColumnProfile) -> bool) -> Vec<String> {
        let such = self.0.iter().filter(|(_, profile)| test(profile));
        such.map(|&(name, _)| name.to_owned()).collect()
    }

    /// Columns from whose values nothing can be computed.
    fn without_variation(&self) -> impl Iterator<Item = Finding> {
        let (empty, constant) = (self.such(|profile| profile.empty), self.such(|profile| profile.constant));
        let without_empty = left_out(&empty);
        let without_constant = left_out(&constant).then("; what does not vary neither causes nor is caused");
        let found = [
            about(
                self.such(|profile| profile.infinite),
                "infinite-value",
                |who| format!("infinite values in {who}"),
                "correct the values, or leave the cells empty",
            ),
            about(empty, "empty-column", |who| format!("no value at all in {who}"), without_empty),
            about(
                constant,
                "constant-column",
                |who| format!("the same value in every row of {who}"),
                without_constant,
            ),
        ];
        found.into_iter().flatten()
    }

    /// Columns that name or number rows, or hold numbers in the form of text.
    fn without_measurements(&self, table: &Table) -> impl Iterator<Item = Finding> {
        let index = unnamed_index(table);
        let mut ids = self.such(|profile| profile.id && !profile.constant);
        ids.retain(|name| !index.contains(name));
        let (without_index, without_ids) = (left_out(&index), left_out(&ids));
        let found = [
            about(
                index,
                "index-column",
                |who| {
                    format!(
                        "{who} has no name in the file and a different whole number in each row: an index"
                    )
                },
                without_index,
            ),
            about(
                ids,
                "id-like-column",
                |who| format!("a number or name for each row, not a measurement, in {who}"),
                without_ids,
            ),
            about(
                self.such(|profile| profile.numbers_as_text),
                "numbers-as-text",
                |who| format!("numbers that are written for people and so count as categories in {who}"),
                "write them plainly, such as 1234.5: no thousands marks, no comma for the point, no % or currency signs",
            ),
        ];
        found.into_iter().flatten()
    }

    /// Columns with missing values, and categories with too few rows.
    fn incomplete(&self) -> impl Iterator<Item = Finding> {
        let cells =
            self.0.iter().filter(|(_, profile)| !profile.empty).map(|(_, profile)| profile.missing).sum();
        let found = [
            about(
                self.such(|profile| profile.missing > 0 && !profile.empty),
                "missing-values",
                |who| format!("{} missing in {who}", pluralize(cells, "value")),
                fill_gaps(),
            ),
            about(
                self.such(|profile| profile.many_levels),
                "high-cardinality",
                |who| format!("more than {MANY_LEVELS} categories, or one for every few rows, in {who}"),
                Advice::new("merge categories, or use ")
                    .set("types", "NAME=continuous")
                    .then(" if they are numbers"),
            ),
            about(
                self.such(|profile| profile.rare_level),
                "rare-level",
                |who| format!("categories with fewer than {FEW_ROWS} rows in {who}"),
                "merge rare categories",
            ),
        ];
        found.into_iter().flatten()
    }

    /// Numbers whose distribution a linear Gaussian score does not fit.
    fn unusual(&self) -> impl Iterator<Item = Finding> {
        let found = [
            about(
                self.such(|profile| profile.skewed),
                "skewed-column",
                |who| format!("positive and strongly skewed values in {who}"),
                Advice::new("take logarithms with ")
                    .set("transform", "NAME=log")
                    .then(": linear scores then see more"),
            ),
            about(
                self.such(|profile| !profile.isolated_rows.is_empty()),
                "isolated-values",
                |who| format!("values far from all others in {who}{}", self.isolated_rows()),
                "correct them or leave the rows out: one such value decides means, variances and slopes alone",
            ),
            about(
                self.such(|profile| {
                    profile.outliers && !profile.skewed && !profile.heavy && profile.isolated_rows.is_empty()
                }),
                "outliers",
                |who| format!("values more than {FAR} robust deviations from the median in {who}"),
                "check them: a single one can carry an edge",
            ),
            about(
                self.such(|profile| profile.heavy && !profile.skewed && !profile.codes),
                "heavy-tails",
                |who| format!("tails far heavier than those of a normal distribution in {who}"),
                Advice::new("nothing with ")
                    .set("score", "auto")
                    .then(", which weighs them, or use ")
                    .set("transform", "NAME=rank"),
            ),
            about(
                self.such(|profile| profile.codes && !profile.constant),
                "category-codes",
                |who| format!("a few different numbers, likely the codes of categories, in {who}"),
                Advice::new("if so, use ").set("types", "NAME=categorical"),
            ),
        ];
        found.into_iter().flatten()
    }

    /// The rows of isolated values, counted from 1, in words that follow columns.
    fn isolated_rows(&self) -> String {
        let rows: BTreeSet<usize> =
            self.0.iter().flat_map(|(_, profile)| &profile.isolated_rows).map(|row| row + 1).collect();
        let shown: Vec<String> = rows.iter().take(SHOWN_ROWS).map(usize::to_string).collect();
        let more = if rows.len() > SHOWN_ROWS { ", …" } else { "" };
        format!(", {} {}{more}", if rows.len() == 1 { "row" } else { "rows" }, shown.join(", "))
    }
}

/// The advice to leave columns out, with the option that does.
fn left_out(columns: &[String]) -> Advice {
    match columns {
        [] => Advice::new("leave it out"),
        [only] => Advice::new("leave it out with ").set("exclude", only.as_str()),
        [first, ..] => {
            Advice::new("leave them out: ").set("exclude", first.as_str()).then(", and so for the others")
        }
    }
}

/// The first column, if the header has no name for it alone and each row has another whole number there: what pandas
/// and R write beside the data. Readers call it `X1`, pandas `Unnamed: 0`.
fn unnamed_index(table: &Table) -> Vec<String> {
    let [first, others @ ..] = table.columns() else { return Vec::new() };
    let is_unnamed = match first.name.as_str() {
        "X1" => !others.is_empty() && others.iter().zip(2..).all(|(other, k)| other.name != format!("X{k}")),
        name => name == "Unnamed: 0",
    };
    let values = first.as_continuous().filter(|_| is_unnamed).unwrap_or_default();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let are_different = sorted.len() > 2 && sorted.windows(2).all(|pair| pair[0] < pair[1]);
    if are_different && sorted.iter().all(|value| value.fract() == 0.0) {
        vec![first.name.clone()]
    } else {
        vec![]
    }
}

fn one_column(table: &Table) -> Option<Finding> {
    let [only] = table.columns() else { return None };
    about(
        vec![only.name.clone()],
        "one-column",
        |who| format!("there is nothing beside {who}"),
        Advice::new("give at least two columns, or name the right separator with ").option("delimiter"),
    )
}

impl ColumnProfile {
    fn of(column: &Column) -> Self {
        match &column.values {
            Values::Continuous(values) => Self::of_numbers(column, values),
            Values::Categorical { codes, levels } => Self::of_categories(codes, levels),
        }
    }

    fn of_numbers(column: &Column, values: &[f64]) -> Self {
        let mut finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let missing = values.iter().filter(|value| value.is_nan()).count();
        let empty = !values.is_empty() && missing == values.len();
        let infinite = finite.len() + missing < values.len();
        let constant = !empty && finite.windows(2).all(|pair| pair[0] == pair[1]);
        let id = values.len() > 2 && values.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
        let isolated_rows = column.isolated_rows();
        let is_positive = finite.iter().all(|&value| value > 0.0);
        let skewed = !constant && isolated_rows.is_empty() && is_positive && skewness(&finite) > SKEWED;
        let codes = !finite.is_empty() && column.has_few_values();
        let [outliers, heavy] = tails(&mut finite);
        Self {
            missing,
            empty,
            infinite,
            constant,
            id,
            skewed,
            outliers,
            isolated_rows,
            heavy,
            codes,
            ..Self::default()
        }
    }

    fn of_categories(codes: &[u32], levels: &[String]) -> Self {
        let mut counts = vec![0; levels.len()];
        for &code in codes.iter().filter(|&&code| code != MISSING_CODE) {
            counts[code as usize] += 1;
        }
        let seen = counts.iter().filter(|&&count| count > 0).count();
        let present: usize = counts.iter().sum();
        let numbers_as_text = are_loose_numbers(levels, &counts);
        let id = present > 2 && seen == present && !numbers_as_text;
        let few = |count: &usize| (1..FEW_ROWS).contains(count);
        let categories = !id && !numbers_as_text;
        Self {
            missing: codes.len() - present,
            empty: !codes.is_empty() && present == 0,
            constant: seen == 1,
            id,
            many_levels: categories && (seen > MANY_LEVELS || (seen > 2 && seen * FEW_ROWS > present)),
            rare_level: categories && counts.iter().any(few),
            numbers_as_text,
            ..Self::default()
        }
    }
}

/// Whether most rows hold numbers, and some of those are written for people.
fn are_loose_numbers(levels: &[String], counts: &[usize]) -> bool {
    let (mut plain, mut loose, mut other) = (0, 0, 0);
    for (level, count) in levels.iter().zip(counts) {
        let kind = match fast_float2::parse::<f64, _>(level) {
            Ok(_) => &mut plain,
            Err(_) if is_loose_number(level) => &mut loose,
            Err(_) => &mut other,
        };
        *kind += count;
    }
    let many = levels.len() > MOST_CATEGORY_LEVELS && other == 0;
    (loose > 0 && plain + loose > other) || many
}

//! `bench paper`: the whole paper in one report, each part with its number, ours, the limit and a verdict in words.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::BenchError;
use crate::cells::markdown_table;
use crate::page::{Page, put};
use crate::study::Findings;
use crate::suite::Suite;
use crate::table::{Row, Spread, Table};

/// What the group of suites is called.
pub(crate) const NAME: &str = "paper";

/// Ratios between these count as the same.
const SAME: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// Numbers of errors that differ by no more are the same: the paper prints one digit.
const SLIGHT: f64 = 0.05;

/// All parts, as they are printed.
static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let parts: Parts = toml::from_str(include_str!("../paper.toml")).expect("a test reads the parts");
    parts.part
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    part: Vec<Part>,
}

/// A table or figure of the paper.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// As printed.
    number: String,
    about: String,
    /// What answers it.
    suite: String,
    /// The rows of paper mode.
    #[serde(default)]
    published: Vec<String>,
    /// The row of the program's own method.
    ours: Option<String>,
    /// Other rows to show.
    #[serde(default)]
    beside: Vec<String>,
    claim: Option<Claim>,
}

/// A claim of the paper that a study can hold against its figures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// The row that is to have less.
    less: String,
    /// The row that is to have more.
    than: String,
    column: String,
    /// The column of the second row, where it is another.
    other: Option<String>,
    /// What share of the second the first is to have at most, where the claim says so.
    factor: Option<f64>,
    text: String,
}

/// The columns of the summary.
const COLUMNS: [&str; 7] = ["part", "data", "the paper", "paper mode", "ours", "limit", "verdict"];

/// The suites of the paper, each with the rows that the report shows.
pub(crate) fn suites() -> Result<Vec<Suite>, BenchError> {
    let names: Vec<String> = PARTS.iter().map(|part| part.suite.clone()).collect();
    let mut suites = Suite::named(&names)?;
    for suite in &mut suites {
        let parts: Vec<&Part> = PARTS.iter().filter(|part| part.suite == suite.name).collect();
        let is_shown = |name: &String| {
            parts.iter().any(|part| {
                part.published.contains(name)
                    || part.beside.contains(name)
                    || part.ours.as_ref() == Some(name)
            })
        };
        suite.method.retain(|method| is_shown(&method.name));
    }
    Ok(suites)
}

/// Writes `paper.md` and `paper.html` of the `pages` in `out`, and returns the summary.
pub(crate) fn write(out: &Path, pages: &[Page]) -> Result<String, BenchError> {
    let summary: Vec<Vec<String>> = PARTS.iter().flat_map(|part| part.lines(pages)).collect();
    let about = pages.first().map_or_else(String::new, Page::origin);
    let table = markdown_table(&COLUMNS, &summary);
    let details: String = pages.iter().map(Page::markdown).collect();
    let markdown =
        format!("# The paper, part by part\n\n{about}\n\n{table}\n{LEGEND}\n\n## Details\n\n{details}");
    put(out, "paper.md", markdown.as_bytes())?;
    put(out, "paper.html", html(out, &about, &summary, pages).as_bytes())?;
    Ok(format!("{table}\n"))
}

const LEGEND: &str = "TPR / SHD, or AUROC / E-SHD where the paper has those; means over the graphs, on the scale of the columns that \
the paper's row has. Paper mode: `discover --paper`, with the departures that the row's name and the suite's options tell. Limit: the true order after pruning. \
A ! marks figures that no graph can have.";

impl Part {
    /// The lines of the summary: one for each kind of data, or one for a study.
    fn lines(&self, pages: &[Page]) -> Vec<Vec<String>> {
        let of_suite = || pages.iter().filter(|page| page.suite() == self.suite);
        let mut lines = Vec::new();
        // A part that a study alone answers has nothing to say of the suite's runs.
        let shows_runs = self.ours.is_some() || !self.published.is_empty();
        for table in of_suite().filter(|_| shows_runs).filter_map(Page::runs) {
            lines.extend(self.data_lines(table));
        }
        for findings in of_suite().filter_map(Page::study) {
            if lines.is_empty() || self.claim.is_some() {
                lines.push(self.study_line(findings));
            }
        }
        lines
    }

    fn data_lines(&self, table: &Table) -> Vec<Vec<String>> {
        let mut names: Vec<&str> = table.rows.iter().map(|row| row.data.as_str()).collect();
        names.dedup();
        names.into_iter().map(|data| self.data_line(table, data)).collect()
    }

    fn data_line(&self, table: &Table, data: &str) -> Vec<String> {
        let rows = || table.rows.iter().filter(|row| row.data == data);
        let paper = rows().find(|row| row.method == "the paper");
        // On the scale that the paper has, where there is such a row.
        let find = |name: &str| {
            let scale = paper.map_or("raw", |row| row.scale.as_str());
            let named = || rows().filter(|row| row.method == name);
            named().find(|row| row.scale == scale).or_else(|| named().next())
        };
        let published: Vec<&Row> = self.published.iter().filter_map(|name| find(name)).collect();
        let ours = self.ours.as_deref().and_then(find);
        let limit = rows().find(|row| row.method.starts_with("limit"));
        let is_of_draws = paper.is_some_and(|row| row.auroc.is_some());
        let figures = |row: Option<&Row>| row.map_or_else(String::new, |row| pair(row, is_of_draws));
        let published_text: Vec<String> = published.iter().map(|row| pair(row, is_of_draws)).collect();
        vec![
            self.number.clone(),
            data.to_owned(),
            figures(paper),
            published_text.join("; "),
            figures(ours),
            figures(limit),
            verdict(paper, &published, (ours, limit)),
        ]
    }

    fn study_line(&self, findings: &Findings) -> Vec<String> {
        let verdict = self.claim.as_ref().map_or_else(|| self.about.clone(), |claim| claim.verdict(findings));
        let mut line = vec![String::new(); COLUMNS.len()];
        line[0].clone_from(&self.number);
        line[1] = format!("study {}", self.suite);
        line[COLUMNS.len() - 1] = verdict;
        line
    }
}

impl Claim {
    fn verdict(&self, findings: &Findings) -> String {
        let than = self.other.as_ref().unwrap_or(&self.column);
        let numbers = findings.number(&self.less, &self.column).zip(findings.number(&self.than, than));
        let Some((less, more)) = numbers else {
            return format!("{}: not measured here", self.text);
        };
        let ratio = less / more;
        let holds = match self.factor.unwrap_or(1.0) {
            _ if SAME.contains(&ratio) => "makes no difference here",
            factor if ratio <= factor => "holds here",
            _ if ratio < 1.0 => "holds in direction, not in size",
            _ => "does not hold here",
        };
        format!("\"{}\" {holds}: {less:.3} ({}) against {more:.3} ({})", self.text, self.column, than)
    }
}

/// What can be said of the paper's figure and ours. Of paper mode the first row that has a figure to compare.
fn verdict(paper: Option<&Row>, published: &[&Row], (ours, limit): (Option<&Row>, Option<&Row>)) -> String {
    let Some(paper) = paper else { return "the paper has no figure of these data".to_owned() };
    let mut parts = Vec::new();
    if paper.is_impossible {
        parts.push("the paper's pair is impossible".to_owned());
    }
    let has_figures = |row: &&&Row| compared(row, paper).is_some();
    let published = published.iter().find(has_figures).or(published.first()).copied();
    for (who, row) in [("paper mode", published), ("ours", ours)] {
        let Some(row) = row else { continue };
        let bound = limit.filter(|_| paper.shd.is_some()).and_then(|limit| compared(row, limit));
        let is_at_limit = bound.is_some_and(|(own, bound)| own <= bound + SLIGHT);
        let at_limit = if is_at_limit { ", at the limit" } else { "" };
        parts.push(format!("{who} {}{at_limit}", against(row, paper)));
    }
    parts.join("; ")
}

/// The errors of both: by SHD, or E-SHD where the other has that.
fn compared(row: &Row, other: &Row) -> Option<(f64, f64)> {
    let figures = row.shd.zip(other.shd).or(row.expected_shd.zip(other.expected_shd));
    figures.map(|(own, others)| (own.mean, others.mean))
}

/// How `row` stands to the paper's.
fn against(row: &Row, paper: &Row) -> &'static str {
    match compared(row, paper) {
        None => "gave no result",
        Some((own, papers)) if own < papers - SLIGHT => "has fewer errors than the paper",
        Some((own, papers)) if own <= papers + SLIGHT => "equals the paper",
        Some(_) => "falls short of the paper",
    }
}

/// The two figures of a row that the paper prints.
fn pair(row: &Row, is_of_draws: bool) -> String {
    let figures = if is_of_draws {
        [Spread::text(row.auroc, 3), Spread::text(row.expected_shd, 1)]
    } else {
        [Spread::text(row.tpr, 2), Spread::text(row.shd, 1)]
    };
    let known: Vec<&str> = figures.iter().map(|text| if text.is_empty() { "–" } else { text }).collect();
    let mark = if row.is_impossible { " !" } else { "" };
    format!("{}{mark}", known.join(" / "))
}

/// One page, with the figures in it.
fn html(out: &Path, about: &str, summary: &[Vec<String>], pages: &[Page]) -> String {
    let mut body = format!("<h1>The paper, part by part</h1><p>{}</p>", escaped(about));
    body += &html_table(&COLUMNS, summary);
    body += &format!("<p>{}</p>", escaped(LEGEND));
    for page in pages {
        let (title, header, rows, notes) = page.shown();
        body += &format!("<h2>{}</h2>{}", escaped(&title), html_table(&header, &rows));
        for note in notes {
            body += &format!("<p>{}</p>", escaped(&note));
        }
        for name in page.study().map_or(&[][..], |findings| &findings.figures) {
            // A figure that cannot be read is in its own file, or nowhere.
            body += &fs::read_to_string(out.join(format!("{name}.svg"))).unwrap_or_default();
        }
    }
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>The paper, part by part</title><style>{STYLE}</style><body>{body}</body></html>\n"
    )
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse;font-size:13px}\
td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left;vertical-align:top}th{background:#f3f3f3}svg{max-width:100%;height:auto;display:block;margin:1em 0}";

fn html_table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>, tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>")
    };
    let head = line(header.iter().map(|cell| (*cell).to_owned()).collect(), "th");
    let body: String = rows.iter().map(|row| line(row.clone(), "td")).collect();
    format!("<table>{head}{body}</table>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_part_is_in_its_suite() {
        let suites = suites().expect("suites that are known");
        for part in PARTS.iter() {
            let suite = suites.iter().find(|suite| suite.name == part.suite).expect("its suite");
            let named = part.published.iter().chain(&part.beside).chain(&part.ours);
            for name in named {
                assert!(suite.method.iter().any(|method| method.name == *name), "{}: {name}", part.number);
            }
            let is_compared = PARTS.iter().any(|other| other.suite == part.suite && other.ours.is_some());
            assert_eq!(suite.method.is_empty(), !is_compared, "{}", part.suite);
        }
    }

    #[test]
    fn a_claim_is_held_against_the_figures() {
        use crate::study::Outcome;
        let findings = Outcome::of_numbers(&["run", "ms"], &[("a", 1.0), ("b", 9.0)]).findings;
        let claim = |less: &str, than: &str| Claim {
            less: less.to_owned(),
            than: than.to_owned(),
            column: "ms".to_owned(),
            other: None,
            factor: None,
            text: "less".to_owned(),
        };
        assert!(claim("a", "b").verdict(&findings).contains("holds here: 1.000"));
        assert!(claim("b", "a").verdict(&findings).contains("does not hold here"));
        let tenth = |less: &str| Claim { factor: Some(0.1), ..claim(less, "b") };
        assert!(
            tenth("a").verdict(&findings).contains("holds in direction, not in size"),
            "a ninth is no tenth"
        );
        assert!(claim("a", "a").verdict(&findings).contains("no difference"));
        assert!(claim("a", "c").verdict(&findings).contains("not measured"));
    }

    /// A table as `bench` makes it: paper mode, ours and the paper's row.
    fn table() -> Table {
        let row = |method: &str, tpr: f64, shd: f64| Row {
            tpr: Some(Spread { mean: tpr, deviation: None }),
            shd: Some(Spread { mean: shd, deviation: None }),
            ..Row::new("ER2-30", "raw", method.to_owned(), &[])
        };
        let rows = vec![
            row("paper mode, Case 3", 0.9, 20.0),
            row("gflowcausal bic-equal", 1.0, 0.0),
            row("limit: true order, selected", 1.0, 0.0),
            Row { is_impossible: true, ..row("the paper", 0.93, 1.8) },
        ];
        let (suite, title) = ("table1".to_owned(), "a < b".to_owned());
        Table { suite, title, rows, notes: vec![], has_no_graph: false }
    }

    #[test]
    fn a_report_has_a_line_for_each_part_that_was_measured() {
        use crate::page::Content;
        use crate::study::Outcome;
        let home = tempfile::TempDir::new().expect("a directory");
        let rows = [("Case 1 (complete)", 8.0), ("Case 2 (edges)", 8.1), ("Case 3 (chain)", 1.0)];
        let mut findings = Outcome::of_numbers(&["draws", "CPU ms a graph"], &rows).findings;
        findings.suite = "fig-case".to_owned();
        findings.figures = vec!["drawn".to_owned()];
        fs::write(home.path().join("drawn.svg"), "<svg>the figure</svg>").expect("it can be written");
        let pages = [Page::new(Content::Runs(table())), Page::new(Content::Study(findings))];
        let summary = write(home.path(), &pages).expect("a report");
        let line = "| Table 2 | ER2-30 | 0.93 / 1.8 ! | 0.90 / 20.0 | 1.00 / 0.0 | 1.00 / 0.0 | the paper's pair is impossible; \
                    paper mode falls short of the paper; ours has fewer errors than the paper, at the limit |";
        assert!(summary.contains(line), "{summary}");
        assert!(summary.contains("\"Case 3 is far below Case 1\" holds here: 1.000"), "{summary}");
        assert!(summary.contains("\"Case 2 is far below Case 1\" makes no difference here"), "{summary}");
        assert_eq!(summary.trim_end().lines().count(), 2 + 3, "parts without a page are left out");
        let html = fs::read_to_string(home.path().join("paper.html")).expect("a page");
        assert!(html.contains("<svg>the figure</svg>") && html.contains("table1: a &lt; b"), "{html}");
        let markdown = fs::read_to_string(home.path().join("paper.md")).expect("a report");
        assert!(markdown.contains("## Details\n\n### table1: a < b"), "{markdown}");
    }

    #[test]
    fn a_verdict_passes_over_a_row_without_figures_and_sees_the_limit() {
        let spread = |mean| Some(Spread { mean, deviation: None });
        let row = |shd: Option<f64>, expected: Option<f64>| Row {
            shd: shd.and_then(spread),
            expected_shd: expected.and_then(spread),
            ..Row::new("ER5-12", "raw", "a method".to_owned(), &[])
        };
        let (stopped, drawn) = (row(None, None), row(Some(12.0), Some(38.4)));
        let of_draws = Row { auroc: spread(0.884), ..row(None, Some(31.2)) };
        let said = verdict(Some(&of_draws), &[&stopped, &drawn], (None, None));
        assert_eq!(said, "paper mode falls short of the paper");
        let said = verdict(Some(&of_draws), &[&stopped], (None, None));
        assert_eq!(said, "paper mode gave no result");
        let (ours, limit) = (row(Some(1.0), None), row(Some(1.0), None));
        let said = verdict(Some(&row(Some(0.5), None)), &[], (Some(&ours), Some(&limit)));
        assert_eq!(said, "ours falls short of the paper, at the limit");
    }

    #[test]
    fn a_part_that_a_study_answers_has_no_empty_line_of_runs() {
        use crate::page::Content;
        let page = Page::new(Content::Runs(Table { suite: "ablation".to_owned(), ..table() }));
        let lines = |number: &str| {
            let part = PARTS.iter().find(|part| part.number == number).expect("a part");
            part.lines(std::slice::from_ref(&page)).len()
        };
        assert_eq!((lines("Figure 6"), lines("Table 5, Figure 7")), (0, 1));
    }

    #[test]
    fn markup_in_names_stays_text() {
        assert_eq!(html_table(&["a<b"], &[]), "<table><tr><th>a&lt;b</th></tr></table>");
    }
}

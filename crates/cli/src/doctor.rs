//! `doctor`: what is wrong or odd in the data, and what to do.

use clap::Args;
use gflowcausal::Error;
use gflowcausal::data::{Diagnosis, Severity, doctor, doctor_of_experiments};
use gflowcausal::graph::pluralize;
use gflowcausal_report::wrapped;

use crate::failure::Failure;
use crate::input::DataArguments;
use crate::output::{Common, Shape, print_json, print_text};

/// Say what is wrong or odd in a table, and what to do about it.
#[derive(Debug, Args)]
#[command(after_help = "Findings:
  error    one-column too-few-rows empty-column constant-column
           infinite-value index-column id-like-column duplicate-columns
           collinear-columns
  warning  missing-values numbers-as-text high-cardinality duplicate-rows
           ordered-rows isolated-values category-codes rarely-free
  note     experiments mixed-columns rare-level skewed-column outliers
           heavy-tails non-linear changing-variance huge-scale

Exit code 0 if the table could be read, whatever was found; with --strict, 2 if a finding makes \
discovery impossible.

Examples:
  gflowcausal doctor data.csv
  gflowcausal doctor data.parquet --format json
  gflowcausal doctor sachs-interventions --interventions intervention
  zcat data.csv.gz | gflowcausal doctor - --delimiter tab --strict")]
pub(crate) struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// The column that names, row by row, which variables were set from outside.
    #[arg(long, value_name = "COLUMN")]
    interventions: Option<String>,
    /// Exit with 2 if a finding makes discovery impossible.
    #[arg(long)]
    strict: bool,
    /// The shape of the result.
    #[arg(long, value_enum, default_value_t = Shape::Text)]
    format: Shape,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let data = arguments.data.read()?;
    let diagnosis = match &arguments.interventions {
        Some(column) => doctor_of_experiments(&data.table, column).map_err(Error::from)?,
        None => doctor(&data.table),
    };
    match arguments.format {
        Shape::Json => print_json(&diagnosis)?,
        Shape::Text => print_text(&text(&data.name, &diagnosis))?,
    }
    match diagnosis.errors().next() {
        Some(finding) if arguments.strict => {
            Err(Failure::input(finding.code, finding.what.clone()).with_help(finding.fix.to_string()))
        }
        _ => Ok(()),
    }
}

fn text(name: &str, diagnosis: &Diagnosis) -> String {
    let (rows, numbers) = (pluralize(diagnosis.rows, "row"), pluralize(diagnosis.continuous, "column"));
    let mut text = format!("{name}: {rows}, {numbers} of numbers, {} of categories\n", diagnosis.categorical);
    for finding in &diagnosis.findings {
        let colour = match finding.severity {
            Severity::Error => "\x1b[31m",
            Severity::Warning => "\x1b[33m",
            Severity::Note => "\x1b[36m",
        };
        let what = format!("{colour}{}\x1b[0m[{}]: {}", finding.severity, finding.code, finding.what);
        let fix = format!("  fix: {}", finding.fix);
        text.push_str(&format!("{}\n{}\n", wrapped(&what, "  "), wrapped(&fix, "    ")));
    }
    if diagnosis.findings.is_empty() {
        text.push_str("nothing wrong or odd was found\n");
    }
    text
}

//! Findings about rows from experiments: how many there are, and which variables are hardly ever left alone.

use gflowcausal_graph::Advice;

use super::{Diagnosis, Finding, about, doctor};
use crate::{InterventionError, Interventions, Table};

/// With fewer free rows than this and the number of variables together, little is known of how a variable follows from its causes.
const FEW: usize = 20;

/// [`doctor`] on `table` without its column `interventions`, and what there is to say about that column.
///
/// # Errors
/// A column or a variable that there is not, or a variable that was set in all rows but one or none.
pub fn doctor_of_experiments(table: &Table, interventions: &str) -> Result<Diagnosis, InterventionError> {
    let (rest, read) = Interventions::take(table, interventions)?;
    let names: Vec<String> = rest.names().map(str::to_owned).collect();
    let mut diagnosis = doctor(&rest);
    diagnosis.findings.extend(rarely_free(&read, &names)?);
    diagnosis.findings.extend(counted(&read, &names, interventions));
    diagnosis.findings.sort_by_key(|finding| finding.severity);
    Ok(diagnosis)
}

/// The variables that were set in so many rows that few say how they follow from their causes.
///
/// # Errors
/// A variable that was set in all rows but one or none.
pub fn rarely_free(
    interventions: &Interventions,
    names: &[String],
) -> Result<Option<Finding>, InterventionError> {
    let free = interventions.free_rows(names)?;
    let rows_of = |node: usize| free.rows[free.part_of[node]].len();
    let is_rare =
        |node: &usize| interventions.targets().contains(*node) && rows_of(*node) < FEW + names.len();
    let rare: Vec<usize> = (0..names.len()).filter(is_rare).collect();
    let least = rare.iter().map(|&node| rows_of(node)).min().unwrap_or(0);
    Ok(about(
        rare.iter().map(|&node| names[node].clone()).collect(),
        "rarely-free",
        |subject| {
            format!(
                "{subject} was set from outside in all but {least} rows, and these alone say what causes it"
            )
        },
        Advice::new("add rows in which it was not set, or say that nothing causes it: ")
            .set("exogenous", rare.first().map_or("", |&node| names[node].as_str())),
    ))
}

/// How many rows set which variable.
fn counted(interventions: &Interventions, names: &[String], column: &str) -> Option<Finding> {
    let rows = interventions.rows_by_target();
    let counts = interventions.targets();
    let each: Vec<String> = counts.iter().map(|node| format!("{} ({})", names[node], rows[node])).collect();
    let free = interventions.observational_rows().len();
    about(
        vec![column.to_owned()],
        "experiments",
        |subject| match each.as_slice() {
            [] => format!("{subject} names no variable in any row"),
            each => {
                format!("{subject} says which variables were set: {}; none in {free} rows", each.join(", "))
            }
        },
        "nothing, if that is what was done",
    )
}

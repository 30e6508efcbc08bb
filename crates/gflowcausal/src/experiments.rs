//! Rows from experiments: the column that names what was set is taken out of the table and read.

use std::borrow::Cow;

use gflowcausal_data::{Interventions, Missing, Moments, Table};

use crate::prepare::{complete, moments};
use crate::{Config, Error};

/// The table without the column of interventions, and what it says; nothing where no variable was set.
pub(crate) fn without_interventions<'a>(
    table: Cow<'a, Table>,
    config: &Config,
) -> Result<(Cow<'a, Table>, Option<Interventions>), Error> {
    let Some(column) = &config.interventions else { return Ok((table, None)) };
    let (rest, interventions) = Interventions::take(&table, column)?;
    Ok((Cow::Owned(rest), Some(interventions).filter(|interventions| !interventions.is_empty())))
}

/// [`complete`], and the interventions of the rows that it leaves.
pub(crate) fn complete_with<'a>(
    table: Cow<'a, Table>,
    interventions: Option<Interventions>,
    config: &Config,
) -> Result<(Cow<'a, Table>, Option<Interventions>), Error> {
    let kept = match (&interventions, config.missing) {
        (Some(interventions), Missing::Drop) => {
            let is_whole = |row: &usize| !table.columns().iter().any(|column| column.values.is_missing(*row));
            let rows: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
            Some(interventions.select_rows(&rows))
        }
        _ => None,
    };
    Ok((complete(table, config)?, kept.or(interventions)))
}

/// The moments of the rows in which nothing was set; of all where there are too few of those.
pub(crate) fn observational_moments(
    table: &Table,
    interventions: &Interventions,
    missing: Missing,
) -> Result<Option<Moments>, Error> {
    let rows = interventions.observational_rows();
    if rows.len() <= table.columns().len() {
        return moments(table, missing);
    }
    moments(&table.select_rows(&rows), missing)
}

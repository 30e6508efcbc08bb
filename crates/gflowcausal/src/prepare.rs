//! What happens before anything is scored: columns left out, missing values, transformations, the doctor, knowledge.

use std::borrow::Cow;

use gflowcausal_data::{Column, Finding, Missing, Moments, Table, doctor};
use gflowcausal_graph::{Constraints, Knowledge};
use gflowcausal_graph_io::read_knowledge;

use crate::Error;
use crate::options::{Config, option};

/// The columns that are not left out.
pub(crate) fn without_excluded<'a>(table: &'a Table, exclude: &[String]) -> Result<Cow<'a, Table>, Error> {
    if exclude.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    if let Some(name) = exclude.iter().find(|name| table.position(name).is_none()) {
        let names: Vec<&str> = table.names().collect();
        return Err(Error::unknown(option::exclude, name, "column", &names));
    }
    let kept: Vec<Column> =
        table.columns().iter().filter(|column| !exclude.contains(&column.name)).cloned().collect();
    let smaller = Table::new(kept).map_err(|error| Error::Table(error.to_string()))?;
    Ok(Cow::Owned(smaller))
}

/// The user's statements as constraints.
pub(crate) fn constraints(config: &Config, names: &[String]) -> Result<Constraints, Error> {
    let mut knowledge = match &config.knowledge {
        Some(text) => {
            read_knowledge(text.as_bytes()).map_err(|source| Error::KnowledgeFile { path: None, source })?
        }
        None => Knowledge::default(),
    };
    let mut tier = 1;
    for tiers in &config.tiers {
        tier = knowledge.tiers(tiers, tier, names)?;
    }
    for list in &config.exogenous {
        knowledge.exogenous(list, names)?;
    }
    for list in &config.outcome {
        knowledge.outcome(list, names)?;
    }
    if let Some(environment) = &config.environment {
        if !names.contains(environment) {
            return Err(Error::unknown(option::environment, environment, "column", names));
        }
        knowledge.exogenous(environment, names)?;
    }
    for edge in &config.require {
        knowledge.require(edge.as_str());
    }
    for edge in &config.forbid {
        knowledge.forbid(edge.as_str());
    }
    if let Some(most) = config.max_parents {
        knowledge.max_parents(most);
    }
    Ok(knowledge.compile(names)?)
}

/// The rows that `missing` leaves, transformed and scaled if that is wanted.
pub(crate) fn complete<'a>(table: Cow<'a, Table>, config: &Config) -> Result<Cow<'a, Table>, Error> {
    let table = match config.missing {
        Missing::Drop => Cow::Owned(table.drop_incomplete()?.0),
        Missing::Error => {
            table.require_complete()?;
            table
        }
        Missing::Em => table,
    };
    let table =
        if config.transform.is_empty() { table } else { Cow::Owned(table.transformed(&config.transform)?) };
    Ok(if config.standardize { Cow::Owned(table.standardized()) } else { table })
}

/// The doctor's findings; the first that makes discovery impossible, and is not to be ignored, is an error.
pub(crate) fn examine(table: &Table, ignore: &[String]) -> Result<Vec<Finding>, Error> {
    let diagnosis = doctor(table);
    let refused = diagnosis.errors().find(|finding| !ignore.iter().any(|code| code == finding.code));
    match refused {
        Some(finding) => Err(Error::Doctor(finding.clone())),
        None => Ok(diagnosis.findings),
    }
}

/// Means and covariance, if all columns are numbers.
pub(crate) fn moments(table: &Table, missing: Missing) -> Result<Option<Moments>, Error> {
    Ok(match missing {
        _ if !table.is_continuous() => None,
        Missing::Em => Some(Moments::of_incomplete(table)?.moments),
        _ => Some(Moments::of_table(table)?),
    })
}

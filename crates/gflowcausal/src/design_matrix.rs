//! The columns of a mixed table as numbers, so that slopes between numbers are known beside categories.

use gflowcausal_data::{Column, MISSING_CODE, Moments, Table, Values};
use gflowcausal_graph::{Dag, NodeSet};
use gflowcausal_score::{Correlation, Ols};

/// More columns than this are not regressed on.
const MOST_COLUMNS: usize = 1000;

/// Means and covariances of a design matrix: numbers as they are, a category as an indicator of each level but the first.
pub struct Design {
    moments: Moments,
    /// The columns of each variable.
    columns: Vec<Vec<usize>>,
    is_number: Vec<bool>,
}

impl Design {
    /// The design of a table that has both kinds of columns and no gaps.
    #[must_use]
    pub fn of(table: &Table) -> Option<Self> {
        let numbers = table.columns().iter().filter(|column| column.as_continuous().is_some()).count();
        if numbers == 0 || numbers == table.columns().len() || table.missing() > 0 {
            return None;
        }
        let parts: Vec<Vec<Vec<f64>>> = table.columns().iter().map(expanded).collect();
        let mut next = 0;
        let mut numbered = |part: &Vec<Vec<f64>>| {
            next += part.len();
            (next - part.len()..next).collect()
        };
        let columns = parts.iter().map(&mut numbered).collect();
        let all: Vec<&[f64]> = parts.iter().flatten().map(Vec::as_slice).collect();
        let is_number = table.columns().iter().map(|column| column.as_continuous().is_some()).collect();
        (all.len() <= MOST_COLUMNS).then(|| Self { moments: Moments::of_columns(&all), columns, is_number })
    }

    /// The least-squares fit of each number on its parents; a parent that is a number keeps its index there.
    pub(crate) fn fits(&self, dag: &Dag) -> Vec<Ols> {
        let Ok(correlation) = Correlation::of_moments(&self.moments) else { return Vec::new() };
        let fit = |node: usize| {
            let parents = dag.parents(node).iter().filter(|_| self.is_number[node]);
            let members = parents.flat_map(|parent| self.columns[parent].iter().copied());
            let members = NodeSet::of(self.moments.columns(), members);
            let target = self.columns[node].first().copied().unwrap_or_default();
            let mut fit = Ols::new(&correlation, self.moments.rows(), target, &members);
            // A category has no slope: its columns are named after no variable.
            let variable = |&column: &usize| {
                let owner = self.columns.iter().position(|columns| columns.contains(&column));
                owner.filter(|&owner| self.is_number[owner]).unwrap_or(usize::MAX)
            };
            fit.parents = fit.parents.iter().map(variable).collect();
            fit
        };
        (0..dag.nodes()).map(fit).collect()
    }
}

/// A number as it is, a category as an indicator of each level that is there, but the first.
fn expanded(column: &Column) -> Vec<Vec<f64>> {
    match &column.values {
        Values::Continuous(values) => vec![values.clone()],
        Values::Categorical { codes, levels } => {
            let present =
                (0..levels.len() as u32).filter(|level| codes.contains(level) && *level != MISSING_CODE);
            let indicator = |level| codes.iter().map(|&code| f64::from(u8::from(code == level))).collect();
            present.skip(1).map(indicator).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use gflowcausal_graph::Edge;

    use super::*;

    /// y = 2 x + 3 [g = b]: the slope of x given g is 2, and g has none.
    #[test]
    fn a_slope_beside_a_category_is_that_given_its_levels() {
        let x: Vec<f64> = (0..60).map(|row| f64::from(row * 17 % 31)).collect();
        let codes: Vec<u32> = (0..60).map(|row| (row / 7) % 2).collect();
        let y = x.iter().zip(&codes).map(|(x, &g)| 2.0 * x + 3.0 * f64::from(g)).collect();
        let table = Table::new(vec![
            Column::continuous("x", x),
            Column::categorical("g", codes, vec!["a".into(), "b".into()]),
            Column::continuous("y", y),
        ]);
        let dag = Dag::from_edges(3, [Edge::new(0, 2), Edge::new(1, 2)]).unwrap();
        let fits = Design::of(&table.unwrap()).unwrap().fits(&dag);
        assert_eq!(fits[2].parents, [0, usize::MAX]);
        assert!((fits[2].coefficients[0] - 2.0).abs() < 1e-9, "{:?}", fits[2].coefficients);
        assert!((fits[2].coefficients[1] - 3.0).abs() < 1e-9, "{:?}", fits[2].coefficients);
    }
}

//! Rows from experiments: which variables were set from outside, row by row.

use gflowcausal_graph::{Advice, Edge, NodeSet};

use crate::table::{Column, MISSING_CODE, Table, Values};

/// What separates the names of several variables that were set in one row.
const SEPARATOR: char = ';';

/// Which variables were set from outside in each row. Such a row says nothing about how they follow from their causes.
#[derive(Debug, Clone, PartialEq)]
pub struct Interventions {
    nodes: usize,
    /// The different sets of variables that were set, each once; the first is empty.
    targets: Vec<NodeSet>,
    /// Which of them each row has.
    rows: Vec<usize>,
}

/// Rows that serve some of the variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnintervenedRows {
    /// The different sets of rows.
    pub rows: Vec<Vec<usize>>,
    /// Which of them each variable has: those in which it was not set.
    pub part_of: Vec<usize>,
}

/// A column of targets that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum InterventionError {
    /// No column of this name.
    #[error("there is no column '{0}' to name the variables that were set")]
    NoColumn(String),
    /// A target that is not a variable.
    #[error("column '{column}' names '{target}' in row {row}, which is not a variable of the table")]
    NoVariable { column: String, target: String, row: usize },
    /// A variable that was set in all rows but one or none.
    #[error("variable '{0}' was set in all rows but {1}: nothing says how it follows from its causes")]
    AlwaysSet(String, usize),
}

impl InterventionError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "bad-interventions"
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        match self {
            Self::NoColumn(_) => "check the spelling of the column".into(),
            Self::NoVariable { .. } => {
                "name columns of the table, several with ';' between them; leave the cell empty where none was set".into()
            }
            Self::AlwaysSet(name, _) => {
                Advice::new("add rows in which it was not set, or leave it out: ").set("exclude", name)
            }
        }
    }
}

impl Interventions {
    /// Takes the column `name` out of `table` and reads it: a variable, several with `;` between them, or nothing in each row.
    ///
    /// ```
    /// use gflowcausal_data::{Column, Interventions, Table};
    /// let set = Column::categorical("set", vec![0, 1, u32::MAX], vec!["a".into(), "a; b".into()]);
    /// let numbers = |name| Column::continuous(name, vec![1.0, 2.0, 3.0]);
    /// let table = Table::new(vec![numbers("a"), set, numbers("b")]).unwrap();
    /// let (rest, interventions) = Interventions::take(&table, "set").unwrap();
    /// assert_eq!(rest.names().collect::<Vec<_>>(), ["a", "b"]);
    /// assert_eq!(interventions.rows_set(), 2);
    /// assert_eq!(interventions.observational_rows(), [2]);
    /// ```
    ///
    /// # Errors
    /// A column or a variable that there is not.
    pub fn take(table: &Table, name: &str) -> Result<(Table, Self), InterventionError> {
        let at = table.position(name).ok_or_else(|| InterventionError::NoColumn(name.to_owned()))?;
        let mut columns: Vec<Column> = table.columns().to_vec();
        let column = columns.remove(at);
        let rest = Table::new(columns).expect("the columns of a table, less one");
        let rest = if rest.columns().is_empty() { Table::default() } else { rest };
        let mut read = Self { nodes: rest.columns().len(), targets: vec![], rows: vec![] };
        read.targets.push(NodeSet::empty(read.nodes));
        for row in 0..table.rows() {
            let set = read.parse(&rest, name, &text(&column.values, row), row)?;
            let known = read.targets.iter().position(|targets| *targets == set);
            read.rows.push(known.unwrap_or(read.targets.len()));
            if known.is_none() {
                read.targets.push(set);
            }
        }
        Ok((rest, read))
    }

    fn parse(
        &self,
        rest: &Table,
        column: &str,
        cell: &str,
        row: usize,
    ) -> Result<NodeSet, InterventionError> {
        let mut set = NodeSet::empty(self.nodes);
        for target in cell.split(SEPARATOR).map(str::trim).filter(|target| !target.is_empty()) {
            let unknown = || InterventionError::NoVariable {
                column: column.to_owned(),
                target: target.to_owned(),
                row: row + 1,
            };
            set.insert(rest.position(target).ok_or_else(unknown)?);
        }
        Ok(set)
    }

    /// Whether no variable was set in any row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.len() == 1
    }

    /// In how many rows a variable was set.
    #[must_use]
    pub fn rows_set(&self) -> usize {
        self.rows.iter().filter(|&&targets| targets > 0).count()
    }

    /// For each variable in how many rows it was set.
    #[must_use]
    pub fn rows_by_target(&self) -> Vec<usize> {
        let mut counts = vec![0; self.nodes];
        for &row in &self.rows {
            self.targets[row].iter().for_each(|node| counts[node] += 1);
        }
        counts
    }

    /// The variables that were set in some row.
    #[must_use]
    pub fn targets(&self) -> NodeSet {
        let mut all = NodeSet::empty(self.nodes);
        self.targets.iter().for_each(|targets| all.union_with(targets));
        all
    }

    /// The rows in which no variable was set.
    #[must_use]
    pub fn observational_rows(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&row| self.rows[row] == 0).collect()
    }

    /// What is left of it when the table keeps `rows` alone.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        Self { rows: rows.iter().map(|&row| self.rows[row]).collect(), ..self.clone() }
    }

    /// The rows that each variable's own term is made of: those in which it was not set.
    ///
    /// # Errors
    /// A variable with fewer than two of them; `names` are the variables.
    pub fn free_rows(&self, names: &[String]) -> Result<UnintervenedRows, InterventionError> {
        let mut found = UnintervenedRows { rows: Vec::new(), part_of: Vec::with_capacity(self.nodes) };
        for (node, name) in names.iter().enumerate() {
            let is_free = |row: &usize| !self.targets[self.rows[*row]].contains(node);
            let free: Vec<usize> = (0..self.rows.len()).filter(is_free).collect();
            if free.len() < 2 {
                return Err(InterventionError::AlwaysSet(name.clone(), free.len()));
            }
            let known = found.rows.iter().position(|rows| *rows == free);
            found.part_of.push(known.unwrap_or(found.rows.len()));
            if known.is_none() {
                found.rows.push(free);
            }
        }
        Ok(found)
    }

    /// Whether some rows set one end of `edge` and not the other: then they decide its direction.
    #[must_use]
    pub fn decides(&self, edge: Edge) -> bool {
        self.targets.iter().any(|targets| targets.contains(edge.from) != targets.contains(edge.to))
    }
}

/// The text of a cell; a missing one is empty.
fn text(values: &Values, row: usize) -> String {
    match values {
        Values::Categorical { codes, .. } if codes[row] == MISSING_CODE => String::new(),
        Values::Categorical { codes, levels } => levels[codes[row] as usize].clone(),
        Values::Continuous(numbers) if numbers[row].is_nan() => String::new(),
        // Columns of a table without names are numbered.
        Values::Continuous(numbers) => numbers[row].to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cells: &[&str]) -> Result<Interventions, InterventionError> {
        let levels: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
        let numbers = |name: &str| Column::continuous(name, vec![0.0; cells.len()]);
        let set = Column::categorical("set", (0..cells.len() as u32).collect(), levels);
        let table = Table::new(vec![numbers("a"), numbers("b"), numbers("c"), set]).unwrap();
        Interventions::take(&table, "set").map(|(_, interventions)| interventions)
    }

    #[test]
    fn a_variable_is_scored_on_the_rows_in_which_it_was_not_set() {
        let set = read(&["", "a", "a ;b", "a", ""]).unwrap();
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let free = set.free_rows(&names).unwrap();
        assert_eq!(free.rows, [vec![0, 4], vec![0, 1, 3, 4], vec![0, 1, 2, 3, 4]]);
        assert_eq!(free.part_of, [0, 1, 2]);
        assert_eq!((set.rows_set(), set.observational_rows()), (3, vec![0, 4]));
        assert_eq!(set.select_rows(&[1, 4]).rows_set(), 1);
        let error = read(&["a", "a", "a", "", "a"]).unwrap().free_rows(&names).unwrap_err();
        assert_eq!(error, InterventionError::AlwaysSet("a".into(), 1));
    }

    #[test]
    fn an_edge_is_decided_by_rows_that_set_one_end() {
        let set = read(&["", "a;b", "a;b"]).unwrap();
        assert!(
            !set.decides(Edge::new(0, 1)) && set.decides(Edge::new(0, 2)) && set.decides(Edge::new(2, 1))
        );
        assert!(read(&["", " "]).unwrap().is_empty());
    }

    #[test]
    fn a_target_that_is_no_variable_is_named_with_its_row() {
        let error = read(&["", "a", "dose"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "column 'set' names 'dose' in row 3, which is not a variable of the table"
        );
    }
}

//! BIF with its probabilities: a Bayesian network that data can be drawn from.

use std::collections::BTreeMap;

use gflowcausal_data::{BayesNetwork, Cpds, TabularCpd};

use crate::FormatError;
use crate::bif::{Family, skip_block, skip_property, word};
use crate::cursor::Cursor;
use crate::format::{content, unpacked};

/// How far the probabilities of one row may be from one: files are written with few digits.
const ROUNDING: f64 = 0.02;

/// The most joint values of the parents of one variable.
const MOST_ROWS: usize = 10_000_000;

/// Reads a discrete Bayesian network from BIF, as bnlearn, pgmpy and JavaBayes write it; gzip or not.
///
/// ```
/// let text = "network n {} variable rain { type discrete [2] { yes, no }; } probability (rain) { table 0.2, 0.8; }";
/// let network = gflowcausal_graph_io::read_network(text.as_bytes())?;
/// assert_eq!(network.names(), ["rain"]);
/// # Ok::<(), gflowcausal_graph_io::FormatError>(())
/// ```
///
/// # Errors
/// A file that is not BIF, or whose probabilities are not complete.
pub fn read_network(file: &[u8]) -> Result<BayesNetwork, FormatError> {
    let file = unpacked(file)?;
    let mut cursor = Cursor::new(content(&file)?);
    let mut variables: Vec<(String, Vec<String>)> = Vec::new();
    let mut tables: Vec<Table> = Vec::new();
    loop {
        cursor.skip_comments()?;
        match cursor.take_while(char::is_alphabetic) {
            "" if cursor.peek().is_none() => break,
            "network" => {
                word(&mut cursor)?;
                skip_block(&mut cursor)?;
            }
            "variable" => variables.push((word(&mut cursor)?, levels(&mut cursor)?)),
            "probability" => tables.push(Table::read(&mut cursor)?),
            _ => return Err(cursor.expected("'network', 'variable' or 'probability'")),
        }
    }
    network(&variables, &tables)
}

fn network(variables: &[(String, Vec<String>)], tables: &[Table]) -> Result<BayesNetwork, FormatError> {
    let last = tables.last().map_or(1, |table| table.family.line);
    let index: BTreeMap<&str, usize> =
        variables.iter().enumerate().map(|(k, (name, _))| (name.as_str(), k)).collect();
    let mut cpds: Vec<Option<TabularCpd>> = vec![None; variables.len()];
    for table in tables {
        let line = table.family.line;
        let find = |name: &String| {
            index
                .get(name.as_str())
                .copied()
                .ok_or_else(|| refused(line, format!("there is no variable '{name}'")))
        };
        let child = find(&table.family.child)?;
        let parents = table.family.parents.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        cpds[child] = Some(table.cpd(child, parents, variables)?);
    }
    let whole = cpds.into_iter().zip(variables).map(|(cpd, (name, _))| {
        cpd.ok_or_else(|| refused(last, format!("there are no probabilities of '{name}'")))
    });
    let cpds = Cpds::Discrete(whole.collect::<Result<_, _>>()?);
    let names = variables.iter().map(|(name, _)| name.clone()).collect();
    BayesNetwork::new(names, cpds).ok_or_else(|| refused(last, "the edges make a cycle".to_owned()))
}

fn refused(line: usize, what: String) -> FormatError {
    FormatError::Network { line, what }
}

/// `{ type discrete [ n ] { a, b }; property …; }`.
fn levels(cursor: &mut Cursor<'_>) -> Result<Vec<String>, FormatError> {
    let mut levels = Vec::new();
    cursor.skip_comments()?;
    cursor.expect("{")?;
    loop {
        cursor.skip_comments()?;
        if cursor.eat("}") {
            return if levels.is_empty() {
                Err(cursor.expected("the levels of the variable"))
            } else {
                Ok(levels)
            };
        }
        match word(cursor)?.as_str() {
            "type" => {
                word(cursor)?;
                cursor.skip_comments()?;
                cursor.expect("[")?;
                cursor.take_until("]")?;
                cursor.skip_comments()?;
                cursor.expect("{")?;
                levels = list(cursor, "}")?;
                cursor.skip_comments()?;
                cursor.expect(";")?;
            }
            "property" => skip_property(cursor)?,
            _ => return Err(cursor.expected("'type' or 'property'")),
        }
    }
}

/// Words with commas between them, up to `end`.
fn list(cursor: &mut Cursor<'_>, end: &str) -> Result<Vec<String>, FormatError> {
    let mut words = Vec::new();
    loop {
        cursor.skip_comments()?;
        if cursor.eat(end) {
            return Ok(words);
        }
        words.push(word(cursor)?);
        cursor.skip_comments()?;
        cursor.eat(",");
    }
}

/// The probabilities of one variable, as they stand in the file.
struct Table {
    family: Family,
    /// After `table`: all of them, those of the variable's first level first.
    all: Vec<f64>,
    /// After `( … )`: those of one joint value of the parents.
    rows: Vec<(usize, Vec<String>, Vec<f64>)>,
    /// After `default`.
    default: Option<Vec<f64>>,
}

impl Table {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, FormatError> {
        let mut table =
            Self { family: Family::read(cursor)?, all: Vec::new(), rows: Vec::new(), default: None };
        cursor.skip_comments()?;
        cursor.expect("{")?;
        loop {
            cursor.skip_comments()?;
            let line = cursor.line();
            if cursor.eat("}") {
                return Ok(table);
            } else if cursor.eat("(") {
                let values = list(cursor, ")")?;
                table.rows.push((line, values, numbers(cursor)?));
                continue;
            }
            match word(cursor)?.as_str() {
                "table" => table.all = numbers(cursor)?,
                "default" => table.default = Some(numbers(cursor)?),
                "property" => skip_property(cursor)?,
                _ => return Err(cursor.expected("'table', 'default' or the values of the parents")),
            }
        }
    }

    fn cpd(
        &self,
        child: usize,
        parents: Vec<usize>,
        variables: &[(String, Vec<String>)],
    ) -> Result<TabularCpd, FormatError> {
        let line = self.family.line;
        let levels = &variables[child].1;
        let sizes: Vec<usize> = parents.iter().map(|&parent| variables[parent].1.len()).collect();
        let count = sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
        let count = count.filter(|&count| count <= MOST_ROWS);
        let count =
            count.ok_or_else(|| refused(line, "the parents have too many joint values".to_owned()))?;
        let mut rows: Vec<Option<Vec<f64>>> = vec![self.default.clone(); count];
        if self.all.len() == count * levels.len() && !self.all.is_empty() {
            for (at, row) in rows.iter_mut().enumerate() {
                *row = Some((0..levels.len()).map(|level| self.all[level * count + at]).collect());
            }
        }
        for (line, values, row) in &self.rows {
            rows[position(*line, values, &parents, variables)?] = Some(row.clone());
        }
        let whole = rows.into_iter().map(|row| row.and_then(|row| normalized(row, levels.len())));
        let rows = whole.collect::<Option<Vec<_>>>();
        let name = &variables[child].0;
        let rows =
            rows.ok_or_else(|| refused(line, format!("the probabilities of '{name}' are not complete")))?;
        Ok(TabularCpd { levels: levels.clone(), parents, rows })
    }
}

/// The number of a joint value of the parents, the last parent changing fastest.
fn position(
    line: usize,
    values: &[String],
    parents: &[usize],
    variables: &[(String, Vec<String>)],
) -> Result<usize, FormatError> {
    if values.len() != parents.len() {
        return Err(refused(line, format!("{} values for {} parents", values.len(), parents.len())));
    }
    let mut at = 0;
    for (value, &parent) in values.iter().zip(parents) {
        let (name, levels) = &variables[parent];
        let level = levels.iter().position(|level| level == value);
        at = at * levels.len()
            + level.ok_or_else(|| refused(line, format!("'{name}' has no level '{value}'")))?;
    }
    Ok(at)
}

/// The probabilities of a row scaled to sum one, if they are probabilities of that many levels.
fn normalized(row: Vec<f64>, levels: usize) -> Option<Vec<f64>> {
    let sum: f64 = row.iter().sum();
    let is_one =
        row.len() == levels && row.iter().all(|p| (0.0..=1.0).contains(p)) && (sum - 1.0).abs() <= ROUNDING;
    is_one.then(|| row.into_iter().map(|p| p / sum).collect())
}

/// Numbers with commas or blanks between them, up to a semicolon.
fn numbers(cursor: &mut Cursor<'_>) -> Result<Vec<f64>, FormatError> {
    let mut numbers = Vec::new();
    loop {
        cursor.skip_comments()?;
        if cursor.eat(";") {
            return Ok(numbers);
        }
        let text = cursor.take_while(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        numbers.push(number.ok_or_else(|| cursor.expected("a probability"))?);
        cursor.skip_comments()?;
        cursor.eat(",");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "network n {\n}\nvariable A { type discrete [ 2 ] { yes, no }; }
variable B { type discrete [ 3 ] { x, y, z }; property p = q; }
probability ( A ) { table 0.25, 0.75; }
probability ( B | A ) {
  (no) 0.1, 0.2, 0.7;
  (yes) 0.5, 0.5, 0.0; // a comment
}
";

    #[test]
    fn the_values_of_parents_are_found_in_any_order() {
        let network = read_network(TEXT.as_bytes()).unwrap();
        let Cpds::Discrete(cpds) = network.cpds() else { panic!("discrete") };
        assert_eq!(cpds[1].rows, [vec![0.5, 0.5, 0.0], vec![0.1, 0.2, 0.7]]);
        assert_eq!(cpds[0].rows, [vec![0.25, 0.75]]);
        assert_eq!(network.dag().edge_count(), 1);
    }

    #[test]
    fn a_whole_table_has_the_first_level_first() {
        let text = TEXT
            .replace("(no) 0.1, 0.2, 0.7;", "table 0.5 0.1 0.5 0.2 0.0 0.7;")
            .replace("(yes) 0.5, 0.5, 0.0;", "");
        assert_eq!(read_network(text.as_bytes()), read_network(TEXT.as_bytes()));
    }

    #[test]
    fn what_is_missing_is_named() {
        let says = |from: &str, to: &str, expected: &str| {
            let error = read_network(TEXT.replace(from, to).as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        says("(no) 0.1, 0.2, 0.7;", "", "line 6: the probabilities of 'B' are not complete");
        says(
            "(no) 0.1, 0.2, 0.7;",
            "(no) 0.1, 0.2, 0.8;",
            "line 6: the probabilities of 'B' are not complete",
        );
        says("(no)", "(maybe)", "line 7: 'A' has no level 'maybe'");
        says("probability ( A ) { table 0.25, 0.75; }", "", "line 6: there are no probabilities of 'A'");
        says("( A )", "( A | B )", "line 5: the probabilities of 'A' are not complete");
        says("0.25, 0.75", "0.25, many", "line 5, column 37: expected a probability, found ';'");
    }
}

//! Tetrad's knowledge files: tiers, forbidden and required edges and groups.

use std::collections::BTreeMap;

use super::{EdgeSpec, Knowledge, Rule, SpecError, Statement, Variable};
use crate::Edge;
use crate::names::Names;

const TIERS: &str = "addtemporal";
const SECTIONS: [&str; 5] = [TIERS, "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup"];

/// A knowledge file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum KnowledgeFileError {
    /// Nothing in it.
    #[error("the knowledge file is empty")]
    Empty,
    /// Bytes that are not text.
    #[error("line {line}: not UTF-8 text")]
    NotUtf8 { line: usize },
    /// Something before the first section.
    #[error(
        "line {line}: expected addtemporal, forbiddirect, requiredirect, forbiddengroup or requiredgroup, \
         found '{found}'"
    )]
    Section { line: usize, found: String },
    /// A tier without a number.
    #[error(
        "line {line}: a tier begins with its number (0, 1, 2, … or 1* for no edges within), found '{found}'"
    )]
    TierNumber { line: usize, found: String },
    /// An edge of other than two names.
    #[error("line {line}: an edge is two names, found {found}")]
    EdgeNames { line: usize, found: usize },
    /// A quote without its end.
    #[error("line {line}: the quote is not closed")]
    Quote { line: usize },
    /// The first of a group's two lines alone.
    #[error("line {line}: a group is two lines, causes and effects; the second is missing")]
    HalfGroup { line: usize },
}

/// Knowledge that Tetrad's format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum KnowledgeWriteError {
    /// A limit on the number of parents.
    #[error("Tetrad's knowledge format has no place for '{0}'")]
    NoPlace(String),
    /// A name that is empty or holds a quote or a line break.
    #[error("Tetrad's knowledge format cannot hold the name {0:?}")]
    Name(String),
    /// A statement that cannot be made out.
    #[error("{statement}: {reason}")]
    Statement { statement: String, reason: SpecError },
}

impl Knowledge {
    /// Reads a knowledge file of Tetrad's.
    ///
    /// Names are parted by blanks, or stand in double quotes; a line that starts with `//` is a comment; the first
    /// line `/knowledge` may be left out. A group is a line of causes and a line of effects.
    ///
    /// ```
    /// # use gflowcausal_graph::Knowledge;
    /// let file = b"/knowledge\naddtemporal\n1* a b\n2 c\nforbiddirect\na c\nrequiredirect\nb c\n";
    /// let knowledge = Knowledge::from_tetrad(file)?;
    /// assert_eq!(knowledge.statements()[0].to_string(), "no edges within tier 1 (line 3)");
    /// assert_eq!(knowledge.statements()[5].to_string(), "require b->c (line 8)");
    /// # Ok::<(), gflowcausal_graph::KnowledgeFileError>(())
    /// ```
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn from_tetrad(file: &[u8]) -> Result<Self, KnowledgeFileError> {
        let text = std::str::from_utf8(file).map_err(|error| {
            let before = &file[..error.valid_up_to()];
            KnowledgeFileError::NotUtf8 { line: 1 + before.iter().filter(|&&byte| byte == b'\n').count() }
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(KnowledgeFileError::Empty);
        }
        read(text)
    }

    /// This knowledge as a file of Tetrad's, for the variables `names`.
    ///
    /// # Errors
    /// When the format has no place for a statement or a name.
    pub fn to_tetrad<S: AsRef<str>>(&self, names: &[S]) -> Result<String, KnowledgeWriteError> {
        if let Some(homeless) = self.statements.iter().find(|statement| home(&statement.rule).is_none()) {
            return Err(KnowledgeWriteError::NoPlace(homeless.rule.to_string()));
        }
        let names = Names::new(names);
        let mut file = String::from("/knowledge\n");
        for section in SECTIONS {
            let lines = section_lines(section, &self.statements, &names)?;
            if !lines.is_empty() {
                file.push_str(&format!("\n{section}\n{lines}"));
            }
        }
        Ok(file)
    }
}

fn read(text: &str) -> Result<Knowledge, KnowledgeFileError> {
    let mut knowledge = Knowledge::default();
    let mut section = None;
    let mut lines = content_lines(text);
    while let Some((line, content)) = lines.next() {
        if let Some(name) = section_name(content) {
            section = Some(name);
            continue;
        }
        let mut add = |rule| knowledge.statements.push(Statement { rule, line: Some(line) });
        match section {
            Some(TIERS) => tier(content, line)?.into_iter().for_each(add),
            Some("forbiddirect") => add(Rule::Forbid(pair(content, line)?)),
            Some("requiredirect") => add(Rule::Require(pair(content, line)?)),
            Some("forbiddengroup") => add(group(content, lines.next(), line, Rule::ForbidGroup)?),
            Some("requiredgroup") => add(group(content, lines.next(), line, Rule::RequireGroup)?),
            _ => return Err(KnowledgeFileError::Section { line, found: content.to_owned() }),
        }
    }
    Ok(knowledge)
}

/// The lines that say something, numbered from 1.
fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let content = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    content
        .enumerate()
        .filter(|(at, (_, line))| *at > 0 || !line.eq_ignore_ascii_case("/knowledge"))
        .map(|(_, line)| line)
}

fn section_name(line: &str) -> Option<&'static str> {
    SECTIONS.into_iter().find(|name| line.eq_ignore_ascii_case(name))
}

fn tier(content: &str, line: usize) -> Result<Vec<Rule>, KnowledgeFileError> {
    let (number, names) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
    let closed = number.strip_suffix('*');
    let tier = closed.unwrap_or(number).parse();
    let tier: usize = tier.map_err(|_| KnowledgeFileError::TierNumber { line, found: number.to_owned() })?;
    let members = words(names, line)?.into_iter().map(|name| Rule::Tier(tier, name.into()));
    Ok(closed.map(|_| Rule::ForbidWithinTier(tier)).into_iter().chain(members).collect())
}

fn pair(content: &str, line: usize) -> Result<EdgeSpec, KnowledgeFileError> {
    let words = words(content, line)?;
    let found = words.len();
    let [from, to] =
        <[String; 2]>::try_from(words).map_err(|_| KnowledgeFileError::EdgeNames { line, found })?;
    Ok((from, to).into())
}

fn group(
    causes: &str,
    effects: Option<(usize, &str)>,
    line: usize,
    rule: fn(Vec<Variable>, Vec<Variable>) -> Rule,
) -> Result<Rule, KnowledgeFileError> {
    let (second, effects) = effects
        .filter(|(_, effects)| section_name(effects).is_none())
        .ok_or(KnowledgeFileError::HalfGroup { line })?;
    let variables = |names: Vec<String>| names.into_iter().map(Variable::from).collect();
    Ok(rule(variables(words(causes, line)?), variables(words(effects, second)?)))
}

/// The names of a line: parted by blanks, or in double quotes.
fn words(content: &str, line: usize) -> Result<Vec<String>, KnowledgeFileError> {
    let mut words = Vec::new();
    let mut rest = content.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or(KnowledgeFileError::Quote { line })?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

/// The lines of one section, none if nothing in it was stated.
fn section_lines(
    section: &str,
    statements: &[Statement],
    names: &Names<'_>,
) -> Result<String, KnowledgeWriteError> {
    let rules = statements.iter().map(|statement| &statement.rule).filter(|rule| home(rule) == Some(section));
    if section == TIERS {
        return tier_lines(rules, names);
    }
    rules.map(|rule| edge_lines(rule, names)).collect()
}

/// The section in which a rule stands.
fn home(rule: &Rule) -> Option<&'static str> {
    match rule {
        Rule::Tier(..) | Rule::ForbidWithinTier(_) => Some(TIERS),
        Rule::Forbid(_) => Some("forbiddirect"),
        Rule::Require(_) => Some("requiredirect"),
        Rule::ForbidGroup(..) => Some("forbiddengroup"),
        Rule::RequireGroup(..) => Some("requiredgroup"),
        Rule::MaxParents(_) => None,
    }
}

/// One line for each tier, earliest first.
fn tier_lines<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    names: &Names<'_>,
) -> Result<String, KnowledgeWriteError> {
    let mut tiers = BTreeMap::<usize, (bool, String)>::new();
    for rule in rules {
        match rule {
            Rule::Tier(tier, variable) => {
                let name = write_variable(variable, rule, names)?;
                tiers.entry(*tier).or_default().1.push_str(&format!(" {name}"));
            }
            Rule::ForbidWithinTier(tier) => tiers.entry(*tier).or_default().0 = true,
            _ => {}
        }
    }
    let line = |(tier, (closed, members))| format!("{tier}{}{members}\n", if closed { "*" } else { "" });
    Ok(tiers.into_iter().map(line).collect())
}

fn edge_lines(rule: &Rule, names: &Names<'_>) -> Result<String, KnowledgeWriteError> {
    let all = |list: &[Variable]| {
        let words = list.iter().map(|variable| write_variable(variable, rule, names));
        words.collect::<Result<Vec<_>, _>>().map(|words| words.join(" "))
    };
    match rule {
        Rule::Forbid(edge) | Rule::Require(edge) => {
            let Edge { from, to } = edge.resolve(names).map_err(|reason| unreadable(rule, reason))?;
            Ok(format!("{} {}\n", quoted(names.name(from))?, quoted(names.name(to))?))
        }
        Rule::ForbidGroup(from, to) | Rule::RequireGroup(from, to) if !from.is_empty() && !to.is_empty() => {
            Ok(format!("{}\n{}\n", all(from)?, all(to)?))
        }
        _ => Ok(String::new()),
    }
}

fn write_variable(
    variable: &Variable,
    rule: &Rule,
    names: &Names<'_>,
) -> Result<String, KnowledgeWriteError> {
    quoted(names.name(variable.resolve(names).map_err(|reason| unreadable(rule, reason))?))
}

fn unreadable(rule: &Rule, reason: SpecError) -> KnowledgeWriteError {
    KnowledgeWriteError::Statement { statement: rule.to_string(), reason }
}

/// A name, in quotes if it could be taken for something else without them.
fn quoted(name: &str) -> Result<String, KnowledgeWriteError> {
    if name.is_empty() || name.contains(['"', '\n', '\r']) {
        return Err(KnowledgeWriteError::Name(name.to_owned()));
    }
    let plain = !name.contains(char::is_whitespace) && !name.starts_with('/') && section_name(name).is_none();
    Ok(if plain { name.to_owned() } else { format!("\"{name}\"") })
}

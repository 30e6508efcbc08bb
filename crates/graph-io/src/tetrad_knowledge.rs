//! Tetrad's knowledge files: tiers, forbidden and required edges and groups.

use gflowcausal_graph::{Advice, EdgeSpec, Knowledge, Rule, Variable, shortened};

use crate::format::utf8_text;

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
         found '{}'",
        shortened(found)
    )]
    Section { line: usize, found: String },
    /// A tier without a number.
    #[error(
        "line {line}: a tier begins with its number (0, 1, 2, … or 1* for no edges within), found '{}'",
        shortened(found)
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

impl KnowledgeFileError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "bad-knowledge-file"
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        "see the guide for Tetrad's knowledge format: /knowledge, addtemporal, forbiddirect, requiredirect"
            .into()
    }
}

/// Reads a knowledge file of Tetrad's.
///
/// Names are separated by blanks, or stand in double quotes; a line that starts with `//` is a comment; the first
/// line `/knowledge` may be left out. A group is a line of causes and a line of effects.
///
/// ```
/// # use gflowcausal_graph_io::{KnowledgeFileError, read_knowledge};
/// let file = b"/knowledge\naddtemporal\n1* a b\n2 c\nforbiddirect\na c\nrequiredirect\nb c\n";
/// let knowledge = read_knowledge(file)?;
/// assert_eq!(knowledge.statements()[0].to_string(), "no edges within tier 1 (line 3)");
/// assert_eq!(knowledge.statements()[5].to_string(), "require b->c (line 8)");
/// # Ok::<(), KnowledgeFileError>(())
/// ```
///
/// # Errors
/// The first line that is not understood.
pub fn read_knowledge(file: &[u8]) -> Result<Knowledge, KnowledgeFileError> {
    let text = utf8_text(file).map_err(|line| KnowledgeFileError::NotUtf8 { line })?;
    if text.trim().is_empty() {
        return Err(KnowledgeFileError::Empty);
    }
    read(text)
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
        let mut add = |rule| _ = knowledge.state_at(rule, line);
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

/// The names of a line: separated by blanks, or in double quotes.
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

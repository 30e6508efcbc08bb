//! What the user knows beforehand: required and forbidden edges, tiers, how many parents at most.

mod conflict;
mod constraints;
mod one_line;
mod spec;

use std::fmt;

use crate::names::Names;
use crate::{Advice, Edge};

pub use conflict::Conflict;
pub use constraints::Constraints;
pub use spec::{EdgeSpec, SpecError, Variable};

/// One thing the user stated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The edge must be there.
    Require(EdgeSpec),
    /// The edge must not be there.
    Forbid(EdgeSpec),
    /// Every variable of the first list causes every one of the second.
    RequireGroup(Vec<Variable>, Vec<Variable>),
    /// No variable of the first list causes one of the second.
    ForbidGroup(Vec<Variable>, Vec<Variable>),
    /// The variable stands in a tier: no edge from a later to an earlier tier.
    Tier(usize, Variable),
    /// No edges between the variables of this tier.
    ForbidWithinTier(usize),
    /// Nothing causes the variable.
    Exogenous(Variable),
    /// The variable causes nothing.
    Outcome(Variable),
    /// No variable has more parents than this.
    MaxParents(usize),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Require(edge) => write!(f, "require {edge}"),
            Self::Forbid(edge) => write!(f, "forbid {edge}"),
            Self::RequireGroup(from, to) => write!(f, "require {{{}}}->{{{}}}", list(from), list(to)),
            Self::ForbidGroup(from, to) => write!(f, "forbid {{{}}}->{{{}}}", list(from), list(to)),
            Self::Tier(tier, variable) => write!(f, "tier {tier}: {variable}"),
            Self::ForbidWithinTier(tier) => write!(f, "no edges within tier {tier}"),
            Self::Exogenous(variable) => write!(f, "exogenous {variable}"),
            Self::Outcome(variable) => write!(f, "outcome {variable}"),
            Self::MaxParents(most) => write!(f, "max parents {most}"),
        }
    }
}

fn list(variables: &[Variable]) -> String {
    variables.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A rule and where it was stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What was stated.
    pub rule: Rule,
    /// The line of the knowledge file, if it came from one.
    pub line: Option<usize>,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} (line {line})", self.rule),
            None => self.rule.fmt(f),
        }
    }
}

/// Statements that cannot become constraints.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's sentence names its fields")]
pub enum KnowledgeError {
    /// A statement about variables that are not there, or about no edge at all.
    #[error("{statement}: {reason}")]
    Statement { statement: String, reason: SpecError },
    /// Statements that contradict each other.
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

impl KnowledgeError {
    /// The kind of problem, as a stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict(_) => "contradictory-constraints",
            Self::Statement { reason: SpecError::Unknown(_) | SpecError::NoMatch(_), .. } => "unknown-column",
            Self::Statement { .. } => "bad-constraint",
        }
    }

    /// What helps.
    #[must_use]
    pub fn advice(&self) -> Advice {
        Advice::from(match self {
            Self::Conflict(_) => "take back one of them",
            Self::Statement { reason: SpecError::Unknown(_) | SpecError::NoMatch(_), .. } => {
                "give names of columns; `*` stands for any letters"
            }
            Self::Statement { .. } => "write A->B with two names of columns",
        })
    }
}

/// What the user knows beforehand, in the user's words.
///
/// A tier says that no later variable causes an earlier one; it does not say that earlier ones come first in an order,
/// and a variable may stand in no tier at all.
///
/// ```
/// use gflowcausal_graph::{Edge, Knowledge};
/// let mut knowledge = Knowledge::default();
/// knowledge.require("A->B").tier(1, ["B"]).tier(2, ["C"]).max_parents(2);
/// let constraints = knowledge.compile(&["A", "B", "C"])?;
/// assert!(constraints.required(1).contains(0));
/// assert!(!constraints.allows(Edge::new(2, 1)) && !constraints.allows(Edge::new(1, 0)));
///
/// knowledge.require("B->A");
/// let refused = knowledge.compile(&["A", "B", "C"]).unwrap_err();
/// assert_eq!(refused.to_string(), "these constraints cannot all hold: require A->B; require B->A");
/// # Ok::<(), gflowcausal_graph::KnowledgeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    statements: Vec<Statement>,
}

impl Knowledge {
    /// What was stated, in the order in which it was.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// States `rule`.
    pub fn state(&mut self, rule: Rule) -> &mut Self {
        self.statements.push(Statement { rule, line: None });
        self
    }

    /// States `rule`, which stands on `line` of a knowledge file.
    pub fn state_at(&mut self, rule: Rule, line: usize) -> &mut Self {
        self.statements.push(Statement { rule, line: Some(line) });
        self
    }

    /// The edge must be in every graph.
    pub fn require(&mut self, edge: impl Into<EdgeSpec>) -> &mut Self {
        self.state(Rule::Require(edge.into()))
    }

    /// The edge must be in no graph.
    pub fn forbid(&mut self, edge: impl Into<EdgeSpec>) -> &mut Self {
        self.state(Rule::Forbid(edge.into()))
    }

    /// The variables stand in `tier`: they cause nothing in an earlier (smaller) one.
    pub fn tier<V: Into<Variable>>(
        &mut self,
        tier: usize,
        variables: impl IntoIterator<Item = V>,
    ) -> &mut Self {
        for variable in variables {
            self.state(Rule::Tier(tier, variable.into()));
        }
        self
    }

    /// No variable has more than `most` parents.
    pub fn max_parents(&mut self, most: usize) -> &mut Self {
        self.state(Rule::MaxParents(most))
    }

    /// The statements as one mask and one partial order over the variables `names` (all different).
    ///
    /// Some graph satisfies all statements exactly when the graph of the required edges alone does. Costs `O(d²)` and the
    /// closure of the required edges.
    ///
    /// # Errors
    /// A statement that names no variable, or a smallest set of statements that contradict each other.
    pub fn compile<S: AsRef<str>>(&self, names: &[S]) -> Result<Constraints, KnowledgeError> {
        let names = Names::new(names);
        let rules = self.resolve(&names)?;
        match conflict::smallest(&rules, names.len()) {
            Some(statements) => Err(self.conflict(&statements, &names).into()),
            None => Ok(Constraints::new(&rules, names.len())),
        }
    }

    fn resolve(&self, names: &Names<'_>) -> Result<Vec<Resolved>, KnowledgeError> {
        let error = |statement: &Statement, reason| KnowledgeError::Statement {
            statement: statement.to_string(),
            reason,
        };
        self.statements
            .iter()
            .map(|statement| statement.rule.resolve(names).map_err(|reason| error(statement, reason)))
            .collect()
    }

    fn conflict(&self, statements: &[usize], names: &Names<'_>) -> Conflict {
        let text = |&index: &usize| {
            let Statement { rule, line } = &self.statements[index];
            Statement { rule: rule.named(names), line: *line }.to_string()
        };
        Conflict { statements: statements.iter().map(text).collect() }
    }
}

/// A rule over indices.
enum Resolved {
    Require(Vec<Edge>),
    Forbid(Vec<Edge>),
    Tier(usize, usize),
    ForbidWithinTier(usize),
    MaxParents(usize),
}

impl Rule {
    fn resolve(&self, names: &Names<'_>) -> Result<Resolved, SpecError> {
        Ok(match self {
            Self::Require(edge) => Resolved::Require(edge.resolve(names)?),
            Self::Forbid(edge) => Resolved::Forbid(edge.resolve(names)?),
            Self::RequireGroup(from, to) => Resolved::Require(product(from, to, names)?),
            Self::ForbidGroup(from, to) => Resolved::Forbid(product(from, to, names)?),
            Self::Tier(tier, variable) => Resolved::Tier(*tier, variable.resolve(names)?),
            Self::ForbidWithinTier(tier) => Resolved::ForbidWithinTier(*tier),
            Self::Exogenous(variable) => Resolved::Forbid(edges_into(variable.resolve(names)?, names)),
            Self::Outcome(variable) => {
                let into = edges_into(variable.resolve(names)?, names);
                Resolved::Forbid(into.into_iter().map(Edge::reversed).collect())
            }
            Self::MaxParents(most) => Resolved::MaxParents(*most),
        })
    }

    /// The same rule with the user's names where it was stated by number.
    fn named(&self, names: &Names<'_>) -> Self {
        let all = |variables: &[Variable]| variables.iter().map(|variable| variable.named(names)).collect();
        match self {
            Self::Require(edge) => Self::Require(edge.named(names)),
            Self::Forbid(edge) => Self::Forbid(edge.named(names)),
            Self::RequireGroup(from, to) => Self::RequireGroup(all(from), all(to)),
            Self::ForbidGroup(from, to) => Self::ForbidGroup(all(from), all(to)),
            Self::Tier(tier, variable) => Self::Tier(*tier, variable.named(names)),
            Self::Exogenous(variable) => Self::Exogenous(variable.named(names)),
            Self::Outcome(variable) => Self::Outcome(variable.named(names)),
            Self::ForbidWithinTier(_) | Self::MaxParents(_) => self.clone(),
        }
    }
}

fn edges_into(to: usize, names: &Names<'_>) -> Vec<Edge> {
    (0..names.len()).filter(|&from| from != to).map(|from| Edge { from, to }).collect()
}

/// Every edge from one list to the other, self-loops apart.
fn product(from: &[Variable], to: &[Variable], names: &Names<'_>) -> Result<Vec<Edge>, SpecError> {
    let resolve = |list: &[Variable]| {
        list.iter().map(|variable| variable.resolve(names)).collect::<Result<Vec<_>, _>>()
    };
    let (from, to) = (resolve(from)?, resolve(to)?);
    let pairs = from.iter().flat_map(|&from| to.iter().map(move |&to| Edge { from, to }));
    Ok(pairs.filter(|edge| edge.from != edge.to).collect())
}

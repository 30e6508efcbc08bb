//! Greedy equivalence search: from class to class, edge by edge in, then edge by edge out.

mod gies;
mod operators;
mod queue;
#[cfg(test)]
mod tests;

use gflowcausal_determinism::{StopFlag, cancellation_point, interruptible, map};
use gflowcausal_graph::{Constraints, Dag, Edge, Pdag};
use gflowcausal_score::LocalScore;

pub use self::gies::Decides;
use self::operators::{Class, Evaluator, Operator};
use self::queue::Queue;

/// Greedy equivalence search (Chickering 2002) with a score that is the same for equivalent graphs.
///
/// Starts from the class of the required edges, takes the best insertion until none raises the score, then the best
/// deletion. With turning (Hauser and Bühlmann 2012) it goes on with the best turn, and through all three again, until
/// nothing raises the score. A step is taken only if the class it leads to has a member that satisfies the constraints.
///
/// With [interventions](Self::with_interventions) it is GIES.
pub struct Ges<'a> {
    evaluator: Evaluator<'a>,
    turning: bool,
    known: Vec<Edge>,
    decides: Option<&'a Decides<'a>>,
}

/// A score for which equivalent graphs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("greedy equivalence search needs a score that is the same for equivalent graphs, which '{0}' is not")]
pub struct NotScoreEquivalent(pub &'static str);

/// The class that the search ended in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundClass {
    /// Arrows that all its members that satisfy the constraints share, and undirected edges.
    pub class: Pdag,
    /// A member that satisfies the constraints.
    pub member: Dag,
}

impl<'a> Ges<'a> {
    /// A search with `score` within `constraints`.
    ///
    /// # Errors
    /// A score for which equivalent graphs differ.
    ///
    /// # Panics
    /// If the two have different numbers of variables.
    pub fn new(
        score: &'a dyn LocalScore,
        constraints: &'a Constraints,
        turning: bool,
    ) -> Result<Self, NotScoreEquivalent> {
        if !score.is_score_equivalent() {
            return Err(NotScoreEquivalent(score.name()));
        }
        Ok(Self::between_classes(score, constraints, turning, None))
    }

    fn between_classes(
        score: &'a dyn LocalScore,
        constraints: &'a Constraints,
        turning: bool,
        decides: Option<&'a Decides<'a>>,
    ) -> Self {
        assert_eq!(score.nodes(), constraints.nodes(), "a score and constraints of different variables");
        let known = one_way(constraints);
        Self { evaluator: Evaluator { score, constraints }, turning, known, decides }
    }

    /// Searches until no step raises the score, or `stop` is set: then the class reached so far is returned.
    #[must_use]
    pub fn search(&self, stop: &StopFlag) -> FoundClass {
        let mut now = self.start();
        loop {
            now = self.forward(now, stop);
            now = self.greedy(now, Evaluator::deletions, stop).0;
            if !self.turning {
                return now.found;
            }
            let (turned, is_better) = self.greedy(now, Evaluator::turns, stop);
            now = turned;
            if !is_better || stop.is_set() {
                return now.found;
            }
        }
    }

    /// The class of the required edges alone.
    fn start(&self) -> SearchState {
        let nodes = self.evaluator.constraints.nodes();
        let required = Dag::from_edges(nodes, self.evaluator.constraints.required_edges())
            .expect("constraints are satisfiable");
        self.place(&Pdag::from(&required)).expect("constraints are satisfiable")
    }

    fn forward(&self, start: SearchState, stop: &StopFlag) -> SearchState {
        let mut now = start;
        let Some(mut queue) = interruptible(stop, || Queue::new(&self.evaluator, &now.class)) else {
            return now;
        };
        loop {
            let first = interruptible(stop, || queue.first(|operator| self.take(&now, operator)));
            let Some(Some((edge, next))) = first else { return now };
            let renewed = interruptible(stop, || queue.renew(&self.evaluator, &now.class, &next.class, edge));
            now = next;
            if renewed.is_none() {
                return now;
            }
        }
    }

    /// The best step of one kind until none raises the score; and whether there was any.
    fn greedy(
        &self,
        start: SearchState,
        steps: impl Fn(&Evaluator<'a>, &Class, usize) -> Vec<Operator> + Sync,
        stop: &StopFlag,
    ) -> (SearchState, bool) {
        let (mut now, mut is_better) = (start, false);
        let best = |now: &SearchState| {
            let nodes = now.class.skeleton.len();
            let mut all = map(nodes, |effect| steps(&self.evaluator, &now.class, effect)).concat();
            all.sort_by(Operator::rank);
            all.iter().find_map(|operator| self.take(now, operator))
        };
        while let Some(Some(next)) = interruptible(stop, || best(&now)) {
            (now, is_better) = (next, true);
        }
        (now, is_better)
    }

    fn take(&self, now: &SearchState, operator: &Operator) -> Option<SearchState> {
        cancellation_point();
        if now.class.admits(operator) { self.place(&now.class.after(operator)) } else { None }
    }

    /// The class of `graph`, if it has a member that satisfies the constraints.
    fn place(&self, graph: &Pdag) -> Option<SearchState> {
        let class = self.class_of(&graph.consistent_extension()?);
        let (oriented, member) = self.satisfying(&class)?;
        let found = FoundClass { class: oriented, member };
        self.evaluator
            .constraints
            .permits(&found.member)
            .then(|| SearchState { class: Class::new(class), found })
    }

    /// `class` with the known directions and what follows from them, and a member that has them; none if there is none.
    ///
    /// Directions that contradict the class end in no member, or in a member of another class.
    fn satisfying(&self, class: &Pdag) -> Option<(Pdag, Dag)> {
        let mut oriented = class.clone();
        for &edge in &self.known {
            oriented.orient(edge);
        }
        if !self.known.is_empty() {
            oriented.close_under_meek();
        }
        let member = oriented.consistent_extension()?;
        let is_member = self.known.is_empty() || self.class_of(&member) == *class;
        is_member.then_some((oriented, member))
    }
}

/// Where the search stands.
struct SearchState {
    class: Class,
    found: FoundClass,
}

/// The edges that are allowed in one direction only: their direction is known once they are there.
fn one_way(constraints: &Constraints) -> Vec<Edge> {
    let nodes = constraints.nodes();
    let pairs = (0..nodes).flat_map(|from| (0..nodes).map(move |to| Edge { from, to }));
    pairs
        .filter(|edge| edge.from != edge.to)
        .filter(|&edge| constraints.allows(edge) && !constraints.allows(edge.reversed()))
        .collect()
}

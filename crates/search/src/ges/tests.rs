//! The laws of steps between classes, each against all members of a class.

use std::collections::BTreeMap;

use gflowcausal_data::{Moments, Simulation, simulate};
use gflowcausal_graph::{Constraints, Cpdag, Dag, Edge, all_dags};
use gflowcausal_score::{Bic, GraphScore, Penalty};

use super::operators::{Class, Evaluator, Kind, MINIMUM_GAIN, Operator};
use super::queue::Queue;
use super::{Ges, SearchState};

const NODES: usize = 5;

fn bic(nodes: usize, degree: usize, seed: u64) -> Bic {
    let config = Simulation { nodes, degree: Some(degree), rows: 150, seed, ..Simulation::default() };
    let data = simulate(&config).expect("a simulation");
    Bic::new(&Moments::of_table(&data.table).expect("numbers"), Penalty::Factor(1.0)).expect("a score")
}

/// Some classes of five variables, each by one member.
fn classes() -> Vec<Dag> {
    all_dags(NODES).step_by(331).collect()
}

fn all_steps(evaluator: &Evaluator<'_>, class: &Class, kind: Kind) -> Vec<Operator> {
    let of = |effect| match kind {
        Kind::Insert => evaluator.insertions(class, effect, 0..NODES),
        Kind::Delete => evaluator.deletions(class, effect),
        Kind::Turn => evaluator.turns(class, effect),
    };
    (0..NODES).flat_map(of).filter(|operator| class.admits(operator)).collect()
}

/// Every class that one edge inserted, deleted or turned in some member leads to, with its score.
fn neighbours(class: &Cpdag, kind: Kind, score: &Bic) -> Vec<f64> {
    let mut found = BTreeMap::new();
    let pairs = (0..NODES).flat_map(|from| (0..NODES).map(move |to| Edge::new(from, to)));
    let pairs: Vec<Edge> = pairs.filter(|edge| edge.from != edge.to).collect();
    for member in class.members() {
        for &edge in &pairs {
            let mut next = member.clone();
            let is_made = match kind {
                Kind::Insert => !member.is_adjacent(edge) && next.insert(edge).is_ok(),
                Kind::Delete => next.remove(edge),
                Kind::Turn => next.remove(edge) && next.insert(edge.reversed()).is_ok(),
            };
            if is_made && !class.contains(&next) {
                found.insert(format!("{:?}", Cpdag::of(&next)), score.graph(&next));
            }
        }
    }
    found.into_values().collect()
}

#[test]
fn a_step_leads_where_it_says_and_is_worth_what_it_says() {
    let score = bic(NODES, 2, 1);
    let free = Constraints::none(NODES);
    let evaluator = Evaluator { score: &score, constraints: &free };
    for dag in classes() {
        let (class, before) = (Class::new(Cpdag::of(&dag).into_pdag()), score.graph(&dag));
        for kind in [Kind::Insert, Kind::Delete, Kind::Turn] {
            for operator in all_steps(&evaluator, &class, kind) {
                let after = class.after(&operator).consistent_extension().expect("a member");
                let gain = score.graph(&after) - before;
                assert!((gain - operator.gain).abs() < 1e-6, "{operator:?} from {dag:?}: {gain}");
            }
        }
    }
}

#[test]
fn no_neighbouring_class_is_missed() {
    for seed in 0..2 {
        let score = bic(NODES, 2, seed);
        let free = Constraints::none(NODES);
        let evaluator = Evaluator { score: &score, constraints: &free };
        for dag in classes() {
            let class = Cpdag::of(&dag);
            let (steps, before) = (Class::new(class.as_pdag().clone()), score.graph(&dag));
            for kind in [Kind::Insert, Kind::Delete, Kind::Turn] {
                let best = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
                let found = best(all_steps(&evaluator, &steps, kind).iter().map(|step| step.gain).collect());
                let gains = neighbours(&class, kind, &score).into_iter().map(|value| value - before);
                let expected = best(gains.filter(|&gain| gain > MINIMUM_GAIN).collect());
                assert!((found - expected).abs() < 1e-6, "{kind:?} from {dag:?}: {found} {expected}");
            }
        }
    }
}

#[test]
fn the_queue_takes_the_step_that_judging_everything_again_would() {
    for seed in 0..4 {
        let nodes = 12;
        let score = bic(nodes, 3, seed);
        let free = Constraints::none(nodes);
        let search = Ges::new(&score, &free, false).expect("bic is score equivalent");
        let mut now: SearchState = search.start();
        let mut queue = Queue::new(&search.evaluator, &now.class);
        let mut steps = 0;
        loop {
            let evaluated =
                (0..nodes).flat_map(|effect| search.evaluator.insertions(&now.class, effect, 0..nodes));
            let mut all: Vec<Operator> = evaluated.collect();
            all.sort_by(Operator::rank);
            let expected = all.iter().find(|operator| search.take(&now, operator).is_some());
            let mut taken = None;
            let next = queue.first(|operator| {
                let place = search.take(&now, operator)?;
                taken = Some(operator.clone());
                Some(place)
            });
            assert_eq!(taken.as_ref(), expected, "seed {seed}, step {steps}");
            let Some((edge, next)) = next else { break };
            queue.renew(&search.evaluator, &now.class, &next.class, edge);
            (now, steps) = (next, steps + 1);
        }
        assert!(steps > nodes, "{steps} steps say little");
    }
}

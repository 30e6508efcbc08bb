//! Knowledge against brute force over all graphs of four variables, and the words of its refusals.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{
    Closure, Constraints, Dag, Edge, Knowledge, KnowledgeError, NodeSet, Order, Rule, Variable,
};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["A", "B", "C", "D"];

fn pairs(nodes: usize) -> Vec<Edge> {
    let all = (0..nodes).flat_map(|from| (0..nodes).map(move |to| Edge { from, to }));
    all.filter(|edge| edge.from != edge.to).collect()
}

/// Every subset of the possible edges that has no cycle.
fn all_dags(nodes: usize) -> Vec<Dag> {
    let pairs = pairs(nodes);
    let subset = |bits: u32| {
        pairs.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, &edge)| edge)
    };
    (0..1u32 << pairs.len()).filter_map(|bits| Dag::from_edges(nodes, subset(bits)).ok()).collect()
}

fn orders(nodes: usize) -> Vec<Order> {
    let mut sequences = vec![Vec::new()];
    for _ in 0..nodes {
        let longer = |prefix: Vec<usize>| {
            (0..nodes)
                .filter(|node| !prefix.contains(node))
                .map(|node| [&prefix[..], &[node]].concat())
                .collect::<Vec<_>>()
        };
        sequences = sequences.into_iter().flat_map(longer).collect();
    }
    sequences.into_iter().map(|sequence| Order::new(sequence).unwrap()).collect()
}

fn index(variable: &Variable) -> usize {
    match variable {
        Variable::Index(index) => *index,
        Variable::Name(name) => NAMES.iter().position(|known| known == name).unwrap(),
    }
}

/// Whether `dag` satisfies `rules`, each read by its plain meaning.
fn satisfies(dag: &Dag, rules: &[&Rule]) -> bool {
    let tier = |node| {
        rules.iter().find_map(|rule| match rule {
            Rule::Tier(tier, variable) if index(variable) == node => Some(*tier),
            _ => None,
        })
    };
    let group = |from: &[Variable], to: &[Variable]| -> Vec<Edge> {
        let pairs = from.iter().flat_map(|from| to.iter().map(move |to| Edge::new(index(from), index(to))));
        pairs.filter(|edge| edge.from != edge.to).collect()
    };
    rules.iter().all(|rule| match rule {
        Rule::RequireGroup(from, to) => group(from, to).iter().all(|&edge| dag.contains(edge)),
        Rule::ForbidGroup(from, to) => group(from, to).iter().all(|&edge| !dag.contains(edge)),
        Rule::Tier(..) => dag.edges().all(|edge| match (tier(edge.from), tier(edge.to)) {
            (Some(from), Some(to)) => from <= to,
            _ => true,
        }),
        Rule::ForbidWithinTier(closed) => {
            !dag.edges().any(|edge| tier(edge.from) == Some(*closed) && tier(edge.to) == Some(*closed))
        }
        Rule::MaxParents(most) => (0..dag.nodes()).all(|node| dag.parents(node).len() <= *most),
        rule => panic!("{rule:?} is not generated here"),
    })
}

/// Whether no variable stands in two tiers.
fn tiers_are_clear(rules: &[&Rule]) -> bool {
    let places = rules.iter().filter_map(|rule| match rule {
        Rule::Tier(tier, variable) => Some((index(variable), *tier)),
        _ => None,
    });
    let places: Vec<(usize, usize)> = places.collect();
    places.iter().all(|a| places.iter().all(|b| a.0 != b.0 || a.1 == b.1))
}

fn feasible(rules: &[&Rule], dags: &[Dag]) -> bool {
    tiers_are_clear(rules) && dags.iter().any(|dag| satisfies(dag, rules))
}

fn variable(nodes: usize) -> impl Strategy<Value = Variable> {
    (0..nodes, any::<bool>()).prop_map(|(node, named)| if named { NAMES[node].into() } else { node.into() })
}

fn rule(nodes: usize) -> impl Strategy<Value = Rule> {
    let edge = || (variable(nodes), variable(nodes)).prop_filter("no loop", |(a, b)| index(a) != index(b));
    let group =
        || (prop::collection::vec(variable(nodes), 1..4), prop::collection::vec(variable(nodes), 1..4));
    prop_oneof![
        5 => edge().prop_map(|(from, to)| Rule::RequireGroup(vec![from], vec![to])),
        3 => edge().prop_map(|(from, to)| Rule::ForbidGroup(vec![from], vec![to])),
        1 => group().prop_map(|(from, to)| Rule::RequireGroup(from, to)),
        1 => group().prop_map(|(from, to)| Rule::ForbidGroup(from, to)),
        4 => (0..3usize, variable(nodes)).prop_map(|(tier, variable)| Rule::Tier(tier, variable)),
        1 => (0..3usize).prop_map(Rule::ForbidWithinTier),
        1 => (0..4usize).prop_map(Rule::MaxParents),
    ]
}

fn stated(rules: &[Rule]) -> Knowledge {
    let mut knowledge = Knowledge::default();
    for rule in rules {
        knowledge.state(rule.clone());
    }
    knowledge
}

/// Whether edges can be added to `dag` so that it satisfies the constraints: the required ones, as nothing else is ever needed.
fn is_completable(constraints: &Constraints, dag: &Dag) -> bool {
    let mut whole = dag.clone();
    let mut missing = constraints.required_edges().filter(|&edge| !dag.contains(edge));
    missing.all(|edge| whole.insert(edge).is_ok()) && constraints.permits(&whole)
}

/// A DAG grown by random picks among what `admits` leaves, from the closure of the required edges.
fn grown(constraints: &Constraints, picks: &[usize]) -> Dag {
    let nodes = constraints.nodes();
    let (mut dag, mut closure) = (Dag::empty(nodes), constraints.precedence().clone());
    for pick in picks {
        let free =
            |edge: &Edge| !dag.contains(*edge) && constraints.admits(*edge, dag.parents(edge.to), &closure);
        let open: Vec<Edge> = pairs(nodes).into_iter().filter(free).collect();
        if open.is_empty() {
            break;
        }
        let edge = open[pick % open.len()];
        dag.insert(edge).unwrap();
        closure.insert(edge);
    }
    dag
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_mask_is_what_brute_force_says(nodes in 1..=4usize, seed in prop::collection::vec(rule(4), 0..7)) {
        let inside = |rule: &Rule| satisfiable(rule, nodes);
        let rules: Vec<Rule> = seed.into_iter().filter(inside).collect();
        let dags = all_dags(nodes);
        let references: Vec<&Rule> = rules.iter().collect();
        let compiled = stated(&rules).compile(&NAMES[..nodes]);
        prop_assert_eq!(compiled.is_ok(), feasible(&references, &dags));
        let Ok(constraints) = compiled else { return Ok(()) };

        let good: Vec<&Dag> = dags.iter().filter(|dag| satisfies(dag, &references)).collect();
        for dag in &dags {
            prop_assert_eq!(constraints.permits(dag), satisfies(dag, &references), "permits {:?}", dag);
            let completed = good.iter().any(|whole| dag.edges().all(|edge| whole.contains(edge)));
            prop_assert_eq!(is_completable(&constraints, dag), completed, "completable {:?}", dag);
        }
        for edge in pairs(nodes) {
            prop_assert_eq!(constraints.allows(edge), good.iter().any(|dag| dag.contains(edge)));
            prop_assert_eq!(constraints.required(edge.to).contains(edge.from), good.iter().all(|dag| dag.contains(edge)));
            let follows = |order: &Order| order.positions()[edge.from] < order.positions()[edge.to];
            let mut possible = orders(nodes).into_iter().filter(|order| good.iter().any(|dag| order.is_compatible_with(dag)));
            prop_assert_eq!(constraints.must_precede(edge.from, edge.to), possible.all(|order| follows(&order)));
        }
        for order in orders(nodes) {
            prop_assert_eq!(constraints.permits_order(&order), good.iter().any(|dag| order.is_compatible_with(dag)));
        }
    }

    #[test]
    fn an_order_walk_reaches_every_allowed_order_and_never_gets_stuck(rules in prop::collection::vec(rule(4), 0..7)) {
        let Ok(constraints) = stated(&rules).compile(&NAMES) else { return Ok(()) };
        let mut reached = vec![Vec::new()];
        for _ in 0..4 {
            reached = reached.into_iter().flat_map(|prefix: Vec<usize>| {
                let next = constraints.placeable(&NodeSet::of(4, prefix.iter().copied()));
                assert!(!next.is_empty(), "stuck after {prefix:?}");
                next.iter().map(|node| [&prefix[..], &[node]].concat()).collect::<Vec<_>>()
            }).collect();
        }
        let allowed = orders(4).into_iter().filter(|order| constraints.permits_order(order));
        prop_assert_eq!(reached, allowed.map(|order| order.as_slice().to_vec()).collect::<Vec<_>>());
    }

    #[test]
    fn an_edge_walk_can_always_be_completed(
        rules in prop::collection::vec(rule(4), 0..7),
        picks in prop::collection::vec(0..100usize, 0..8),
    ) {
        let Ok(constraints) = stated(&rules).compile(&NAMES) else { return Ok(()) };
        let dag = grown(&constraints, &picks);
        prop_assert!(is_completable(&constraints, &dag), "{dag:?}");
        let mut closure: Closure = constraints.precedence().clone();
        dag.edges().for_each(|edge| closure.insert(edge));
        for edge in pairs(4).into_iter().filter(|&edge| !dag.contains(edge)) {
            let mut larger = dag.clone();
            let completable = larger.insert(edge).is_ok() && is_completable(&constraints, &larger);
            prop_assert_eq!(constraints.admits(edge, dag.parents(edge.to), &closure), completable, "{}", edge);
        }
    }

    #[test]
    fn a_conflict_is_smallest(rules in prop::collection::vec(rule(3), 1..8)) {
        let dags = all_dags(3);
        let Err(KnowledgeError::Conflict(conflict)) = stated(&rules).compile(&NAMES[..3]) else { return Ok(()) };
        let subset = |bits: u32| -> Vec<&Rule> {
            rules.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, rule)| rule).collect()
        };
        let all = 0..1u32 << rules.len();
        let infeasible = all.filter(|&bits| !feasible(&subset(bits), &dags));
        let smallest = infeasible.map(u32::count_ones).min().unwrap() as usize;
        prop_assert_eq!(conflict.statements.len(), smallest, "{}", conflict);
        // What is reported is itself in conflict.
        let texts: Vec<String> = rules.iter().map(|rule| named(rule).to_string()).collect();
        let reported = (0..rules.len()).filter(|&at| conflict.statements.contains(&texts[at])).fold(0, |bits, at| bits | 1 << at);
        prop_assert!(!feasible(&subset(reported), &dags), "{}", conflict);
    }
}

/// Whether a rule speaks of the first `nodes` variables only.
fn satisfiable(rule: &Rule, nodes: usize) -> bool {
    let inside = |list: &[Variable]| list.iter().all(|variable| index(variable) < nodes);
    match rule {
        Rule::RequireGroup(from, to) | Rule::ForbidGroup(from, to) => inside(from) && inside(to),
        Rule::Tier(_, variable) => index(variable) < nodes,
        _ => true,
    }
}

fn named(rule: &Rule) -> Rule {
    let name = |variable: &Variable| Variable::from(NAMES[index(variable)]);
    let all = |list: &[Variable]| list.iter().map(name).collect();
    match rule {
        Rule::RequireGroup(from, to) => Rule::RequireGroup(all(from), all(to)),
        Rule::ForbidGroup(from, to) => Rule::ForbidGroup(all(from), all(to)),
        Rule::Tier(tier, variable) => Rule::Tier(*tier, name(variable)),
        other => other.clone(),
    }
}

fn refusal(state: impl FnOnce(&mut Knowledge)) -> String {
    let mut knowledge = Knowledge::default();
    state(&mut knowledge);
    knowledge.compile(&["A", "B", "C", "my variable"]).unwrap_err().to_string()
}

#[test]
fn refusals_say_which_statements_and_nothing_more() {
    let is = |text: String, expected: &str| assert_eq!(text, expected);
    is(
        refusal(|k| _ = k.require("A->B").forbid("C->A").require("B->A").max_parents(5)),
        "these constraints cannot all hold: require A->B; require B->A",
    );
    is(
        refusal(|k| _ = k.require("A->B").require("B->C").require("A->my variable").require(("C", "A"))),
        "these constraints cannot all hold: require A->B; require B->C; require C->A",
    );
    is(
        refusal(|k| _ = k.forbid("my variable -> B").require(Edge::new(3, 1))),
        "these constraints cannot all hold: forbid my variable -> B; require my variable->B",
    );
    is(
        refusal(|k| _ = k.tier(1, ["A", "C"]).tier(2, ["B"]).require("B->A")),
        "these constraints cannot all hold: tier 1: A; tier 2: B; require B->A",
    );
    is(
        refusal(|k| _ = k.tier(1, ["A", "C"]).state(Rule::ForbidWithinTier(1)).require("C->A")),
        "these constraints cannot all hold: tier 1: A; tier 1: C; no edges within tier 1; require C->A",
    );
    is(
        refusal(|k| _ = k.tier(1, ["A", "C"]).tier(2, ["C"])),
        "these constraints cannot all hold: tier 1: C; tier 2: C",
    );
    is(
        refusal(|k| _ = k.max_parents(3).require("A->C").max_parents(1).require("B->C")),
        "these constraints cannot all hold: require A->C; max parents 1; require B->C",
    );
    is(
        refusal(|k| {
            let (from, to) = (vec!["A".into(), "B".into()], vec!["B".into(), "A".into(), "C".into()]);
            k.require("C->A").state(Rule::RequireGroup(from, to));
        }),
        "these constraints cannot all hold: require {A, B}->{B, A, C}",
    );
}

#[test]
fn unknown_variables_are_named_with_a_suggestion() {
    let is = |text: String, expected: &str| assert_eq!(text, expected);
    is(
        refusal(|k| _ = k.require("A->my varable")),
        "require A->my varable: no variable is named 'my varable'; did you mean 'my variable'?",
    );
    is(refusal(|k| _ = k.tier(3, ["income"])), "tier 3: income: no variable is named 'income'");
    is(
        refusal(|k| _ = k.forbid(Edge::new(1, 4))),
        "forbid variable 1->variable 4: there is no variable number 4: the 4 variables are numbered from 0",
    );
    is(
        refusal(|k| _ = k.forbid("A->A")),
        "forbid A->A: an edge from 'A' to itself can be neither required nor forbidden",
    );
    is(refusal(|k| _ = k.require("A B")), "require A B: 'A B' is not an edge: write it as A->B");
}

#[test]
fn overlapping_groups_use_the_fewest_statements() {
    // Greedy takes the group of four first and then the two single edges; the two groups of three suffice.
    let names: Vec<String> = (0..8).map(|node| format!("V{node}")).collect();
    let group = |from: &[usize]| {
        Rule::RequireGroup(from.iter().map(|&node| node.into()).collect(), vec![7usize.into()])
    };
    let mut knowledge = Knowledge::default();
    for from in [&[1, 2, 3, 4][..], &[0], &[5], &[0, 1, 2], &[3, 4, 5]] {
        knowledge.state(group(from));
    }
    knowledge.max_parents(5);
    let error = knowledge.compile(&names).unwrap_err().to_string();
    assert_eq!(
        error,
        "these constraints cannot all hold: require {V0, V1, V2}->{V7}; require {V3, V4, V5}->{V7}; max parents 5"
    );
}

#[test]
fn many_overlapping_groups_end_in_time_with_an_irreducible_conflict() {
    let names: Vec<String> = (0..400).map(|node| format!("V{node}")).collect();
    let mut knowledge = Knowledge::default();
    for start in 0..390 {
        let from = (0..10).map(|step| ((start + step * (step + 1)) % 399).into()).collect();
        knowledge.state(Rule::RequireGroup(from, vec![399usize.into()]));
    }
    knowledge.max_parents(300);
    let Err(KnowledgeError::Conflict(conflict)) = knowledge.compile(&names) else { panic!("must conflict") };
    for dropped in 0..conflict.statements.len() {
        let mut rest = Knowledge::default();
        let kept =
            |at: &str| conflict.statements.iter().enumerate().any(|(i, text)| i != dropped && text == at);
        for statement in knowledge.statements() {
            let text = statement.to_string();
            let renamed = (0..400)
                .rev()
                .fold(text, |text, node| text.replace(&format!("variable {node}"), &format!("V{node}")));
            if kept(&renamed) {
                rest.state(statement.rule.clone());
            }
        }
        assert!(rest.compile(&names).is_ok(), "'{}' is not needed", conflict.statements[dropped]);
    }
}

#[test]
fn no_knowledge_allows_everything() {
    let constraints = Knowledge::default().compile(&NAMES).unwrap();
    assert_eq!(constraints, Constraints::none(4));
    assert!(all_dags(4).iter().all(|dag| constraints.permits(dag)));
    assert_eq!(constraints.max_parents(), 3);
    assert_eq!(Constraints::none(0).nodes(), 0);
}

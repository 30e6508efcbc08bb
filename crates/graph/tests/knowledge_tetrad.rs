//! Tetrad's knowledge files: reading, writing, and the words of refusals.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{EdgeSpec, Knowledge, Rule, Variable};
use proptest::prelude::*;

fn statements(file: &str) -> Vec<String> {
    Knowledge::from_tetrad(file.as_bytes()).unwrap().statements().iter().map(ToString::to_string).collect()
}

fn refusal(file: &[u8]) -> String {
    Knowledge::from_tetrad(file).unwrap_err().to_string()
}

#[test]
fn a_file_as_tetrad_writes_it() {
    // Tetrad's own writer leaves a blank at the end of a tier and all three sections, empty ones too.
    let file =
        "/knowledge\naddtemporal\n1 x1 x2 \n2* x3 x4 \n3 \n\nforbiddirect\nx1 x4\n\nrequiredirect\nx1 x2";
    assert_eq!(
        statements(file),
        [
            "tier 1: x1 (line 3)",
            "tier 1: x2 (line 3)",
            "no edges within tier 2 (line 4)",
            "tier 2: x3 (line 4)",
            "tier 2: x4 (line 4)",
            "forbid x1->x4 (line 8)",
            "require x1->x2 (line 11)",
        ]
    );
}

#[test]
fn sections_in_any_order_comments_quotes_and_groups() {
    let file = "\u{feff}// what we know\r\nRequireDirect\r\n\"my variable\"\tb\r\n\r\nforbiddengroup\na b\n// effects\nc d\n\
                requiredgroup\na\nd\nforbiddirect\n";
    assert_eq!(
        statements(file),
        ["require my variable->b (line 3)", "forbid {a, b}->{c, d} (line 6)", "require {a}->{d} (line 10)"]
    );
}

#[test]
fn conflicts_give_the_lines() {
    let knowledge = Knowledge::from_tetrad(b"addtemporal\n1 a\n2 b\nrequiredirect\nb a\n").unwrap();
    assert_eq!(
        knowledge.compile(&["a", "b"]).unwrap_err().to_string(),
        "these constraints cannot all hold: tier 1: a (line 2); tier 2: b (line 3); require b->a (line 5)"
    );
    assert_eq!(
        knowledge.compile(&["alpha", "b"]).unwrap_err().to_string(),
        "tier 1: a (line 2): no variable is named 'a'"
    );
}

#[test]
fn refusals_name_the_line() {
    assert_eq!(refusal(b""), "the knowledge file is empty");
    assert_eq!(refusal(b" \n\n"), "the knowledge file is empty");
    assert_eq!(refusal(b"/knowledge\n\xff\n"), "line 2: not UTF-8 text");
    assert_eq!(
        refusal(b"/knowledge\na b\n"),
        "line 2: expected addtemporal, forbiddirect, requiredirect, forbiddengroup or requiredgroup, found 'a b'"
    );
    assert_eq!(
        refusal(b"addtemporal\nx1 x2\n"),
        "line 2: a tier begins with its number (0, 1, 2, … or 1* for no edges within), found 'x1'"
    );
    assert_eq!(refusal(b"forbiddirect\na b c\n"), "line 2: an edge is two names, found 3");
    assert_eq!(refusal(b"requiredirect\na\n"), "line 2: an edge is two names, found 1");
    assert_eq!(refusal(b"requiredirect\na \"b\n"), "line 2: the quote is not closed");
    let half = "a group is two lines, causes and effects; the second is missing";
    assert_eq!(refusal(b"requiredgroup\na b\n"), format!("line 2: {half}"));
    assert_eq!(refusal(b"requiredgroup\na b\nforbiddirect\n"), format!("line 2: {half}"));
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let write = |rule: Rule, names: &[&str]| {
        let mut knowledge = Knowledge::default();
        knowledge.state(rule).to_tetrad(names).unwrap_err().to_string()
    };
    let both = |from: &str, to: &str| Rule::Require((from, to).into());
    assert_eq!(
        write(Rule::MaxParents(3), &["a", "b"]),
        "Tetrad's knowledge format has no place for 'max parents 3'"
    );
    assert_eq!(
        write(both("a", "say \"b\""), &["a", "say \"b\""]),
        "Tetrad's knowledge format cannot hold the name \"say \\\"b\\\"\""
    );
    assert_eq!(
        write(both("a", "b\n"), &["a", "b\n"]),
        "Tetrad's knowledge format cannot hold the name \"b\\n\""
    );
    assert_eq!(write(both("a", "c"), &["a", "b"]), "require a->c: no variable is named 'c'");
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,3}",
        "[^\"\n\r]{1,6}",
        Just("//".to_owned()),
        Just("/knowledge".to_owned()),
        Just("AddTemporal".to_owned()),
        Just("forbiddirect".to_owned()),
        Just("1*".to_owned()),
        Just("<script>alert('🦀')</script>".to_owned()),
    ]
}

fn rules(names: usize) -> impl Strategy<Value = Vec<Rule>> {
    let variable = move || (0..names).prop_map(Variable::from);
    let group = move || prop::collection::vec(variable(), 1..3);
    let pair = move || (0..names, 1..names).prop_map(move |(from, step)| (from, (from + step) % names));
    let rule = prop_oneof![
        pair().prop_map(|edge| Rule::Require(edge.into())),
        pair().prop_map(|edge| Rule::Forbid(edge.into())),
        (group(), group()).prop_map(|(from, to)| Rule::RequireGroup(from, to)),
        (group(), group()).prop_map(|(from, to)| Rule::ForbidGroup(from, to)),
        (0..3usize, variable()).prop_map(|(tier, variable)| Rule::Tier(tier, variable)),
        (0..3usize).prop_map(Rule::ForbidWithinTier),
    ];
    prop::collection::vec(rule, 0..8)
}

/// The rules with names for numbers and each thing once, sorted: what a file keeps.
fn meaning(rules: impl Iterator<Item = Rule>, names: &[String]) -> Vec<String> {
    let name = |variable: Variable| match variable {
        Variable::Index(index) => Variable::from(names[index].as_str()),
        named => named,
    };
    let all = |list: Vec<Variable>| list.into_iter().map(name).collect::<Vec<_>>();
    let named = |rule| match rule {
        Rule::RequireGroup(from, to) => Rule::RequireGroup(all(from), all(to)),
        Rule::ForbidGroup(from, to) => Rule::ForbidGroup(all(from), all(to)),
        Rule::Tier(tier, variable) => Rule::Tier(tier, name(variable)),
        Rule::Require(EdgeSpec::Pair(from, to)) => Rule::Require((name(from), name(to)).into()),
        Rule::Forbid(EdgeSpec::Pair(from, to)) => Rule::Forbid((name(from), name(to)).into()),
        other => other,
    };
    let mut texts: Vec<String> = rules.map(named).map(|rule| format!("{rule:?}")).collect();
    texts.sort();
    texts.dedup();
    texts
}

proptest! {
    #[test]
    fn files_round_trip(
        (names, rules) in prop::collection::btree_set(name(), 2..6)
            .prop_flat_map(|names| (rules(names.len()), Just(names)))
            .prop_map(|(rules, names)| (names.into_iter().collect::<Vec<_>>(), rules))
    ) {
        let mut knowledge = Knowledge::default();
        for rule in &rules {
            knowledge.state(rule.clone());
        }
        let file = knowledge.to_tetrad(&names).unwrap();
        let again = Knowledge::from_tetrad(file.as_bytes()).unwrap();
        let read = meaning(again.statements().iter().map(|statement| statement.rule.clone()), &names);
        prop_assert_eq!(read, meaning(rules.into_iter(), &names), "{}", file);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(addtemporal|forbiddirect|requiredgroup|[0-9*a\" \n/é]){0,20}") {
        _ = Knowledge::from_tetrad(text.as_bytes());
    }
}

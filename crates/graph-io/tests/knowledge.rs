//! Tetrad's knowledge files: reading, and the words of refusals.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{EdgeSpec, Rule, Variable};
use gflowcausal_graph_io::read_knowledge;
use proptest::prelude::*;

fn statements(file: &str) -> Vec<String> {
    read_knowledge(file.as_bytes()).unwrap().statements().iter().map(ToString::to_string).collect()
}

fn refusal(file: &[u8]) -> String {
    read_knowledge(file).unwrap_err().to_string()
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
    let knowledge = read_knowledge(b"addtemporal\n1 a\n2 b\nrequiredirect\nb a\n").unwrap();
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

fn rules(names: Vec<String>) -> impl Strategy<Value = Vec<Rule>> {
    let name = prop::sample::select(names);
    let variable = name.clone().prop_map(Variable::from);
    let group = prop::collection::vec(variable.clone(), 1..3);
    let edge = (name.clone(), name).prop_map(EdgeSpec::from);
    let rule = prop_oneof![
        edge.clone().prop_map(Rule::Require),
        edge.prop_map(Rule::Forbid),
        (group.clone(), group.clone()).prop_map(|(from, to)| Rule::RequireGroup(from, to)),
        (group.clone(), group).prop_map(|(from, to)| Rule::ForbidGroup(from, to)),
        (0..3usize, variable).prop_map(|(tier, variable)| Rule::Tier(tier, variable)),
        (0..3usize).prop_map(Rule::ForbidWithinTier),
    ];
    prop::collection::vec(rule, 1..8)
}

/// A rule in a section of its own.
fn section(rule: &Rule) -> String {
    let quoted = |variable: &Variable| match variable {
        Variable::Name(name) => format!("\"{name}\""),
        Variable::Index(_) => panic!("a file names its variables"),
    };
    let all = |list: &[Variable]| list.iter().map(quoted).collect::<Vec<_>>().join(" ");
    match rule {
        Rule::Require(EdgeSpec::Pair(from, to)) => {
            format!("requiredirect\n{} {}\n", quoted(from), quoted(to))
        }
        Rule::Forbid(EdgeSpec::Pair(from, to)) => format!("forbiddirect\n{} {}\n", quoted(from), quoted(to)),
        Rule::RequireGroup(from, to) => format!("requiredgroup\n{}\n{}\n", all(from), all(to)),
        Rule::ForbidGroup(from, to) => format!("forbiddengroup\n{}\n{}\n", all(from), all(to)),
        Rule::Tier(tier, variable) => format!("addtemporal\n{tier} {}\n", quoted(variable)),
        Rule::ForbidWithinTier(tier) => format!("addtemporal\n{tier}*\n"),
        other => panic!("the format has no place for {other}"),
    }
}

proptest! {
    #[test]
    fn every_rule_in_any_names_is_read(
        rules in prop::collection::btree_set(name(), 2..6).prop_flat_map(|names| rules(names.into_iter().collect()))
    ) {
        let file: String = rules.iter().map(section).collect();
        let knowledge = read_knowledge(file.as_bytes()).unwrap();
        let read: Vec<Rule> = knowledge.statements().iter().map(|statement| statement.rule.clone()).collect();
        prop_assert_eq!(read, rules, "{}", file);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(addtemporal|forbiddirect|requiredgroup|[0-9*a\" \n/é]){0,20}") {
        _ = read_knowledge(text.as_bytes());
    }
}

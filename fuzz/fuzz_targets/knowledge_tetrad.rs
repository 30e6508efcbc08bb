//! Tetrad's knowledge files: whatever is read can be written, and reads the same again.

#![no_main]

use std::collections::BTreeSet;

use gflowcausal_graph::{EdgeSpec, Knowledge, Rule, Variable};
use libfuzzer_sys::fuzz_target;

fn names(knowledge: &Knowledge) -> Vec<String> {
    let mut names = BTreeSet::new();
    let mut add = |variable: &Variable| match variable {
        Variable::Name(name) => _ = names.insert(name.clone()),
        Variable::Index(_) => {}
    };
    for statement in knowledge.statements() {
        match &statement.rule {
            Rule::Require(EdgeSpec::Pair(from, to)) | Rule::Forbid(EdgeSpec::Pair(from, to)) => {
                add(from);
                add(to);
            }
            Rule::RequireGroup(from, to) | Rule::ForbidGroup(from, to) => {
                from.iter().chain(to).for_each(&mut add)
            }
            Rule::Tier(_, variable) => add(variable),
            _ => {}
        }
    }
    names.into_iter().collect()
}

/// Each statement once, wherever it stood.
fn rules(knowledge: &Knowledge) -> BTreeSet<String> {
    knowledge.statements().iter().map(|statement| format!("{:?}", statement.rule)).collect()
}

fuzz_target!(|data: &[u8]| {
    let Ok(knowledge) = Knowledge::from_tetrad(data) else { return };
    let names = names(&knowledge);
    _ = knowledge.compile(&names);
    if let Ok(file) = knowledge.to_tetrad(&names) {
        let again = Knowledge::from_tetrad(file.as_bytes()).expect("what was written can be read");
        assert_eq!(rules(&again), rules(&knowledge));
    }
});

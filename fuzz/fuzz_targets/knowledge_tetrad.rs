//! Tetrad's knowledge files: whatever is read becomes constraints or is refused.

#![no_main]

use std::collections::BTreeSet;

use gflowcausal_graph::{EdgeSpec, Knowledge, Rule, Variable};
use gflowcausal_graph_io::read_knowledge;
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

fuzz_target!(|data: &[u8]| {
    let Ok(knowledge) = read_knowledge(data) else { return };
    _ = knowledge.compile(&names(&knowledge));
});

//! Every DAG has exactly one layering, and the number of DAGs of a layering is as the definition says.

use std::collections::HashMap;

use gflowcausal_graph::{Dag, Layering, LayeringError, NodeSet, all_dags};

/// Whether `dag` satisfies the definition of `layering`, variable by variable.
fn satisfies(dag: &Dag, layering: &Layering) -> bool {
    let mut before = NodeSet::empty(dag.nodes());
    let mut last: Option<&NodeSet> = None;
    for layer in layering.layers() {
        let fits = |node: usize| {
            let parents = dag.parents(node);
            let touches = last.map_or(parents.is_empty(), |last| !parents.is_disjoint(last));
            parents.is_subset(&before) && touches
        };
        if !layer.iter().all(fits) {
            return false;
        }
        before.union_with(layer);
        last = Some(layer);
    }
    true
}

#[test]
fn every_dag_has_exactly_one_layering() {
    let mut seen: HashMap<Layering, usize> = HashMap::new();
    all_dags(4).for_each(|dag| *seen.entry(Layering::of(&dag)).or_default() += 1);
    assert_eq!(seen.len(), 75, "ordered partitions of four variables");
    for dag in all_dags(4) {
        let fitting: Vec<&Layering> = seen.keys().filter(|layering| satisfies(&dag, layering)).collect();
        assert_eq!(fitting, [&Layering::of(&dag)]);
    }
}

#[test]
fn only_a_partition_is_a_layering() {
    let new = |layers: &[&[usize]]| Layering::new(3, layers.iter().map(|layer| layer.iter().copied()));
    assert_eq!(new(&[&[1], &[0, 2]]).map(|layering| layering.layers().len()), Ok(2));
    assert_eq!(new(&[&[1], &[], &[0, 2]]), Err(LayeringError::Empty { layer: 1 }));
    assert_eq!(new(&[&[1], &[0, 1]]), Err(LayeringError::Node { layer: 1, node: 1 }));
    assert_eq!(new(&[&[1, 3]]), Err(LayeringError::Node { layer: 0, node: 3 }));
    assert_eq!(new(&[&[1], &[0]]), Err(LayeringError::Missing { node: 2 }));
}

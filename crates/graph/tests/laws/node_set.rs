//! Sets of bits against sorted sets.

use std::collections::BTreeSet;

use gflowcausal_graph::NodeSet;
use proptest::prelude::*;

fn two_sets() -> impl Strategy<Value = (usize, BTreeSet<usize>, BTreeSet<usize>)> {
    prop_oneof![Just(0), Just(1), Just(63), Just(64), Just(65), Just(128), Just(129), 0_usize..300]
        .prop_flat_map(|nodes| {
            let members = move || proptest::collection::btree_set(0..nodes.max(1), 0..=nodes.min(80));
            (Just(nodes), members(), members())
        })
}

fn bits(nodes: usize, members: &BTreeSet<usize>) -> NodeSet {
    NodeSet::of(nodes, members.iter().copied())
}

fn members(set: &NodeSet) -> BTreeSet<usize> {
    let listed: Vec<usize> = set.iter().collect();
    assert!(listed.is_sorted_by(|a, b| a < b), "{listed:?}");
    listed.into_iter().collect()
}

proptest! {
    #[test]
    fn combining_two_sets((nodes, a, b) in two_sets()) {
        let (x, y) = (bits(nodes, &a), bits(nodes, &b));
        let combined = |combine: fn(&mut NodeSet, &NodeSet)| {
            let mut set = x.clone();
            combine(&mut set, &y);
            members(&set)
        };
        prop_assert_eq!(combined(NodeSet::union_with), &a | &b);
        prop_assert_eq!(combined(NodeSet::intersect_with), &a & &b);
        prop_assert_eq!(combined(NodeSet::subtract), &a - &b);
        prop_assert_eq!(x.intersection_len(&y), (&a & &b).len());
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert_eq!(x.is_disjoint(&y), a.is_disjoint(&b));
        prop_assert_eq!(x == y, a == b);
    }

    #[test]
    fn asking_and_changing_one_set((nodes, a, probes) in two_sets()) {
        let mut set = bits(nodes, &a);
        let mut sorted = a;
        for probe in probes {
            prop_assert_eq!(set.contains(probe), sorted.contains(&probe));
            prop_assert_eq!(members(&set.with(probe)), &sorted | &BTreeSet::from([probe]));
            prop_assert_eq!(members(&set.without(probe)), &sorted - &BTreeSet::from([probe]));
            if probe % 2 == 0 {
                prop_assert_eq!(set.insert(probe), sorted.insert(probe));
            } else {
                prop_assert_eq!(set.remove(probe), sorted.remove(&probe));
            }
            prop_assert_eq!(set.len(), sorted.len());
            prop_assert_eq!(set.is_empty(), sorted.is_empty());
        }
        set.clear();
        prop_assert_eq!(set, NodeSet::empty(nodes));
    }

    #[test]
    fn the_full_set_holds_every_variable_and_no_more(nodes in 0_usize..300) {
        prop_assert_eq!(members(&NodeSet::full(nodes)), (0..nodes).collect::<BTreeSet<_>>());
    }
}

#[test]
#[should_panic(expected = "variable 3 of 3")]
fn a_variable_outside_is_refused() {
    let _ = NodeSet::of(3, [3]);
}

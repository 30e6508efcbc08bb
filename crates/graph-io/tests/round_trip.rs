//! Every format gives back the graph that was written, whatever its variables are called.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{Edge, NamedGraph, Pdag};
use gflowcausal_graph_io::{Format, Orientation, ReadOptions, WriteError};
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    let special = [
        "from",
        "to",
        "from\\to",
        "weight",
        "node",
        "edge",
        "graph",
        "digraph",
        "subgraph",
        "strict",
        "variable",
        "probability",
        "network",
        "Graph Edges:",
        "A --> B",
        "(latent)",
        "[selection]",
        "a;b,c\td",
        "say \"hi\"",
        "it's",
        "<script>alert('x')</script>",
        "&amp; &#34;",
        "C:\\temp\\",
        "line\nbreak",
        "carriage\rreturn",
        " padded ",
        "é",
        "变量",
        "🦀",
        "1",
        "0.5",
        "-1",
        "true",
        "nan",
        "{}",
        "[]",
        "//",
        "/* */",
        "#hash",
        "a->b",
        "x\u{0}y",
        "\u{feff}",
        "\u{2028}",
        "'",
        "\"",
        "\\",
        ".",
        "o-o",
        "+",
    ];
    prop_oneof![
        3 => "[A-Za-z][A-Za-z0-9_]{0,5}",
        3 => prop::sample::select(special.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{1,6}",
        1 => any::<String>().prop_filter("not empty", |name| !name.is_empty()),
    ]
}

/// How each pair of variables is joined: not, forwards, backwards or without direction.
fn joined(names: &[String], kinds: &[u8]) -> Pdag {
    let mut graph = Pdag::empty(names.len());
    let pairs = (0..names.len()).flat_map(|from| (from + 1..names.len()).map(move |to| Edge { from, to }));
    for (edge, kind) in pairs.zip(kinds) {
        match kind {
            1 => graph.insert_directed(edge).unwrap(),
            2 => graph.insert_directed(edge.reversed()).unwrap(),
            3 => graph.insert_undirected(edge).unwrap(),
            _ => {}
        }
    }
    graph
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        -2.0..2.0,
        Just(1.0),
        Just(f64::MIN_POSITIVE),
        Just(1e300)
    ]
}

fn edges(named: &NamedGraph) -> Vec<Edge> {
    named.graph().directed().chain(named.graph().undirected()).collect()
}

/// A graph in which each edge may have a weight and a probability.
fn graph(kinds: std::ops::Range<u8>) -> impl Strategy<Value = NamedGraph> {
    let numbers = || prop::collection::vec(prop::option::of(value()), 21);
    (
        prop::collection::btree_set(name(), 1..7),
        prop::collection::vec(kinds, 21),
        numbers(),
        numbers(),
        prop::bool::ANY,
        prop::bool::ANY,
    )
        .prop_map(|(names, kinds, weights, probabilities, weighted, probable)| {
            let names: Vec<String> = names.into_iter().collect();
            let graph = joined(&names, &kinds);
            let mut named = NamedGraph::new(names, graph).unwrap();
            for (edge, (weight, probability)) in
                edges(&named).into_iter().zip(weights.into_iter().zip(probabilities))
            {
                weight.filter(|_| weighted).iter().for_each(|&value| named.set_weight(edge, value).unwrap());
                probability
                    .filter(|_| probable)
                    .iter()
                    .for_each(|&value| named.set_probability(edge, value).unwrap());
            }
            named
        })
}

/// The same names and edges, without numbers.
fn bare(named: &NamedGraph) -> NamedGraph {
    NamedGraph::new(named.names().to_vec(), named.graph().clone()).unwrap()
}

/// What a matrix holds: 1 for edges without a weight, and no weights if all are 1.
fn as_matrix(named: &NamedGraph) -> NamedGraph {
    let mut kept = bare(named);
    let weight = |edge| named.weight(edge).unwrap_or(1.0);
    if edges(named).into_iter().any(|edge| weight(edge) != 1.0) {
        edges(named).into_iter().for_each(|edge| kept.set_weight(edge, weight(edge)).unwrap());
    }
    kept
}

fn round_trip(format: Format, named: &NamedGraph) -> Result<NamedGraph, WriteError> {
    let file = format.write(named)?;
    let again = format.read(&file, &ReadOptions::default());
    Ok(again.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&file))))
}

fn has_zero_weight(named: &NamedGraph) -> bool {
    edges(named).into_iter().any(|edge| named.weight(edge) == Some(0.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn json_and_dot_keep_everything(named in graph(0..4)) {
        for format in [Format::Json, Format::Dot] {
            prop_assert_eq!(&round_trip(format, &named).unwrap(), &named, "{}", format);
        }
    }

    #[test]
    fn graphml_keeps_all_but_control_characters(named in graph(0..4)) {
        match round_trip(Format::Graphml, &named) {
            Ok(again) => prop_assert_eq!(again, named),
            Err(WriteError::Name { name, .. }) => {
                prop_assert!(name.chars().any(|c| c < ' ' || c == '\u{fffe}' || c == '\u{ffff}'), "{:?}", name);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn an_edge_list_keeps_everything_but_the_order(named in graph(0..4)) {
        let again = round_trip(Format::EdgeList, &named).unwrap();
        prop_assert_eq!(again.align(named.names()).unwrap(), named);
    }

    #[test]
    fn a_matrix_keeps_names_and_weights(named in graph(0..4)) {
        match round_trip(Format::Csv, &named) {
            Ok(again) => prop_assert_eq!(again, as_matrix(&named)),
            Err(error) => prop_assert!(has_zero_weight(&named), "{}", error),
        }
    }

    #[test]
    fn npy_keeps_weights(named in graph(0..4)) {
        let Ok(file) = Format::Npy.write(&named) else {
            prop_assert!(has_zero_weight(&named));
            return Ok(());
        };
        let names = Some(named.names().to_vec());
        let again = Format::Npy.read(&file, &ReadOptions { names, ..ReadOptions::default() }).unwrap();
        prop_assert_eq!(again, as_matrix(&named));
    }

    #[test]
    fn tetrad_keeps_edges_or_refuses_the_name(named in graph(0..4)) {
        match round_trip(Format::Tetrad, &named) {
            Ok(again) => prop_assert_eq!(again, bare(&named)),
            Err(WriteError::Name { name, .. }) => prop_assert!(!name.chars().all(char::is_alphanumeric), "{:?}", name),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn what_is_written_is_recognised(named in graph(0..3)) {
        for &format in Format::ALL {
            let Ok(file) = format.write(&named) else { continue };
            let expected = if format == Format::EdgeList { Format::Csv } else { format };
            prop_assert_eq!(Format::detect(&file), Some(expected), "{}", String::from_utf8_lossy(&file));
        }
    }

    #[test]
    fn the_other_orientation_is_the_reversed_graph(named in graph(0..3)) {
        let bare = bare(&named);
        let file = Format::Npy.write(&bare).unwrap();
        let names = Some(bare.names().to_vec());
        let turned = Format::Npy.read(&file, &ReadOptions { names, orientation: Orientation::ColumnToRow }).unwrap();
        for edge in edges(&bare) {
            prop_assert!(turned.graph().has_directed(edge.reversed()));
        }
        prop_assert_eq!(turned.graph().edge_count(), bare.graph().edge_count());
    }
}

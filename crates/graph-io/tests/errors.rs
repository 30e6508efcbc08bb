//! What a user reads when a graph file is wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{Edge, NamedGraph, Pdag};
use gflowcausal_graph_io::{Format, ReadOptions};

fn refuse(format: Format, file: impl AsRef<[u8]>, message: &str) {
    let file = file.as_ref();
    let refused = format.read(file, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(refused, message, "{format}: {}", String::from_utf8_lossy(file));
}

#[test]
fn nothing_and_no_text() {
    for &format in Format::ALL {
        refuse(format, "", "the file is empty");
        if format != Format::Npy {
            refuse(format, " \n\t\n", "the file is empty");
            refuse(format, b"a\nb\n\xff\xfe\n", "line 3: not UTF-8 text");
        }
    }
}

#[test]
fn tables() {
    let refuse = |file: &str, message: &str| refuse(Format::Csv, file, message);
    refuse("A,B\n0,1\n0\n", "row 3 has 1 cell, expected 2");
    refuse("0,1,0\n0,0\n0,0,0\n", "row 2 has 2 cells, expected 3");
    refuse("0,1,0\n0,0,0\n", "a matrix of 2 rows and 3 columns is not square");
    refuse("A,B,C\n0,1,0\n0,0,0\n", "a matrix of 2 rows and 3 columns is not square");
    refuse("from\\to,A,B\nA,0,1\n", "a matrix of 1 row and 2 columns is not square");
    refuse("from\\to,A,B\nA,0\n", "row 2 has 2 cells, expected 3");
    refuse(",A,B\nA,0,x\nB,0,0\n", "row 2, column 3: 'x' is not a number");
    refuse("A,B\n0,NaN\n0,0\n", "row 2, column 2: 'NaN' is not a number");
    refuse("0,1,\n0,0,0\n0,0,0\n", "row 1, column 3: '' is not a number");
    refuse("a\nb\nc\n", "row 2, column 1: 'b' is not a number");
    refuse("A,A\n0,1\n0,0\n", "two variables are named 'A'");
    refuse(",A,B\nA,0,1\nA,0,0\n", "two variables are named 'A'");
    refuse(",A,B\nA,0,1\nC,0,0\n", "the variables differ: missing B; unknown C");
    refuse("A,\n0,1\n0,0\n", "variable 2 has an empty name");
    refuse("A,B\n1,1\n0,0\n", "'A' has an edge to itself");
    refuse("A,B\n0,1\n-1,0\n", "'A' -> 'B' is 1 and 'B' -> 'A' is -1: an undirected edge has one value");
    refuse("from,to\nA,A\n", "line 2: 'A' has an edge to itself");
    refuse("from,to\nA,B\nB,A\n", "line 3: 'B' and 'A' are joined twice");
    refuse("from,to,weight\nA,B,strong\n", "row 2, column 3: 'strong' is not a number");
    refuse("from,to\nA,B,C\n", "row 2 has 3 cells, expected 2");
    refuse("from,to\n", "the graph has no variables");
    refuse(
        "\"A\"x,B\n0,1\n0,0\n",
        "line 1, column 4: expected the end of the cell after its closing quote, found 'x'",
    );
    refuse("A,\"B\n0,1\n0,0\n", "line 1, column 4: expected '\"' before the end of the file, found 'B'");
}

#[test]
fn json() {
    let refuse = |file: &str, message: &str| refuse(Format::Json, file, message);
    refuse("{\"edges\": [}", "line 1, column 12: not valid JSON");
    refuse("3", "the file: expected an object with \"edges\", or a matrix");
    refuse("{\"nodes\": [\"A\"]}", "the file: expected \"edges\" or \"adjacency\"");
    refuse("{\"edges\": {}}", "edges: expected a list of edges");
    refuse("{\"nodes\": [true], \"edges\": []}", "nodes[0]: expected a name");
    refuse("{\"nodes\": [\"A\", \"A\"], \"edges\": []}", "two variables are named 'A'");
    refuse("{\"nodes\": [\"\"], \"edges\": []}", "variable 1 has an empty name");
    refuse("{\"edges\": [{\"to\": \"A\"}]}", "edges[0]: expected a name under \"from\"");
    refuse("{\"graph\": {\"edges\": [{\"from\": \"A\"}]}}", "graph.edges[0]: expected a name under \"to\"");
    refuse(
        "{\"edges\": [{\"from\": \"A\", \"to\": \"B\", \"weight\": \"x\"}]}",
        "edges[0]: expected a number under \"weight\"",
    );
    refuse(
        "{\"nodes\": [\"alpha\", \"B\"], \"edges\": [[\"alpa\", \"B\"]]}",
        "no variable is named 'alpa'; did you mean 'alpha'?",
    );
    refuse("{\"edges\": [[\"A\", \"A\"]]}", "'A' has an edge to itself");
    refuse("{\"edges\": [[\"A\", \"B\"], [\"A\", \"B\"]]}", "'A' and 'B' are joined twice");
    refuse("{\"edges\": []}", "the graph has no variables");
    refuse("[[0, 1]]", "a matrix of 1 row and 2 columns is not square");
    refuse("[[0, \"x\"], [0, 0]]", "matrix[0][1]: expected a number");
    refuse(
        "{\"adjacency\": [[0]], \"orientation\": \"up\"}",
        "orientation: expected \"row-to-column\" or \"column-to-row\"",
    );
    let deep = "[".repeat(100_000);
    refuse(&deep, "line 1, column 128: not valid JSON");
}

#[test]
fn dot() {
    let refuse = |file: &str, message: &str| refuse(Format::Dot, file, message);
    refuse("digraph { a -> }", "line 1, column 16: expected a name, found '}'");
    refuse("digraph { a -> b", "line 1, column 17: expected a name or '}', found the end of the file");
    refuse("digraph { a -> b } x", "line 1, column 20: expected the end of the file, found 'x'");
    refuse(
        "tree { a }",
        "line 1, column 5: expected a file that starts with 'graph' or 'digraph', found ' '",
    );
    refuse(
        "digraph {\n a -> \"b\n}",
        "line 3, column 2: expected '\"' at the end of the text, found the end of the file",
    );
    refuse("digraph {\n a -> b\n a -> a }", "line 3: 'a' has an edge to itself");
    refuse("digraph { a -> b b -> a }", "line 1: 'b' and 'a' are joined twice");
    refuse(
        "digraph { a -> b [dir=both] }",
        "line 1: the edge 'a' <-> 'b' is neither directed nor undirected",
    );
    refuse(
        "digraph {\n a -> b [dir=both, arrowtail=odot] }",
        "line 2: the edge 'a' o-> 'b' is neither directed nor undirected",
    );
    refuse("digraph {\n {a b} -> c }", "line 2: a group as an end of an edge cannot be read");
    refuse("digraph {\n c -> {a b} }", "line 2: a group as an end of an edge cannot be read");
    refuse("digraph { c -> subgraph x {a b} }", "line 1: a group as an end of an edge cannot be read");
    refuse("digraph { 0 [label=a]; 1 [label=a]; 0 -> 1 }", "two variables are named 'a'");
    refuse("digraph { a -> \"\" }", "variable 2 has an empty name");
    refuse("digraph { }", "the graph has no variables");
    refuse("digraph { a -> b [weight=inf] }", "line 1: the edge from 'a' to 'b' has the value inf");
    refuse("digraph { /* a", "line 1, column 13: expected '*/' before the end of the file, found ' '");
    refuse(
        &format!("digraph {{ {} }}", "{".repeat(100_000)),
        "line 1, column 100013: expected a name or '}', found the end of the file",
    );
}

#[test]
fn graphml() {
    let wrap =
        |inside: &str| format!("<graphml>\n<graph edgedefault=\"directed\">\n{inside}</graph></graphml>");
    let refuse = |file: &str, message: &str| refuse(Format::Graphml, file, message);
    refuse("<graphml></graphml>", "line 1: not valid XML: there is no <graph>");
    refuse("<graphml>\n<graph>", "line 2: not valid XML: the file ends inside an element");
    refuse(&wrap("<node/>"), "line 3: not valid XML: <node> has no 'id'");
    refuse(&wrap("<node id=\"a\"/>\n<node id=\"a\"/>"), "line 4: two variables are named 'a'");
    refuse(&wrap("<node id=\"a\"/>\n<edge source=\"a\"/>"), "line 4: not valid XML: <edge> has no 'target'");
    refuse(
        &wrap("<node id=\"alpha\"/>\n<edge source=\"alpha\" target=\"alpa\"/>"),
        "line 4: no variable is named 'alpa'; did you mean 'alpha'?",
    );
    refuse(&wrap("<node id=\"a\"/>\n<edge source=\"a\" target=\"a\"/>"), "line 4: 'a' has an edge to itself");
    refuse(&wrap("<node id=\"a\"><graph/></node>"), "line 3: a second graph cannot be read");
    refuse(&wrap("<hyperedge/>"), "line 3: a hyperedge cannot be read");
    refuse(
        &wrap("<node id=\"a\"><data>&nbsp;</data></node>"),
        "line 3: not valid XML: unknown entity '&nbsp;'",
    );
    refuse(&wrap(""), "the graph has no variables");
    let torn = Format::Graphml.read(b"<graphml>\n<graph>\n</graphml>", &ReadOptions::default()).unwrap_err();
    assert!(torn.to_string().starts_with("line 3: not valid XML: "), "{torn}");
}

#[test]
fn gml() {
    let refuse = |file: &str, message: &str| refuse(Format::Gml, file, message);
    refuse("node [ ]", "line 1, column 9: expected 'graph [', found the end of the file");
    refuse("graph [ node [ id 1 ]", "line 1, column 22: expected a key or ']', found the end of the file");
    refuse(
        "graph [ node [ id ] ]",
        "line 1, column 19: expected a number, a text in quotes or '[', found ']'",
    );
    refuse("graph [\n node [ label \"a\" ] ]", "line 2, column 1: expected 'id' in this list, found none");
    refuse("graph [ node [ id 1 ]\n node [ id 1 ] ]", "line 2: two variables are named '1'");
    refuse("graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] ]", "two variables are named 'a'");
    refuse("graph [ node [ id 1 ]\n edge [ source 1 target 2 ] ]", "line 2: no variable is named '2'");
    refuse("graph [ node [ id 1 ]\n edge [ source 1 target 1 ] ]", "line 2: '1' has an edge to itself");
    refuse(
        "graph [ node [ id 1 ] edge [ source 1 ] ]",
        "line 1, column 1: expected 'target' in this list, found none",
    );
    refuse("graph [ label \"a ]", "line 1, column 16: expected '\"' before the end of the file, found 'a'");
    refuse("graph [ ]", "the graph has no variables");
    refuse(&"a [".repeat(100_000), "line 1: a list this deep in lists cannot be read");
}

#[test]
fn bif() {
    let refuse = |file: &str, message: &str| refuse(Format::Bif, file, message);
    refuse("hello {}", "line 1, column 6: expected 'network', 'variable' or 'probability', found ' '");
    refuse(
        "variable A { type discrete [ 2 ] { y, n };",
        "line 1, column 43: expected '}', found the end of the file",
    );
    refuse("variable A {}\nvariable A {}", "line 2: two variables are named 'A'");
    refuse(
        "variable alpha {}\nprobability ( alpa ) {}",
        "line 2: no variable is named 'alpa'; did you mean 'alpha'?",
    );
    refuse("variable A {}\nprobability ( A | A ) {}", "line 2: 'A' has an edge to itself");
    refuse("variable A {}\nprobability ( A | {", "line 2, column 19: expected a name, found '{'");
    refuse(
        "variable A {} variable B {}\nprobability ( A | B ) {}\nprobability ( B | A ) {}",
        "line 3: 'A' and 'B' are joined twice",
    );
    refuse("network x {}", "the graph has no variables");
}

#[test]
fn tetrad() {
    let refuse = |file: &str, message: &str| refuse(Format::Tetrad, file, message);
    refuse("A --> B", "line 1, column 1: expected 'Graph Nodes:', found 'A --> B'");
    refuse("Graph Nodes:\nA;B\n", "line 2, column 1: expected 'Graph Edges:', found the end of the file");
    refuse("Graph Nodes:\nA;B;A\n\nGraph Edges:\n", "line 2: two variables are named 'A'");
    let edges = |edges: &str| format!("Graph Nodes:\nalpha;B\n\nGraph Edges:\n{edges}\n");
    refuse(
        &edges("1. alpha B"),
        "line 5, column 1: expected an edge such as '1. A --> B', found '1. alpha B'",
    );
    refuse(&edges("1. alpa --> B"), "line 5: no variable is named 'alpa'; did you mean 'alpha'?");
    refuse(&edges("1. alpha --> C"), "line 5: no variable is named 'C'");
    refuse(&edges("1. alpha <-> B"), "line 5: the edge 'alpha' <-> 'B' is neither directed nor undirected");
    refuse(&edges("1. alpha o-> B"), "line 5: the edge 'alpha' o-> 'B' is neither directed nor undirected");
    refuse(&edges("1. alpha o-o B"), "line 5: the edge 'alpha' o-o 'B' is neither directed nor undirected");
    refuse(&edges("1. B --> B"), "line 5: 'B' has an edge to itself");
    refuse(&edges("1. alpha --> B\n2. alpha --- B"), "line 6: 'alpha' and 'B' are joined twice");
    refuse("Graph Nodes:\n\nGraph Edges:\n", "the graph has no variables");
}

fn npy(header: &str, body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), body].concat()
}

#[test]
fn npy_files() {
    let header = |descr: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}")
    };
    let with = |descr: &str, shape: &str, body: &[u8]| npy(&header(descr, shape), body);
    let refuse = |file: &[u8], message: &str| refuse(Format::Npy, file, message);
    refuse(b"hello", "the npy file is damaged: it ends early");
    refuse(b"hello, world", "the npy file is damaged: NumPy was expected, but this is something else");
    refuse(b"\x93NUMPY\x01", "the npy file is damaged: it ends early");
    refuse(b"\x93NUMPY\x01\x00\xff\xff{", "the npy file is damaged: it ends early");
    refuse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "the npy file is damaged: a header of 4294967295 bytes");
    refuse(b"\x93NUMPY\x09\x00\x00\x00", "the npy file is damaged: version 9 of the format");
    refuse(&npy("hello", b""), "the npy file is damaged: the header 'hello'");
    refuse(&npy("{}", b""), "the npy file is damaged: the header '{}'");
    refuse(&with("<f8", "(2, 2)", &[0; 31]), "the npy file holds 31 bytes of numbers, its header says 32");
    refuse(
        &with("|i1", "(1000000000, 1000000000)", &[0; 4]),
        "the npy file holds 4 bytes of numbers, its header says 1000000000000000000",
    );
    refuse(
        &with("<f8", "(18446744073709551615, 18446744073709551615)", &[]),
        "the npy file holds 0 bytes of numbers, its header says 18446744073709551615",
    );
    refuse(&with("|i1", "(2, 3)", &[0; 6]), "a matrix of 2 rows and 3 columns is not square");
    refuse(&with("|i1", "(4,)", &[0; 4]), "the npy file is damaged: its shape is not that of a matrix");
    refuse(&with("|i1", "(0, 0)", &[]), "the graph has no variables");
    refuse(
        &with("<U3", "(2, 2)", &[0; 48]),
        "the npy file has values of type <U3, which cannot be read: use integers, booleans or floats",
    );
    refuse(&with("<f8", "(1, 1)", &f64::NAN.to_le_bytes()), "'X1' has an edge to itself");
    let body: Vec<u8> = [0.0, f64::INFINITY, 0.0, 0.0].into_iter().flat_map(f64::to_le_bytes).collect();
    refuse(&with("<f8", "(2, 2)", &body), "the edge from 'X1' to 'X2' has the value inf");
    let names = Some(vec!["a".to_owned()]);
    let refused =
        Format::Npy.read(&with("|i1", "(2, 2)", &[0; 4]), &ReadOptions { names, ..Default::default() });
    assert_eq!(refused.unwrap_err().to_string(), "1 name given for 2 variables");
}

#[test]
fn more_variables_than_fit() {
    let file = (0..10_001).fold(String::from("from,to\n"), |file, node| file + &format!("v{node},\n"));
    refuse(Format::Csv, &file, "10001 variables are too many: at most 10000 can be read");
}

fn named(names: &[&str], arrows: &[(usize, usize)], lines: &[(usize, usize)]) -> NamedGraph {
    let mut graph = Pdag::empty(names.len());
    arrows.iter().for_each(|&edge| graph.insert_directed(edge.into()).unwrap());
    lines.iter().for_each(|&edge| graph.insert_undirected(edge.into()).unwrap());
    NamedGraph::new(names.iter().map(ToString::to_string).collect(), graph).unwrap()
}

#[test]
fn a_format_is_written_or_only_read() {
    let graph = named(&["A", "B"], &[(0, 1)], &[]);
    for format in Format::ALL {
        assert_eq!(format.write(&graph).is_ok(), Format::written().contains(format), "{format}");
    }
}

#[test]
fn what_a_format_cannot_hold() {
    let refuse = |format: Format, graph: &NamedGraph, message: &str| {
        assert_eq!(format.write(graph).unwrap_err().to_string(), message);
    };
    refuse(Format::Bif, &named(&["A", "B"], &[(0, 1)], &[]), "bif is read, but not written");
    refuse(Format::Gml, &named(&["A", "B"], &[(0, 1)], &[]), "gml is read, but not written");
    refuse(Format::Tetrad, &named(&["a;b"], &[], &[]), "tetrad cannot hold the name \"a;b\"");
    refuse(Format::Tetrad, &named(&["a\nb"], &[], &[]), "tetrad cannot hold the name \"a\\nb\"");
    refuse(Format::Tetrad, &named(&["A --> B"], &[], &[]), "tetrad cannot hold the name \"A --> B\"");
    refuse(Format::Graphml, &named(&["bell\u{7}"], &[], &[]), "graphml cannot hold the name \"bell\\u{7}\"");
    let mut weightless = named(&["A", "B"], &[(0, 1)], &[]);
    weightless.set_weight(Edge::new(0, 1), 0.0).unwrap();
    refuse(Format::Csv, &weightless, "csv cannot hold the edge from 'A' to 'B': its weight is 0");
    refuse(Format::Npy, &weightless, "npy cannot hold the edge from 'A' to 'B': its weight is 0");
}

#[test]
fn a_truth_with_a_cycle_or_other_names() {
    let cyclic = named(&["A", "B", "C", "D"], &[(0, 1), (1, 2), (2, 3), (3, 1)], &[]);
    assert_eq!(cyclic.to_dag().unwrap_err().to_string(), "the graph has a cycle: D -> B -> C -> D");
    let undirected = named(&["A", "B"], &[], &[(0, 1)]);
    assert_eq!(undirected.to_dag().unwrap_err().to_string(), "the edge between 'A' and 'B' has no direction");
    let dag = named(&["A", "B"], &[(0, 1)], &[]);
    let refused = |names: &[&str]| dag.align(names).unwrap_err().to_string();
    assert_eq!(refused(&["B"]), "the variables differ: unknown A");
    assert_eq!(refused(&["A", "C", "B", "D"]), "the variables differ: missing C, D");
    assert_eq!(refused(&["a", "B"]), "the variables differ: missing a; unknown A");
    assert_eq!(refused(&["A", "B", "B"]), "two variables are named 'B'");
    assert_eq!(dag.align(&["B", "A"]).unwrap(), named(&["B", "A"], &[(1, 0)], &[]));
}

#[test]
fn names_and_numbers_of_a_graph() {
    let refused = |names: &[&str], nodes: usize| {
        NamedGraph::new(names.iter().map(ToString::to_string).collect(), Pdag::empty(nodes))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused(&["A"], 2), "1 name given for 2 variables");
    assert_eq!(refused(&["A", ""], 2), "variable 2 has an empty name");
    assert_eq!(refused(&["A", "B", "A"], 3), "two variables are named 'A'");
    let mut graph = named(&["A", "B"], &[(0, 1)], &[]);
    let backwards = graph.set_weight(Edge::new(1, 0), 1.0).unwrap_err();
    assert_eq!(backwards.to_string(), "there is no edge from 'B' to 'A'");
    let outside = graph.set_weight(Edge::new(0, 7), 1.0).unwrap_err();
    assert_eq!(outside.to_string(), "there is no edge from 'A' to '7'");
    let nan = graph.set_probability(Edge::new(0, 1), f64::NAN).unwrap_err();
    assert_eq!(nan.to_string(), "the edge from 'A' to 'B' has the value NaN");
}

#[test]
fn numbers_of_edges_that_are_none_were_dropped() {
    refuse(Format::Dot, "digraph {\n a -> b [weight=strong] }", "line 2: weight 'strong' is not a number");
    refuse(
        Format::Dot,
        "digraph { edge [\nprobability=\"93 %\"]; a -> b }",
        "line 2: probability '93 %' is not a number",
    );
    refuse(
        Format::Dot,
        "digraph { a -> b [dir=left] }",
        "line 1: dir 'left' is not forward, back, both or none",
    );
    let gml = |edge: &str| {
        format!("graph [ directed 1 node [ id 1 ] node [ id 2 ]\nedge [ source 1 target 2 {edge} ] ]")
    };
    refuse(Format::Gml, gml("weight \"strong\""), "line 2: weight 'strong' is not a number");
    refuse(Format::Gml, gml("probability [ p 1 ]"), "line 2: probability '[…]' is not a number");
    refuse(Format::Gml, gml("directed maybe"), "line 2: directed 'maybe' is not true or false");
    let graphml = |edge: &str| {
        format!(
            "<graphml><key id=\"w\" attr.name=\"weight\"/><graph edgedefault=\"directed\">\n\
             <node id=\"a\"/><node id=\"b\"/>\n{edge}</graph></graphml>"
        )
    };
    let weighed = |weight: &str| {
        graphml(&format!("<edge source=\"a\" target=\"b\"><data key=\"w\">{weight}</data></edge>"))
    };
    refuse(Format::Graphml, weighed("strong"), "line 3: weight 'strong' is not a number");
    refuse(Format::Graphml, weighed("NaN"), "line 3: the edge from 'a' to 'b' has the value NaN");
    refuse(
        Format::Graphml,
        graphml("<edge source=\"a\" target=\"b\" directed=\"yes\"/>"),
        "line 3: directed 'yes' is not true or false",
    );
    refuse(
        Format::Graphml,
        "<graphml>\n<graph edgedefault=\"both\"></graph></graphml>",
        "line 2: edgedefault 'both' is not directed or undirected",
    );
}

#[test]
fn json_that_says_directed_in_other_words_was_taken_for_directed() {
    let refuse = |file: &str, message: &str| refuse(Format::Json, file, message);
    refuse(
        "{\"edges\": [{\"from\": \"A\", \"to\": \"B\", \"directed\": \"no\"}]}",
        "edges[0]: expected true or false under \"directed\"",
    );
    refuse("{\"directed\": 2, \"edges\": [[\"A\", \"B\"]]}", "directed: expected true or false");
}

#[test]
fn a_table_that_is_nearly_a_matrix_or_a_list_of_edges() {
    let csv = |file: &str, message: &str| refuse(Format::Csv, file, message);
    csv("A,B,C\nA,0,1\nB,0,0\n", "the rows are named A, B, but the columns B, C");
    csv("1,2\n2,3\n3,4\n", "3 rows of 2 numbers are no square matrix");
    let list = |file: &str, message: &str| refuse(Format::EdgeList, file, message);
    list(
        "0,1,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n",
        "line 1, column 1: expected columns named 'from' and 'to', or two or three without names, found 4 columns",
    );
    list("from,to,directed\nA,B,maybe\n", "line 2: directed 'maybe' is not true or false");
    list("a,b,strong\n", "row 1, column 3: 'strong' is not a number");
}

#[test]
fn codes_and_ways_out() {
    let cases = [
        (Format::Json, "", "empty-file", "check that the program that wrote it had finished"),
        (Format::Json, "{", "bad-graph-file", "correct that place, or write the file again"),
        (Format::Csv, "1,2\n2,3\n3,4\n", "not-square", "if it is a list of edges, write 'from,to' above it"),
        (
            Format::Csv,
            "0,1,0\n0,0,0\n",
            "not-square",
            "an adjacency matrix has one row and one column for each variable",
        ),
        (
            Format::Csv,
            "A,B,C\nA,0,1\nB,0,0\n",
            "other-variables",
            "name the rows as the columns, in any order",
        ),
        (
            Format::Csv,
            "A,B\n0,x\n0,0\n",
            "bad-graph-file",
            "write 0 for no edge, and 1 or a weight for an edge",
        ),
        (Format::Csv, "from,to\nA,A\n", "self-loop", "remove the edge: nothing causes itself here"),
        (Format::Csv, "from,to\nA,B\nB,A\n", "bad-graph", "keep one of the two edges"),
        (
            Format::Dot,
            "digraph { a -> b [weight=x] }",
            "bad-graph-file",
            "correct the value, or leave it out",
        ),
    ];
    for (format, file, code, fix) in cases {
        let error = format.read(file.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!((error.code(), error.advice()), (code, fix.into()), "{file}");
    }
}

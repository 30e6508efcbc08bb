//! Files as other programs write them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use gflowcausal_graph::{Edge, NamedGraph};
use gflowcausal_graph_io::{Format, Orientation, ReadOptions};

fn read(format: Format, file: &str) -> NamedGraph {
    assert_eq!(Format::detect(file.as_bytes()), Some(format), "{file}");
    format.read(file.as_bytes(), &ReadOptions::default()).unwrap()
}

/// The names, then the edges in words, undirected ones with `--`.
fn says(named: &NamedGraph, names: &[&str], edges: &[&str]) {
    assert_eq!(named.names(), names);
    let text =
        |edge: Edge, mark: &str| format!("{} {mark} {}", named.names()[edge.from], named.names()[edge.to]);
    let mut found: Vec<String> = named.graph().directed().map(|edge| text(edge, "->")).collect();
    found.extend(named.graph().undirected().map(|edge| text(edge, "--")));
    assert_eq!(found, edges);
}

// networkx 3: g = DiGraph(); nodes A, "my var", 'q"uo<te', "é🦀"; edges (A, my var, weight=.5), (q"uo<te, A, weight=-1.25)
const NETWORKX_NAMES: [&str; 4] = ["A", "my var", "q\"uo<te", "é🦀"];
const NETWORKX_EDGES: [&str; 2] = ["A -> my var", "q\"uo<te -> A"];

#[test]
fn networkx_write_graphml() {
    let file = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d0" for="edge" attr.name="weight" attr.type="double" />
  <graph edgedefault="directed">
    <node id="A" />
    <node id="my var" />
    <node id="q&quot;uo&lt;te" />
    <node id="é🦀" />
    <edge source="A" target="my var">
      <data key="d0">0.5</data>
    </edge>
    <edge source="q&quot;uo&lt;te" target="A">
      <data key="d0">-1.25</data>
    </edge>
  </graph>
</graphml>"#;
    let named = read(Format::Graphml, file);
    says(&named, &NETWORKX_NAMES, &NETWORKX_EDGES);
    assert_eq!(named.weight(Edge::new(2, 0)), Some(-1.25));
}

#[test]
fn networkx_write_gml() {
    let file = r#"graph [
  directed 1
  node [
    id 0
    label "A"
  ]
  node [
    id 1
    label "my var"
  ]
  node [
    id 2
    label "q&#34;uo<te"
  ]
  node [
    id 3
    label "&#233;&#129408;"
  ]
  edge [
    source 0
    target 1
    weight 0.5
  ]
  edge [
    source 2
    target 0
    weight -1.25
  ]
]
"#;
    let named = read(Format::Gml, file);
    says(&named, &NETWORKX_NAMES, &NETWORKX_EDGES);
    assert_eq!(named.weight(Edge::new(0, 1)), Some(0.5));
}

#[test]
fn networkx_write_dot_by_pydot() {
    let file = "strict digraph {\nA;\n\"my var\";\n\"q\\\"uo<te\";\n\"é🦀\";\nA -> \"my var\" [weight=0.5];\n\
                \"q\\\"uo<te\" -> A [weight=\"-1.25\"];\n}\n";
    let named = read(Format::Dot, file);
    says(&named, &NETWORKX_NAMES, &NETWORKX_EDGES);
    assert_eq!(named.weight(Edge::new(2, 0)), Some(-1.25));
}

#[test]
fn networkx_node_link_data() {
    let file = r#"{"directed": true, "multigraph": false, "graph": {}, "nodes": [{"id": "A"}, {"id": "my var"},
        {"id": "q\"uo<te"}, {"id": "\u00e9\ud83e\udd80"}], "edges": [{"weight": 0.5, "source": "A", "target": "my var"},
        {"weight": -1.25, "source": "q\"uo<te", "target": "A"}]}"#;
    says(&read(Format::Json, file), &NETWORKX_NAMES, &NETWORKX_EDGES);
    let undirected = file.replace("\"directed\": true", "\"directed\": false").replace("edges", "links");
    says(&read(Format::Json, &undirected), &NETWORKX_NAMES, &["A -- my var", "A -- q\"uo<te"]);
}

#[test]
fn igraph_write() {
    // python-igraph 1.0: vertices A, "my var", C; edges 0-1 (weight .5), 1-2 (weight 1)
    let (names, edges) = (["A", "my var", "C"], ["A -> my var", "my var -> C"]);
    let graphml = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<!-- Created by igraph -->
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="e_weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="G" edgedefault="directed">
    <node id="n0">
      <data key="v_name">A</data>
    </node>
    <node id="n1">
      <data key="v_name">my var</data>
    </node>
    <node id="n2">
      <data key="v_name">C</data>
    </node>
    <edge source="n0" target="n1">
      <data key="e_weight">0.5</data>
    </edge>
    <edge source="n1" target="n2">
      <data key="e_weight">1</data>
    </edge>
  </graph>
</graphml>"#;
    says(&read(Format::Graphml, graphml), &names, &edges);
    let gml = "Creator \"igraph version 1.0.0\"\nVersion 1\ngraph\n[\n  directed 1\n  node\n  [\n    id 0\n    name \"A\"\n  ]\n  \
               node\n  [\n    id 1\n    name \"my var\"\n  ]\n  node\n  [\n    id 2\n    name \"C\"\n  ]\n  edge\n  [\n    \
               source 0\n    target 1\n    weight 0.5\n  ]\n  edge\n  [\n    source 1\n    target 2\n    weight 1\n  ]\n]\n";
    says(&read(Format::Gml, gml), &names, &edges);
    let dot = "/* Created by igraph 1.0.0 */\ndigraph {\n  0 [\n    name=A\n  ];\n  1 [\n    name=\"my var\"\n  ];\n  2 [\n    \
               name=C\n  ];\n\n  0 -> 1 [\n    weight=0.5\n  ];\n  1 -> 2 [\n    weight=1\n  ];\n}\n";
    says(&read(Format::Dot, dot), &names, &edges);
}

#[test]
fn yed_labels() {
    let file = r#"<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d6" yfiles.type="nodegraphics"/>
      <graph edgedefault="directed" id="G"><node id="n0"><data key="d6"><y:ShapeNode><y:NodeLabel> rain
      </y:NodeLabel></y:ShapeNode></data></node><node id="n1"><data key="d6"><y:ShapeNode>
      <y:NodeLabel>wet &amp; cold</y:NodeLabel></y:ShapeNode></data></node>
      <edge id="e0" source="n0" target="n1"/></graph></graphml>"#;
    says(&read(Format::Graphml, file), &["rain", "wet & cold"], &["rain -> wet & cold"]);
}

#[test]
fn tetrad_dot_with_every_readable_mark() {
    let file = "digraph g {\n \"X1\" -> \"X2\" [arrowtail=none, arrowhead=normal]; \n \
                \"X2\" -> \"X3\" [arrowtail=none, arrowhead=none]; \n}";
    says(&read(Format::Dot, file), &["X1", "X2", "X3"], &["X1 -> X2", "X2 -- X3"]);
}

#[test]
fn causal_learn_to_pydot() {
    // GraphUtils.to_pydot numbers the nodes and keeps the names in labels.
    let file = "digraph  {\nfontsize=18;\n0 [label=Raf];\n1 [label=Mek];\n2 [label=Erk];\n\
                0 -> 1 [arrowhead=normal, arrowtail=none, dir=both];\n1 -> 2 [arrowhead=none, arrowtail=none, dir=both];\n}\n";
    says(&read(Format::Dot, file), &["Raf", "Mek", "Erk"], &["Raf -> Mek", "Mek -- Erk"]);
}

#[test]
fn dagitty_and_hand_written_dot() {
    let file = "dag {\nbb=\"0,0,1,1\"\nA [exposure,pos=\"0.1,0.2\"]\nB [outcome]\nA -> B <- C\n}";
    says(&read(Format::Dot, file), &["A", "B", "C"], &["A -> B", "C -> B"]);
    let file = "# by hand\ndigraph \"my graph\" {\n  rankdir=LR; node [shape=box, label=<<b>x</b>>]; edge [dir=back]\n  \
                subgraph cluster_0 { a; b:port:n; a -> b }\n  { rank=same; c d }\n  c -> d -> \"long\" + \" name\" [dir=forward];\n\
                e -- a [dir=none] // done\n}\n";
    says(
        &read(Format::Dot, file),
        &["a", "b", "c", "d", "long name", "e"],
        &["b -> a", "c -> d", "d -> long name", "a -- e"],
    );
    says(&read(Format::Dot, "graph { a -- b }"), &["a", "b"], &["a -- b"]);
}

#[test]
fn bnlearn_bif() {
    let file = "network unknown {\n}\nvariable Pollution {\n  type discrete [ 2 ] { low, high };\n}\nvariable Smoker {\n  \
                type discrete [ 2 ] { True, False };\n}\nvariable Cancer {\n  type discrete [ 2 ] { True, False };\n}\n\
                probability ( Pollution ) {\n  table 0.9, 0.1;\n}\nprobability ( Smoker ) {\n  table 0.3, 0.7;\n}\n\
                probability ( Cancer | Pollution, Smoker ) {\n  (low, True) 0.03, 0.97;\n  (high, True) 0.05, 0.95;\n  \
                (low, False) 0.001, 0.999;\n  (high, False) 0.02, 0.98;\n}\n";
    says(
        &read(Format::Bif, file),
        &["Pollution", "Smoker", "Cancer"],
        &["Pollution -> Cancer", "Smoker -> Cancer"],
    );
}

#[test]
fn javabayes_bif() {
    // As JavaBayes 0.346 writes its dog problem: no bar, no commas, quotes, properties in free text.
    let file = "network \"Dog-Problem\" { //5 variables and 5 probability distributions\n\
                \tproperty \"credal-set constant-density-bounded 1.1\" ;\n\
                \tproperty seen at http://www.cs.cmu.edu/~javabayes ; }\n\
                variable  \"light-on\" { //2 values\n\ttype discrete[2] {  \"true\"  \"false\" };\n\
                \tproperty \"position = (218, 195)\" ;\n}\n\
                variable  \"family-out\" { //2 values\n\ttype discrete[2] {  \"true\"  \"false\" };\n}\n\
                probability (  \"light-on\"  \"family-out\" ) { //2 variable(s) and 4 values\n\
                \ttable 0.6 0.05 0.4 0.95 ;\n}\n\
                probability (  \"family-out\" ) { //1 variable(s) and 2 values\n\ttable 0.15 0.85 ;\n}\n";
    says(&read(Format::Bif, file), &["light-on", "family-out"], &["family-out -> light-on"]);
}

#[test]
fn variables_called_parent_and_child_were_taken_for_a_list_of_edges() {
    let names = ["parent", "child", "age"];
    let edges = ["parent -> child", "child -> age"];
    for file in [
        "parent,child,age\n0,1,0\n0,0,1\n0,0,0\n",
        ",parent,child,age\nparent,0,1,0\nchild,0,0,1\nage,0,0,0\n",
        "name,parent,child,age\nparent,0,1,0\nchild,0,0,1\nage,0,0,0\n",
        ",parent,child,age\n0,0,1,0\n1,0,0,1\n2,0,0,0\n",
        "parent child age\n1 0 1 0\n2 0 0 1\n3 0 0 0\n",
    ] {
        says(&read(Format::Csv, file), &names, &edges);
    }
    let list = "source,target,note\n1,2,0\n2,3,0\n3,4,1\n";
    says(&read(Format::Csv, list), &["1", "2", "3", "4"], &["1 -> 2", "2 -> 3", "3 -> 4"]);
    let list = ",from,to\n0,5,6\n1,6,7\n";
    says(&read(Format::Csv, list), &["5", "6", "7"], &["5 -> 6", "6 -> 7"]);
}

#[test]
fn a_list_of_edges_without_header_was_read_as_a_matrix_when_asked_for() {
    let options = ReadOptions::default();
    for file in ["1,2\n2,3\n", "1 2\n2 3\n", "from\tto\n1\t2\n2\t3\n", "1,2,0.5\n2,3,-1\n"] {
        let named = Format::EdgeList.read(file.as_bytes(), &options).unwrap();
        says(&named, &["1", "2", "3"], &["1 -> 2", "2 -> 3"]);
    }
}

#[test]
fn flags_of_every_spelling() {
    let graphml = |directed: &str| {
        format!(
            "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>\
             <edge source=\"a\" target=\"b\"{directed}/></graph></graphml>"
        )
    };
    let json = |directed: &str| format!("{{\"edges\": [{{\"from\": \"a\", \"to\": \"b\"{directed}}}]}}");
    let gml = |directed: &str| {
        format!(
            "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] edge [ source 1 target 2 {directed} ] ]"
        )
    };
    let (arrow, line) = (["a -> b"], ["a -- b"]);
    for yes in ["1", "true"] {
        let directed = format!(" directed=\"{yes}\"");
        says(&read(Format::Graphml, &graphml(&directed)), &["a", "b"], &arrow);
        says(&read(Format::Gml, &gml(&format!("directed {yes}"))), &["a", "b"], &arrow);
    }
    says(&read(Format::Graphml, &graphml("")), &["a", "b"], &line);
    says(&read(Format::Gml, &gml("")), &["a", "b"], &line);
    for no in ["false", "0", "\"false\"", "\"0\""] {
        says(&read(Format::Json, &json(&format!(", \"directed\": {no}"))), &["a", "b"], &line);
    }
    for yes in ["true", "1", "\"true\"", "null"] {
        says(&read(Format::Json, &json(&format!(", \"directed\": {yes}"))), &["a", "b"], &arrow);
    }
    says(&read(Format::Json, "{\"directed\": \"false\", \"edges\": [[\"a\", \"b\"]]}"), &["a", "b"], &line);
}

#[test]
fn empty_names_and_numbers_say_nothing() {
    let file = r#"<graphml><key id="n" for="node" attr.name="name"/><key id="w" for="edge" attr.name="weight"/>
      <graph edgedefault="directed"><node id="a"><data key="n"/></node><node id="b"><data key="n"> </data></node>
      <edge source="a" target="b"><data key="w"/></edge></graph></graphml>"#;
    let named = read(Format::Graphml, file);
    says(&named, &["a", "b"], &["a -> b"]);
    assert_eq!(named.weight(Edge::new(0, 1)), None);
    let gml =
        "graph [ directed 1 node [ id 7 label \"\" ] node [ id 8 ] edge [ source 7 target 8 weight \"\" ] ]";
    says(&read(Format::Gml, gml), &["7", "8"], &["7 -> 8"]);
    says(&read(Format::Dot, "digraph { 0 [label=\"\"]; 0 -> 1 [weight=\"\"] }"), &["0", "1"], &["0 -> 1"]);
}

#[test]
fn tetrad_text() {
    let file = "Graph Nodes:\nX1;my var;X3;X4\n\nGraph Edges:\n1. X1 --> my var dd nl\n2. X3 --- X1\n\
                3. X4 <-- X3 [X4 <-- X3]:0.9300;[no edge]:0.0700;\n\nGraph Attributes:\nBIC: -123\n";
    says(
        &read(Format::Tetrad, file),
        &["X1", "my var", "X3", "X4"],
        &["X1 -> my var", "X3 -> X4", "X1 -- X3"],
    );
    says(&read(Format::Tetrad, "Graph Nodes:\nA,B\n\nGraph Edges:\n"), &["A", "B"], &[]);
}

#[test]
fn tables_of_every_shape() {
    let edges = ["A -> B", "B -> C"];
    let named = ["A", "B", "C"];
    // pandas to_csv, with the index and without, with row numbers; R write.csv and write.table; semicolons; tabs.
    for file in [
        ",A,B,C\nA,0,1,0\nB,0,0,1\nC,0,0,0\n",
        "A,B,C\n0,1,0\n0,0,1\n0,0,0\n",
        ",A,B,C\n0,False,True,False\n1,False,False,True\n2,False,False,False\n",
        "\"\",\"A\",\"B\",\"C\"\r\n\"1\",0,1,0\r\n\"2\",0,0,1\r\n\"3\",0,0,0\r\n",
        "\"A\" \"B\" \"C\"\n\"A\" 0 1 0\n\"B\" 0 0 1\n\"C\" 0 0 0\n",
        ";A;B;C\nA;0;1;0\nB;0;0;1\nC;0;0;0\n",
        "\u{feff}x\tA\tB\tC\nA\t0\t1\t0\nB\t0\t0\t1\nC\t0\t0\t0\n\n",
        "from\\to,A,B,C\nC,0,0,0\nA,0,1,0\nB,0,0,1\n",
        "to\\from,A,B,C\nA,0,0,0\nB,1,0,0\nC,0,1,0\n",
        "from,to\nA,B\nB,C\n",
        "Source, Target, note\nA, B, strong\nB, C, weak\n",
        "A,B\nB,C\n",
        ",from,to\n0,A,B\n1,B,C\n",
    ] {
        says(&read(Format::Csv, file), &named, &edges);
    }
}

#[test]
fn bare_numbers_get_names() {
    // numpy.savetxt
    let file = "0.000000000000000000e+00 1.500000000000000000e+00\n0.000000000000000000e+00 0.000000000000000000e+00\n";
    let named = read(Format::Csv, file);
    says(&named, &["X1", "X2"], &["X1 -> X2"]);
    assert_eq!(named.weight(Edge::new(0, 1)), Some(1.5));
    let options = ReadOptions {
        orientation: Orientation::ColumnToRow,
        names: Some(vec!["cause".into(), "effect".into()]),
    };
    let named = Format::Csv.read(file.as_bytes(), &options).unwrap();
    says(&named, &["cause", "effect"], &["effect -> cause"]);
}

#[test]
fn weights_and_undirected_edges_of_a_table() {
    let named = read(Format::Csv, "a,b,c\n0,-0.5,0\n0,0,2\n0,2,0\n");
    says(&named, &["a", "b", "c"], &["a -> b", "b -- c"]);
    assert_eq!((named.weight(Edge::new(0, 1)), named.weight(Edge::new(2, 1))), (Some(-0.5), Some(2.0)));
    let named = read(Format::Csv, "a,b,0.5\nb,c,-1\n");
    assert_eq!(named.weight(Edge::new(1, 2)), Some(-1.0));
    let named =
        read(Format::Csv, "from,to,weight,probability,directed\na,b,,0.9,true\nb,c,2,,false\nd,,,,\n");
    says(&named, &["a", "b", "c", "d"], &["a -> b", "b -- c"]);
    assert_eq!((named.probability(Edge::new(0, 1)), named.weight(Edge::new(0, 1))), (Some(0.9), None));
}

#[test]
fn a_list_of_edges_may_leave_out_lone_variables() {
    let options =
        ReadOptions { names: Some(["c", "b", "a"].map(String::from).to_vec()), ..Default::default() };
    for (format, file) in [
        (Format::Csv, "a,b\n"),
        (Format::Dot, "digraph { a -> b }"),
        (Format::Json, "{\"edges\": [[\"a\", \"b\"]]}"),
    ] {
        says(&format.read(file.as_bytes(), &options).unwrap(), &["c", "b", "a"], &["a -> b"]);
    }
    let error = Format::Csv.read(b"a,bb\n", &options).unwrap_err().to_string();
    assert_eq!(error, "no variable is named 'bb'; did you mean 'b'?");
}

#[test]
fn json_of_every_shape() {
    let result = r#"{ "version": "0.1.0", "method": "gflowcausal", "seed": 0,
        "data": { "name": "sachs", "rows": 853, "variables": ["Raf", "Mek", "Erk"], "sha256": "…" },
        "graph": { "edges": [ { "from": "Mek", "to": "Erk", "weight": 0.4, "probability": 0.93, "compelled": false } ] },
        "order": ["Raf", "Mek", "Erk"] }"#;
    let named = read(Format::Json, result);
    says(&named, &["Raf", "Mek", "Erk"], &["Mek -> Erk"]);
    assert_eq!(named.probability(Edge::new(1, 2)), Some(0.93));
    says(
        &read(
            Format::Json,
            r#"{"variables": ["a", "b"], "edges": [{"from": "b", "to": "a", "directed": false}]}"#,
        ),
        &["a", "b"],
        &["a -- b"],
    );
    says(
        &read(Format::Json, r#"{"edges": [{"cause": "b", "effect": "a", "weight": null}]}"#),
        &["b", "a"],
        &["b -> a"],
    );
    says(&read(Format::Json, "[[0, 1], [false, 0]]"), &["X1", "X2"], &["X1 -> X2"]);
    let matrix = r#"{"names": ["a", "b"], "orientation": "column-to-row", "adjacency": [[0, 1], [0, 0]]}"#;
    says(&read(Format::Json, matrix), &["a", "b"], &["b -> a"]);
}

type ToBytes = fn(f64) -> Vec<u8>;

/// A `.npy` file as numpy writes it: version 1, the numbers from byte 128 on.
fn npy(descr: &str, fortran_order: &str, body: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': (2, 2), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").bytes());
    file.extend(body);
    file
}

#[test]
fn npy_of_every_kind() {
    let options = ReadOptions::default();
    let bytes = |values: [f64; 4], to: ToBytes| values.into_iter().flat_map(to).collect::<Vec<u8>>();
    let kinds: [(&str, ToBytes); 15] = [
        ("|b1", |value| vec![value as u8]),
        ("|i1", |value| vec![value as u8]),
        ("|u1", |value| vec![value as u8]),
        ("<i2", |value| (value as i16).to_le_bytes().to_vec()),
        (">i2", |value| (value as i16).to_be_bytes().to_vec()),
        ("<u2", |value| (value as u16).to_le_bytes().to_vec()),
        ("<i4", |value| (value as i32).to_le_bytes().to_vec()),
        (">u4", |value| (value as u32).to_be_bytes().to_vec()),
        ("<i8", |value| (value as i64).to_le_bytes().to_vec()),
        (">i8", |value| (value as i64).to_be_bytes().to_vec()),
        ("<u8", |value| (value as u64).to_le_bytes().to_vec()),
        ("<f4", |value| (value as f32).to_le_bytes().to_vec()),
        (">f4", |value| (value as f32).to_be_bytes().to_vec()),
        ("<f8", |value| value.to_le_bytes().to_vec()),
        (">f8", |value| value.to_be_bytes().to_vec()),
    ];
    for (descr, to) in kinds {
        let body = bytes([0.0, 1.0, 0.0, 0.0], to);
        let file = npy(descr, "False", &body);
        assert_eq!(Format::detect(&file), Some(Format::Npy));
        says(&Format::Npy.read(&file, &options).unwrap(), &["X1", "X2"], &["X1 -> X2"]);
        says(&Format::Npy.read(&npy(descr, "True", &body), &options).unwrap(), &["X1", "X2"], &["X2 -> X1"]);
    }
    for (descr, body) in [("<i2", [0, 0, 0xfe, 0xff, 0, 0, 0, 0].as_slice()), ("|i1", &[0, 0xfe, 0, 0])] {
        let named = Format::Npy.read(&npy(descr, "False", body), &options).unwrap();
        assert_eq!(named.weight(Edge::new(0, 1)), Some(-2.0), "{descr}");
    }
}

#[test]
fn the_name_of_a_file_or_its_content_tells_the_format() {
    let of = |path: &str, file: &str| {
        Format::of(path.as_ref(), file.as_bytes()).map_err(|error| error.to_string())
    };
    assert_eq!(of("a.DOT", ""), Ok(Format::Dot));
    assert_eq!(of("run/graph.graphml", ""), Ok(Format::Graphml));
    assert_eq!(of("truth.txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n"), Ok(Format::Tetrad));
    assert_eq!(of("truth.txt", "// c\ngraph [ node [ id 1 ] ]"), Ok(Format::Gml));
    assert_eq!(of("truth.txt", "graph,weight\n0,1\n0,0\n"), Ok(Format::Csv));
    assert_eq!(
        of("truth.txt", "hello"),
        Err("this is none of the graph formats json, csv, edge-list, dot, graphml, gml, bif, npy, tetrad"
            .into())
    );
}

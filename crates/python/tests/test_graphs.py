"""Graphs and their forms in other packages."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gflowcausal
from gflowcausal import Dag, Edge, Graph

NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def dag() -> Dag:
    return Dag(NAMES, [Edge("a", "b", weight=0.5), Edge("b", "c", weight=-2.0), Edge("a", "d", weight=1.5)])


def random_dag(seed: int) -> Dag:
    rng = np.random.default_rng(seed)
    order = rng.permutation(7)
    weights = np.triu(rng.normal(size=(7, 7)) * (rng.random((7, 7)) < 0.4), k=1)
    return Dag.from_adjacency(weights[np.ix_(np.argsort(order), np.argsort(order))], [f"v{k}" for k in range(7)])


@pytest.mark.parametrize("seed", range(5))
def test_every_form_comes_back(seed, tmp_path):
    dag = random_dag(seed)
    networkx = pytest.importorskip("networkx")
    assert Dag.from_adjacency(dag.to_adjacency(), dag.names) == dag
    turned = dag.to_adjacency(orientation="column-to-row")
    assert (turned == dag.to_adjacency().T).all()
    assert Dag.from_adjacency(turned, dag.names, orientation="column-to-row") == dag
    assert Dag.from_lingam(dag.to_lingam(), dag.names) == dag
    assert Dag.from_causal_learn(dag.to_causal_learn(), dag.names) == dag
    assert Dag.from_networkx(dag.to_networkx()) == dag
    assert networkx.is_directed_acyclic_graph(dag.to_networkx())
    assert pickle.loads(pickle.dumps(dag)) == copy.deepcopy(dag) == dag
    assert [edge.weight for edge in pickle.loads(pickle.dumps(dag)).edges] == [edge.weight for edge in dag.edges]
    for suffix in ("json", "csv", "dot", "graphml", "tetrad", "npy"):
        path = tmp_path / f"graph.{suffix}"
        dag.write(path)
        assert Dag.read(path, names=dag.names).align(dag.names) == dag


def test_an_edge_without_direction_keeps_none(dag):
    class_ = dag.cpdag()
    assert {edge.directed for edge in class_.edges} == {False}
    assert Graph.from_causal_learn(class_.to_causal_learn(), NAMES) == class_
    assert Graph.from_adjacency(class_.to_adjacency(), NAMES) == class_
    with pytest.raises(gflowcausal.errors.GraphError) as refused:
        Dag.from_adjacency(class_.to_adjacency(), NAMES)
    assert refused.value.code == "undirected-edge"


def test_the_marks_of_causal_learn_are_read_as_it_writes_them():
    """causal-learn: graph[j, i] = 1 and graph[i, j] = -1 is i --> j; both -1 is i --- j; both 1 is i <-> j."""
    marks = np.array([[0, -1, 0], [1, 0, -1], [0, -1, 0]])
    assert Graph.from_causal_learn(marks) == Graph(["X1", "X2", "X3"], [("X1", "X2")], undirected=[("X2", "X3")])
    with pytest.raises(gflowcausal.GFlowCausalError, match="mark 1 in row 1, column 2 is no arrow"):
        Graph.from_causal_learn(np.array([[0, 1], [1, 0]]))


def test_lingam_writes_effects_into_rows():
    """lingam: x2 = 0.8 * x1 is adjacency_matrix_[1, 0] = 0.8."""
    assert Dag.from_lingam([[0, 0], [0.8, 0]]).edges == [Edge("X1", "X2", True, 0.8, None)]


def test_a_frame_names_its_graph(dag):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(dag.to_adjacency(), index=NAMES, columns=NAMES)
    assert Dag.from_adjacency(frame) == dag
    edges = dag.to_pandas()
    assert list(edges.columns) == ["cause", "effect", "directed", "weight", "probability"]
    assert len(edges) == 3


def test_parents_children_and_order(dag):
    assert dag.parents("c") == ["b"] and dag.children("a") == ["b", "d"]
    assert dag.order.index("a") < dag.order.index("b") < dag.order.index("c")
    with pytest.raises(gflowcausal.GFlowCausalError, match="no variable is named 'z'"):
        dag.parents("z")
    assert dag == Dag(NAMES, [("a", "d"), ("a", "b"), ("b", "c")]) and len({dag, copy.copy(dag)}) == 1
    assert dag != "a graph"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dag(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")]), "cycle"),
        (lambda: Dag(["a", "a"]), "'a'"),
        (lambda: Dag(["a"], [("a", "a")]), "'a' has an edge to itself"),
        (lambda: Dag(["a"], [("a", "b")]), "no variable is named 'b'"),
        (lambda: Graph.from_adjacency([[0, 1]]), "is not square"),
        (lambda: Graph.from_adjacency([[0, 1], [0, 0]], ["a"]), "1 names for 2 variables"),
        (lambda: Graph.from_adjacency([[0, 1], [0, 0]], orientation="up"), "orientation"),
        (lambda: Graph(["a", "b"]).to_adjacency(orientation="up"), "unknown orientation 'up'"),
        (lambda: Graph.read("no-such-file.dot"), "no-such-file.dot"),
        (lambda: Graph(["a"]).to_string("word"), "unknown graph format 'word'"),
        (lambda: Graph(["a"]).write("graph.xyz"), "does not say which graph format"),
        (lambda: Dag(["a", "b"], [Edge("a", "b", weight=float("nan"))]), "NaN"),
    ],
)
def test_what_is_no_graph_is_refused(make, words):
    with pytest.raises(gflowcausal.GFlowCausalError, match=words):
        make()


def test_evaluation_takes_graphs_in_any_form(dag, tmp_path):
    networkx = pytest.importorskip("networkx")
    dag.write(tmp_path / "truth.json")
    turned = Dag(NAMES, [("b", "a"), ("b", "c"), ("a", "d")])
    expected = gflowcausal.evaluate(turned, dag)
    assert expected["shd"] == 1 and expected["cpdag_shd"] == 0
    forms = [turned.to_adjacency(), turned.to_networkx(), networkx.DiGraph([("b", "a"), ("b", "c"), ("a", "d")])]
    assert all(gflowcausal.evaluate(form, dag) == expected for form in forms)
    assert gflowcausal.evaluate(turned, tmp_path / "truth.json") == expected
    assert gflowcausal.evaluate(turned, dag.to_adjacency()) == expected
    with pytest.raises(gflowcausal.errors.GraphError) as refused:
        gflowcausal.evaluate(turned, Dag(["x", "y", "z", "w"]))
    assert refused.value.code == "other-variables"


def test_a_frame_is_read_by_the_names_of_its_rows():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(gflowcausal.GFlowCausalError):
        Dag.from_adjacency(pandas.DataFrame([[0, 1], [0, 0]], index=["b", "a"], columns=["a", "b"]))
    arrow = pandas.DataFrame([[0, 0], [0, 1]], index=["b", "a"], columns=["a", "b"])
    assert [edge[:2] for edge in Dag.from_adjacency(arrow).edges] == [("a", "b")]
    with pytest.raises(gflowcausal.GFlowCausalError, match="different names"):
        Dag.from_adjacency(pandas.DataFrame([[0, 1], [0, 0]], index=["x", "y"], columns=["a", "b"]))


def test_networkx_brings_both_arrows_back_as_one_edge():
    pytest.importorskip("networkx")
    class_ = Graph(NAMES, [("a", "b")], undirected=[("b", "c")])
    assert Graph.from_networkx(class_.to_networkx()) == class_


def test_marks_of_causal_learn_are_checked():
    class Result:
        G = np.array([[0, -1], [1, 0]])

    assert [edge[:2] for edge in Dag.from_causal_learn(Result()).edges] == [("X1", "X2")]
    for marks in ([[0, 1], [0, 0]], [[0, 1], [1, 0]], [[0, 2], [-1, 0]]):
        with pytest.raises(gflowcausal.GFlowCausalError, match="no arrow and no plain edge"):
            Dag.from_causal_learn(marks)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Graph(["a"]).parents("z"),
        lambda: Dag(["a", "b"], [Edge("a", "b", probability=2.0)]),
        lambda: Graph.from_adjacency([[0, float("nan")], [0, 0]]),
        lambda: Graph.from_adjacency([["0", "x"], ["0", "0"]]),
        lambda: Graph.from_adjacency([[0, 1], [0]]),
        lambda: Graph(["a"]).to_string("npy"),
        lambda: Graph(["a"]).write("/no/such/place/graph.dot"),
        lambda: Graph.read("/"),
        lambda: gflowcausal.evaluate(gflowcausal.GFlowCausal(), [[0]]),
        lambda: gflowcausal.Knowledge(tiers=["ab"]),
        lambda: gflowcausal.Knowledge(tiers=[["a"]], closed_tiers=[2]),
        lambda: gflowcausal.Knowledge(require=["a"]).to_tetrad(),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(gflowcausal.GFlowCausalError):
        make()


def test_knowledge_takes_edges_as_text():
    assert gflowcausal.Knowledge(require=["a->b"]).to_tetrad() == gflowcausal.Knowledge(require=[("a", "b")]).to_tetrad()
    assert Dag([0, 1], [(0, 1)]).order == ["0", "1"]

"""Graphs over named variables, and their forms in other packages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import ArgumentError, NotFittedError
from ._files import read_bytes, write_bytes
from ._optional import is_instance, need

#: ``[i, j]`` is the edge from i to j: what this package writes unless asked otherwise.
ROW_TO_COLUMN = "row-to-column"
#: ``[i, j]`` is the edge from j to i: what lingam writes.
COLUMN_TO_ROW = "column-to-row"

#: The column that names the rows of a matrix in frames that have no index.
ROW_LABELS = "cause"

G = TypeVar("G", bound="Graph")


class Edge(NamedTuple):
    """One edge and what is known of it."""

    cause: str
    effect: str
    directed: bool = True
    weight: float | None = None
    probability: float | None = None


class Graph:
    """A graph of arrows and of edges without direction, such as an equivalence class. It does not change.

    >>> graph = Graph(["rain", "wet", "slip"], [("rain", "wet")], undirected=[("wet", "slip")])
    >>> graph.to_adjacency()
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 1, 0]])
    >>> print(graph.to_string("tetrad"))  # doctest: +ELLIPSIS
    Graph Nodes:
    rain;wet;slip
    ...
    """

    _graph: _native.Graph

    def __init__(
        self,
        names: Iterable[str],
        edges: Iterable[tuple[str, str] | Edge] = (),
        *,
        undirected: Iterable[tuple[str, str]] = (),
    ) -> None:
        variables = [str(name) for name in names]
        place = {name: k for k, name in enumerate(variables)}
        arrows: list[_native._Line] = []
        lines: list[_native._Line] = []
        for edge in edges:
            known = edge if isinstance(edge, Edge) else Edge(*edge)
            line = (*_ends(place, known.cause, known.effect), known.weight, known.probability)
            (arrows if known.directed else lines).append(line)
        lines.extend((*_ends(place, cause, effect), None, None) for cause, effect in undirected)
        self._hold(_native.Graph(variables, arrows, lines))

    def _hold(self, graph: _native.Graph) -> None:
        self._graph = graph

    @classmethod
    def _of(cls: type[G], graph: _native.Graph) -> G:
        made = cls.__new__(cls)
        made._hold(graph)
        return made

    @property
    def names(self) -> list[str]:
        """The variables, in the order of rows and columns."""
        return self._graph.names

    @property
    def edges(self) -> list[Edge]:
        """All edges, arrows first."""
        names = self.names
        arrows = [Edge(names[a], names[b], True, *known) for a, b, *known in self._graph.directed]
        return arrows + [Edge(names[a], names[b], False, *known) for a, b, *known in self._graph.undirected]

    def parents(self, name: str) -> list[str]:
        """The direct causes of a variable."""
        known = self._known(name)
        return [edge.cause for edge in self.edges if edge.directed and edge.effect == known]

    def children(self, name: str) -> list[str]:
        """The direct effects of a variable."""
        known = self._known(name)
        return [edge.effect for edge in self.edges if edge.directed and edge.cause == known]

    def _known(self, name: str) -> str:
        return self.names[_ends({name: k for k, name in enumerate(self.names)}, name, name)[0]]

    @classmethod
    def from_adjacency(
        cls: type[G], matrix: ArrayLike, names: Iterable[str] | None = None, *, orientation: str = ROW_TO_COLUMN
    ) -> G:
        """The graph of a matrix: any number but zero is an edge, the same in both directions is an undirected one.

        >>> Dag.from_adjacency([[0, 0], [0.7, 0]], ["a", "b"], orientation="column-to-row").edges
        [Edge(cause='a', effect='b', directed=True, weight=0.7, probability=None)]
        """
        matrix = _without_labels(matrix)
        if hasattr(matrix, "index") and hasattr(matrix, "columns"):
            matrix = _aligned(matrix)
        given = list(getattr(matrix, "columns", [])) if names is None else list(names)
        cells = _real_cells(matrix)
        if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
            raise ArgumentError(f"an adjacency of shape {cells.shape} is not square", "not-square")
        variables = [str(name) for name in given] or [f"X{k + 1}" for k in range(len(cells))]
        if len(variables) != len(cells):
            raise ArgumentError(f"{len(variables)} names for {len(cells)} variables", "bad-graph")
        text = json.dumps({"nodes": variables, "adjacency": cells.tolist(), "orientation": orientation})
        return cls._of(_native.Graph.parse(text.encode(), "adjacency", "json", orientation, variables))

    def to_adjacency(self, *, orientation: str = ROW_TO_COLUMN, weighted: bool = False) -> NDArray[Any]:
        """Zeros and ones, or weights; an edge without direction stands on both sides of the diagonal."""
        if orientation not in (ROW_TO_COLUMN, COLUMN_TO_ROW):
            message = f"unknown orientation '{orientation}': known are {ROW_TO_COLUMN}, {COLUMN_TO_ROW}"
            raise ArgumentError(message, "bad-option")
        matrix = np.zeros((len(self.names), len(self.names)), dtype=np.float64 if weighted else np.int64)
        for a, b, weight, _ in self._graph.directed:
            matrix[a, b] = weight if weighted and weight is not None else 1
        for a, b, weight, _ in self._graph.undirected:
            matrix[a, b] = matrix[b, a] = weight if weighted and weight is not None else 1
        return matrix if orientation == ROW_TO_COLUMN else matrix.T.copy()

    @classmethod
    def from_lingam(cls: type[G], matrix: ArrayLike, names: Iterable[str] | None = None) -> G:
        """The graph of lingam's ``adjacency_matrix_``: ``[i, j]`` is the effect of j on i."""
        return cls.from_adjacency(matrix, names, orientation=COLUMN_TO_ROW)

    def to_lingam(self) -> NDArray[Any]:
        """Weights as in lingam's ``adjacency_matrix_``."""
        return self.to_adjacency(orientation=COLUMN_TO_ROW, weighted=True)

    @classmethod
    def from_causal_learn(cls: type[G], graph: Any, names: Iterable[str] | None = None) -> G:
        """The graph of causal-learn: a result of it, its ``GeneralGraph``, or the matrix of that.

        There ``[i, j] = -1`` with ``[j, i] = 1`` is i → j, and −1 in both directions an undirected edge.
        """
        graph = getattr(graph, "G", graph)
        if hasattr(graph, "get_node_names") and names is None:
            names = graph.get_node_names()
        marks = np.asarray(getattr(graph, "graph", graph))
        if marks.ndim != 2 or marks.shape[0] != marks.shape[1]:
            raise ArgumentError(f"a matrix of marks of shape {marks.shape} is not square", "not-square")
        is_strange = ~np.isin(marks, (-1, 0, 1)) | ((marks == 1) & (marks.T != -1)) | ((marks == 0) != (marks.T == 0))
        strange = np.argwhere(is_strange)
        if len(strange):
            row, column = strange[0]
            message = f"mark {marks[row, column]} in row {row + 1}, column {column + 1} is no arrow and no plain edge"
            raise ArgumentError(message, "bad-graph", "a hidden common cause has no place in this graph")
        return cls.from_adjacency((marks == -1).astype(int), names)

    def to_causal_learn(self) -> NDArray[Any]:
        """The matrix of marks that causal-learn keeps in ``GeneralGraph.graph``."""
        marks = np.zeros((len(self.names), len(self.names)), dtype=np.int64)
        for a, b, *_ in self._graph.directed:
            marks[a, b], marks[b, a] = -1, 1
        for a, b, *_ in self._graph.undirected:
            marks[a, b] = marks[b, a] = -1
        return marks

    @classmethod
    def from_networkx(cls: type[G], graph: Any) -> G:
        """The graph of a networkx ``DiGraph``; arrows in both directions, or a ``Graph``, are undirected edges."""
        names = [str(node) for node in graph]
        edges: dict[tuple[Any, Any], Edge] = {}
        for a, b, known in graph.edges(data=True):
            is_arrow = graph.is_directed() and not graph.has_edge(b, a)
            if is_arrow or (b, a) not in edges:
                edges[a, b] = Edge(str(a), str(b), is_arrow, known.get("weight"), known.get("probability"))
        return cls(names, edges.values())

    def to_networkx(self) -> Any:
        """A networkx ``DiGraph`` with ``weight`` and ``probability`` on its edges; both arrows for no direction."""
        graph = need("networkx", "to_networkx").DiGraph()
        graph.add_nodes_from(self.names)
        for edge in self.edges:
            known = {"weight": edge.weight, "probability": edge.probability}
            known = {key: value for key, value in known.items() if value is not None}
            graph.add_edge(edge.cause, edge.effect, **known)
            if not edge.directed:
                graph.add_edge(edge.effect, edge.cause, **known)
        return graph

    def to_pandas(self) -> Any:
        """A data frame of one row for each edge."""
        return need("pandas", "to_pandas").DataFrame(self.edges, columns=list(Edge._fields))

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        return self.to_string("dot")

    def to_gml(self) -> str:
        """The graph as GML text, for dowhy and others; an edge without direction is two arrows."""
        lines = ["graph [", "  directed 1"]
        for k, name in enumerate(self.names):
            label = name.replace("&", "&amp;").replace('"', "&quot;")
            lines.append(f'  node [ id {k} label "{label}" ]')
        arrows = [(a, b) for a, b, *_ in self._graph.directed]
        arrows += [pair for a, b, *_ in self._graph.undirected for pair in ((a, b), (b, a))]
        lines += [f"  edge [ source {a} target {b} ]" for a, b in arrows]
        return "\n".join([*lines, "]"]) + "\n"

    def to_svg(self) -> str:
        """A drawing in layers, causes above effects; an edge without direction has no head."""
        return self._graph.to_svg()

    def to_string(self, format: str) -> str:
        """The graph in a format of text, such as ``json``, ``edge-list`` or ``tetrad``."""
        try:
            return self._graph.write("graph", format).decode()
        except UnicodeDecodeError:
            message = f"{format} is no format of text"
            raise ArgumentError(message, "unknown-format", "write it to a file") from None

    @classmethod
    def read(
        cls: type[G],
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        orientation: str = ROW_TO_COLUMN,
        names: Sequence[str] | None = None,
    ) -> G:
        """Reads a graph file: JSON, CSV, DOT, GraphML, GML, BIF, npy or Tetrad's text."""
        return cls._of(_native.Graph.parse(read_bytes(path), path, format, orientation, names))

    def write(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes the graph in the format that the name tells."""
        write_bytes(path, self._graph.write(path, format))

    def align(self: G, names: Sequence[str]) -> G:
        """The same graph with its variables in the order of ``names``."""
        return self._of(self._graph.align(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self.names == other.names and _shape(self) == _shape(other)

    def __hash__(self) -> int:
        return hash((tuple(self.names), _shape(self)))

    def __repr__(self) -> str:
        edges = ", ".join(f"{edge.cause} {'->' if edge.directed else '--'} {edge.effect}" for edge in self.edges)
        return f"{type(self).__name__}({len(self.names)} variables: {edges or 'no edges'})"

    def _repr_html_(self) -> str:
        from ._html import graph_html

        return graph_html(self)

    def __reduce__(self) -> tuple[Any, tuple[type[Graph], list[str], list[Edge]]]:
        return _restore, (type(self), self.names, self.edges)


class Dag(Graph):
    """A directed acyclic graph. One with a cycle, or with an edge without direction, is refused.

    >>> dag = Dag(["rain", "wet", "slip"], [("rain", "wet"), ("wet", "slip")])
    >>> dag.order
    ['rain', 'wet', 'slip']
    >>> dag.cpdag()
    Graph(3 variables: rain -- wet, wet -- slip)
    >>> try:
    ...     Dag(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    ... except ValueError as error:
    ...     print(error.args[0])
    the graph has a cycle: c -> a -> b -> c
    """

    def _hold(self, graph: _native.Graph) -> None:
        graph.check_dag()
        self._graph = graph

    @property
    def order(self) -> list[str]:
        """The variables, causes first."""
        names = self.names
        return [names[k] for k in self._graph.order()]

    def cpdag(self) -> Graph:
        """The class of graphs that explain the same correlations: compelled arrows, and edges that may turn."""
        return Graph._of(self._graph.cpdag())


def _ends(place: dict[str, int], cause: Any, effect: Any) -> tuple[int, int]:
    for name in map(str, (cause, effect)):
        if name not in place:
            raise ArgumentError(f"no variable is named '{name}'", "other-variables", "check the spelling")
    return place[str(cause)], place[str(effect)]


def _without_labels(frame: Any) -> Any:
    """A matrix of this package's that names its rows in a column, as one whose rows follow its columns."""
    if is_instance(frame, "pyarrow", "Table"):
        frame = need("pandas", "an Arrow table").DataFrame(frame.to_pydict())
    if not is_instance(frame, "polars", "DataFrame") and not is_instance(frame, "pandas", "DataFrame"):
        return frame
    names = list(frame.columns)
    if not names or names[0] != ROW_LABELS or list(frame[ROW_LABELS]) != names[1:]:
        return frame
    return need("pandas", "a data frame").DataFrame({name: list(frame[name]) for name in names[1:]}, index=names[1:])


def _aligned(frame: Any) -> Any:
    """A square frame with its rows in the sequence of its columns; one without names for its rows as it is."""
    rows, columns = list(frame.index), list(frame.columns)
    if rows == columns or rows == list(range(len(columns))):
        return frame
    if sorted(map(str, rows)) != sorted(map(str, columns)):
        raise ArgumentError("rows and columns have different names", "other-variables", "name both alike")
    return frame.loc[columns]


def _real_cells(matrix: ArrayLike) -> NDArray[np.float64]:
    """The numbers of a matrix, none of them missing."""
    if is_instance(matrix, "scipy.sparse", "spmatrix", "sparray"):
        raise ArgumentError("a sparse matrix is no adjacency", "bad-graph", "call its toarray()")
    try:
        is_complex = np.iscomplexobj(matrix)
        cells: NDArray[Any] = np.asarray(matrix, dtype=np.complex128 if is_complex else np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"an adjacency holds numbers, in rows of one length: {error}", "bad-graph") from error
    if is_complex:
        raise ArgumentError("an adjacency holds real numbers", "bad-graph")
    gaps = np.argwhere(~np.isfinite(cells))
    if len(gaps):
        raise ArgumentError(f"the adjacency holds no number at {tuple(map(int, gaps[0]))}", "bad-graph")
    return cells


def _shape(graph: Graph) -> tuple[frozenset[Any], frozenset[Any]]:
    native = graph._graph
    return frozenset(line[:2] for line in native.directed), frozenset(line[:2] for line in native.undirected)


def _restore(kind: type[Graph], names: list[str], edges: list[Edge]) -> Graph:
    return kind(names, edges)


def as_graph(value: Any, names: Sequence[str] | None = None) -> Graph:
    """A graph of a graph, a fitted model, a simulation, a file, a networkx graph or a matrix."""
    if isinstance(value, Graph):
        return value
    if hasattr(value, "graph_"):
        return as_graph(value.graph_)
    if hasattr(value, "__sklearn_is_fitted__"):
        raise NotFittedError("a model that is not fitted has no graph", "not-fitted", "call fit first")
    if isinstance(value, (str, os.PathLike)):
        return Graph.read(value, names=names)
    if hasattr(value, "graph") and isinstance(value.graph, Graph):
        return value.graph
    if hasattr(value, "adj") and hasattr(value, "edges"):
        return Graph.from_networkx(value)
    given = None if hasattr(value, "columns") or hasattr(value, "column_names") else names
    return Graph.from_adjacency(value, given)

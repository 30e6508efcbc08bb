"""Simulation, evaluation, scoring and diagnosis."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._data import Types, as_data
from ._errors import ArgumentError
from ._graph import Dag, as_graph
from ._options import Missing, Score
from ._optional import need


def methods() -> dict[str, str]:
    """Every method of discovery, the default first, and what it does.

    >>> next(iter(methods()))
    'gflowcausal'
    """
    return dict(_native.methods())


class Simulated:
    """Data with a known graph. It can be given to ``fit`` and, as the truth, to ``evaluate``."""

    def __init__(self, table: _native.Table, graph: _native.Graph, weights: NDArray[np.float64] | None) -> None:
        self._table = table
        #: The graph that generated the data.
        self.graph = Dag._of(graph)
        #: The weight of each edge, ``[i, j]`` of i → j, where the model is linear.
        self.weights = weights

    @property
    def names(self) -> list[str]:
        """The variables."""
        return self.graph.names

    @property
    def data(self) -> NDArray[Any]:
        """Rows of numbers; categories as codes, and −1 for a missing one."""
        variables = self._table.columns()[: len(self.names)]
        return np.column_stack([column[0] if isinstance(column, tuple) else column for column in variables])

    def to_pandas(self) -> Any:
        """A data frame; categories are categorical. With interventions, the column ``intervention`` names what was set."""
        pandas = need("pandas", "to_pandas")
        series = {
            name: pandas.Categorical.from_codes(column[0], column[1]) if isinstance(column, tuple) else column
            for name, column in zip(self._table.names, self._table.columns())
        }
        return pandas.DataFrame(series)

    def __repr__(self) -> str:
        return f"Simulated({self._table.rows} rows, {len(self.names)} variables, {len(self.graph.edges)} edges)"


def simulate(
    *,
    graph: str = "er",
    nodes: int = 30,
    degree: int | None = None,
    edges: int | None = None,
    model: str = "linear",
    noise: str | None = None,
    noise_scale: float | tuple[float, float] | None = None,
    rows: int = 1000,
    seed: int = 0,
    standardize: bool = False,
    missing_rate: float = 0.0,
    network: str | None = None,
    interventions: str | None = None,
) -> Simulated:
    """Makes data with a known graph.

    The graph is random (``graph`` er, er-gnp, sf or sf-directed, with ``nodes`` and a ``degree`` or a number of
    ``edges``), and so are its equations: ``model`` linear, gp, gp-quiet, gp-additive, location-scale, quadratic, mlp, mim,
    discrete or mixed; ``noise`` gauss, exp, gumbel, uniform, laplace or t, of a scale or of one drawn from a pair. Or both
    are those of a published ``network``: alarm, insurance, hailfinder, ecoli70, magic-irri or arth150. Without ``degree``
    and ``edges`` there are two edges a node, or as many as fit. With ``interventions="8x60"`` 60 rows follow for each of 8
    variables, in which it is set from outside; the column ``intervention`` names it (for linear models).

    >>> simulate(nodes=5, edges=4, rows=100, seed=1)
    Simulated(100 rows, 5 variables, 4 edges)
    >>> simulate(nodes=5, edges=4, rows=100, interventions="2x30")
    Simulated(160 rows, 5 variables, 4 edges)
    >>> simulate(network="alarm", rows=100)
    Simulated(100 rows, 37 variables, 46 edges)
    """
    rest = {"rows": rows, "seed": seed, "standardize": standardize, "missing_rate": float(missing_rate)}
    if network is not None:
        drawn = (graph, nodes, degree, edges, model, noise, noise_scale, interventions)
        if drawn != ("er", 30, None, None, "linear", None, None, None):
            message = f"the network {network} has its own graph and its own equations"
            raise ArgumentError(message, "option-without-effect", "say rows, seed, standardize and missing_rate alone")
        return Simulated(*_native.simulate_network({"name": network, **rest}))
    scale = float(noise_scale) if isinstance(noise_scale, (int, float)) else noise_scale
    options = {
        "graph": graph,
        "nodes": nodes,
        "degree": degree,
        "edges": edges,
        "model": model,
        "noise": noise,
        "noise_scale": scale,
        **rest,
    }
    return Simulated(*_native.simulate(options, interventions))


def evaluate(estimate: Any, truth: Any) -> dict[str, float]:
    """How far one graph is from the true one: ``shd``, ``tpr``, ``fdr``, ``cpdag_shd``, ``sid`` and more.

    Both may be a graph, a fitted model, a simulation, a file, a networkx graph, or a matrix whose row causes its
    column. One without names takes those of the other.

    >>> evaluate([[0, 1], [0, 0]], [[0, 0], [1, 0]])["shd"]
    1
    """
    known = as_graph(truth)
    guess = as_graph(estimate, known.names)
    if not _has_names(truth) and len(guess.names) == len(known.names):
        known = as_graph(truth, guess.names)
    metrics: dict[str, float] = json.loads(guess._graph.evaluate(known._graph))
    return metrics


def _has_names(value: Any) -> bool:
    return not isinstance(value, (np.ndarray, list, tuple))


def score(
    data: Any,
    graph: Any,
    *,
    score: Score = "auto",
    penalty: float | Literal["auto"] | None = None,
    missing: Missing = "error",
    standardize: bool = False,
    interventions: str | None = None,
    types: Types | None = None,
) -> dict[str, Any]:
    """The score of a given graph on data, node by node and edge by edge.

    ``interventions`` names the column that says which variables were set from outside, row by row.

    >>> report = score("sachs", [[0] * 11] * 11)
    >>> report["score"], len(report["nodes"])
    ('spline', 11)
    """
    table = as_data(data, types).rows()
    options = {
        "score": score,
        "penalty": penalty,
        "missing": missing,
        "standardize": standardize,
        "interventions": interventions,
    }
    names = [name for name in table.names if name != interventions]
    report: dict[str, Any] = json.loads(_native.score(table, as_graph(graph, names)._graph, options))
    return report


@dataclass(frozen=True)
class Finding:
    """Something wrong or odd in the data."""

    severity: str
    code: str
    what: str
    fix: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """What the doctor says of a table."""

    rows: int
    continuous: int
    categorical: int
    findings: list[Finding]

    @property
    def errors(self) -> list[Finding]:
        """Findings that make discovery impossible."""
        return [finding for finding in self.findings if finding.severity == "error"]

    def __str__(self) -> str:
        head = f"{self.rows} rows, {self.continuous} columns of numbers, {self.categorical} of categories"
        lines = [f"{finding.severity}[{finding.code}]: {finding.what}\n  fix: {finding.fix}" for finding in self.findings]
        return "\n".join([head, *(lines or ["nothing wrong or odd was found"])])


def doctor(data: Any, *, interventions: str | None = None, types: Types | None = None) -> Diagnosis:
    """Says what is wrong or odd in a table, and what to do about it.

    ``interventions`` names the column that says which variables were set from outside, row by row.

    >>> import numpy as np
    >>> [finding.code for finding in doctor(np.ones((50, 2))).errors]
    ['constant-column']
    """
    said: dict[str, Any] = json.loads(as_data(data, types).rows().doctor(interventions))
    findings = [
        Finding(one["severity"], one["code"], one["what"], one["fix"], tuple(one["columns"])) for one in said["findings"]
    ]
    return Diagnosis(said["rows"], said["continuous"], said["categorical"], findings)

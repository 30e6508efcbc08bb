"""The log-likelihood of rows that a model was not fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import ArgumentError
from ._graph import Graph


def held_out(fit: _native.Fit, graph: Graph, rows: _native.Table) -> float:
    """The mean over rows of the sum over variables of ln p(variable | parents)."""
    parents = {name: graph.parents(name) for name in graph.names}
    columns = dict(zip(rows.names, rows.columns()))
    lacking = [name for name in graph.names if name not in columns]
    if lacking:
        raise ArgumentError(f"the rows have no column '{lacking[0]}'", "other-variables", "give the columns of fit")
    state: Any = fit.__reduce__()
    moments, table = state[1][4], state[1][5]
    if moments is not None:
        return _gaussian(_native.Moments.of_json(moments), parents, columns)
    trained = dict(zip(table.names, table.columns()))
    used = [trained[name] for name in graph.names]
    if all(isinstance(column, tuple) for column in used):
        return _categorical(trained, parents, columns)
    if not any(isinstance(column, tuple) for column in used):
        matrix = np.column_stack([trained[name] for name in graph.names])
        return _gaussian(_moments(graph.names, matrix), parents, columns)
    raise ArgumentError("a held-out score needs columns of one kind: all numbers or all categories", "bad-score")


def _moments(names: list[str], matrix: NDArray[np.float64]) -> _native.Moments:
    return _native.Moments.of_table(_native.Table.of_matrix(matrix, names, dict.fromkeys(names, "continuous")))


def _gaussian(moments: _native.Moments, parents: dict[str, list[str]], columns: dict[str, Any]) -> float:
    place = {name: k for k, name in enumerate(moments.names)}
    mean, covariance = moments.mean, moments.covariance
    total = 0.0
    for name, causes in parents.items():
        if isinstance(columns[name], tuple):
            raise ArgumentError(f"column '{name}' holds categories, but held numbers in fit", "other-variables")
        own, others = place[name], [place[cause] for cause in causes]
        slopes = np.linalg.lstsq(covariance[np.ix_(others, others)], covariance[others, own], rcond=None)[0]
        variance = max(covariance[own, own] - slopes @ covariance[others, own], 1e-300)
        centred = columns[name] - mean[own]
        for slope, cause in zip(slopes, causes):
            centred = centred - slope * (columns[cause] - mean[place[cause]])
        total += float(np.mean(-0.5 * (np.log(2 * np.pi * variance) + centred**2 / variance)))
    return total


def _categorical(trained: dict[str, Any], parents: dict[str, list[str]], columns: dict[str, Any]) -> float:
    total = 0.0
    for name, causes in parents.items():
        levels = [str(level) for level in trained[name][1]]
        counts: dict[tuple[str, ...], dict[str, int]] = {}
        for *joint, value in _words(trained, [*causes, name]):
            cell = counts.setdefault(tuple(joint), {})
            cell[value] = cell.get(value, 0) + 1
        logs = []
        for *joint, value in _words(columns, [*causes, name]):
            cell = counts.get(tuple(joint), {})
            logs.append(np.log((cell.get(value, 0) + 1) / (sum(cell.values()) + len(levels))))
        total += float(np.mean(logs))
    return total


def _words(columns: dict[str, Any], names: list[str]) -> list[tuple[str, ...]]:
    """The rows of some columns; a level is known by its name, since codes differ between tables."""
    for name in names:
        if not isinstance(columns[name], tuple):
            raise ArgumentError(f"column '{name}' holds numbers, but held categories in fit", "other-variables")
    words = [[str(columns[name][1][code]) if code >= 0 else "" for code in columns[name][0]] for name in names]
    return list(zip(*words))

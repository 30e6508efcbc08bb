"""Work on more than one machine: bootstraps and sweeps over any executor of PEP 3148, and moments that merge."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._data import Data, as_data, framed
from ._errors import ArgumentError, GFlowCausalWarning, InputError
from ._estimator import GFlowCausal, counted
from ._graph import Graph, as_graph
from ._optional import need

Moments = _native.Moments


@dataclass(frozen=True)
class Bootstrap:
    """Graphs found in tables whose rows were drawn again."""

    names: list[str]
    #: One matrix of zeros and ones for each table.
    adjacency: NDArray[np.int8]
    #: The edge probabilities of each run.
    edge_probabilities: NDArray[np.float64]
    #: The score of each best graph.
    scores: NDArray[np.float64]
    _frame: str = "numpy"
    _labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def edge_frequencies(self) -> Any:
        """In which share of the tables each edge was found."""
        return framed(self.adjacency.mean(axis=0), self.names, self._frame, self._labels)

    @property
    def adjacency_frequencies(self) -> Any:
        """In which share of the tables each pair was adjacent, in either direction."""
        joined = self.adjacency | self.adjacency.transpose(0, 2, 1)
        return framed(joined.mean(axis=0), self.names, self._frame, self._labels)

    def __len__(self) -> int:
        return len(self.adjacency)

    def __repr__(self) -> str:
        return f"Bootstrap({len(self)} tables, {len(self.names)} variables)"


def bootstrap(data: Any, n: int = 100, *, executor: Executor | None = None, seed: int = 0, **options: Any) -> Bootstrap:
    """Finds graphs in ``n`` tables of as many rows, drawn with replacement.

    The k-th table is the same wherever it is made, so the result does not depend on the executor: none (one after the
    other), `concurrent.futures`, Dask's ``client.get_executor()``, `RayExecutor`, or any other of PEP 3148. What is
    sent to workers is the table, or the path if ``data`` is one: give a path that all of them can read when the
    table is large. ``options`` are those of `GFlowCausal`; each run has one thread unless ``threads`` says otherwise.

    >>> bootstrap("sachs", 3, method="exact", samples=10).edge_frequencies.shape
    (11, 11)
    """
    model = GFlowCausal(**{"threads": 1, **options})
    sent, seed = _sendable(data, model), counted("seed", seed)
    found = _map(executor, _resampled, [(sent, model, seed, k) for k in range(counted("n", n, least=1))])
    adjacency, probabilities, scores = (np.stack(parts) for parts in zip(*(one[1:] for one in found)))
    form = (sent.frame, sent.labels) if isinstance(sent, Data) else ("numpy", {})
    return Bootstrap(found[0][0], adjacency, probabilities, scores, *form)


def _resampled(data: Any, model: GFlowCausal, seed: int, k: int) -> tuple[list[str], Any, Any, Any]:
    """One run of a bootstrap: names, adjacency, edge probabilities, score."""
    table = as_data(data, model.types, no_header=model.no_header, delimiter=model.delimiter).rows()
    options = {**model.get_params(), "types": None, "no_header": False, "delimiter": None}
    with warnings.catch_warnings():
        # Rows that are drawn twice are what a bootstrap is.
        warnings.simplefilter("ignore", GFlowCausalWarning)
        fitted = GFlowCausal(**options).fit(table.resampled(seed, k))
    adjacency = fitted.graph_.to_adjacency().astype(np.int8)
    return fitted.graph_.names, adjacency, np.asarray(fitted.edge_probabilities_), np.float64(fitted.score_)


def sweep(
    data: Any,
    grid: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
    *,
    executor: Executor | None = None,
    truth: Any = None,
    **options: Any,
) -> list[GFlowCausal]:
    """Fits one model for each combination of a grid, such as ``{"method": ["gflowcausal", "exact"], "seed": range(5)}``.

    >>> [model.seed for model in sweep("sachs", {"seed": [1, 2]}, method="exact", samples=10)]
    [1, 2]
    """
    if isinstance(grid, Mapping):
        chosen = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    else:
        chosen = [dict(one) for one in grid]
    models = [GFlowCausal(**{"threads": 1, **options, **one}) for one in chosen]
    sent: dict[str, str | Data] = {}
    for model in models:
        reading = repr((model.types, model.no_header, model.delimiter))
        sent.setdefault(reading, _sendable(data, model))
    tasks = [(sent[repr((model.types, model.no_header, model.delimiter))], model) for model in models]
    return _map(executor, _fitted, [(one, model, _sendable_truth(truth, one)) for one, model in tasks])


def _fitted(data: Any, model: GFlowCausal, truth: Any) -> GFlowCausal:
    return model.fit(data, truth=truth)


def _sendable_truth(truth: Any, data: str | Data) -> Any:
    """A graph over the names of the data; as it is where those are not known yet."""
    return as_graph(truth, data.table.names) if truth is not None and isinstance(data, Data) else truth


def _sendable(data: Any, model: GFlowCausal) -> str | Data:
    """A path as it is, everything else as a table made once."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    return as_data(data, model.types, no_header=model.no_header, delimiter=model.delimiter)


def _map(executor: Executor | None, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> list[Any]:
    """``work`` of each task, in order; the first failure cancels what has not begun."""
    if executor is None:
        return [work(*task) for task in tasks]
    futures = [executor.submit(work, *task) for task in tasks]
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


class RayExecutor(Executor):
    """Ray's workers as an executor of PEP 3148.

    ``options`` are those of ``ray.remote``, such as ``num_cpus``. A worker that dies is replaced and its task is run
    again, three times at most unless ``max_retries`` says otherwise.
    """

    def __init__(self, **options: Any) -> None:
        self._ray = need("ray", "RayExecutor")
        self._options = options
        self._futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs ``fn`` on some worker."""
        remote = self._ray.remote(_call).options(**self._options)
        future: Future[Any] = remote.remote(fn, args, kwargs).future()
        self._futures = [known for known in self._futures if not known.done()]
        self._futures.append(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Waits for what was submitted; Ray itself stays."""
        for future in self._futures:
            if cancel_futures:
                future.cancel()
            if wait and not future.cancelled():
                future.exception()
        self._futures.clear()


def moments(data: Any, *, missing: str = "error") -> Moments:
    """Row count, means and covariance: all that linear scores need, in memory that does not grow with the rows.

    ``data`` may be a Dask data frame (each partition is processed where it lies, and the moments are merged), an
    iterator of frames or arrays, a file, or a table. The result can be given to ``fit``. ``missing="drop"`` leaves out
    the incomplete rows of a file.

    >>> import numpy as np
    >>> parts = (np.random.default_rng(k).normal(size=(100, 3)) for k in range(10))
    >>> moments(parts).rows
    1000
    """
    if isinstance(data, (str, os.PathLike)):
        return _native.Moments.read(os.fspath(data), missing)
    if missing != "error":
        message = "missing= is for files: frames can drop incomplete rows themselves"
        raise ArgumentError(message, "option-without-effect", "leave it out")
    if hasattr(data, "to_delayed") and hasattr(data, "columns"):
        return _dask_moments(data)
    if hasattr(data, "__next__"):
        return _merged(map(_partition, data))
    return _merged([_partition(data)])


def _partition(part: Any) -> Moments | None:
    """The moments of one part; none if it has no rows. Whole numbers are numbers here."""
    if hasattr(part, "__len__") and len(part) == 0:
        return None
    return _native.Moments.of_table(as_data(part, dict.fromkeys(_column_names(part), "continuous")).rows())


def _column_names(part: Any) -> list[str]:
    if hasattr(part, "schema") and hasattr(part.schema, "names") and hasattr(part, "__arrow_c_stream__"):
        names: Any = part.schema.names() if callable(part.schema.names) else part.schema.names
    elif hasattr(part, "columns"):
        names = part.columns
    elif hasattr(part, "_table"):
        names = []
    else:
        names = [f"X{k + 1}" for k in range(np.shape(part)[1])] if np.ndim(part) == 2 else []
    return [str(name) for name in names]


def _merged(parts: Iterable[Moments | None]) -> Moments:
    total: Moments | None = None
    for part in parts:
        if part is not None:
            total = part if total is None else total.merged(part)
    if total is None:
        raise InputError("there are no rows", "no-rows")
    return total


def _dask_moments(frame: Any) -> Moments:
    dask = need("dask", "moments of a Dask data frame")
    parts = [dask.delayed(_partition)(part) for part in frame.to_delayed()]
    # Merged eight at a time, so that no machine ever holds the moments of all parts.
    while len(parts) > 1:
        parts = [dask.delayed(_merged_or_none)(parts[k : k + 8]) for k in range(0, len(parts), 8)]
    return _merged([parts[0].compute()])


def _merged_or_none(parts: Sequence[Moments | None]) -> Moments | None:
    return _merged(parts) if any(part is not None for part in parts) else None

"""What users call data, as tables of the native half."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from . import _native
from ._errors import ArgumentError, ReadError
from ._graph import ROW_LABELS
from ._optional import is_instance, need

#: What each column is to be, where the rule says otherwise: ``"continuous"`` or ``"categorical"``.
Types = Mapping[str, str]


@dataclass(frozen=True)
class Data:
    """A table or moments, and what they came as."""

    table: _native.Table | _native.Moments
    #: ``"pandas"``, ``"polars"``, ``"arrow"`` or ``"numpy"``: what matrices are given back as.
    frame: str = "numpy"
    #: The names, if the user gave them all as text.
    names: list[str] | None = None
    #: What frames call the variables whose names are not text.
    labels: Mapping[str, Any] = field(default_factory=dict)

    def rows(self) -> _native.Table:
        """The table, which moments are not."""
        if isinstance(self.table, _native.Moments):
            raise ArgumentError("moments hold no rows", "bad-option", "give the table itself")
        return self.table


def as_data(data: Any, types: Types | None = None, *, no_header: bool = False, delimiter: str | None = None) -> Data:
    """Makes a table of a file, an array, a frame, or anything that speaks Arrow."""
    if isinstance(data, Data):
        return data
    if types is not None and not isinstance(types, Mapping):
        raise ArgumentError(f"types is {types!r}", "bad-option", 'write {"ward": "categorical"}')
    asked = {str(column): kind for column, kind in (types or {}).items()}
    if isinstance(data, (str, os.PathLike)):
        text = ",".join(f"{column}={kind}" for column, kind in asked.items()) or None
        table = _native.Table.read(os.fspath(data), no_header, delimiter, text)
        return Data(table, names=table.names)
    if no_header or delimiter is not None:
        raise ArgumentError("no_header and delimiter are for files", "option-without-effect", "leave them out")
    made = getattr(data, "_table", data)
    if isinstance(made, (_native.Moments, _native.Table)):
        if asked:
            raise ArgumentError("types are for data that have none yet", "option-without-effect", "leave them out")
        return Data(made, names=made.names)
    _refuse_unfinished(data)
    if is_instance(data, "pandas", "DataFrame"):
        return _of_pandas(data, asked)
    if hasattr(data, "__arrow_c_stream__"):
        table = _native.Table.of_arrow(data, asked)
        return Data(table, _frame_of(data), table.names)
    if isinstance(data, Mapping):
        names = [str(name) for name in data]
        return Data(_of_columns(names, [np.asarray(column) for column in data.values()], asked), names=names)
    table = _of_array(data, asked)
    return Data(table, names=table.names if getattr(getattr(data, "dtype", None), "names", None) else None)


def _frame_of(data: Any) -> str:
    """What matrices are given back as, for data that speak Arrow."""
    if is_instance(data, "polars", "DataFrame"):
        return "polars"
    is_arrow = is_instance(data, "pyarrow", "Table", "RecordBatch") or type(data).__module__.split(".")[0].lstrip("_") == "duckdb"
    return "arrow" if is_arrow and find_spec("pyarrow") else "numpy"


def _refuse_unfinished(data: Any) -> None:
    """Tables that are plans, or columns: nobody should wait for them, or take them for a table, unawares."""
    if hasattr(data, "__dask_graph__"):
        message = "a Dask collection is not in memory"
        raise ArgumentError(message, "bad-table", "give gflowcausal.moments(data), or data.compute() if it fits")
    if is_instance(data, "polars", "LazyFrame"):
        raise ArgumentError("a lazy frame is not in memory", "bad-table", "call its collect()")
    if is_instance(data, "pandas", "Series") or is_instance(data, "polars", "Series"):
        raise ArgumentError("a series is one column, and not a table", "bad-table", "give a data frame")


def _array(data: Any) -> np.ndarray[Any, Any]:
    if np.ma.isMaskedArray(data):
        filled: np.ndarray[Any, Any] = np.ma.filled(data.astype(np.float64), np.nan)
        return filled
    try:
        matrix = np.asarray(data)
    except ValueError as error:
        raise ArgumentError("the rows are not of one length", "bad-table", "give each row one cell a column") from error
    if matrix.ndim == 0 and matrix.dtype.kind == "O":
        message = "None is no table" if data is None else f"a {type(data).__name__} is no table"
        raise ArgumentError(message, "bad-table", "give an array, a data frame, Arrow data or a path")
    return matrix


def _of_array(data: Any, types: dict[str, str]) -> _native.Table:
    if is_instance(data, "scipy.sparse", "spmatrix", "sparray"):
        raise ArgumentError("a sparse matrix is no table", "bad-table", "call its toarray()")
    matrix = _array(data)
    if matrix.dtype.names is not None:
        fields: Any = matrix
        return _of_columns(matrix.dtype.names, [fields[name] for name in matrix.dtype.names], types)
    if matrix.ndim != 2:
        message = f"a table has two dimensions, not {matrix.ndim}. Reshape your data"
        raise ArgumentError(message, "bad-table", "give rows of variables: array.reshape(-1, 1) makes one column")
    if matrix.dtype.kind == "c":
        raise ArgumentError("Complex data not supported: a table holds real numbers", "bad-table", "take real parts")
    if matrix.shape[1] == 0:
        message = f"0 feature(s) (shape={matrix.shape}) while a minimum of 2 is required."
        raise ReadError(message, "no-columns", "give one column for each variable")
    names = [f"X{k + 1}" for k in range(matrix.shape[1])]
    if matrix.dtype == np.float64:
        return _native.Table.of_matrix(_aligned(matrix), names, types)
    return _of_columns(names, [matrix[:, k] for k in range(matrix.shape[1])], types)


def _of_columns(names: Sequence[str], columns: Sequence[np.ndarray[Any, Any]], types: dict[str, str]) -> _native.Table:
    return _native.Table.of_columns(names, [_cells(name, column) for name, column in zip(names, columns)], types)


def _cells(name: str, column: np.ndarray[Any, Any]) -> Any:
    """Numbers as numpy has them, everything else as a list."""
    if column.ndim != 1:
        raise ArgumentError(f"column '{name}' has {column.ndim} dimensions", "bad-table", "give one number a row")
    kind = column.dtype.kind
    if kind == "f":
        return np.require(column, np.float64, "A")
    if kind == "i" or (kind == "u" and column.dtype.itemsize < 8):
        return np.require(column, np.int64, "A")
    if kind in "mM":
        raise _unsupported(name, "timestamp" if kind == "M" else "duration")
    if kind in "SV":
        raise _unsupported(name, "binary")
    return [cell.item() if isinstance(cell, np.generic) else cell for cell in column.tolist()]


def _unsupported(name: str, kind: str) -> Exception:
    message = f"column '{name}' is of type {kind}, which is neither a number nor a category"
    return ReadError(message, "unsupported-type", f"leave '{name}' out, or turn it into numbers or text")


def _of_pandas(frame: Any, types: dict[str, str]) -> Data:
    names = [str(name) for name in frame.columns]
    are_text = all(isinstance(name, str) for name in frame.columns)
    columns = [_pandas_cells(name, frame.iloc[:, k]) for k, name in enumerate(names)]
    table = _native.Table.of_columns(names, columns, types)
    return Data(table, "pandas", names if are_text and names else None, dict(zip(names, frame.columns)))


def _pandas_cells(name: str, series: Any) -> Any:
    pandas = need("pandas", "a data frame")
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        levels = [level.item() if isinstance(level, np.generic) else level for level in dtype.categories.tolist()]
        levels = [level if isinstance(level, (str, int)) else str(level) for level in levels]
        words = [str(level).lower() if isinstance(level, bool) else str(level) for level in levels]
        return [None if code < 0 else words[code] for code in series.cat.codes.tolist()]
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return _cells(name, series.to_numpy())
    if pandas.api.types.is_float_dtype(dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if pandas.api.types.is_datetime64_any_dtype(dtype):
        raise _unsupported(name, "timestamp")
    missing = series.isna().tolist()
    cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in series.tolist()]
    return [None if gone else cell for gone, cell in zip(missing, cells)]


def framed(
    matrix: np.ndarray[Any, Any], names: Sequence[str], frame: str, labels: Mapping[str, Any] | None = None
) -> Any:
    """A square matrix over ``names`` in the form in which the data came."""
    if frame == "pandas":
        pandas = need("pandas", "a data frame")
        shown = pandas.Index([(labels or {}).get(name, name) for name in names])
        return pandas.DataFrame(matrix, index=shown, columns=shown)
    if frame == "polars":
        return need("polars", "a data frame").DataFrame({ROW_LABELS: list(names), **dict(zip(names, matrix.T))})
    if frame == "arrow":
        return need("pyarrow", "an Arrow table").table({ROW_LABELS: list(names), **dict(zip(names, matrix.T))})
    return matrix


def restore_table(name: str, names: list[str], columns: list[Any]) -> _native.Table:
    """Undoes the pickling of a table."""
    # Whoever sends pickles may keep arrays in buffers that are not aligned.
    aligned = [(_aligned(column[0]), column[1]) if isinstance(column, tuple) else _aligned(column) for column in columns]
    return _native.Table.restore(name, names, aligned)


def _aligned(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.require(column, requirements="A")


def restore_moments(text: str) -> _native.Moments:
    """Undoes the pickling of moments."""
    return _native.Moments.of_json(text)


def restore_fit(*state: Any) -> _native.Fit:
    """Undoes the pickling of a finished run."""
    return _native.Fit.restore(*state)

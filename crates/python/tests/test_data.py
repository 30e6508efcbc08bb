"""Every form of data, and that the same data give the same result in each."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gflowcausal
from gflowcausal import GFlowCausal, Knowledge, _native
from gflowcausal._data import as_data

EXACT = {"method": "exact", "samples": 20}


def sha(data, **options) -> str:
    return as_data(data, **options).rows().sha256


def test_layout_does_not_matter(simulated):
    data = simulated.data
    expected = sha(data)
    read_only = data.copy()
    read_only.flags.writeable = False
    wide = np.zeros((data.shape[0] * 2, data.shape[1] * 3))
    wide[::2, ::3] = data
    packed = np.zeros(data.shape[0], dtype=[("pad", "i1"), ("row", "f8", (data.shape[1],))])
    packed["row"] = data
    for same in (np.asfortranarray(data), read_only, wide[::2, ::3], data[::-1][::-1], packed["row"], data.tolist()):
        assert sha(same) == expected
    assert sha(data.astype(">f8")) == expected
    assert sha(simulated) == expected
    assert sha(dict(zip(simulated.names, data.T))) == expected


def test_small_numbers_are_widened(simulated):
    small = simulated.data.astype(np.float32)
    assert sha(small) == sha(small.astype(np.float64))
    assert sha(small.astype(np.float16)) == sha(small.astype(np.float16).astype(np.float64))


def test_whole_numbers_follow_the_rule_of_files(tmp_path):
    rng = np.random.default_rng(1)
    data = np.column_stack([rng.integers(0, 3, 200), rng.integers(0, 1000, 200)])
    (kinds,) = [[isinstance(column, tuple) for column in as_data(data).rows().columns()]]
    assert kinds == [True, False]
    path = tmp_path / "data.csv"
    np.savetxt(path, data, fmt="%d", delimiter=",", header="X1,X2", comments="")
    assert sha(path) == sha(data) == sha(data.astype(np.uint8).astype(np.int16)) or sha(path) == sha(data)
    asked = as_data(data, {"X1": "continuous", "X2": "categorical"}).rows().columns()
    assert [isinstance(column, tuple) for column in asked] == [False, True]


def test_pandas(simulated, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(simulated.data, columns=list("abcdef"))
    model = GFlowCausal(**EXACT).fit(frame)
    assert list(model.adjacency_.columns) == list(model.adjacency_.index) == list("abcdef")
    assert list(model.feature_names_in_) == list("abcdef")
    assert model.adjacency_.loc["a", "b"] == model.adjacency_.to_numpy()[0, 1]
    nullable = frame.convert_dtypes(dtype_backend="numpy_nullable")
    assert sha(nullable) == sha(frame)
    frame.to_csv(tmp_path / "data.csv", index=False)
    assert sha(tmp_path / "data.csv") == sha(frame)
    unnamed = GFlowCausal(**EXACT).fit(pandas.DataFrame(simulated.data))
    assert not hasattr(unnamed, "feature_names_in_")
    assert list(unnamed.adjacency_.columns) == list(range(6))


def test_pandas_with_arrow_memory(simulated):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(simulated.data, columns=simulated.names)
    assert sha(frame.convert_dtypes(dtype_backend="pyarrow")) == sha(frame)


def test_categories_flags_and_text_are_categories(mixed):
    columns = as_data(mixed).rows().columns()
    assert [isinstance(column, tuple) for column in columns] == [True, False, True, True]
    assert columns[0][1] == ["north", "south", "west"] and columns[2][1] == ["false", "true"]
    assert gflowcausal.discover(mixed, iterations=10, samples=20).result_["score"]["name"] == "dg"
    gaps = mixed.astype({"ward": object, "ill": object})
    gaps.loc[::50, ["ward", "ill", "sex"]] = None
    table = as_data(gaps).rows()
    assert [sum(column[0] == -1) for column in table.columns() if isinstance(column, tuple)] == [6, 6, 6]
    assert gflowcausal.discover(gaps, iterations=10, samples=20, missing="drop").result_["score"]["name"] == "dg"


def test_polars_and_arrow(mixed):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "ward": polars.Series(mixed["ward"].tolist(), dtype=polars.Categorical),
            "dose": mixed["dose"].to_numpy(),
            "ill": mixed["ill"].to_numpy(),
            "sex": mixed["sex"].tolist(),
        }
    )
    assert sha(frame) == sha(mixed)
    assert sha(polars.concat([frame[:100], frame[100:]], rechunk=False)) == sha(mixed)
    model = GFlowCausal(iterations=5, samples=10).fit(frame)
    assert model.adjacency_.columns == ["cause", "ward", "dose", "ill", "sex"]
    assert model.adjacency_["cause"].to_list() == ["ward", "dose", "ill", "sex"]
    assert isinstance(model.edge_probabilities_, polars.DataFrame)
    assert gflowcausal.evaluate(model.adjacency_, model)["shd"] == 0
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(mixed, preserve_index=False)
    assert sha(table) == sha(mixed)
    assert sha(table.to_reader(max_chunksize=7)) == sha(mixed)


def test_arrow_types():
    pyarrow = pytest.importorskip("pyarrow")
    from decimal import Decimal

    values = [1.0, None, 3.0, 2.5]
    expected = _native.Table.of_columns(["x"], [np.array([1.0, np.nan, 3.0, 2.5])], {}).sha256
    for kind in (pyarrow.float64(), pyarrow.float32()):
        assert sha(pyarrow.table({"x": pyarrow.array(values, kind)})) == expected
    decimals = [None if value is None else Decimal(str(value)) for value in values]
    assert sha(pyarrow.table({"x": pyarrow.array(decimals, pyarrow.decimal128(5, 2))})) == expected
    words = ["a", None, "b", "a"]
    kinds = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
    assert len({sha(pyarrow.table({"x": pyarrow.array(words, kind)})) for kind in kinds}) == 1
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        whole = pyarrow.table({"x": pyarrow.array([3, 1, None, 2], getattr(pyarrow, kind)())})
        assert as_data(whole).rows().rows == 4
    sliced = pyarrow.table({"x": pyarrow.array([9.0, *values, 9.0])}).slice(1, 4)
    assert sha(sliced) == expected
    with pytest.raises(gflowcausal.errors.ReadError, match="column 'when' is of type"):
        as_data(pyarrow.table({"when": pyarrow.array([0], pyarrow.timestamp("s"))}))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather", "npy"])
def test_files(simulated, tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(simulated.data, columns=simulated.names)
    path = tmp_path / f"data.{suffix}"
    match suffix:
        case "csv":
            frame.to_csv(path, index=False)
        case "parquet":
            pytest.importorskip("pyarrow")
            frame.to_parquet(path)
        case "feather":
            pytest.importorskip("pyarrow")
            frame.to_feather(path)
        case "npy":
            np.save(path, simulated.data)
    assert sha(path) == sha(simulated) == sha(str(path))


def test_a_file_is_read_as_it_is_said(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("".join(f"{value:.3f};{k % 3}\n" for k, value in enumerate(np.random.default_rng(0).normal(size=60))))
    model = GFlowCausal(no_header=True, delimiter=";", types={"X2": "categorical"}, iterations=5, samples=5).fit(path)
    assert model.result_["score"]["name"] == "dg"
    with pytest.raises(gflowcausal.GFlowCausalError, match="are for files"):
        GFlowCausal(no_header=True).fit(np.zeros((5, 2)))
    with pytest.raises(gflowcausal.errors.ReadError, match="'X9'"):
        GFlowCausal(types={"X9": "categorical"}).fit(np.random.default_rng(0).normal(size=(50, 2)))


def test_a_table_travels(mixed):
    table = as_data(mixed).rows()
    assert pickle.loads(pickle.dumps(table)).sha256 == table.sha256


def test_a_table_arrives_in_buffers_that_are_not_aligned(simulated):
    """Dask sends arrays in frames of its own, wherever they happen to lie."""
    buffers: list[pickle.PickleBuffer] = []
    sent = pickle.dumps(simulated._table, protocol=5, buffer_callback=buffers.append)
    assert buffers
    shifted = [memoryview(bytearray(b"x" + bytes(buffer)))[1:] for buffer in buffers]
    assert pickle.loads(sent, buffers=shifted).sha256 == simulated._table.sha256


def test_a_masked_array_has_gaps(simulated):
    masked = np.ma.masked_greater(simulated.data, 3.0)
    with_gaps = np.where(simulated.data > 3.0, np.nan, simulated.data)
    assert sha(masked) == sha(with_gaps)
    with pytest.raises(gflowcausal.errors.MissingValuesError):
        GFlowCausal(**EXACT).fit(masked)
    assert GFlowCausal(missing="em", **EXACT).fit(masked).graph_.names == simulated.names


def test_moments_fit_as_the_rows_do(simulated):
    moments = gflowcausal.moments(simulated)
    np.testing.assert_allclose(moments.mean, simulated.data.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.covariance, np.cov(simulated.data.T, bias=True), rtol=1e-10)
    by_rows = GFlowCausal(**EXACT).fit(simulated)
    by_moments = GFlowCausal(**EXACT).fit(pickle.loads(pickle.dumps(moments)))
    assert by_moments.score_ == by_rows.score_
    assert by_moments.graph_ == by_rows.graph_
    assert (by_moments.edge_probabilities_ == by_rows.edge_probabilities_).all()
    for options in ({"score": "spline"}, {"prune": "cam"}, {"missing": "em"}, {"exclude": ["X1"]}):
        with pytest.raises(gflowcausal.errors.NeedsRowsError, match="needs the rows of the table"):
            GFlowCausal(**{"iterations": 5, **options}).fit(moments)
    with pytest.raises(gflowcausal.GFlowCausalError, match="moments hold no rows"):
        gflowcausal.doctor(moments)


def test_moments_of_parts_merge(simulated, tmp_path):
    whole = gflowcausal.moments(simulated.data)
    parts = gflowcausal.moments(iter(np.array_split(simulated.data, 7)))
    assert parts.rows == whole.rows
    np.testing.assert_allclose(parts.covariance, whole.covariance, rtol=1e-12)
    np.save(tmp_path / "data.npy", simulated.data)
    np.testing.assert_allclose(gflowcausal.moments(tmp_path / "data.npy").covariance, whole.covariance, rtol=1e-12)
    with pytest.raises(gflowcausal.GFlowCausalError, match="no rows"):
        gflowcausal.moments(iter([]))
    with pytest.raises(gflowcausal.GFlowCausalError, match="moments of other columns"):
        whole.merged(gflowcausal.moments(simulated.data[:, :2]))


def test_columns_without_text_for_a_name(simulated):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(simulated.data)
    options = {"require": [(0, 1)], "exclude": [5], "types": {3: "continuous"}, "knowledge": Knowledge(tiers=[[0], [2]])}
    model = GFlowCausal(**options, **EXACT).fit(frame)
    assert list(model.adjacency_.index) == [0, 1, 2, 3, 4] and model.adjacency_.loc[0, 1] == 1
    many = pandas.DataFrame(simulated.data, columns=pandas.MultiIndex.from_product([["a", "b"], [1, 2, 3]]))
    assert GFlowCausal(**EXACT).fit(many).adjacency_.columns[3] == ("b", 1)
    empty = frame.set_axis(["", "a", "b", "c", "d", "e"], axis=1)
    assert GFlowCausal(**EXACT).fit(empty).graph_.names[0] == "X1"


def test_a_list_of_one_column_is_a_list(simulated):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(simulated.data, columns=list("abcdef"))
    assert GFlowCausal(exclude=frame.columns[:1], **EXACT).fit(frame).graph_.names == list("bcdef")
    model = GFlowCausal(exclude=np.array(["a"]), require=np.array([["b", "c"]]), forbid="c->d", **EXACT).fit(frame)
    assert "b" in model.graph_.parents("c") and "exclude=array" in repr(model)


def test_what_is_no_table_says_what_is(simulated):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame(simulated.data)
    refused = {
        "is no table": [None, (row for row in simulated.data), object()],
        "one column": [frame[0], polars.Series([1.0, 2.0])],
        "lazy": [polars.LazyFrame({"a": [1.0]})],
        "of one length": [[[1.0, 2.0], [3.0]]],
    }
    for words, tables in refused.items():
        for table in tables:
            with pytest.raises(gflowcausal.GFlowCausalError, match=words):
                GFlowCausal().fit(table)
    with pytest.raises(gflowcausal.GFlowCausalError, match="types are for data that have none yet"):
        GFlowCausal(types={"X1": "categorical"}).fit(simulated)


def test_moments_of_arrow(simulated):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"a": [1.0, 2.0, 4.0], "b": [1, 0, 5]})
    for source in (table, table.to_reader(), table.to_batches()[0]):
        found = gflowcausal.moments(source)
        assert found.names == ["a", "b"] and found.rows == 3
    half = pyarrow.table({"a": pyarrow.array(np.array([1, 2, 4], np.float16)), "b": [1.0, 0.5, 5.0]})
    assert gflowcausal.moments(half).mean[0] == 7 / 3

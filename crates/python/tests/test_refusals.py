"""No input makes a panic: each gets a result or an exception of ours."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest
from conftest import QUICK

import gflowcausal
from gflowcausal import GFlowCausal, GFlowCausalError, Graph, Knowledge, errors

RNG = np.random.default_rng(0)


def odd_tables() -> dict[str, object]:
    noise = RNG.normal(size=(60, 4))
    gap, endless, huge = noise.copy(), noise.copy(), noise.copy()
    gap[3, 1], endless[5, 2], huge[:, 0] = np.nan, -np.inf, 1e300 * noise[:, 0]
    objects = noise.astype(object)
    objects[4, 0] = "a word"
    ragged = np.empty((3, 2), dtype=object)
    ragged[:] = [[[1], 2], [{}, 3], [None, 4]]
    structured = np.zeros(5, dtype=[("a", "f8"), ("b", "U3"), ("c", "f8", (2,))])
    return {
        "nothing": np.empty((0, 0)),
        "no rows": np.empty((0, 3)),
        "no columns": np.empty((3, 0)),
        "one row": noise[:1],
        "one column": noise[:, :1],
        "one dimension": noise[:, 0],
        "three dimensions": noise[None],
        "no dimension": np.float64(3),
        "a gap": gap,
        "only gaps": np.full((9, 3), np.nan),
        "infinite": endless,
        "huge": huge,
        "tiny": noise * 1e-320,
        "constant": np.ones((20, 3)),
        "twins": noise[:, [0, 0, 1]],
        "collinear": np.column_stack([noise, noise.sum(axis=1)]),
        "fewer rows than columns": RNG.normal(size=(3, 9)),
        "flags": noise > 0,
        "bytes": RNG.integers(0, 255, (50, 3)).astype(np.uint8),
        "large whole numbers": np.full((20, 2), 2**63 + 1, dtype=np.uint64),
        "half precision": noise.astype(np.float16),
        "long double": noise.astype(np.longdouble),
        "complex": noise.astype(complex),
        "dates": np.full((5, 2), "2020-01-01", dtype="datetime64[D]"),
        "durations": np.full((5, 2), 3, dtype="timedelta64[s]"),
        "text": np.full((20, 2), "word"),
        "byte strings": np.full((20, 2), b"word"),
        "objects": objects,
        "objects of no kind": ragged,
        "structured": structured,
        "reversed strides": noise[::-1, ::-1],
        "big-endian": noise.astype(">f4"),
        "broadcast": np.broadcast_to(noise[0], (30, 4)),
        "lists": noise.tolist(),
        "ragged lists": [[1.0], [1.0, 2.0]],
        "huge whole numbers": [[10**50, 1], [2, 3]],
        "a number": 7,
        "nothing at all": None,
        "a class": object(),
        "a dictionary": {"a": [1.0, 2.0], "b": [1.0]},
        "an empty dictionary": {},
        "names that are no text": {1: noise[:, 0], None: noise[:, 1]},
        "a set": {1, 2, 3},
        "a path": "no/such/file.csv",
        "a folder": "/",
        "a strange path": "\0",
        "a surrogate": {"\ud800": noise[:, 0], "b": noise[:, 1]},
    }


ENTRIES = {
    "fit": lambda data: GFlowCausal(**{**QUICK, "iterations": 3}).fit(data),
    "discover": lambda data: gflowcausal.discover(data, method="exact", samples=5, ignore=["constant-column"]),
    "doctor": gflowcausal.doctor,
    "score": lambda data: gflowcausal.score(data, np.zeros((4, 4)), score="bge"),
    "moments": gflowcausal.moments,
    "bootstrap": lambda data: gflowcausal.bootstrap(data, 1, method="exact", samples=3),
    "evaluate": lambda data: gflowcausal.evaluate(data, np.zeros((4, 4))),
    "adjacency": Graph.from_adjacency,
}

#: What Python itself says of values that make no sense anywhere.
PLAIN = (TypeError, ValueError, OverflowError)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd_tables())
def test_odd_tables(entry, name):
    try:
        ENTRIES[entry](odd_tables()[name])
    except errors.InternalError as error:
        pytest.fail(f"a panic: {error}")
    except GFlowCausalError as error:
        assert str(error) and error.code
    except PLAIN as error:
        assert str(error)


ODD = [None, True, -1, 0, 1, 2**40, 2**70, 0.5, -0.0, float("nan"), float("inf"), "", "word", "X1->X2", [], ["X1->X2"]]
ODD += [[None], [3], {}, {"X1": "continuous"}, {"X1": 3}, object(), b"bytes", np.int64(3), np.float32(0.5), (1, 2)]
OPTIONS = [
    name
    for name in GFlowCausal().get_params()
    # These lead outside: to files, to other code, or to hours of work.
    if name not in ("out", "callback", "iterations", "samples", "batch_size", "hidden", "threads", "knowledge")
]


@pytest.mark.parametrize("option", OPTIONS)
def test_odd_options(option, simulated):
    for value in ODD:
        options = {"iterations": 2, "samples": 3, "hidden": 4, "batch_size": 2, "time_budget": 5.0, option: value}
        try:
            GFlowCausal(**options).fit(simulated)
        except errors.InternalError as error:
            pytest.fail(f"{option}={value!r}: a panic: {error}")
        except (GFlowCausalError, *PLAIN) as error:
            assert str(error)


@pytest.mark.parametrize("option", ["nodes", "edges", "degree", "rows", "graph", "model", "noise", "noise_scale"])
def test_odd_simulations(option):
    for value in ODD:
        try:
            gflowcausal.simulate(**{"nodes": 4, "rows": 20, option: value})
        except errors.InternalError as error:
            pytest.fail(f"{option}={value!r}: a panic: {error}")
        except (GFlowCausalError, *PLAIN) as error:
            assert str(error)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_no_graph(seed, tmp_path):
    rng = np.random.default_rng(seed)
    for suffix in ("json", "csv", "dot", "graphml", "gml", "bif", "npy", "tetrad"):
        path = tmp_path / f"graph.{suffix}"
        path.write_bytes(rng.integers(0, 128, rng.integers(0, 200)).astype(np.uint8).tobytes())
        try:
            Graph.read(path)
        except errors.InternalError as error:
            pytest.fail(f"a panic: {error}")
        except GFlowCausalError as error:
            assert error.code


def test_an_error_travels(simulated):
    with pytest.raises(errors.UnknownMethodError, match="there is no method 'pcc'") as refused:
        GFlowCausal(method="pcc").fit(simulated)
    error = pickle.loads(pickle.dumps(refused.value))
    assert (type(error), str(error), error.code, error.fix) == (
        errors.UnknownMethodError,
        "there is no method 'pcc'\n  help: did you mean 'pc'?",
        "unknown-method",
        refused.value.fix,
    )
    with pytest.raises(errors.UnknownMethodError, match="choose one of gflowcausal, exact"):
        GFlowCausal(method="tetrad").fit(simulated)
    assert isinstance(copy.copy(error), ValueError)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"score": "bick"}, errors.ArgumentError, "unknown score 'bick': known are auto, bic"),
        ({"samples": 0}, errors.OptionValueError, "samples is 0, but must be at least 1"),
        ({"temperature": -1}, errors.OptionValueError, "temperature is -1"),
        ({"exclude": ["Z"]}, errors.UnknownNameError, 'exclude=["Z"]: there is no such column'),
        ({"score": "bdeu"}, errors.ScoreError, "X1"),
        ({"score": "varsort", "prune": "score"}, errors.CombinationError, 'prune="score" does not go with'),
        ({"learning_rate": float("nan")}, errors.OptionValueError, "learning_rate is NaN"),
        ({"threads": 0}, errors.ArgumentError, "threads is 0"),
        ({"objective": "mdb"}, errors.TrainingOptionError, "objective mdb does not apply to walk layers"),
        ({"ignore": ["typo"]}, errors.UnknownNameError, 'ignore=["typo"]: there is no such finding'),
        ({"knowledge": "no-such-file.txt"}, errors.FileError, "cannot read knowledge file 'no-such-file.txt'"),
        ({"knowledge": "nonsense\n"}, errors.KnowledgeFileError, "nonsense"),
        ({"forbid": ["X1->Z"]}, errors.KnowledgeError, "no variable is named 'Z'"),
        ({"knowledge": Knowledge(forbid=[('"', "X1")])}, errors.ArgumentError, "has no place"),
        ({"out": "/proc/nowhere"}, errors.FileError, "cannot create '/proc/nowhere'"),
    ],
)
def test_each_error_has_its_class_and_its_words(options, kind, words, simulated):
    with pytest.raises(kind) as refused:
        GFlowCausal(**options).fit(simulated)
    assert words in str(refused.value)
    assert isinstance(refused.value, GFlowCausalError)


def test_a_way_out_is_shown_with_the_error():
    with pytest.raises(errors.ReadError) as refused:
        gflowcausal.discover("no-such-file.csv")
    assert str(refused.value).endswith(f"\n  help: {refused.value.fix}")


def test_optional_packages_are_asked_for_by_name(monkeypatch, simulated):
    for package, use in {
        "networkx": simulated.graph.to_networkx,
        "pandas": simulated.to_pandas,
        "ray": gflowcausal.RayExecutor,
    }.items():
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=f"needs the package {package}, which is not installed") as refused:
            use()
        assert refused.value.fix == f"pip install {package}"

"""Bootstraps and sweeps give the same result wherever they run, and lose nothing when a worker dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import gflowcausal

OPTIONS = {"method": "exact", "samples": 10}


@pytest.fixture(scope="module")
def alone(simulated):
    return gflowcausal.bootstrap(simulated, 6, seed=3, **OPTIONS)


def same(one: gflowcausal.Bootstrap, other: gflowcausal.Bootstrap) -> bool:
    return (
        one.names == other.names
        and np.array_equal(one.adjacency, other.adjacency)
        and np.array_equal(one.edge_probabilities, other.edge_probabilities)
        and np.array_equal(one.scores, other.scores)
    )


def test_a_bootstrap_is_fits_of_rows_drawn_again(alone, simulated):
    assert alone.adjacency.shape == (6, 6, 6) and len(alone) == 6
    table = simulated._table.resampled(3, 2)
    model = gflowcausal.GFlowCausal(**OPTIONS).fit(table)
    assert np.array_equal(model.adjacency_, alone.adjacency[2])
    assert alone.scores[2] == model.score_
    assert np.array_equal(alone.edge_frequencies, alone.adjacency.mean(axis=0))
    assert np.array_equal(alone.adjacency_frequencies, alone.adjacency_frequencies.T)
    assert len({score for score in alone.scores}) == 6
    with pytest.raises(gflowcausal.GFlowCausalError, match="n is 0"):
        gflowcausal.bootstrap(simulated, 0)


def test_threads(alone, simulated):
    with ThreadPoolExecutor(2) as executor:
        assert same(gflowcausal.bootstrap(simulated, 6, seed=3, executor=executor, **OPTIONS), alone)


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_processes(alone, simulated, start):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(start)) as executor:
        assert same(gflowcausal.bootstrap(simulated, 6, seed=3, executor=executor, **OPTIONS), alone)


def test_a_path_is_read_by_the_workers(alone, simulated, tmp_path):
    np.save(tmp_path / "data.npy", simulated.data)
    with ThreadPoolExecutor(2) as executor:
        found = gflowcausal.bootstrap(tmp_path / "data.npy", 6, seed=3, executor=executor, **OPTIONS)
    assert same(found, alone)


def test_frames_give_frames(simulated):
    pytest.importorskip("pandas")
    frequencies = gflowcausal.bootstrap(simulated.to_pandas(), 2, **OPTIONS).edge_frequencies
    assert list(frequencies.columns) == simulated.names


def test_a_sweep_fits_every_combination(simulated):
    grid = {"seed": [0, 1], "temperature": [1.0, 4.0]}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        models = gflowcausal.sweep(simulated, grid, executor=executor, truth=simulated, iterations=10, samples=20)
    assert [(model.seed, model.temperature) for model in models] == [(0, 1.0), (0, 4.0), (1, 1.0), (1, 4.0)]
    again = gflowcausal.GFlowCausal(seed=1, temperature=4.0, iterations=10, samples=20).fit(simulated)
    assert np.array_equal(models[3].edge_probabilities_, again.edge_probabilities_)
    assert models[3].metrics_["shd"] == gflowcausal.evaluate(again, simulated)["shd"]
    assert models[3].sample(5).total == 5
    named = gflowcausal.sweep(simulated, [{"method": "exact"}, {"method": "gflowcausal", "iterations": 5}], samples=5)
    assert [model.method for model in named] == ["exact", "gflowcausal"]
    assert gflowcausal.sweep(simulated, []) == []


def test_a_sweep_reads_the_data_as_each_model_says(simulated):
    pandas = pytest.importorskip("pandas")
    frame = simulated.to_pandas().assign(q=np.arange(400) % 3)
    grid = {"types": [{"q": "continuous"}, None]}
    models = gflowcausal.sweep(frame, grid, truth=np.eye(7, k=1), method="boss")
    assert [model.result_["score"]["name"] for model in models] == ["bic", "dg"], "families are not compared beside codes"
    assert models[0].metrics_ is not None and isinstance(frame, pandas.DataFrame)
    with pytest.raises(gflowcausal.GFlowCausalError, match="there is no option 'sede'"):
        gflowcausal.sweep(frame, {"sede": [1]})


def test_a_stream_is_read_once(simulated):
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.table(dict(zip(simulated.names, simulated.data.T))).to_reader()
    assert len(gflowcausal.bootstrap(reader, 2, **OPTIONS)) == 2


def test_a_failure_cancels_the_rest(simulated):
    with ThreadPoolExecutor(1) as executor:
        futures: list[Future] = []
        submit = executor.submit
        executor.submit = lambda *task: futures.append(submit(*task)) or futures[-1]  # type: ignore[method-assign]
        with pytest.raises(gflowcausal.errors.UnknownMethodError):
            gflowcausal.bootstrap(simulated, 50, executor=executor, method="no-such-method")
    assert any(future.cancelled() for future in futures)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as workers:
        with distributed.Client(workers) as client:
            yield client


def test_a_frame_of_dask_is_not_computed_unawares(simulated):
    dask = pytest.importorskip("dask.dataframe")
    with pytest.raises(gflowcausal.GFlowCausalError, match="not in memory"):
        gflowcausal.discover(dask.from_pandas(simulated.to_pandas(), npartitions=2))


def test_dask(alone, simulated, cluster):
    found = gflowcausal.bootstrap(simulated, 6, seed=3, executor=cluster.get_executor(), **OPTIONS)
    assert same(found, alone)


def test_dask_moments(cluster):
    dask = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    data = gflowcausal.simulate(nodes=5, edges=5, rows=3000, seed=1)
    frame = data.to_pandas()
    parts = dask.from_pandas(frame, npartitions=11)
    moments = gflowcausal.moments(parts)
    assert moments.rows == 3000 and moments.names == data.names
    np.testing.assert_allclose(moments.covariance, np.cov(data.data.T, bias=True), rtol=1e-10)
    by_parts = gflowcausal.GFlowCausal(**OPTIONS).fit(moments)
    by_rows = gflowcausal.GFlowCausal(**OPTIONS).fit(frame)
    assert by_parts.graph_ == by_rows.graph_
    np.testing.assert_allclose(by_parts.edge_probabilities_, by_rows.edge_probabilities_, atol=1e-9)
    with_empty = dask.concat([dask.from_pandas(frame[:0], npartitions=1), parts])
    assert gflowcausal.moments(with_empty).rows == 3000
    codes = pandas.DataFrame({"a": np.arange(100) % 3, "b": np.arange(100.0) ** 1.5})
    assert gflowcausal.moments(dask.from_pandas(codes, npartitions=3)).rows == 100


def slowly(folder: str, k: int) -> int:
    """Notes which worker runs it, and gives the test time to kill one."""
    Path(folder, f"{k}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(0.3)
    return k


def test_a_worker_of_dask_that_is_killed_loses_nothing(alone, simulated, cluster, tmp_path, monkeypatch):
    from gflowcausal import _executors

    quick = _executors._resampled

    def resampled(data, model, seed, k):
        slowly(str(tmp_path), k)
        return quick(data, model, seed, k)

    monkeypatch.setattr(_executors, "_resampled", resampled)
    before = dict(cluster.run(os.getpid))
    with ThreadPoolExecutor(1) as background:
        done = background.submit(
            gflowcausal.bootstrap, simulated, 6, seed=3, executor=cluster.get_executor(), **OPTIONS
        )
        victim = None
        while victim is None:
            started = [int(path.name.split("-")[1]) for path in tmp_path.iterdir()]
            victim = next((pid for pid in started if pid in before.values()), None)
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)
        found = done.result(timeout=120)
    assert same(found, alone)
    runs = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    assert len(runs) > len(set(runs)) == 6, "some task was run again"


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    yield ray
    ray.shutdown()


def test_ray(alone, simulated, ray):
    with gflowcausal.RayExecutor(num_cpus=1) as executor:
        assert same(gflowcausal.bootstrap(simulated, 6, seed=3, executor=executor, **OPTIONS), alone)
        with pytest.raises(gflowcausal.errors.UnknownMethodError):
            gflowcausal.bootstrap(simulated, 2, executor=executor, method="no-such-method")
        assert executor.submit(max, 3, 4).result() == 4

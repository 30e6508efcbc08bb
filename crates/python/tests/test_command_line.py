"""The same seed, data and options give what the command line gives, bit for bit."""

from __future__ import annotations

import json

import pytest

import gflowcausal
from gflowcausal import Dag, GFlowCausal


@pytest.fixture(scope="module")
def folder(tmp_path_factory, command):
    out = tmp_path_factory.mktemp("simulated")
    command("simulate", "--nodes", 6, "--edges", 7, "--rows", 300, "--seed", 2, "--out", out)
    return out


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 25, "samples": 100, "hidden": 16},
        {"method": "exact", "samples": 50, "score": "bge", "temperature": 2.0},
        {"iterations": 10, "samples": 20, "score": "bic-equal", "standardize": True, "seed": 7},
        {"iterations": 10, "samples": 20, "walk": "edges", "objective": "fm", "max_parents": 2, "forbid": ["X1->X2"]},
    ],
)
def test_discover(folder, command_json, options):
    words = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name.replace('_', '-')}"] + ([] if one is True else [one])
    printed = command_json("discover", folder / "data.csv", "--truth", folder / "truth.csv", *words)
    model = GFlowCausal(**options).fit(folder / "data.csv", truth=folder / "truth.csv")
    for result in (printed, model.result_):
        del result["seconds"]
        # Each front end writes options in its own words.
        for finding in result["findings"]:
            del finding["fix"]
    assert model.result_ == printed


def test_arrays_and_files_give_the_same(folder):
    pandas = pytest.importorskip("pandas")
    options = {"iterations": 20, "samples": 50}
    by_file = GFlowCausal(**options).fit(folder / "data.csv").result_
    by_frame = GFlowCausal(**options).fit(pandas.read_csv(folder / "data.csv")).result_
    for result in (by_file, by_frame):
        del result["seconds"], result["data"]["name"]
    assert by_file == by_frame


def test_sample_and_run_directory(folder, command, tmp_path):
    model = GFlowCausal(iterations=20, samples=50, out=tmp_path / "run").fit(folder / "data.csv")
    printed = command("sample", tmp_path / "run", "-n", 40, "--format", "json")
    lines = [json.loads(line) for line in printed.splitlines()]
    drawn = model.sample(40)
    assert [line["log_reward"] for line in lines] == [one.log_reward for one in drawn]
    assert [line["log_prob"] for line in lines] == [one.log_prob for one in drawn]
    assert [Dag(drawn.names, line["edges"]) for line in lines] == [one.graph for one in drawn]
    command("discover", "--resume", tmp_path / "run")
    command("discover", folder / "data.csv", "--iterations", 20, "--samples", 50, "--out", tmp_path / "other")
    for name in ("graph.json", "samples.jsonl", "training.csv", "edge_probabilities.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_simulate(folder):
    simulated = gflowcausal.simulate(nodes=6, edges=7, rows=300, seed=2)
    table = gflowcausal._native.Table.read(str(folder / "data.csv"), False, None, None)
    assert simulated._table.sha256 == table.sha256
    assert simulated.graph == Dag.read(folder / "truth.csv")
    assert Dag.from_adjacency(simulated.weights, simulated.names) == simulated.graph


def test_simulate_network(command, tmp_path):
    command("simulate", "--network", "insurance", "--rows", 200, "--seed", 3, "--out", tmp_path)
    simulated = gflowcausal.simulate(network="insurance", rows=200, seed=3)
    assert simulated.graph == Dag.read(tmp_path / "truth.csv")
    frame = simulated._table
    table = gflowcausal._native.Table.read(str(tmp_path / "data.csv"), False, None, None)
    assert (frame.names, frame.rows) == (table.names, table.rows)
    with pytest.raises(gflowcausal.GFlowCausalError, match="its own graph"):
        gflowcausal.simulate(network="insurance", nodes=5)
    with pytest.raises(gflowcausal.GFlowCausalError, match="nowhere"):
        gflowcausal.simulate(network="nowhere")


def test_evaluate(folder, command_json, tmp_path):
    estimate = GFlowCausal(method="exact", samples=5).fit(folder / "data.csv").graph_
    estimate.write(tmp_path / "estimate.json")
    printed = command_json("evaluate", tmp_path / "estimate.json", "--truth", folder / "truth.json")
    assert gflowcausal.evaluate(estimate, folder / "truth.json") == printed


def test_score_and_doctor(folder, command_json):
    printed = command_json("score", folder / "data.csv", "--graph", folder / "truth.csv", "--score", "bge")
    report = gflowcausal.score(folder / "data.csv", folder / "truth.csv", score="bge")
    assert report["value"] == printed["score"]["value"]
    assert report["nodes"] == printed["nodes"] and report["edges"] == printed["graph"]["edges"]
    diagnosis = gflowcausal.doctor(folder / "data.csv")
    assert [finding.code for finding in diagnosis.findings] == [
        finding["code"] for finding in command_json("doctor", folder / "data.csv")["findings"]
    ]


def test_errors_have_the_same_words(tmp_path):
    import os
    import subprocess

    from conftest import ROOT

    program = os.environ.get("GFLOWCAUSAL", ROOT / "target/debug/gflowcausal")
    constant = tmp_path / "constant.csv"
    constant.write_text("a,b\n" + "1.5,2.5\n" * 30)
    for path in (constant, tmp_path / "none.csv"):
        done = subprocess.run([program, "discover", path], capture_output=True, text=True, check=False)
        with pytest.raises(gflowcausal.GFlowCausalError) as refused:
            gflowcausal.discover(path)
        first, help_ = done.stderr.splitlines()[:2]
        assert first == f"error[{refused.value.code}]: {refused.value.args[0]}"
        fix = refused.value.fix.replace('ignore=["constant-column"]', "--ignore constant-column")
        fix = fix.replace('exclude=["a"]', "--exclude a")
        assert help_.strip() == f"help: {fix}", "options are written as each front end writes them"
        assert "--" not in refused.value.fix

"""What a new user meets in a notebook: warnings, suggestions, pictures, the command."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import gflowcausal
from gflowcausal import GFlowCausal, GFlowCausalWarning


def test_what_the_command_line_warns_of_is_a_warning():
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(200, 2)), axis=0)
    with pytest.warns(GFlowCausalWarning, match="each row resembles the one before") as caught:
        model = GFlowCausal(samples=10).fit(walk)
    assert caught[0].message.code == "ordered-rows"
    assert "each row resembles" in model._repr_html_()


def test_a_dtype_does_not_silently_choose_the_model():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"dose": rng.normal(size=200), "grade": rng.integers(0, 4, 200).astype(float)})
    with pytest.warns(GFlowCausalWarning, match="category-codes") as caught:
        GFlowCausal(samples=10).fit(frame)
    assert "--" not in str(caught[0].message), "a fix in Python's words"
    frame["grade"] = [f"{value:.3f}" for value in rng.normal(size=200)]
    assert "numbers-as-text" in [finding.code for finding in gflowcausal.doctor(frame).findings]


def test_slopes_between_numbers_stay_beside_a_category(mixed):
    frame = mixed.assign(weight=2.0 * mixed["dose"] + np.random.default_rng(2).normal(size=len(mixed)))
    model = GFlowCausal(require=["dose->weight"], samples=10).fit(frame[["ward", "dose", "weight"]])
    assert abs(model.weights_.loc["dose", "weight"] - 2.0) < 0.2


def test_a_slip_of_the_pen_gets_a_suggestion(simulated):
    with pytest.raises(gflowcausal.GFlowCausalError, match="did you mean 'iterations'"):
        gflowcausal.discover(simulated, itertions=5)
    with pytest.raises(gflowcausal.GFlowCausalError, match="did you mean 'iterations'"):
        GFlowCausal(itertions=5)
    with pytest.raises(gflowcausal.GFlowCausalError, match="did you mean 'direct-lingam'"):
        gflowcausal.discover(simulated, method="direct_lingam")
    with pytest.raises(gflowcausal.GFlowCausalError, match="did you mean 'non-gaussian'"):
        gflowcausal.discover(simulated, score="nongaussian")
    with pytest.raises(gflowcausal.GFlowCausalError, match="did you mean 'bic'"):
        gflowcausal.discover(simulated, score="BIC")


def test_a_number_that_is_none_is_refused_in_words_of_python(simulated):
    with pytest.raises(gflowcausal.GFlowCausalError, match="^seed is three, but must be a whole number, 0 or more"):
        gflowcausal.discover(simulated, seed="three")
    with pytest.raises(gflowcausal.GFlowCausalError, match="^max_parents is -1, but must be a whole number, 0 or more"):
        gflowcausal.discover(simulated, max_parents=-1)


def test_knowledge_as_lists_of_names(simulated):
    tiers = [["X1", "X2"], ["*"]]
    for options in ({"tiers": tiers}, {"tiers": "X1, X2 | *"}, {"exogenous": ["X1", "X2"]}):
        model = GFlowCausal(method="exact", samples=10, **options).fit(simulated)
        assert model.edge_probabilities_[2:, :2].sum() == 0


def test_a_plot_without_a_path_shows_itself(simulated, tmp_path):
    model = GFlowCausal(method="exact", samples=10).fit(simulated)
    picture = model.plot(kind="consensus", least=0.5)
    assert picture._repr_svg_().startswith("<svg")
    picture.save(tmp_path / "consensus.pdf")
    assert (tmp_path / "consensus.pdf").read_bytes().startswith(b"%PDF")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = pyplot.figure().subplots()
    model.plot(ax=axes)
    assert len(axes.images) == 1


def test_no_edge_is_cut_silently():
    data = gflowcausal.simulate(nodes=40, edges=80, rows=500, seed=1)
    model = gflowcausal.discover(data, method="ges")
    shown = model._repr_html_()
    hidden = len(model.graph_.edges) - 50
    assert hidden > 0 and f"and {hidden} more" in shown
    assert "more: summary(all=True) shows them" in model.summary()
    assert model.summary(all=True).count(" -> ") == len(model.graph_.edges)


def test_small_simulations_and_moments_speak_for_themselves():
    assert repr(gflowcausal.simulate(nodes=3, rows=10)) == "Simulated(10 rows, 3 variables, 3 edges)"
    moments = gflowcausal.moments(np.random.default_rng(0).normal(size=(30, 2)))
    assert repr(moments) == "Moments(30 rows of 2 variables: X1, X2)"


def test_duckdb_and_arrow_results_keep_their_row_labels(simulated):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(dict(zip(simulated.names, simulated.data.T)))
    found = GFlowCausal(method="exact", samples=10).fit(table)
    assert found.edge_probabilities_.column("cause").to_pylist() == simulated.names
    assert gflowcausal.evaluate(found.adjacency_, simulated)["shd"] == gflowcausal.evaluate(found, simulated)["shd"]


def test_the_package_brings_the_command():
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "gflowcausal", *words], capture_output=True, text=True, check=False)

    done = run("discover", "sachs", "--score", "bic", "--quiet")
    assert done.returncode == 0 and "sure (2): " in done.stdout, done.stderr
    refused = run("discover", "nowhere.csv")
    assert refused.returncode == 2 and refused.stderr.startswith("error[not-found]: "), refused.stderr
    assert run("discover", "--no-such-option").returncode == 2

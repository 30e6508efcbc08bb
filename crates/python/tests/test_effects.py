"""Causal effects: over all drawn graphs, the same as the command line's, and kept in a pickle."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gflowcausal
from gflowcausal import GFlowCausal


def chain(rows: int = 400) -> np.ndarray:
    """a → b → c, with slopes 2 and −1, and d by itself."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=rows)
    b = 2 * a + rng.normal(size=rows)
    c = -b + rng.normal(size=rows)
    return np.c_[a, b, c, rng.normal(size=rows)]


@pytest.fixture(scope="module")
def model() -> GFlowCausal:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(chain(), columns=list("abcd"))
    return GFlowCausal(method="exact", samples=100, require=["a->b", "b->c"]).fit(frame)


def test_total_and_direct_effects_of_a_chain(model: GFlowCausal) -> None:
    total = model.effect("a", "c")
    assert total["low"] < -2 < total["high"]
    assert total["probability_none"] == 0
    assert total["histogram"]["weights"]
    assert abs(model.effect("a", "c", direct=True)["mean"]) < 0.3
    assert model.effect("c", "a")["mean"] == 0
    narrow, wide = (model.effect("a", "c", level=level) for level in (0.5, 0.99))
    assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"]


def test_all_pairs_come_as_the_data_came(model: GFlowCausal) -> None:
    assert model.effects_.shape[0] == 12
    assert {"cause", "effect", "mean", "low", "high"} <= set(model.effects_.columns)
    assert "hidden common causes" in model.effects()["assumptions"]


def test_interventions_at_once(model: GFlowCausal) -> None:
    outcomes = {one["variable"]: one for one in model.under({"a": 1.0, "b": 0.0})}
    assert set(outcomes) == {"c", "d"}
    assert abs(outcomes["c"]["mean"]) < 0.4


def test_a_pickled_model_has_the_same_effects(model: GFlowCausal) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again.effect("a", "b") == model.effect("a", "b")


def test_refusals_name_the_argument(model: GFlowCausal) -> None:
    with pytest.raises(gflowcausal.GFlowCausalError, match="cause"):
        model.effect("dose", "a")
    with pytest.raises(gflowcausal.GFlowCausalError, match="level"):
        model.effect("a", "b", level=2)
    with pytest.raises(gflowcausal.GFlowCausalError, match="not a number"):
        model.under({"a": "high"})
    with pytest.raises(gflowcausal.GFlowCausalError, match="itself"):
        model.effect("a", "a")
    with pytest.raises(gflowcausal.GFlowCausalError, match="not fitted"):
        GFlowCausal().effect("a", "b")


def test_gml_is_what_networkx_reads(model: GFlowCausal) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.parse_gml(model.to_dowhy())
    assert set(graph.edges) == set(model.to_networkx().edges)


def test_rows_from_experiments_decide_a_direction() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    cause, set_to = rng.normal(size=300), rng.normal(size=100)
    effect = np.r_[cause + 0.5 * rng.normal(size=300), set_to]
    frame = pd.DataFrame({"a": np.r_[cause, rng.normal(size=100)], "b": effect})
    frame["set"] = ["" if row < 300 else "b" for row in range(400)]
    frame.loc[frame["set"] == "", "set"] = None
    model = GFlowCausal(interventions="set", samples=50).fit(frame, truth=np.array([[0, 1], [0, 0]]))
    assert model.graph_.names == ["a", "b"]
    assert model.edge_probabilities_.loc["a", "b"] > 0.99
    assert model.result_["interventions"]["decided"] == [["a", "b"]]
    assert model.metrics_["shd"] == 0
    with pytest.raises(gflowcausal.GFlowCausalError, match="no column 'where'"):
        GFlowCausal(interventions="where").fit(frame)

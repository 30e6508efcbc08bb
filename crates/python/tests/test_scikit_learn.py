"""scikit-learn's own checks of an estimator."""

from __future__ import annotations

import numpy as np
import pytest

from gflowcausal import GFlowCausal

sklearn = pytest.importorskip("sklearn")


def test_check_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    estimator = GFlowCausal(method="exact", samples=5)
    done = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in done if one["status"] == "failed"}
    assert not failed, failed
    assert sum(one["status"] == "passed" for one in done) >= 20


def test_a_pipeline_and_a_search_over_parameters(simulated):
    from sklearn.model_selection import ParameterGrid
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), GFlowCausal(method="exact", samples=5)).fit(simulated.data)
    assert pipeline[-1].adjacency_.shape == (6, 6)
    scores = [
        GFlowCausal(samples=5).set_params(**params).fit(simulated.data).score_
        for params in ParameterGrid({"method": ["exact"], "penalty": [0.5, 2.0]})
    ]
    assert scores[0] > scores[1]


def test_feature_names(simulated):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(simulated.data, columns=simulated.names)
    model = GFlowCausal(method="exact", samples=5).fit(frame)
    assert np.array_equal(model.feature_names_in_, simulated.names)


def test_cross_validation_by_the_held_out_score(simulated):
    from sklearn.model_selection import GridSearchCV, cross_val_score

    scores = cross_val_score(GFlowCausal(method="exact", samples=5), simulated.data, cv=3)
    assert scores.shape == (3,) and np.isfinite(scores).all()
    search = GridSearchCV(GFlowCausal(method="exact", samples=5), {"penalty": [0.5, 50.0]}, cv=3).fit(simulated.data)
    assert search.best_params_ == {"penalty": 0.5}, "edges that are there help to predict"


def test_the_held_out_score_is_the_log_density_of_the_rows(simulated):
    """scipy's multivariate normal gives the same for a complete graph: its covariance is that of the data."""
    rows = simulated.data[:, :3]
    model = GFlowCausal(require=[("X1", "X2"), ("X1", "X3"), ("X2", "X3")]).fit(rows[:200])
    mean, covariance = rows[:200].mean(axis=0), np.cov(rows[:200].T, bias=True)
    centred = rows[200:] - mean
    expected = -0.5 * (
        3 * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] + np.einsum("ij,ij->i", centred @ np.linalg.inv(covariance), centred)
    )
    assert model.score == "auto" and np.isclose(model.score(rows[200:]), expected.mean())

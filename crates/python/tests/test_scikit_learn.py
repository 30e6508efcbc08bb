"""scikit-learn's own checks of an estimator."""

from __future__ import annotations

import numpy as np
import pytest

from gflowcausal import GFlowCausal

sklearn = pytest.importorskip("sklearn")

#: Checks that ask for what this estimator does on purpose in another way.
OTHERWISE = {
    "check_fit_score_takes_y": "score is the option that names the score, not a method",
    "check_n_features_in_after_fitting": "score is the option that names the score, not a method",
    "check_pipeline_consistency": "its whole numbers make identical columns, which the doctor refuses",
    "check_estimators_pickle": "its whole numbers make identical columns, which the doctor refuses",
    "check_estimators_nan_inf": "gaps and infinities are refused in the words of the command line",
    "check_fit2d_1sample": "one row is refused in the words of the command line",
    "check_fit2d_1feature": "one column is refused in the words of the command line",
}


def test_check_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    estimator = GFlowCausal(method="exact", samples=5)
    done = check_estimator(estimator, expected_failed_checks=OTHERWISE, on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in done if one["status"] == "failed"}
    assert not failed, failed
    unexpectedly_good = set(OTHERWISE) - {one["check_name"] for one in done if one["status"] == "xfail"}
    assert not unexpectedly_good
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

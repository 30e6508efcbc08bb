"""lingam's, gcastle's, dagma's and CausalDisco's programs on a table, with their own defaults.

Each is imported where it is used: importing all takes longer than most runs.
"""

import importlib.util
import sys
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness import timed

PENALTIES = {"notears": 0.1, "dagma": 0.03}
THRESHOLD = 0.3


@dataclass
class Found:
    """Rows cause columns."""

    dag: np.ndarray
    cpu_seconds: float
    order: list | None = None


def direct_lingam(data, seed):
    from lingam import DirectLiNGAM

    model, seconds = timed(lambda: DirectLiNGAM(random_state=seed).fit(data.values))
    return _lingam(model, seconds)


def ica_lingam(data, seed):
    from lingam import ICALiNGAM

    model, seconds = timed(lambda: ICALiNGAM(random_state=seed).fit(data.values))
    return _lingam(model, seconds)


def notears(data, seed):
    learner = _notears_of_gcastle()(lambda1=PENALTIES["notears"], w_threshold=THRESHOLD)
    _, seconds = timed(lambda: learner.learn(data.values))
    return Found(np.asarray(learner.causal_matrix), seconds)


def dagma(data, seed):
    from dagma.linear import DagmaLinear

    model = DagmaLinear(loss_type="l2")
    weights, seconds = timed(lambda: model.fit(data.values.copy(), lambda1=PENALTIES["dagma"], w_threshold=THRESHOLD))
    return Found((weights != 0).astype(int), seconds)


def sort_var(data, seed):
    from CausalDisco.baselines import var_sort_regress

    return _sorted(var_sort_regress, data)


def sort_r2(data, seed):
    from CausalDisco.baselines import r2_sort_regress

    return _sorted(r2_sort_regress, data)


PEERS = {
    "direct-lingam": direct_lingam,
    "ica-lingam": ica_lingam,
    "notears": notears,
    "dagma": dagma,
    "sort-var": sort_var,
    "sort-r2": sort_r2,
}


def _sorted(regress, data):
    weights, seconds = timed(lambda: regress(data.values))
    return Found((weights != 0).astype(int), seconds)


def _lingam(model, seconds):
    return Found((model.adjacency_matrix_.T != 0).astype(int), seconds, [int(node) for node in model.causal_order_])


def _notears_of_gcastle():
    """The class alone: the package as a whole imports every algorithm and asks for a backend."""
    root = Path(importlib.util.find_spec("castle").submodule_search_locations[0])
    for name, parts in {
        "castle.common": {"BaseLearner": object, "Tensor": _Columns.of},
        "castle.common.consts": {"NOTEARS_VALID_PARAMS": {}},
        "castle.common.validator": {"check_args_value": lambda _: lambda function: function},
    }.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(parts)
    spec = importlib.util.spec_from_file_location("notears", root / "algorithms/gradient/notears/linear.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Notears


class _Columns(np.ndarray):
    """An array that has `columns`, as gcastle's own has."""

    columns = None

    @classmethod
    def of(cls, values, **_):
        return np.asarray(values).view(cls)

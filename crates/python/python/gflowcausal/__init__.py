"""Causal discovery that returns a sampler of graphs: the best graph, the runners-up, and how sure to be of each edge.

>>> import gflowcausal
>>> data = gflowcausal.simulate(nodes=6, edges=6, rows=500, seed=3)
>>> model = gflowcausal.GFlowCausal(iterations=50, samples=200).fit(data)
>>> gflowcausal.evaluate(model, data)["shd"] <= 6
True

In every matrix the row causes the column: ``adjacency_[i, j]`` is the edge from i to j.
"""

from . import _errors as errors
from ._errors import GFlowCausalError, GFlowCausalWarning
from ._estimator import GFlowCausal, discover
from ._executors import Bootstrap, Moments, RayExecutor, bootstrap, moments, sweep
from ._graph import Dag, Edge, Graph
from ._knowledge import Knowledge
from ._native import VERSION as __version__
from ._picture import Picture
from ._progress import Progress
from ._samples import Sample, Samples
from ._tasks import Diagnosis, Finding, Simulated, doctor, evaluate, methods, score, simulate

__all__ = [
    "Bootstrap",
    "Dag",
    "Diagnosis",
    "Edge",
    "Finding",
    "GFlowCausal",
    "GFlowCausalError",
    "GFlowCausalWarning",
    "Graph",
    "Knowledge",
    "Moments",
    "Picture",
    "Progress",
    "RayExecutor",
    "Sample",
    "Samples",
    "Simulated",
    "__version__",
    "bootstrap",
    "discover",
    "doctor",
    "errors",
    "evaluate",
    "methods",
    "moments",
    "score",
    "simulate",
    "sweep",
]

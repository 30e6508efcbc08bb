"""The estimator: options in the constructor, ``fit``, and results that end in an underscore."""

from __future__ import annotations

import inspect
import json
import operator
import os
import warnings
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._data import Data, as_data, framed
from ._choices import ScoreOption, check_choices, did_you_mean, in_words, name_lists
from ._errors import ArgumentError, GFlowCausalError, GFlowCausalWarning, NotFittedError
from ._files import write_bytes
from ._graph import Dag, Edge, Graph, as_graph
from ._knowledge import edge_texts, knowledge_options
from ._optional import need
from ._options import DISCOVERY, Options
from ._picture import Kind, Picture
from ._progress import Notify
from ._samples import Samples

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DiscoveryOptions


def _scikit_name(code: str, rows: int) -> str | None:
    """What scikit-learn calls the same: its users look for that name in the text."""
    if rows == 1 and code in ("too-few-rows", "constant-column"):
        return "n_samples = 1"
    return {"missing-values": "NaN", "one-column": "n_features = 1"}.get(code)


class GFlowCausal(Options):
    """Finds causal graphs in a table: the best one, the runners-up, and how sure to be of each edge.

    Options have the names of the command line's, with underscores (see ``GFlowCausal.__init__`` and
    `docs/options.md`); `None` leaves an option open. Any method of
    `gflowcausal.methods()` can be chosen by name. The same seed gives the same result, whatever the number of
    threads, and the same as the command line.

    Attributes
    ----------
    graph_, cpdag_
        The best `Dag` with weights and probabilities, and the `Graph` of its equivalence class.
    adjacency_, weights_, edge_probabilities_, ancestor_probabilities_
        Matrices, ``[i, j]`` about i → j: data frames if the data came as one, else arrays. Weights are slopes of
        linear regressions, 0 where there is no edge and nan where a score has none.
    order_, score_, consensus_, evidence_, posterior_, sortability_, training_, findings_, metrics_, result_
        The causal order; the score of the graph; why it is that score, family by family and variable by
        variable, where the data chose it; parts of ``result_``, the object that ``--format json`` prints.
    effects_
        The total causal effect of each variable on each other one, with the uncertainty of graph and parameters.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Ctrl-C during `fit` raises `KeyboardInterrupt` within a second; if something was found by then, the model holds it.
    A `fit` that fails leaves the model unfitted. What the command line warns of is a `GFlowCausalWarning`. ``score`` is
    the option; called like scikit-learn's method, ``model.score(X)`` is `held_out_score`, so that ``cross_val_score``
    and searches over parameters work.

    Examples
    --------
    >>> from gflowcausal import GFlowCausal
    >>> model = GFlowCausal(method="exact", samples=100).fit("sachs")
    >>> len(model.graph_.names), model.result_["score"]["name"]
    (11, 'bic')
    >>> model.edge_probabilities_.shape
    (11, 11)
    """

    if not TYPE_CHECKING:
        score = ScoreOption()
        # `__new__` would hide the options from `help` and editors.
        __signature__ = inspect.signature(Options.__init__).replace(
            parameters=list(inspect.signature(Options.__init__).parameters.values())[1:]
        )

        def __new__(cls, **options):
            """Refuses an option that does not exist, with the nearest that does."""
            _refuse_unknown(options, cls._names())
            return super().__new__(cls)

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options."""
        return {name: self.__dict__.get(name, getattr(self, name, None)) for name in self._names()}

    def set_params(self, **params: Any) -> GFlowCausal:
        """Changes options."""
        unknown = [name for name in params if name not in self._names()]
        if unknown:
            message = f"Invalid parameter {unknown[0]!r} for estimator {self!r}. Valid parameters are: {self._names()}"
            raise ArgumentError(message, "bad-option", did_you_mean(unknown[0], self._names()))
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: None = None, *, truth: Any = None) -> GFlowCausal:
        """Finds graphs in a data frame, an array, anything that speaks Arrow, a file, or `moments`.

        With a ``truth`` (a graph, a matrix or a file) the result holds metrics too. ``y`` is there for pipelines.
        """
        self._forget()
        data = as_data(X, self.types, no_header=self.no_header, delimiter=self.delimiter)
        known = None if truth is None else as_graph(truth, [name for name in data.table.names if name != self.interventions])._graph
        notify = Notify.of(self.callback, self.progress)
        try:
            fit, raised = _native.discover(
                data.table, self._options(), truth=known, notify=notify, **self._surroundings()
            )
        except GFlowCausalError as error:
            raise in_words(error).also_called(_scikit_name(error.code, data.table.rows)) from None
        finally:
            if notify is not None:
                notify.close()
        if fit is not None:
            self._keep(fit, data)
        if raised is not None:
            raise raised
        self._warn()
        return self

    def _warn(self) -> None:
        """Warns of what the command line warns of."""
        for finding in self.findings_:
            if finding["severity"] == "warning":
                message = f"{finding['what']} [{finding['code']}]; {finding['fix']}"
                warnings.warn(GFlowCausalWarning(message, finding["code"]), stacklevel=callers())
        caveat = self._fitted().caveat()
        if caveat is not None:
            warnings.warn(GFlowCausalWarning(f"{caveat} [low-confidence]", "low-confidence"), stacklevel=callers())

    def _options(self) -> dict[str, Any]:
        options = {name: value for name, value in self.get_params().items() if name in DISCOVERY}
        check_choices(options)
        # The command line's name would make scikit-learn take the estimator for a transformer.
        options["transform"] = options.pop("transforms")
        for name in ("tiers", "exogenous", "outcome"):
            options[name] = name_lists(name, options[name])
        edges = {"require": edge_texts(self.require), "forbid": edge_texts(self.forbid)}
        left_out = {"exclude": None if self.exclude is None else [str(name) for name in self.exclude]}
        return {**options, **edges, **left_out, **knowledge_options(self.knowledge, self.max_parents)}

    def _surroundings(self) -> dict[str, Any]:
        if self.resume and not self.out:
            raise ArgumentError("resume=True needs the directory of the run", "option-without-effect", "say out=")
        if self.overwrite and (not self.out or self.resume):
            raise ArgumentError("overwrite=True needs a directory for a new run", "option-without-effect", "say out=")
        if self.out is not None and os.fspath(self.out) == "":
            raise ArgumentError("out is empty", "bad-option", "name a directory")
        if not isinstance(self.time_budget, (int, float, type(None))):
            raise ArgumentError(f"time_budget is {self.time_budget!r}, but must be seconds", "bad-option")
        threads = 0 if self.threads is None else counted("threads", self.threads, least=1)
        return {"time_budget": self.time_budget, "threads": threads, "out": self.out, "resume": self.resume, "overwrite": self.overwrite}

    def _forget(self) -> None:
        """Takes back what an earlier fit found."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_fit"]:
            delattr(self, name)

    def _keep(self, fit: _native.Fit, data: Data) -> None:
        self._frame, self._labels = data.frame, data.labels
        self.n_features_in_ = len(data.table.names)
        if data.names is not None:
            self.feature_names_in_ = np.array(data.names, dtype=object)
        self.result_: dict[str, Any] = json.loads(fit.result)
        result = self.result_
        self.order_: list[str] = result["order"]
        self.score_: float = result["score"]["value"]
        self.posterior_: dict[str, Any] = result["posterior"]
        self.consensus_: dict[str, Any] | None = result.get("consensus")
        self.findings_: list[dict[str, Any]] = result["findings"]
        self.sortability_: dict[str, Any] | None = result.get("sortability")
        self.evidence_: dict[str, Any] | None = result["score"].get("evidence")
        self.training_: dict[str, Any] | None = result.get("training")
        self.metrics_: dict[str, Any] | None = result.get("metrics")
        self._keep_graphs(result["data"]["variables"])
        self._fit = fit

    def _keep_graphs(self, names: list[str]) -> None:
        result = self.result_
        edges = [Edge(e["from"], e["to"], True, e["weight"], e["probability"]) for e in result["graph"]["edges"]]
        self.graph_ = Dag(names, edges)
        class_ = result["cpdag"]
        self.cpdag_ = Graph(names, [Edge(*e) for e in class_["directed"]], undirected=class_["undirected"])
        matrices = {
            "adjacency_": self.graph_.to_adjacency(),
            "weights_": _weights(self.graph_),
            "edge_probabilities_": np.array(self.posterior_["edge_probabilities"], dtype=np.float64),
            "ancestor_probabilities_": np.array(self.posterior_["ancestor_probabilities"], dtype=np.float64),
        }
        for name, matrix in matrices.items():
            setattr(self, name, framed(matrix, names, self._frame, self._labels))

    adjacency_: Any
    weights_: Any
    edge_probabilities_: Any
    ancestor_probabilities_: Any

    def _fitted(self) -> _native.Fit:
        if not hasattr(self, "_fit"):
            message = "This GFlowCausal instance is not fitted yet"
            raise NotFittedError(message, "not-fitted", "call fit first")
        return self._fit

    @property
    def samples_(self) -> Samples:
        """The graphs that the probabilities come from."""
        return Samples(self._variables(), self._fitted().samples)

    def sample(self, n: int = 1000, *, seed: int | None = None) -> Samples:
        """Draws ``n`` more graphs from the trained policy: the same ones for the same ``seed``.

        If no seed is given it is one more than that of the run, so that the graphs are not those of ``samples_``.
        """
        fit = self._fitted()
        seed = self.result_["seed"] + 1 if seed is None else counted("seed", seed)
        return Samples(self._variables(), fit.sample(counted("n", n, least=1), seed, self.threads or 0))

    def _variables(self) -> list[str]:
        self._fitted()
        names: list[str] = self.result_["data"]["variables"]
        return names

    def effect(
        self, cause: Any, effect: Any, *, level: float = 0.9, direct: bool = False, standardized: bool = False
    ) -> dict[str, Any]:
        """The causal effect of one variable on another, over all drawn graphs.

        The dictionary holds ``mean``, ``low`` and ``high`` (the interval of ``level``), ``probability_none`` (no directed path),
        ``probability_positive`` and a ``histogram``. Between categories it is the contrast with the largest mean; all are in `effects`.
        Assumes no hidden common causes: see ``effects(...)["assumptions"]``.

        >>> from gflowcausal import GFlowCausal
        >>> model = GFlowCausal(method="exact", samples=100).fit("sachs")
        >>> sorted(model.effect("PKA", "Akt"))[:3]
        ['cause', 'effect', 'high']
        """
        found = self.effects(cause, effect, level=level, direct=direct, standardized=standardized)["effects"]
        if not found:
            raise ArgumentError(f"{cause!r} has no effect on itself", "bad-option", "name two variables")
        return max(found, key=lambda one: abs(one["mean"]))

    def effects(
        self,
        cause: Any = None,
        effect: Any = None,
        *,
        level: float = 0.9,
        direct: bool = False,
        standardized: bool = False,
    ) -> dict[str, Any]:
        """The effects of all pairs, of one ``cause`` or on one ``effect``: the object that ``effect --format json`` prints."""
        causes, effects = ([] if name is None else [str(name)] for name in (cause, effect))
        return self._effects(causes, effects, {}, level=level, direct=direct, standardized=standardized)

    def under(self, interventions: Mapping[Any, Any], *, level: float = 0.9) -> list[dict[str, Any]]:
        """What becomes of the other variables when some are set: ``model.under({"dose": 2.0, "diet": 0})``."""
        if not isinstance(interventions, Mapping) or not interventions:
            raise ArgumentError("interventions must be a dictionary of variables and values", "bad-option")
        found = self._effects([], [], interventions, level=level, direct=False, standardized=False)
        outcomes: list[dict[str, Any]] = found["outcomes"]
        return outcomes

    @property
    def effects_(self) -> Any:
        """The total effects of all pairs: a data frame if the data came as one, else a list of dictionaries."""
        found = self.effects()["effects"]
        rows = [{key: value for key, value in one.items() if key != "histogram"} for one in found]
        if self._frame == "arrow":
            return need("pyarrow", "effects_").Table.from_pylist(rows)
        return need(self._frame, "effects_").DataFrame(rows) if self._frame != "numpy" else rows

    def _effects(self, causes: list[str], effects: list[str], set_to: Mapping[Any, Any], **asked: Any) -> dict[str, Any]:
        interventions = [(str(name), str(value)) for name, value in set_to.items()]
        seed, threads = self.result_["seed"] if hasattr(self, "_fit") else 0, self.threads or 0
        text = self._fitted().effect(causes, effects, interventions, **asked, seed=seed, threads=threads)
        found: dict[str, Any] = json.loads(text)
        return found

    def to_dowhy(self) -> str:
        """The best graph as the GML text that ``dowhy.CausalModel(data, treatment, outcome, graph=...)`` takes."""
        self._fitted()
        return self.graph_.to_gml()

    def to_networkx(self) -> Any:
        """The best graph for networkx."""
        self._fitted()
        return self.graph_.to_networkx()

    def to_dot(self) -> str:
        """The best graph for Graphviz."""
        self._fitted()
        return self.graph_.to_dot()

    def to_svg(self) -> str:
        """A drawing of the best graph: hollow heads mark reversible edges, wide and dark edges are probable."""
        return self._fitted().plot("graph", "svg", 0.0).decode()

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        kind: Kind = "graph",
        *,
        least: float = 0.0,
        ax: Any = None,
    ) -> Picture:
        """A picture that a notebook shows: ``graph``, ``consensus``, ``cpdag``, ``probabilities``, ``effects`` or ``training``.

        With a ``path`` it is written, as SVG, PNG or PDF by its name; with ``ax`` it is drawn into axes of matplotlib's.
        Edges (and paths of effects) that are less probable than ``least`` are left out.
        """
        fit = self._fitted()
        picture = Picture(lambda form: fit.plot(kind, form, float(least)))
        if path is not None:
            picture.save(path)
        if ax is not None:
            picture.draw(ax)
        return picture

    def held_out_score(self, X: Any, y: None = None) -> float:
        """The mean log-likelihood of rows under the best graph, its parameters estimated on the data of ``fit``.

        For tables of numbers (linear with normal noise) or of categories (counts plus one); the larger, the better.
        """
        from ._held_out import held_out

        fit, rows = self._fitted(), as_data(X, self.types).rows()
        if len(rows.names) != self.n_features_in_:
            message = f"X has {len(rows.names)} features, but GFlowCausal is expecting {self.n_features_in_} features as input"
            raise ArgumentError(message, "other-variables", "give the columns of fit")
        return held_out(fit, self.graph_, rows)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: one HTML file that opens offline in any browser."""
        write_bytes(path, self._fitted().report().encode())

    def summary(self, all: bool = False) -> str:
        """What was found, as a text that is read in ten seconds; with ``all``, every edge and runner-up."""
        return self._fitted().summary(all)

    def _repr_html_(self) -> str:
        from ._html import model_html

        return model_html(self) if hasattr(self, "_fit") else f"<code>{escape(repr(self))}</code>"

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = {name: repr(value) for name, value in self.get_params().items()}
        said = [f"{name}={text}" for name, text in shown.items() if text != repr(defaults[name].default)]
        return f"{type(self).__name__}({', '.join(said)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fit")

    def __sklearn_tags__(self) -> Any:
        utils = need("sklearn.utils", "a pipeline")
        # Categories are taken, but not asked for: scikit-learn's own checks would else give whole numbers alone.
        inputs = utils.InputTags(string=True, allow_nan=self.missing != "error")
        return utils.Tags(estimator_type=None, target_tags=utils.TargetTags(required=False), input_tags=inputs)


def discover(data: Any, *, truth: Any = None, **options: Unpack[DiscoveryOptions]) -> GFlowCausal:
    """Finds causal graphs: the fitted `GFlowCausal` with these options.

    >>> import gflowcausal
    >>> found = gflowcausal.discover("sachs", method="exact", samples=100)
    >>> found.metrics_["shd"] <= 20
    True
    """
    return GFlowCausal(**options).fit(data, truth=truth)


def _refuse_unknown(options: Mapping[str, Any], known: list[str]) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        fix = did_you_mean(unknown[0], known)
        raise ArgumentError(f"there is no option '{unknown[0]}': known are {', '.join(known)}", "bad-option", fix)


_own = inspect.signature(GFlowCausal.__init__).parameters.values()
_asked = list(inspect.signature(discover).parameters.values())
# What `help` and editors show: every option by name.
discover.__signature__ = inspect.Signature(_asked[:2] + [one for one in _own if one.name != "self"])  # type: ignore[attr-defined]


def callers() -> int:
    """How many calls of this package lie between a warning and the user's own line."""
    frame, depth = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        frame, depth = frame.f_back, depth + 1
    return depth


def counted(name: str, value: Any, *, least: int = 0) -> int:
    """A whole number that is not too small."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} is {value!r}, but must be a whole number", "bad-option") from None
    if not least <= number < 2**63:
        raise ArgumentError(f"{name} is {number}, but must be at least {least} and below 2^63", "bad-option")
    return number


def _weights(graph: Dag) -> np.ndarray[Any, Any]:
    names = {name: k for k, name in enumerate(graph.names)}
    matrix = np.zeros((len(names), len(names)))
    for edge in graph.edges:
        matrix[names[edge.cause], names[edge.effect]] = np.nan if edge.weight is None else edge.weight
    return matrix



"""Options, generated from their declaration: `crates/python/tests/options.rs` writes and checks this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from ._knowledge import Knowledge
from ._progress import Callback

Method = Literal[
    "gflowcausal",
    "exact",
    "mcmc",
    "boss",
    "ges",
    "pc",
    "eqvar",
    "sort-var",
    "sort-r2",
    "random-order",
    "ica-lingam",
    "direct-lingam",
    "notears",
    "dagma",
    "dag-gnn",
    "gran-dag",
    "rl-bic",
    "corl",
    "dag-gflownet",
    "gflownets-score",
    "sac",
]
Score = Literal[
    "auto",
    "bic",
    "non-gaussian",
    "bic-equal",
    "bge",
    "bdeu",
    "dg",
    "quadratic",
    "quadratic-equal",
    "gp",
    "spline",
    "location-scale",
    "varsort",
]
Posterior = Literal[
    "auto",
    "exact",
    "policy",
    "chains",
    "none",
]
Walk = Literal[
    "layers",
    "complete",
    "edges",
    "chain",
    "order",
    "graph",
    "free",
]
Objective = Literal[
    "fm",
    "db",
    "tb",
    "subtb",
    "mdb",
]
Flow_scale = Literal[
    "log",
    "linear",
]
Network = Literal[
    "mlp",
    "cnn",
    "vgg16",
    "transformer",
]
Prune = Literal[
    "auto",
    "selected",
    "t-test",
    "score",
    "threshold",
    "lasso",
    "cam",
    "none",
]
Test = Literal[
    "fisher-z",
    "g-square",
    "chi-square",
]
Missing = Literal[
    "error",
    "drop",
    "em",
]

#: The options of discovery, which the command line has too.
DISCOVERY = (
    "method",
    "score",
    "penalty",
    "sample_size",
    "posterior",
    "edge_prior",
    "paper",
    "walk",
    "objective",
    "flow_scale",
    "network",
    "prune",
    "threshold",
    "alpha",
    "iterations",
    "batch_size",
    "learning_rate",
    "hidden",
    "entropy",
    "published",
    "temperature",
    "samples",
    "l1",
    "restarts",
    "turning",
    "test",
    "tiers",
    "exogenous",
    "outcome",
    "require",
    "forbid",
    "max_parents",
    "knowledge",
    "exclude",
    "ignore",
    "interventions",
    "environment",
    "missing",
    "transforms",
    "standardize",
    "rows_used",
    "seed",
)


class DiscoveryOptions(TypedDict, total=False):
    """The options of `discover`, by name."""

    method: Method
    score: Score
    penalty: float | Literal["auto"] | None
    sample_size: float | None
    posterior: Posterior
    edge_prior: float | Literal["auto"] | None
    paper: bool
    walk: Walk
    objective: Objective | None
    flow_scale: Flow_scale | None
    network: Network
    prune: Prune
    threshold: float | None
    alpha: float | None
    iterations: int | None
    batch_size: int | None
    learning_rate: float | None
    hidden: int | None
    entropy: float | Literal["auto"] | None
    published: bool
    temperature: float
    samples: int
    l1: float | None
    restarts: int | None
    turning: bool
    test: Test | None
    tiers: str | Sequence[str | Sequence[str]] | None
    exogenous: str | Sequence[str] | None
    outcome: str | Sequence[str] | None
    require: Sequence[str | tuple[str, str]] | None
    forbid: Sequence[str | tuple[str, str]] | None
    max_parents: int | None
    knowledge: Knowledge | str | os.PathLike[str] | None
    exclude: Sequence[str] | None
    ignore: Sequence[str] | None
    interventions: str | None
    environment: str | None
    missing: Missing
    transforms: Sequence[str] | None
    standardize: bool
    rows_used: int | None
    seed: int
    types: Mapping[str, str] | None
    no_header: bool
    delimiter: str | None
    time_budget: float | None
    threads: int | None
    out: str | os.PathLike[str] | None
    resume: bool
    overwrite: bool
    callback: Callback | None
    progress: bool


class Options:
    """The options of `GFlowCausal`."""

    def __init__(
        self,
        *,
        method: Method = "gflowcausal",
        score: Score = "auto",
        penalty: float | Literal["auto"] | None = None,
        sample_size: float | None = None,
        posterior: Posterior = "auto",
        edge_prior: float | Literal["auto"] | None = None,
        paper: bool = False,
        walk: Walk = "layers",
        objective: Objective | None = None,
        flow_scale: Flow_scale | None = None,
        network: Network = "mlp",
        prune: Prune = "auto",
        threshold: float | None = None,
        alpha: float | None = None,
        iterations: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        hidden: int | None = None,
        entropy: float | Literal["auto"] | None = None,
        published: bool = False,
        temperature: float = 1.0,
        samples: int = 1000,
        l1: float | None = None,
        restarts: int | None = None,
        turning: bool = False,
        test: Test | None = None,
        tiers: str | Sequence[str | Sequence[str]] | None = None,
        exogenous: str | Sequence[str] | None = None,
        outcome: str | Sequence[str] | None = None,
        require: Sequence[str | tuple[str, str]] | None = None,
        forbid: Sequence[str | tuple[str, str]] | None = None,
        max_parents: int | None = None,
        knowledge: Knowledge | str | os.PathLike[str] | None = None,
        exclude: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        interventions: str | None = None,
        environment: str | None = None,
        missing: Missing = "error",
        transforms: Sequence[str] | None = None,
        standardize: bool = False,
        rows_used: int | None = None,
        seed: int = 0,
        types: Mapping[str, str] | None = None,
        no_header: bool = False,
        delimiter: str | None = None,
        time_budget: float | None = None,
        threads: int | None = None,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        overwrite: bool = False,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> None:
        """Takes options.

        Parameters
        ----------
        method
            The method of discovery. One of gflowcausal, exact, mcmc, boss, ges, pc, eqvar, sort-var, sort-r2,
            random-order, ica-lingam, direct-lingam, notears, dagma, dag-gnn, gran-dag, rl-bic, corl,
            dag-gflownet, gflownets-score, sac.
        score
            What graphs are scored by. One of auto, bic, non-gaussian, bic-equal, bge, bdeu, dg, quadratic,
            quadratic-equal, gp, spline, location-scale, varsort. Read by gflowcausal, exact, mcmc, boss, ges,
            eqvar, sort-var, sort-r2, random-order, ica-lingam, direct-lingam, gran-dag, rl-bic, corl,
            dag-gflownet, gflownets-score, sac.
        penalty
            What a parent costs, in multiples of ln n; ``auto`` grows with the number of variables. If not
            given: auto. Read by gflowcausal, exact, mcmc, boss, ges, eqvar, sort-var, sort-r2, random-order,
            ica-lingam, direct-lingam, gran-dag, rl-bic, corl, dag-gflownet, gflownets-score, sac.
        sample_size
            How many rows the prior of score ``bdeu`` counts as (the equivalent sample size). If not given: by
            evidence with --score auto, else 1. Read by gflowcausal, exact, mcmc, boss, ges, eqvar, sort-var,
            sort-r2, random-order, ica-lingam, direct-lingam, gran-dag, rl-bic, corl, dag-gflownet,
            gflownets-score, sac.
        posterior
            Where edge probabilities come from. One of auto, exact, policy, chains, none. Read by gflowcausal.
        edge_prior
            Log-odds of an edge in the structure prior, in addition to the score's own penalty; 0 makes all
            DAGs equally likely. If not given: auto. Read by gflowcausal, exact, mcmc, dag-gflownet.
        paper
            Algorithm 1 of the paper as published: what is not chosen is set as the paper has it, and nothing
            is added to it. Read by gflowcausal.
        walk
            How graphs are grown. One of layers, complete, edges, chain, order, graph, free. Read by
            gflowcausal, dag-gflownet, gflownets-score, sac.
        objective
            Which balance of flows is learned. One of fm, db, tb, subtb, mdb. If not given: tb; mdb for walk
            graph. Read by gflowcausal, gflownets-score.
        flow_scale
            Whether objective ``fm`` compares logarithms of flows or the flows themselves. One of log, linear.
            If not given: log; linear with paper. Read by gflowcausal, gflownets-score.
        network
            The network that learns the flows. One of mlp, cnn, vgg16, transformer. Read by gflowcausal,
            dag-gflownet, gflownets-score, sac.
        prune
            How an order becomes a graph. One of auto, selected, t-test, score, threshold, lasso, cam, none.
            Read by gflowcausal, exact, boss, eqvar, sort-var, sort-r2, random-order, ica-lingam,
            direct-lingam, gran-dag, rl-bic, corl, gflownets-score, sac.
        threshold
            The smallest slope that stays, with pruning ``threshold``, and the smallest weight, with methods
            ``notears``, ``dagma`` and ``dag-gnn``. If not given: 0.3. Read by gflowcausal, exact, boss,
            eqvar, sort-var, sort-r2, random-order, ica-lingam, direct-lingam, notears, dagma, dag-gnn,
            gran-dag, rl-bic, corl, gflownets-score, sac.
        alpha
            The largest p-value, with prunings ``t-test`` and ``cam`` and with method ``pc``. If not given:
            0.001; 0.05 for method pc. Read by gflowcausal, exact, boss, pc, eqvar, sort-var, sort-r2,
            random-order, ica-lingam, direct-lingam, gran-dag, rl-bic, corl, gflownets-score, sac.
        iterations
            The most training iterations; with method ``dag-gnn`` the passes over the rows of one round. If
            not given: by the number of variables. Read by gflowcausal, dag-gnn, gran-dag, rl-bic, corl,
            dag-gflownet, gflownets-score, sac.
        batch_size
            Trajectories an iteration; rows with methods ``dag-gnn`` and ``gran-dag``. If not given: by walk
            and number of variables; 100 for dag-gnn. Read by gflowcausal, dag-gnn, gran-dag, rl-bic, corl,
            dag-gflownet, gflownets-score, sac.
        learning_rate
            The learning rate of Adam, or of RMSprop with method ``gran-dag``. If not given: by walk and
            number of variables; 0.003 for dag-gnn. Read by gflowcausal, dag-gnn, gran-dag, rl-bic, corl,
            dag-gflownet, gflownets-score, sac.
        hidden
            Units of each hidden layer; the width of the other networks, of which 512 is the published VGG-16
            and 256 CORL's encoder. If not given: by the number of variables; 256 for cnn, 64 for vgg16 and
            transformer. Read by gflowcausal, dag-gnn, gran-dag, rl-bic, corl, dag-gflownet, gflownets-score,
            sac.
        entropy
            What the entropy of the policy counts in method ``sac``, in units of the reward's spread; ``auto``
            tunes it until the policy has 0.98 of the entropy of drawing actions alike. If not given: auto.
            Read by sac.
        published
            Train methods ``rl-bic`` and ``corl`` in their published sizes, which takes hours. Read by rl-bic,
            corl.
        temperature
            Graphs are drawn ∝ exp(score / T). Read by gflowcausal, exact, mcmc, dag-gflownet,
            gflownets-score.
        samples
            How many graphs are drawn for the probabilities. Read by gflowcausal, exact, mcmc, dag-gflownet,
            gflownets-score, sac.
        l1
            The weight of the L1 penalty of methods ``notears`` and ``dagma``. If not given: 0.1; 0.03 for
            dagma. Read by notears, dagma.
        restarts
            From how many random orders method ``boss`` starts. If not given: 10 up to 200 variables, 3
            beyond. Read by boss.
        turning
            Let method ``ges`` turn edges too. Read by ges.
        test
            The test of independence of method ``pc``. One of fisher-z, g-square, chi-square. If not given: by
            the columns' types. Read by pc.
        tiers
            A list: which variables come before which, such as ``age, sex | dose | outcome``: no edge leads
            back. A lone ``*`` is all others.
        exogenous
            A list: variables that nothing causes, such as ``age, sex``.
        outcome
            A list: variables that cause nothing.
        require
            A list: an edge that must be there.
        forbid
            A list: an edge that must not be there; ``*->age`` forbids all that lead there.
        max_parents
            The most parents of a variable. If not given: no limit.
        knowledge
            A knowledge file in Tetrad's format.
        exclude
            A list: a column to leave out.
        ignore
            A list: continue despite this finding of ``doctor``.
        interventions
            The column that names, row by row, which variables were set from outside (several with ``;``):
            such rows do not count in their terms. If not given: none. Read by gflowcausal, exact, mcmc, boss,
            ges, dag-gflownet.
        environment
            The column that says where a row comes from: it may cause every variable, and nothing causes it.
            If not given: none.
        missing
            What to do about missing values. One of error, drop, em.
        transforms
            A list: what to do to a column first: ``log``, ``rank`` (normal scores) or ``none``.
        standardize
            Scale each column to mean 0 and standard deviation 1 first.
        rows_used
            The most rows that scores ``gp``, ``spline`` and ``location-scale`` and pruning ``cam`` use,
            evenly spaced. If not given: 2000 for gp, 10000 for the others. Read by gflowcausal, exact, mcmc,
            boss, ges, eqvar, sort-var, sort-r2, random-order, ica-lingam, direct-lingam, gran-dag, rl-bic,
            corl, dag-gflownet, gflownets-score, sac.
        seed
            The same seed gives the same result.
        types
            Columns whose type differs from the detected one, such as ``{"ward": "categorical"}``.
        no_header
            The first row of a text file is data, not names: columns are called X1, X2, ….
        delimiter
            What separates the cells of a text file: a character, ``tab`` or ``space``; detected by default.
        time_budget
            Stop after this time with the best result so far, in seconds.
        threads
            How many threads; all cores if not given.
        out
            A directory for all files of the run.
        resume
            Whether the run that began in ``out`` goes on, to the same bits.
        overwrite
            Whether a run that is in ``out`` is replaced; else it is refused.
        callback
            Is called with a `Progress` at each step. It may raise `StopIteration` to end training with the
            best so far; any other exception ends it and is passed on.
        progress
            Whether to show a progress bar.
        """
        self.method = method
        self.score = score
        self.penalty = penalty
        self.sample_size = sample_size
        self.posterior = posterior
        self.edge_prior = edge_prior
        self.paper = paper
        self.walk = walk
        self.objective = objective
        self.flow_scale = flow_scale
        self.network = network
        self.prune = prune
        self.threshold = threshold
        self.alpha = alpha
        self.iterations = iterations
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.hidden = hidden
        self.entropy = entropy
        self.published = published
        self.temperature = temperature
        self.samples = samples
        self.l1 = l1
        self.restarts = restarts
        self.turning = turning
        self.test = test
        self.tiers = tiers
        self.exogenous = exogenous
        self.outcome = outcome
        self.require = require
        self.forbid = forbid
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.exclude = exclude
        self.ignore = ignore
        self.interventions = interventions
        self.environment = environment
        self.missing = missing
        self.transforms = transforms
        self.standardize = standardize
        self.rows_used = rows_used
        self.seed = seed
        self.types = types
        self.no_header = no_header
        self.delimiter = delimiter
        self.time_budget = time_budget
        self.threads = threads
        self.out = out
        self.resume = resume
        self.overwrite = overwrite
        self.callback = callback
        self.progress = progress

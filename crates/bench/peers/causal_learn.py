"""causal-learn's PC, GES, BOSS and GRaSP on a table, with the settings that ours are compared at."""

import random

import numpy as np
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.PermutationBased.BOSS import boss
from causallearn.search.PermutationBased.GRaSP import grasp
from causallearn.search.ScoreBased.GES import ges
from causallearn.utils.PDAG2DAG import pdag2dag

from harness import Class, Outcome, timed


def peter_clark(data, alpha):
    """PC-stable with Fisher's z (or G² for whole numbers), existing colliders first: the package's defaults."""
    found, seconds = timed(lambda: pc(data.values, alpha=alpha, indep_test="fisherz", stable=True, show_progress=False))
    return Outcome(_class(found.G.graph), seconds)


def peter_clark_categories(data, alpha, test):
    """The same with G² ("gsq") or Pearson's test ("chisq")."""
    found, seconds = timed(lambda: pc(data.values, alpha=alpha, indep_test=test, stable=True, show_progress=False))
    return Outcome(_class(found.G.graph), seconds)


def equivalence_search(data):
    """GES with the ordinary BIC: λ = ½ is ½ ln n a parent."""
    record, seconds = timed(lambda: ges(data.values, score_func="local_score_BIC_from_cov", parameters={"lambda_value": 0.5}))
    return _outcome(record["G"], seconds)


def equivalence_search_categories(data):
    """GES with BDeu, the package's own prior weights."""
    record, seconds = timed(lambda: ges(data.values, score_func="local_score_BDeu"))
    return _outcome(record["G"], seconds)


def order_search(data, seed):
    """BOSS with the same score; it starts once, from the order of the columns."""
    random.seed(seed)
    start = lambda: boss(data.values, parameters={"lambda_value": 0.5}, verbose=False)
    graph, seconds = timed(start)
    return _outcome(graph, seconds)


def sparsest_permutation(data, seed):
    """GRaSP with the same score and the package's depth."""
    random.seed(seed)
    start = lambda: grasp(data.values, parameters={"lambda_value": 0.5}, verbose=False)
    graph, seconds = timed(start)
    return _outcome(graph, seconds)


def _outcome(graph, seconds):
    found = _class(graph.graph)
    member = pdag2dag(graph).graph
    return Outcome(found, seconds, (member == -1).astype(int) * (member.T == 1))


def _class(marks):
    """causal-learn writes i → j as marks[j, i] = 1, marks[i, j] = −1 and i — j as −1 in both."""
    directed = {(int(i), int(j)) for i, j in np.argwhere((marks == -1) & (marks.T == 1))}
    tied = {(int(i), int(j)) for i, j in np.argwhere((marks == -1) & (marks.T == -1)) if i < j}
    both = {(int(i), int(j)) for i, j in np.argwhere((marks == 1) & (marks.T == 1)) if i < j}
    assert not both, "an arrow with two heads"
    return Class(directed, tied)

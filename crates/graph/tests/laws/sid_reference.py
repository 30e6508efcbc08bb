"""Makes sid_reference.csv: distances by the package gadjid 0.1.0, with numpy 2.4.6.

One case a line: variables, truth, estimate, parent adjustment distance (for two DAGs: the SID).
A graph is its edges, `0>1` an arrow, `0-1` undirected. Run: python sid_reference.py > sid_reference.csv
"""
import itertools
import gadjid
import numpy as np

rng = np.random.default_rng(2024)


def random_dag(nodes, degree):
    upper = np.triu(rng.random((nodes, nodes)) < degree / max(nodes - 1, 1), 1)
    shuffle = rng.permutation(nodes)
    return upper[np.ix_(shuffle, shuffle)].astype(np.int8)


def cpdag(dag):
    """1 = arrow from row to column, 2 = undirected (both cells)."""
    nodes = range(len(dag))
    joined = (dag + dag.T) > 0
    arrow = np.zeros_like(joined)
    for a, b in itertools.permutations(nodes, 2):
        for c in nodes:
            if dag[a, c] and dag[b, c] and not joined[a, b]:
                arrow[a, c] = True
    changed = True
    while changed:
        changed = False
        for a, b in itertools.permutations(nodes, 2):
            if not joined[a, b] or arrow[a, b] or arrow[b, a]:
                continue
            free = lambda x, y: joined[x, y] and not arrow[x, y] and not arrow[y, x]
            rule1 = any(arrow[c, a] and not joined[c, b] for c in nodes if c != b)
            rule2 = any(arrow[a, c] and arrow[c, b] for c in nodes)
            between = [c for c in nodes if free(a, c) and arrow[c, b]]
            rule3 = any(not joined[c, e] for c, e in itertools.combinations(between, 2))
            if rule1 or rule2 or rule3:
                arrow[a, b] = changed = True
    return np.where(arrow, 1, np.where(joined & ~arrow.T, 2, 0)).astype(np.int8)


def listed(graph):
    arrows = [f"{i}>{j}" for i, j in zip(*np.nonzero(graph == 1))]
    ties = [f"{i}-{j}" for i, j in zip(*np.nonzero(graph == 2)) if i < j]
    return " ".join(arrows + ties)


for nodes, degree, repeats in [(2, 0.5, 3), (3, 1, 6), (5, 2, 10), (8, 3, 10), (12, 2, 6), (12, 6, 6), (30, 4, 3)]:
    for _ in range(repeats):
        truth, other = random_dag(nodes, degree), random_dag(nodes, degree)
        near = truth.copy()
        near[tuple(rng.permutation(np.argwhere(truth))[:1].T)] = 0
        for estimate in [other, near, cpdag(other), cpdag(truth)]:
            _, count = gadjid.parent_aid(truth, estimate, edge_direction="from row to column")
            if (estimate < 2).all():
                assert count == gadjid.sid(truth, estimate, edge_direction="from row to column")[1]
            print(nodes, listed(truth), listed(estimate), count, sep=",")

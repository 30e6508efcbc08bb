"""One method of one package on one table: `driver.py PACKAGE METHOD DATA.csv SEED raw|standardised CPU-SECONDS`.

Prints {"found": {"directed": [[cause, effect], …], "undirected": […], "cpu_seconds": …}} over the columns by number, or
"too-long" if the fit takes more than the seconds allowed. The seconds are those of the fit alone.
"""

import contextlib
import csv
import json
import random
import sys
import warnings
from pathlib import Path

import numpy as np

import harness
from harness import Data

ALPHA = 0.05  # causal-learn's own


def read(path):
    """The table as numbers, and whether they stand for categories (in the order of their names)."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    try:
        return np.array(rows, dtype=float), False
    except ValueError:
        codes = [np.unique(column, return_inverse=True)[1] for column in np.array(rows).T]
        return np.column_stack(codes), True


def seed_everything(seed):
    """Some packages draw from the generators that everybody shares."""
    random.seed(seed)
    np.random.seed(seed)


def edges(package, method, data, seed, categories):
    """Arrows, edges without direction, CPU seconds."""
    if package != "causal-learn":
        if categories:
            sys.exit(f"{package} {method} takes numbers, not categories")
        import linear_packages

        found = linear_packages.PEERS[method](data, seed)
        return np.argwhere(found.dag).tolist(), [], found.cpu_seconds
    import causal_learn

    numbers = {
        "pc": lambda: causal_learn.peter_clark(data, ALPHA),
        "ges": lambda: causal_learn.equivalence_search(data),
        "boss": lambda: causal_learn.order_search(data, seed),
        "grasp": lambda: causal_learn.sparsest_permutation(data, seed),
    }
    names = {
        "pc": lambda: causal_learn.peter_clark_categories(data, ALPHA, "gsq"),
        "ges": lambda: causal_learn.equivalence_search_categories(data),
    }
    if categories and method not in names:
        sys.exit(f"causal-learn {method} is not run on categories")
    found = (names if categories else numbers)[method]()
    return sorted(found.graph.directed), sorted(found.graph.undirected), found.cpu_seconds


def main(package, method, path, seed, scale, seconds):
    values, categories = read(path)
    if scale == "standardised" and not categories:
        values = (values - values.mean(axis=0)) / values.std(axis=0)
    seed_everything(int(seed))
    harness.CPU_SECONDS = int(seconds)
    # What packages print about their progress is no result.
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        directed, undirected, seconds = edges(package, method, Data(Path(path), values, None), int(seed), categories)
    print(json.dumps({"found": {"directed": directed, "undirected": undirected, "cpu_seconds": seconds}}))


if __name__ == "__main__":
    main(*sys.argv[1:])

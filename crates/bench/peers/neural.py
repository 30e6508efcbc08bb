#!/usr/bin/env python3
"""DAG-GNN, GraN-DAG, RL-BIC2 and CORL beside gcastle's, on the same files, one thread each.

    cargo build --release
    pip install gcastle==1.0.4 torch
    crates/bench/peers/neural.py corl --binary target/release/gflowcausal --sets 3

simulates data with our binary and prints a table: SHD to the truth of our defaults, of ours with as many iterations as gcastle has, and of
gcastle, and CPU milliseconds of an iteration, each the difference between a long and a short run. PyTorch takes gigabytes, so the script
runs in the Python that it is started with and not in the environment of `bench --peers`.
"""

import argparse
import contextlib
import io
import logging
import tempfile
import time
import warnings

import numpy as np

import harness

# Data, our options, those that make ours as large as gcastle's, iterations of gcastle that find a graph, iterations of runs to time.
METHODS = {
    "dag-gnn": {"model": "linear", "ours": [], "size": [], "theirs": 60, "short": (2, 12)},
    "gran-dag": {"model": "gp-additive", "ours": [], "size": [], "theirs": 5000, "short": (50, 450)},
    "rl-bic": {"model": "linear", "ours": ["--score", "bic-equal", "--penalty", 1, "--prune", "threshold"], "size": ["--published"],
               "theirs": 300, "short": (2, 12)},
    "corl": {"model": "linear", "ours": ["--score", "bic-equal", "--prune", "threshold"], "size": ["--published"],
             "theirs": 100, "short": (1, 4)},
}
# How many times RL raises its penalties in a full run.
RAISES = 20


def peer(method, nodes, iterations):
    """gcastle's method. RL and CORL read their result only when they raise penalties: by their defaults, each 1000 and 500 iterations."""
    from castle.algorithms import CORL, DAG_GNN, GraNDAG, RL

    if method == "dag-gnn":
        return DAG_GNN(epochs=iterations)
    if method == "gran-dag":
        return GraNDAG(input_dim=nodes, iterations=iterations)
    if method == "rl-bic":
        return RL(nb_epoch=iterations, lambda_iter_num=max(1, iterations // RAISES))
    return CORL(iteration=iterations, lambda_iter_num=iterations)


def learn(method, values, iterations):
    """gcastle's graph, rows causing columns, and the CPU seconds of the call."""
    model = peer(method, values.shape[1], iterations)
    start = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()):
        model.learn(values)
    return (np.abs(np.asarray(model.causal_matrix)) > 0).astype(int), time.process_time() - start


def shd(estimate, truth):
    """Edges to add, remove or turn."""
    differs = (estimate != 0) != (truth != 0)
    return int(np.triu(differs | differs.T).sum())


def per_iteration(ours, data, options):
    """CPU milliseconds of an iteration, ours and theirs: a pass over the rows for DAG-GNN."""
    few, many = METHODS[options.method]["short"]
    settings = METHODS[options.method]["ours"] + (METHODS[options.method]["size"] if options.published else [])
    mine = lambda count: ours.discover(data, "--method", options.method, *settings, "--iterations", count)[0].cpu_seconds
    factor = options.longer
    own = (mine(factor * many) - mine(factor * few)) / (factor * (many - few))
    theirs = (learn(options.method, data.values, many)[1] - learn(options.method, data.values, few)[1]) / (many - few)
    return 1000 * own, 1000 * theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--binary", default="target/release/gflowcausal")
    parser.add_argument("--work", help="where the data sets go [default: a temporary directory]")
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--published", action="store_true", help="time ours in the published size")
    parser.add_argument("--iterations", type=int, help="iterations of gcastle that find a graph")
    parser.add_argument("--speed-only", action="store_true", help="find no graphs")
    parser.add_argument("--longer", type=int, default=5, help="by how much our timed runs are longer than theirs")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        compare(harness.Ours(options.binary, options.work or temporary), options)


def compare(ours, options):
    method = METHODS[options.method]
    rows = []
    for seed in range(1, options.sets + 1):
        name = f"{method['model']}-{options.nodes}-{options.degree}-{options.rows}-{seed}"
        data = ours.simulate(name, "--model", method["model"], "--nodes", options.nodes, "--degree", options.degree,
                             "--rows", options.rows, "--seed", seed)
        if seed == 1:
            own, peers = per_iteration(ours, data, options)
            print(f"{options.method}, {options.nodes} variables: {own:.3f} ms an iteration, gcastle {peers:.3f} ms, ratio {peers / own:.1f}\n",
                  flush=True)
        if not options.speed_only:
            rows.append([name, *found(ours, data, options)])
    if not options.speed_only:
        harness.table(["data", "SHD ours", "CPU s", "SHD ours, equal iterations", "CPU s", "SHD gcastle", "CPU s", "gcastle's cycles"], rows)
        for column, who in ((1, "ours"), (3, "ours, equal iterations"), (5, "gcastle")):
            values = [row[column] for row in rows]
            print(f"{who}: mean SHD {np.mean(values):.1f}, standard deviation {np.std(values, ddof=1) if len(values) > 1 else 0:.1f}")


def found(ours, data, options):
    """SHD and CPU seconds of our defaults, of ours with gcastle's size and iterations, of gcastle."""
    method = METHODS[options.method]
    iterations = options.iterations or method["theirs"]
    settings = ["--method", options.method, *method["ours"]]
    default, _ = ours.discover(data, *settings)
    equal, _ = ours.discover(data, *settings, *method["size"], "--iterations", iterations)
    theirs, seconds = learn(options.method, data.values, iterations)
    mine = [cell for run in (default, equal) for cell in (shd(run.dag, data.truth), run.cpu_seconds)]
    cycles = harness.Class({tuple(edge) for edge in np.argwhere(theirs)}, set()).has_cycle()
    return [*mine, shd(theirs, data.truth), seconds, "yes" if cycles else "no"]


if __name__ == "__main__":
    main()

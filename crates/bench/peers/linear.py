#!/usr/bin/env python3
"""LiNGAM, NOTEARS and DAGMA beside their packages, on the same files, one thread each.

    cargo build --release
    crates/bench/peers/linear.py direct-lingam --binary target/release/gflowcausal --sets 20

makes an environment on first use, simulates data with our binary and prints a table: whether order and edges are the same,
SHD to the truth, the penalised least squares of the two graphs, and CPU seconds. Ours are those of the whole process,
reading included; theirs those of the call alone.
"""

import argparse
import tempfile
import warnings

import environment

environment.enter()

import numpy as np

import harness
import linear_packages

# Which simulated noise a method is made for.
NOISE = {"direct-lingam": "uniform", "ica-lingam": "uniform", "notears": "gauss", "dagma": "gauss"}


def shd(estimate, truth):
    """Edges to add, remove or turn."""
    differs = (estimate != 0) != (truth != 0)
    return int(np.triu(differs | differs.T).sum())


def penalised_squares(dag, values, l1):
    """½ mean squared residual + l1 · |W|₁ of the least squares on the graph's edges."""
    centred = values - values.mean(axis=0)
    total = 0.0
    for effect in range(dag.shape[0]):
        causes = np.flatnonzero(dag[:, effect])
        slopes = np.linalg.lstsq(centred[:, causes], centred[:, effect], rcond=None)[0]
        rest = centred[:, effect] - centred[:, causes] @ slopes
        total += 0.5 * np.mean(rest**2) + l1 * np.abs(slopes).sum()
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=NOISE)
    parser.add_argument("--binary", default="target/release/gflowcausal")
    parser.add_argument("--work", help="where the data sets go [default: a temporary directory]")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--graph", default="er")
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(harness.Ours(options.binary, options.work or temporary), options)


def compare(ours, options):
    rows = []
    for seed in range(options.sets):
        noise = NOISE[options.method]
        name = f"{options.graph}{options.degree}-{options.nodes}-{options.rows}-{noise}-{seed}"
        data = ours.simulate(name, "--graph", options.graph, "--nodes", options.nodes, "--degree", options.degree,
                             "--rows", options.rows, "--noise", noise, "--seed", seed)
        mine, result = ours.discover(data, "--method", options.method, "--seed", seed)
        theirs = linear_packages.PEERS[options.method](data, seed)
        place = {variable: at for at, variable in enumerate(result["data"]["variables"])}
        order = [place[variable] for variable in result["order"]]
        same_order = "-" if theirs.order is None else order == theirs.order
        l1 = linear_packages.PENALTIES.get(options.method, 0.0)
        squares = [penalised_squares(dag, data.values, l1) for dag in (mine.dag, theirs.dag)]
        rows.append([name, same_order, bool((mine.dag == theirs.dag).all()), shd(mine.dag, data.truth),
                     shd(theirs.dag, data.truth), *squares, mine.cpu_seconds, theirs.cpu_seconds])
    harness.table(["data", "same order", "same edges", "SHD ours", "SHD theirs", "squares ours", "squares theirs",
                   "ours, CPU s", "theirs, CPU s"], rows)
    total = lambda column: sum(row[column] for row in rows)
    orders = sum(row[1] is True for row in rows)
    print(f"\n{len(rows)} data sets: order the same on {orders}, edges on {total(2)}; mean SHD {total(3) / len(rows):.2f} and "
          f"{total(4) / len(rows):.2f}; squares {total(5):.4f} and {total(6):.4f}; CPU s {total(7):.2f} and {total(8):.2f}, "
          f"ratio {total(8) / total(7):.1f}")


if __name__ == "__main__":
    main()

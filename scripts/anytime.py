#!/usr/bin/env python3
"""What a time budget buys: expected SHD of `discover` against the budget, at 30 and 100 variables.

    scripts/anytime.py BINARY

Standardised linear Gaussian data of Erdos-Renyi graphs with two edges a variable. The expected SHD is that of the edge
probabilities: a pair counts with the probability that it is not as in the truth.
"""

import csv
import json
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

BUDGETS = [1, 2, 5, 10, 30]
PROBLEMS = [(30, 100, 41), (30, 100, 42), (30, 1000, 43), (100, 1000, 41), (100, 1000, 42)]


def run(binary, *arguments):
    command = [binary, *map(str, arguments), "--quiet", "--no-progress"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def true_edges(path):
    with open(path, newline="") as file:
        table = list(csv.reader(file))
    names = table[0][1:]
    return names, {(row[0], name) for row in table[1:] for name, cell in zip(names, row[1:]) if cell == "1"}


def expected_shd(names, truth, edges):
    total = 0.0
    for i, j in combinations(range(len(names)), 2):
        forward, backward = edges[i][j], edges[j][i]
        if (names[i], names[j]) in truth:
            total += 1 - forward
        elif (names[j], names[i]) in truth:
            total += 1 - backward
        else:
            total += forward + backward
    return total


def main():
    binary = sys.argv[1]
    print("| variables | rows | seed | " + " | ".join(f"{budget} s" for budget in BUDGETS) + " |")
    print("|---" * (3 + len(BUDGETS)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for nodes, rows, seed in PROBLEMS:
            home = Path(folder) / f"{nodes}-{seed}"
            run(binary, "simulate", "--nodes", nodes, "--degree", 2, "--rows", rows, "--seed", seed, "--standardize", "--out", home)
            names, truth = true_edges(home / "truth.csv")
            cells = []
            for budget in BUDGETS:
                result = json.loads(run(binary, "discover", home / "data.csv", "--time-budget", f"{budget}s", "--format", "json"))
                cells.append(f"{expected_shd(names, truth, result['posterior']['edge_probabilities']):.1f}")
            print(f"| {nodes} | {rows} | {seed} | " + " | ".join(cells) + " |", flush=True)


main()

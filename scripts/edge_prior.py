#!/usr/bin/env python3
"""How the structure prior calibrates edge probabilities: Brier score and reliability over simulated problems.

    scripts/edge_prior.py BINARY [PROBLEMS]

Problem k has 20 or 30 variables, 1 or 2 edges a variable and 50 to 1000 rows, standardised. Each is run once with
`--edge-prior 0`; the other priors are importance weights exp(γ · edges) on the same draws.
"""

import csv
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

PRIORS = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
SETTINGS = list(product([20, 30], [1, 2], [50, 100, 300, 1000]))


def run(binary, *arguments):
    subprocess.run([binary, *map(str, arguments), "--quiet", "--no-progress"], check=True, stdout=subprocess.DEVNULL)


def problem(binary, k, folder):
    """The true edges and the drawn graphs with their weights, by names."""
    nodes, degree, rows = SETTINGS[k % len(SETTINGS)]
    home = Path(folder) / str(k)
    run(binary, "simulate", "--nodes", nodes, "--degree", degree, "--rows", rows, "--seed", k, "--standardize", "--out", home)
    run(binary, "discover", home / "data.csv", "--edge-prior", 0, "--seed", k, "--threads", 1, "--out", home / "run")
    with open(home / "truth.csv", newline="") as file:
        table = list(csv.reader(file))
    names = table[0][1:]
    truth = {(row[0], name) for row in table[1:] for name, cell in zip(names, row[1:]) if cell == "1"}
    draws = [json.loads(line) for line in open(home / "run" / "samples.jsonl")]
    return names, truth, [({tuple(edge) for edge in draw["edges"]}, draw["count"]) for draw in draws]


def probabilities(draws, prior):
    most = max(prior * len(edges) for edges, _ in draws)
    weights = [count * math.exp(prior * len(edges) - most) for edges, count in draws]
    total, sums = sum(weights), {}
    for (edges, _), weight in zip(draws, weights):
        for edge in edges:
            sums[edge] = sums.get(edge, 0.0) + weight / total
    effective = total**2 / sum(weight**2 / count for weight, (_, count) in zip(weights, draws))
    return sums, effective


def main():
    binary, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 64
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda k: problem(binary, k, folder), range(count)))
    print(f"{count} problems\n| edge prior | Brier score × 1000 | calibration error × 1000 | expected edges / true | effective draws, median |")
    print("|---|---|---|---|---|")
    for prior in PRIORS:
        brier = pairs = expected = true = 0.0
        bins, sizes = [[0.0, 0.0] for _ in range(10)], []
        for names, truth, draws in problems:
            sums, effective = probabilities(draws, prior)
            sizes.append(effective)
            for edge in product(names, names):
                if edge[0] == edge[1]:
                    continue
                p, y = min(sums.get(edge, 0.0), 1.0), edge in truth
                brier, pairs, expected, true = brier + (p - y) ** 2, pairs + 1, expected + p, true + y
                bins[min(int(10 * p), 9)][0] += p
                bins[min(int(10 * p), 9)][1] += y
        gap = sum(abs(claimed - held) for claimed, held in bins) / pairs
        sizes.sort()
        print(f"| {prior:+.1f} | {1000 * brier / pairs:.2f} | {1000 * gap:.2f} | {expected / true:.2f} | {sizes[len(sizes) // 2]:.0f} |")


main()

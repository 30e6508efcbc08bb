#!/usr/bin/env python3
"""Our methods beside those of other packages, on the same files, one thread each.

    cargo build --release
    crates/bench/peers/compare.py pc --binary target/release/gflowcausal --sets 20

makes crates/bench/peers/.venv on first use, simulates the data sets with our binary and prints a table: on how many the classes
are the same, scores, and CPU seconds. Ours are those of the whole process, reading included; theirs those of the call alone.
"""

import argparse
import tempfile

import environment

environment.enter()

import causal_learn
import harness


def compare_pc(ours, options):
    """PC-stable at the same alpha, against causal-learn."""
    rows = []
    for name, data in data_sets(ours, options):
        mine, _ = ours.discover(data, "--method", "pc", "--alpha", options.alpha)
        theirs = causal_learn.peter_clark(data, options.alpha)
        rows.append([name, mine.graph.differing_pairs(theirs.graph), len(mine.graph.skeleton() ^ theirs.graph.skeleton()),
                     mine.graph.has_cycle(), theirs.graph.has_cycle(), mine.cpu_seconds, theirs.cpu_seconds])
    heads = ["data", "pairs that differ", "edges that differ", "cycle in ours", "cycle in causal-learn's"]
    finish(heads + ["ours, CPU s", "causal-learn, CPU s"], rows, same=1)
    differing = [row for row in rows if row[1] > 0]
    print(f"of the {len(differing)} that differ, causal-learn's has a directed cycle in {sum(row[4] for row in differing)}")


def compare_ges(ours, options):
    """GES with the ordinary BIC, against causal-learn."""
    search = ["--method", "ges", "--score", "bic", "--penalty", 1] + (["--turning"] if options.turning else [])
    compare_scores(ours, options, search, lambda data, seed: causal_learn.equivalence_search(data))


def compare_boss(ours, options):
    """BOSS with the ordinary BIC and one start, against causal-learn."""
    search = ["--method", "boss", "--score", "bic", "--penalty", 1, "--restarts", options.restarts]
    compare_scores(ours, options, search, causal_learn.order_search)


def compare_scores(ours, options, search, peer):
    rows = []
    for seed, (name, data) in enumerate(data_sets(ours, options)):
        mine, _ = ours.discover(data, *search, "--seed", seed)
        theirs = peer(data, seed)
        scores = [harness.bic(outcome.dag, data.values) for outcome in (mine, theirs)]
        rows.append([name, mine.graph.differing_pairs(theirs.graph), *scores, scores[0] - scores[1],
                     mine.cpu_seconds, theirs.cpu_seconds])
    heads = ["data", "pairs that differ", "ours, BIC", "causal-learn, BIC", "ours - theirs", "ours, CPU s", "causal-learn, CPU s"]
    finish(heads, rows, same=1)
    gains = [row[4] for row in rows]
    print(f"\nBIC, ours - theirs: mean {sum(gains) / len(gains):.3f}, worst {min(gains):.3f}, best {max(gains):.3f}")


def data_sets(ours, options):
    for seed in range(options.sets):
        name = f"{options.graph}{options.degree}-{options.nodes}-{options.rows}-{seed}"
        scale = [] if options.raw else ["--standardize"]
        yield name, ours.simulate(name + ("-raw" if options.raw else ""), "--graph", options.graph, "--nodes", options.nodes,
                                  "--degree", options.degree, "--rows", options.rows, "--seed", seed, *scale)


def finish(heads, rows, same):
    """Prints the table and what it comes to; the last two columns are CPU seconds."""
    harness.table(heads, rows)
    equal = sum(row[same] == 0 for row in rows)
    ours, theirs = sum(row[-2] for row in rows), sum(row[-1] for row in rows)
    print(f"\nthe same on {equal} of {len(rows)}; CPU s in all: ours {ours:.2f}, theirs {theirs:.2f}, ratio {theirs / ours:.1f}")


COMPARISONS = {
    "pc": compare_pc,
    "ges": compare_ges,
    "boss": compare_boss,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=COMPARISONS)
    parser.add_argument("--binary", default="target/release/gflowcausal")
    parser.add_argument("--work", help="where the data sets go [default: a temporary directory]")
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--graph", default="er")
    parser.add_argument("--nodes", type=int, default=30)
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--raw", action="store_true", help="do not standardise")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument("--turning", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        COMPARISONS[options.method](harness.Ours(options.binary, options.work or temporary), options)


if __name__ == "__main__":
    main()

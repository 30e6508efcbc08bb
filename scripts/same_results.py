#!/usr/bin/env python3
"""Compares two builds of the program on a fixed list of runs: every method, walk, objective, score and pruning.

    scripts/same_results.py record BINARY DIR     run the list, keep what each run prints
    scripts/same_results.py compare DIR DIR       name the runs whose results differ

A change of structure must leave every result as it was. Times and the program's version are not compared, nor is a field
that only one of the two builds prints (`--strict` counts those too).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

IGNORED = {"seconds", "version"}
RENAMED = {"reversed_probability": "reverse_probability"}

METHODS = (
    "exact mcmc boss ges pc eqvar sort-var sort-r2 random-order ica-lingam direct-lingam notears dagma "
    "dag-gflownet gflownets-score"
).split()
TRAINED = {"dag-gflownet", "gflownets-score"}
NEURAL = "dag-gnn gran-dag rl-bic corl".split()
FEW = ["--exclude", "PIP2", "--exclude", "PIP3", "--exclude", "Plcg", "--exclude", "Akt", "--exclude", "Jnk"]


def runs():
    """Name and arguments of every run; `{data}` is a directory of simulated tables."""
    short = ["--iterations", "40", "--samples", "200"]
    for walk in "layers order edges chain complete graph".split():
        yield f"walk-{walk}", ["discover", "sachs", "--walk", walk, *short]
    for objective in "tb subtb db fm".split():
        yield f"objective-{objective}", ["discover", "sachs", "--walk", "edges", "--objective", objective, *FEW, *short]
    for score in "bic bic-equal bge quadratic quadratic-equal spline varsort".split():
        yield f"score-{score}", ["discover", "sachs", "--score", score, *FEW, *short]
    yield "score-gp", ["discover", "{data}/gp/data.csv", "--score", "gp", *short]
    yield "score-bdeu", ["discover", "{data}/discrete/data.csv", *short]
    yield "score-dg", ["discover", "{data}/discrete/data.csv", "--score", "dg", *short]
    for method in METHODS:
        yield f"method-{method}", ["discover", "sachs", "--method", method, *(short if method in TRAINED else [])]
    for method in NEURAL:
        yield f"method-{method}", ["discover", "sachs", "--method", method, "--iterations", "10", "--hidden", "16"]
    yield "paper", ["discover", "sachs", "--paper", *FEW, *short]
    for prune in "selected t-test score threshold lasso cam none".split():
        yield f"prune-{prune}", ["discover", "sachs", "--method", "boss", "--prune", prune]
    yield "pc-discrete", ["discover", "{data}/discrete/data.csv", "--method", "pc"]
    yield "knowledge", ["discover", "sachs", "--require", "PKC->Raf", "--forbid", "Mek->Raf", "--max-parents", "3", *short]
    yield "missing-drop", ["discover", "{data}/missing/data.csv", "--missing", "drop", *short]
    yield "missing-em", ["discover", "{data}/missing/data.csv", "--missing", "em", *short]
    yield "standardized", ["discover", "sachs", "--standardize", "--temperature", "2", "--seed", "5", *short]
    yield "thirty", ["discover", "{data}/thirty/data.csv", "--truth", "{data}/thirty/truth.csv", *short]
    yield "boss-hundred", ["discover", "{data}/hundred/data.csv", "--method", "boss", "--restarts", "1"]
    yield "score-verb", ["score", "sachs", "--graph", "{data}/thirty/../sachs.csv"]
    yield "doctor", ["doctor", "sachs"]
    yield "evaluate", ["evaluate", "{data}/thirty/truth.json", "--truth", "{data}/thirty/truth.csv"]


def simulations():
    yield "thirty", ["--nodes", "30", "--degree", "2", "--rows", "500", "--standardize"]
    yield "hundred", ["--nodes", "100", "--degree", "2", "--rows", "500", "--graph", "sf"]
    yield "gp", ["--nodes", "5", "--edges", "6", "--rows", "150", "--model", "gp"]
    yield "discrete", ["--nodes", "8", "--edges", "9", "--rows", "400", "--model", "discrete"]
    yield "missing", ["--nodes", "6", "--edges", "6", "--rows", "300", "--missing-rate", "0.05"]
    for model in "quadratic mlp mim gp-quiet gp-additive".split():
        yield model, ["--nodes", "6", "--edges", "7", "--rows", "100", "--model", model]
    for noise in "exp gumbel uniform laplace t".split():
        yield f"noise-{noise}", ["--nodes", "6", "--edges", "7", "--rows", "100", "--noise", noise]


def call(binary, arguments):
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}\n{done.stderr}"


def record(binary, directory):
    out = pathlib.Path(directory)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, options in simulations():
            call(binary, ["simulate", *options, "--seed", "7", "--out", f"{scratch}/{name}", "--quiet"])
            (out / f"simulate-{name}.csv").write_bytes(pathlib.Path(f"{scratch}/{name}/data.csv").read_bytes())
        pathlib.Path(f"{scratch}/sachs.csv").write_text("from,to\nPKC,Raf\nRaf,Mek\nMek,Erk\n")
        for name, arguments in runs():
            filled = [argument.replace("{data}", scratch) for argument in arguments]
            (out / f"{name}.json").write_text(call(binary, [*filled, "--format", "json"]))
            print(name, flush=True)


def comparable(value):
    if isinstance(value, dict):
        return {RENAMED.get(key, key): comparable(item) for key, item in value.items() if key not in IGNORED}
    return [comparable(item) for item in value] if isinstance(value, list) else value


def difference(old, new, path, strict):
    """The first place where the two differ, or None."""
    if isinstance(old, dict) and isinstance(new, dict):
        shared = sorted(old.keys() & new.keys())
        if strict and old.keys() != new.keys():
            return f"{path}: {sorted(old.keys() ^ new.keys())}"
        found = (difference(old[key], new[key], f"{path}.{key}", strict) for key in shared)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        found = (difference(a, b, f"{path}[{k}]", strict) for k, (a, b) in enumerate(zip(old, new)))
    else:
        return None if old == new else f"{path}: {str(old)[:60]} | {str(new)[:60]}"
    return next((place for place in found if place), None)


def read(path):
    text = path.read_text()
    try:
        return comparable(json.loads(text))
    except json.JSONDecodeError:
        return text


def compare(old, new, strict):
    old, new = pathlib.Path(old), pathlib.Path(new)
    different = 0
    for path in sorted(old.iterdir()):
        place = difference(read(path), read(new / path.name), path.stem, strict)
        different += place is not None
        if place:
            print(f"differs  {place}")
    print(f"{len(list(old.iterdir()))} results, {different} different")
    return 1 if different else 0


def main():
    match sys.argv[1:]:
        case ["record", binary, directory]:
            record(binary, directory)
        case ["compare", old, new, *rest]:
            sys.exit(compare(old, new, "--strict" in rest))
        case _:
            sys.exit(__doc__)


main()

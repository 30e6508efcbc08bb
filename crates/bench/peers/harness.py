"""What all comparisons share: data made by our simulator, our binary on them, CPU seconds, classes of graphs."""

import csv
import json
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CPU_SECONDS = None  # no limit


@dataclass
class Class:
    """Arrows (cause, effect) and undirected edges (sorted pairs) over numbered variables."""

    directed: set
    undirected: set

    def skeleton(self):
        return {tuple(sorted(pair)) for pair in self.directed} | self.undirected

    def has_cycle(self):
        """Whether arrows alone lead in a circle."""
        rest = set(self.directed)
        while rest:
            effects = {effect for _, effect in rest}
            free = {(cause, effect) for cause, effect in rest if cause not in effects}
            if not free:
                return True
            rest -= free
        return False

    def differing_pairs(self, other):
        """How many pairs are joined differently."""

        def marks(graph):
            return {tuple(sorted(pair)): pair for pair in graph.directed} | {p: None for p in graph.undirected}

        ours, theirs = marks(self), marks(other)
        pairs = ours.keys() | theirs.keys()
        return sum(ours.get(pair, "apart") != theirs.get(pair, "apart") for pair in pairs)


@dataclass
class Outcome:
    """What a method found on one data set, and what it took."""

    graph: Class
    cpu_seconds: float
    dag: np.ndarray | None = None


@dataclass
class Data:
    """One simulated table."""

    path: Path
    values: np.ndarray
    truth: np.ndarray


class Ours:
    """Our binary on one thread."""

    def __init__(self, binary, work):
        self.binary, self.work = str(binary), Path(work)

    def simulate(self, name, *options):
        """The table that `simulate` makes with these options."""
        out = self.work / name
        if not (out / "truth.csv").exists():
            self._run("simulate", *options, "--out", out, "--quiet")
        return Data(out / "data.csv", _numbers(out / "data.csv", 0), _numbers(out / "truth.csv", 1))

    def discover(self, data, *options):
        """What `discover` finds; CPU seconds of the whole process, reading included."""
        before = _children()
        text = self._run("discover", data.path, *options, "--threads", 1, "--format", "json", "--quiet", "--no-progress")
        seconds = _children() - before
        result = json.loads(text)
        place = {name: at for at, name in enumerate(result["data"]["variables"])}
        pairs = lambda key: {(place[a], place[b]) for a, b in result["cpdag"][key]}
        graph = Class(pairs("directed"), {tuple(sorted(pair)) for pair in pairs("undirected")})
        dag = np.zeros((len(place), len(place)), dtype=int)
        for edge in result["graph"]["edges"]:
            dag[place[edge["from"]], place[edge["to"]]] = 1
        return Outcome(graph, seconds, dag), result

    def _run(self, *arguments):
        command = [self.binary, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stop_after(seconds):
    """Ends the process with a word about it when it has used so many CPU seconds from now on."""

    def give_up(*_):
        os.write(1, b'"too-long"\n')
        os._exit(0)

    signal.signal(signal.SIGXCPU, give_up)
    limit = int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def timed(work):
    """The result of `work` and the CPU seconds it took in this process, at most CPU_SECONDS."""
    if CPU_SECONDS is not None:
        stop_after(CPU_SECONDS)
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def bic(dag, values):
    """Gaussian BIC of a DAG (rows cause columns): -(n/2) ln(RSS/n) - (k/2) ln n, summed over the variables."""
    rows, columns = values.shape
    covariance = np.cov(values, rowvar=False, bias=True)
    total = 0.0
    for effect in range(columns):
        causes = np.flatnonzero(dag[:, effect])
        rest = covariance[effect, effect]
        if len(causes):
            shared = covariance[np.ix_(causes, [effect])]
            rest -= (shared.T @ np.linalg.solve(covariance[np.ix_(causes, causes)], shared)).item()
        total -= 0.5 * rows * np.log(rest) + 0.5 * len(causes) * np.log(rows)
    return total


def table(heads, rows):
    """Prints rows under heads, as Markdown."""
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row) + " |")


def _children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _numbers(path, first):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell) for cell in row[first:]] for row in rows])

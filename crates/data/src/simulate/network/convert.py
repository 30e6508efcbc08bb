#!/usr/bin/env python3
"""Writes files/*.txt from the networks inside the PyPI package pgmpy 1.1.2.

    pip download pgmpy==1.1.2 --no-deps && ./convert.py pgmpy-1.1.2-py3-none-any.whl
"""

import gzip
import itertools
import json
import re
import sys
import zipfile
from pathlib import Path

DISCRETE = ["alarm", "insurance", "hailfinder"]
GAUSSIAN = ["ecoli70", "magic-irri", "arth150"]
FILES = Path(__file__).resolve().parent / "files"

# Tables read None as missing.
LEVELS = {"None": "none"}


def discrete(text):
    """A BIF file: a line `name: levels | parents`, then a line of probabilities for each joint value of the parents."""
    levels = {name: re.split(r",\s*", values.strip())
              for name, values in re.findall(r"variable\s+(\S+)\s*\{\s*type discrete\s*\[[^\]]*\]\s*\{([^}]*)\}", text)}
    blocks = {}
    for head, body in re.findall(r"probability\s*\(([^)]*)\)\s*\{([^}]*)\}", text):
        name, _, parents = (part.strip() for part in head.partition("|"))
        rows = [re.match(r"(?:table|\(([^)]*)\))(.*)", line.strip(), re.S) for line in body.split(";") if line.strip()]
        key = lambda values: tuple(re.split(r",\s*", values.strip())) if values else ()
        blocks[name] = re.split(r",\s*", parents) if parents else [], {key(row[1]): row[2] for row in rows}
    for name in levels:
        parents, rows = blocks[name]
        called = [LEVELS.get(level, level) for level in levels[name]]
        yield f"{name}: {' '.join(called)} | {' '.join(parents)}".rstrip(" |")
        for values in itertools.product(*(levels[parent] for parent in parents)):
            yield " ".join(shortest(number) for number in rows[values].split(","))


def gaussian(text, prefix):
    """A line `name: intercept variance | parent*coefficient …` for each variable."""
    network = json.loads(text)
    for name in network["nodes"]:
        law = network["cpds"][name]
        slopes = [f"{prefix}{parent}*{law['coefficients'][parent][0]}" for parent in law["parents"]]
        intercept = law["coefficients"]["(Intercept)"][0]
        yield f"{prefix}{name}: {intercept} {law['variance'][0]} | {' '.join(slopes)}".rstrip(" |")


def shortest(number):
    """The same number in fewer characters."""
    return repr(float(number)).removesuffix(".0")


def main(wheel):
    with zipfile.ZipFile(wheel) as package:
        read = lambda name: package.read(f"pgmpy/utils/example_models/{name}")
        for name in DISCRETE:
            save(name, discrete(gzip.decompress(read(f"{name}.bif.gz")).decode()))
        for name in GAUSSIAN:
            # The genes of arth150 are numbers, which no header may consist of.
            save(name, gaussian(read(f"{name}.json"), "g" if name == "arth150" else ""))


def save(name, lines):
    (FILES / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])

"""Data that many tests share."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gflowcausal

ROOT = Path(__file__).resolve().parents[3]
QUICK = {"iterations": 30, "samples": 100, "hidden": 16, "batch_size": 16}


@pytest.fixture(scope="session")
def simulated() -> gflowcausal.Simulated:
    return gflowcausal.simulate(nodes=6, edges=7, rows=400, seed=5)


@pytest.fixture(scope="session")
def mixed():
    """A frame with numbers, categories, flags and text."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    ward = rng.integers(0, 3, 300)
    dose = ward + rng.normal(size=300)
    return pandas.DataFrame(
        {
            "ward": pandas.Categorical.from_codes(ward, ["north", "south", "west"]),
            "dose": dose,
            "ill": (dose + rng.normal(size=300)) > 1,
            "sex": np.where(rng.random(300) < 0.5, "f", "m"),
        }
    )


@pytest.fixture(scope="session")
def command():
    """Runs the command line and gives what it prints."""
    program = Path(os.environ.get("GFLOWCAUSAL", ROOT / "target/debug/gflowcausal"))
    if not program.exists():
        pytest.skip(f"the program {program} is not built")

    def run(*words: object):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def command_json(command):
    return lambda *words: json.loads(command(*words, "--format", "json"))

"""What "coming from another package" says of this one runs as it stands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gflowcausal

PAGE = (Path(__file__).resolve().parents[3] / "docs/coming-from.md").read_text()


def ours(language: str) -> list[str]:
    """What follows `# here` in the blocks of a language."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    return [part for block in blocks for part in re.findall(r"^# here.*?\n(.*)", block, re.S | re.M)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    frame = gflowcausal.simulate(nodes=5, edges=5, rows=200, seed=1).to_pandas()
    frame.columns = ["A", "B", "C", "D", "E"]
    frame.to_csv("data.csv", index=False)
    Path("k.txt").write_text("/knowledge\naddtemporal\n1 A\n2 B C D E\n")
    return frame


def test_python_code_of_ours_runs(folder):
    parts = ours("python")
    assert len(parts) == 3
    theirs = [[0, -1, 0], [1, 0, 0], [0, 0, 0]]
    space = {"df": folder, "cg_of_causal_learn": theirs, "gflowcausal": gflowcausal}
    for part in parts:
        exec(compile(part, "coming-from.md", "exec"), space)
    assert gflowcausal.Graph.from_causal_learn(theirs).to_adjacency()[0, 1] == 1, "[i, j] = -1 is i -> j"


def test_commands_of_ours_run(folder):
    program = os.environ.get("GFLOWCAUSAL")
    command = [program] if program else [sys.executable, "-m", "gflowcausal"]
    parts = ours("sh")
    assert len(parts) == 2
    for part in parts:
        for line in filter(None, part.splitlines()):
            name, *arguments = shlex.split(line)
            assert name == "gflowcausal"
            done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}: {done.stderr}"
        shutil.rmtree("run")

"""The notebooks run from top to bottom, and what they show is committed and small."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    shutil.copytree(FOLDER / "data", tmp_path / "data")
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_shows_its_outputs(path):
    assert path.stat().st_size < 100_000
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert sum(bool(cell["outputs"]) for cell in cells) >= len(cells) / 2


def test_there_are_notebooks():
    real = {"diabetes", "wine", "sachs", "sachs_interventions", "election_survey", "smoking", "economy"}
    assert {path.stem for path in NOTEBOOKS} == {"from_csv_to_graph", "comparing_methods", *real}

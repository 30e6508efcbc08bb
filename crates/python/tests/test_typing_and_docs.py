"""Types and examples of the documentation hold."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gflowcausal

FOLDER = Path(__file__).resolve().parents[1]
ROOT = FOLDER.parents[1]
MODULES = [name for _, name, _ in pkgutil.iter_modules(gflowcausal.__path__) if name != "_native"]


def test_version_is_that_of_the_workspace():
    manifest = (ROOT / "Cargo.toml").read_text()
    assert f'version = "{gflowcausal.__version__}"' in manifest


@pytest.mark.parametrize("name", ["gflowcausal", *(f"gflowcausal.{module}" for module in MODULES)])
def test_examples_in_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0 or not re.search("^ *>>>", Path(importlib.import_module(name).__file__).read_text(), re.M)


@pytest.mark.parametrize("path", [FOLDER / "README.md", ROOT / "README.md", ROOT / "docs/guide.md"])
def test_python_in_the_documentation_runs(path, tmp_path, monkeypatch, mixed):
    pytest.importorskip("networkx")
    monkeypatch.chdir(tmp_path)
    gflowcausal.simulate(nodes=5, edges=5, rows=300, seed=1).to_pandas().to_csv("data.csv", index=False)
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), re.S)
    assert blocks
    space: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), space)


def test_everything_public_is_documented():
    for name in gflowcausal.__all__:
        if name != "__version__":
            assert getattr(gflowcausal, name).__doc__, name


def test_the_package_is_typed():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_users_are_typed(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "use.py"
    program.write_text(
        "import gflowcausal\n"
        "model = gflowcausal.GFlowCausal(score='bic', seed=3).fit('sachs')\n"
        "reveal_type(model.graph_)\n"
        "reveal_type(model.sample(3)[0].log_reward)\n"
        "gflowcausal.GFlowCausal(seed='three')\n"
        "gflowcausal.discover('sachs', method='gess')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", str(program)]
    paths = {**os.environ, "MYPYPATH": str(FOLDER / "python")}
    done = subprocess.run(command, cwd=tmp_path, env=paths, capture_output=True, text=True, check=False)
    assert 'Revealed type is "gflowcausal._graph.Dag"' in done.stdout, done.stdout
    assert 'Revealed type is "float"' in done.stdout or '"builtins.float"' in done.stdout, done.stdout
    assert '"seed" to "GFlowCausal" has incompatible type "str"' in done.stdout, done.stdout
    assert '"method" to "discover" has incompatible type' in done.stdout, done.stdout


def test_the_stub_lists_what_the_native_half_has():
    from gflowcausal import _native

    stub = (FOLDER / "python/gflowcausal/_native.pyi").read_text()
    listed = set(re.findall(r"^(?:def|class) (\w+)", stub, re.M)) | {"VERSION"}
    assert listed == {name for name in dir(_native) if not name.startswith("_")}
    for kind in ("Table", "Moments", "Graph", "Fit"):
        body = re.search(rf"^class {kind}:\n((?:    .*\n|\n)*)", stub, re.M)
        assert body is not None
        methods = {name for name in re.findall(r"def (\w+)", body[1]) if not name.startswith("__")}
        assert methods == {name for name in dir(getattr(_native, kind)) if not name.startswith("_")}


def test_no_link_of_the_documentation_leads_nowhere(tmp_path):
    pytest.importorskip("markdown")
    report = tmp_path / "report.html"
    report.write_text("<title>a run</title>")
    places = [ROOT / "scripts/site.py", ROOT / "docs", tmp_path / "site", "--notebooks", FOLDER / "notebooks"]
    command = [sys.executable, *map(str, places), "--report", str(report), "--api"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    notebooks = {f"notebook-{path.stem}" for path in (FOLDER / "notebooks").glob("*.ipynb")}
    assert pages | notebooks <= {page.stem for page in (tmp_path / "site").glob("*.html")}
    assert 'href="gallery/report.html"' in (tmp_path / "site/gallery.html").read_text()

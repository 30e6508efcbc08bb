"""Runs a script in a virtual environment of its own, made on first use from the list of packages beside it."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_THREAD = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"]


def enter():
    """Starts the running script again inside the environment, with one thread for every numeric library."""
    venv = HERE / ".venv"
    if Path(sys.prefix) == venv:
        return
    if not (venv / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-q", "--no-deps", "-r", str(HERE / "requirements.txt")]
        subprocess.run(pip, check=True)
        (venv / "ready").touch()
    environment = os.environ | {name: "1" for name in ONE_THREAD}
    python = str(venv / "bin" / "python")
    os.execve(python, [python, *sys.argv], environment)

"""Runs a script in a virtual environment of its own, made on first use from requirements.txt beside it."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
ONE_THREAD = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"]


def enter():
    """Starts the running script again inside the environment, with one thread for every numeric library."""
    if Path(sys.prefix) == VENV:
        return
    if not (VENV / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", "-r", str(HERE / "requirements.txt")]
        subprocess.run(pip, check=True)
        (VENV / "ready").touch()
    environment = os.environ | {name: "1" for name in ONE_THREAD}
    python = str(VENV / "bin" / "python")
    os.execve(python, [python, *sys.argv], environment)

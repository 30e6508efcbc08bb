"""The command line: ``gflowcausal``, and ``python -m gflowcausal``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from . import _native


def main() -> int:
    """Runs the command line with the arguments of this process, and gives its exit code."""
    # Python's own handler would only set a flag that nobody reads: the program has one of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # `bench` starts runs of its own.
    for script in (Path(sys.argv[0]), Path(sys.executable).with_name("gflowcausal")):
        if script.name == "gflowcausal" and os.access(script, os.X_OK):
            os.environ.setdefault("GFLOWCAUSAL_PROGRAM", str(script.resolve()))
    return _native.command_line(["gflowcausal", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

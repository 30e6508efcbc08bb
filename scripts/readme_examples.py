"""Runs the examples of a README as its reader would: `readme_examples.py README.md`, with the package installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(block, sys.argv[1], "exec"), {})
    program = shutil.which("gflowcausal", path=sysconfig.get_path("scripts"))
    if program is None:
        raise SystemExit("the wheel brought no command `gflowcausal`")
    for command in ([program], [sys.executable, "-m", "gflowcausal"]):
        subprocess.run([*command, "discover", "sachs", "--quiet"], check=True)
    print("the examples run")


if __name__ == "__main__":
    main()

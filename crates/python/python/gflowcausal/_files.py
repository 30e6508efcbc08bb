"""Files that users name, read and written with the errors of this package."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import ArgumentError, FileError, GFlowCausalError


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """What a file holds."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _refused("read", path, error, ArgumentError) from error


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Replaces what a file holds."""
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise _refused("write", path, error, FileError) from error


def _refused(
    action: str, path: str | os.PathLike[str], error: OSError, kind: type[GFlowCausalError]
) -> GFlowCausalError:
    code = {FileNotFoundError: "not-found", PermissionError: "no-permission"}.get(type(error), "unreadable")
    return kind(f"cannot {action} '{os.fspath(path)}': {error.strerror}", code, "check the path")

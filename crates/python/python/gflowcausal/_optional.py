"""Packages that are used only where somebody asks for them."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from ._errors import MissingPackageError


def need(package: str, purpose: str) -> ModuleType:
    """The package, or an exception that says what it is needed for."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        top = package.partition(".")[0]
        message = f"{purpose} needs the package {top}, which is not installed"
        raise MissingPackageError(message, "missing-package", f"pip install {top}") from error


def is_instance(value: Any, package: str, *names: str) -> bool:
    """Whether ``value`` is of a class of a package, which is not imported for the question."""
    module = sys.modules.get(package)
    kinds = tuple(getattr(module, name) for name in names if hasattr(module, name))
    return bool(kinds) and isinstance(value, kinds)

"""Builds the package by maturin, and says by name what is missing where Rust is."""

from __future__ import annotations

import re
import shutil
import subprocess

import maturin
from maturin import build_sdist, get_requires_for_build_sdist  # noqa: F401

#: The oldest Rust that the workspace takes (`rust-version` in its Cargo.toml).
OLDEST = (1, 89)

ADVICE = (
    f"gflowcausal is compiled by Rust {OLDEST[0]}.{OLDEST[1]} or later, {{what}}. Install Rust from https://rustup.rs "
    "(`rustup update` brings an older one up to date) and try again, or install a prebuilt wheel, which needs no compiler."
)


def need_rust() -> None:
    """Ends the build in one sentence if there is no Rust, or one that is too old."""
    if shutil.which("cargo") is None:
        raise SystemExit(ADVICE.format(what="and there is no `cargo` on the path"))
    said = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    if found and (int(found[1]), int(found[2])) < OLDEST:
        raise SystemExit(ADVICE.format(what=f"and this is {found[0]}"))


def get_requires_for_build_wheel(config_settings=None):
    need_rust()
    return maturin.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings=None):
    need_rust()
    return maturin.get_requires_for_build_editable(config_settings)


def prepare_metadata_for_build_wheel(*arguments, **settings):
    need_rust()
    return maturin.prepare_metadata_for_build_wheel(*arguments, **settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(*arguments, **settings):
    need_rust()
    return maturin.build_wheel(*arguments, **settings)


def build_editable(*arguments, **settings):
    need_rust()
    return maturin.build_editable(*arguments, **settings)

"""uv with the package sources of pip, which it does not read, and with empty folders of its own."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}
"""Settings of pip and the variables of uv with the same meaning."""
UNREACHABLE = re.compile(r"error sending request|was not found in the package registry|network connectivity", re.I)
"""What uv prints if it reaches no packages."""


def find_uv() -> str:
    """Return the path of uv, or skip."""
    beside = Path(sys.executable).with_name("uv")
    if uv := str(beside) if beside.exists() else shutil.which("uv"):
        return uv
    pytest.skip("uv is not installed")


def uv_variables(folder: Path) -> dict[str, str]:
    """Return the environment of a uv that finds packages where pip does, and installs below a folder."""
    folders = {f"UV_{name}_DIR": str(folder / "uv" / name.lower()) for name in ("CACHE", "TOOL", "TOOL_BIN")}
    choices = {"UV_PYTHON_DOWNLOADS": "never", "UV_INDEX_STRATEGY": "unsafe-best-match", "UV_NO_CONFIG": "1"}
    return {**os.environ, **_pip_sources(), **folders, **choices}


def run_uv(folder: Path, *words: str) -> str:
    """Run uv in a folder and return what it prints; skip if it reaches no packages."""
    command = [find_uv(), *words]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=uv_variables(folder))
    if process.returncode and UNREACHABLE.search(process.stderr):
        pytest.skip("uv reaches no packages")
    assert not process.returncode, process.stderr
    return process.stdout


def _pip_sources() -> dict[str, str]:
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    sources: dict[str, str] = {}
    for line in lines:  # such as global.find-links='/srv/wheels'; variables of the environment come first
        name, _, value = line.partition("=")
        setting = name.rpartition(".")[2]
        if variable := VARIABLES.get(setting):
            sources.setdefault(variable, " ".join(ast.literal_eval(value).split()))
    if "UV_FIND_LINKS" in sources:
        sources["UV_FIND_LINKS"] = sources["UV_FIND_LINKS"].replace(" ", ",")
    return sources

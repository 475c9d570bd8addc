"""A fresh virtual environment in which a user's `pip install` works without a network.

The packages come from wheels that are packed again from this environment: exactly those that pyproject.toml declares,
so that a dependency that is used but not declared is noticed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.extras import base_requirements, declared_requirements
from tests.support.wheels import packed_again

BUILD_TOOLS = ("hatchling", "hatch-vcs", "editables")


def list_dependencies(requirements: Iterable[str]) -> set[str]:
    """Return the names of all installed packages that requirements need, such as `auricle[api]`, except Auricle."""
    names: set[str] = set()
    waiting, seen = [Requirement(text) for text in requirements], set()
    while waiting:
        requirement = waiting.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        if requirement.name == "auricle":
            waiting += [
                *base_requirements(),
                *(need for name in requirement.extras for need in declared_requirements(name)),
            ]
            continue
        name = canonicalize_name(requirement.name)
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:  # for another platform
            continue
        names.add(name)
        for need in map(Requirement, needs):
            if need.marker is None or any(
                need.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)
            ):
                waiting.append(need)
    return names


def make_environment(folder: Path, requirements: Iterable[str]) -> Path:
    """Create an environment with nothing but pip, which finds the packages that requirements need, and no others."""
    shelf = folder / "wheels"
    shelf.mkdir()
    for name in list_dependencies([*requirements, *BUILD_TOOLS]):
        packed_again(shelf, name)
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    settings = ["[global]", "no-index = true", f"find-links = {shelf}", "disable-pip-version-check = true"]
    settings += ["[install]", "no-compile = no"]  # "no" turns compiling off: pip reads the value of the negated option
    (environment / "pip.conf").write_text("\n".join([*settings, ""]))
    return environment

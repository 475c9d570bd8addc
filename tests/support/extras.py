"""Skip tests that need packages of an extra that is not installed."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.support import paths


@cache
def read_project() -> dict[str, Any]:
    """Return the table `project` of `pyproject.toml`."""
    project: dict[str, Any] = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def base_requirements() -> tuple[Requirement, ...]:
    """Return what this project requires without any extra."""
    return tuple(map(Requirement, read_project()["dependencies"]))


@cache
def declared_requirements(extra: str) -> tuple[Requirement, ...]:
    """Return what an extra of this project declares, with the extras it includes."""
    requirements: list[Requirement] = []
    for text in read_project()["optional-dependencies"][extra]:
        requirement = Requirement(text)
        if requirement.name == read_project()["name"]:
            requirements += [item for name in sorted(requirement.extras) for item in declared_requirements(name)]
        else:
            requirements.append(requirement)
    return tuple(requirements)


@cache
def is_installed(extra: str) -> bool:
    return all(_is_package_installed(requirement.name) for requirement in declared_requirements(extra))


def require_extra(extra: str) -> None:
    """Skip the test, fixture or module that calls this if a package of the extra is not installed."""
    if not is_installed(extra):
        pytest.skip(f"needs the extra '{extra}': pip install -e '.[{extra}]'", allow_module_level=True)


def _is_package_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True

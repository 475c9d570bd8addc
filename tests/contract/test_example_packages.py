"""The example packages, and those that `auricle new` writes, install, pass their own checks and work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from auricle.cli.new import REGISTRIES, build_names, write_package
from tests.support.paths import EXAMPLES

pytestmark = pytest.mark.slow
EXAMPLE_PACKAGES = tuple(EXAMPLES / f"{name}-package" for name in ("benchmark", "lid", "model"))


def run(*words: str | Path, folder: Path, site: Path) -> str:
    """Run a Python module in a folder, with the packages of `site` installed, and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", *map(str, words)]
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write a package of every kind, and return their folders and those of the examples."""
    folder = tmp_path_factory.mktemp("written")
    for kind in REGISTRIES:
        write_package(kind, folder / kind, build_names(kind, f"my-{kind}"))
    return [*EXAMPLE_PACKAGES, *(folder / kind for kind in REGISTRIES)]


@pytest.fixture(scope="module")
def site(packages: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the packages with pip into a folder of their own."""
    target = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    run("pip", "install", *options, "--target", target, *packages, folder=target, site=target)
    return target


def test_packages_pass_their_own_tests(packages: list[Path], site: Path, tmp_path: Path) -> None:
    options = ["-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-W", "error", "-c", os.devnull]
    tests = [package / "tests" for package in packages]
    output = run("pytest", *options, "--rootdir", tmp_path, *tests, folder=tmp_path, site=site)
    assert "passed" in output
    assert "skipped" not in output


def test_packages_pass_their_own_lint(packages: list[Path], site: Path) -> None:
    for package in packages:
        run("ruff", "check", "--no-cache", ".", folder=package, site=site)
        run("ruff", "format", "--no-cache", "--check", ".", folder=package, site=site)


def test_the_example_model_solves_the_example_benchmark(site: Path, tmp_path: Path) -> None:
    command = ["auricle", "run", "pitch-order", "-m", "pitch-listener", "-o", "run"]
    assert "100.00 %" in run(*command, folder=tmp_path, site=site)
    assert "Always recognised from 1 semitone on." in (tmp_path / "run" / "report.html").read_text()
    listed = run("auricle", "list", "tasks", folder=tmp_path, site=site)
    assert "Is the second of two tones higher or lower? (en; CC0; from auricle-pitch-order 1.0.0)" in listed

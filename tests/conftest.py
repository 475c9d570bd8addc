"""Fixtures for all tests: manifests, audio files and the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

# pytest rewrites the asserts of every package that has a plugin, which doubles the time until the tests are collected.
for finder in sys.meta_path:
    getattr(finder, "_must_rewrite", set()).discard("auricle")

from auricle.core.entry_points import forget_installed_packages
from auricle.core.redaction import SECRETS
from auricle.engine.catalogue import TASKS
from auricle.metrics.catalogue import METRICS
from auricle.models.catalogue import MODELS
from tests.support import paths
from tests.support.packages import EntryPoints, write_package
from tests.support.warm_cli import WarmCli, needs_new_process

os.environ.pop("COLUMNS", None)  # workers of pytest-xdist have it, and tables would be folded

pytest_plugins = ["tests.support.run_rules", "tests.support.object_stores", "auricle.testing.pytest_plugin"]
SHARED = paths.SHARED_DATA
InstallPackage = Callable[..., None]


@pytest.fixture(autouse=True)
def _forget_modules_of_the_test(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remove modules that the test wrote, because other tests write modules of the same name."""
    with _forget_written_modules(tmp_path_factory.getbasetemp()):
        yield


@pytest.fixture(autouse=True, scope="module")
def _forget_modules_of_the_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remove modules that fixtures of a test file wrote, too."""
    with _forget_written_modules(tmp_path_factory.getbasetemp()):
        yield


@contextmanager
def _forget_written_modules(folder: Path) -> Iterator[None]:
    path_before, modules_before = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = path_before
    for name in sys.modules.keys() - modules_before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture(autouse=True)
def _forget_names_of_the_test() -> Iterator[None]:
    """Remove the models, tasks and metrics that the test registered, because other tests list all of them."""
    before = [(registry, {*registry._registered}, {*registry._local}) for registry in (MODELS, TASKS, METRICS)]
    yield
    for registry, registered, local in before:
        registry._local &= local
        for name in registry._registered.keys() - registered:
            del registry._registered[name]


@pytest.fixture(autouse=True)
def _forget_secrets() -> Iterator[None]:
    """Remove the secrets that the test registered."""
    yield
    SECRETS.clear()


@pytest.fixture
def install(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[InstallPackage]:
    """Return a function that installs a package for this test: its name, entry points and code."""
    site = tmp_path_factory.mktemp("site")
    monkeypatch.syspath_prepend(site)

    def install_package(name: str, entry_points: EntryPoints, code: str = "") -> None:
        write_package(site, name, entry_points, code)
        forget_installed_packages()

    yield install_package
    monkeypatch.undo()
    forget_installed_packages()


@pytest.fixture
def manifest(tmp_path: Path) -> Any:
    """Return a function that writes rows as JSON lines; strings are written unchanged."""

    def write(rows: Any, name: str = "mine.jsonl") -> Any:
        path = tmp_path / name
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def tone(tmp_path: Path) -> Any:
    """Return a function that writes a tone as a WAV file."""

    def write(name: Any, seconds: float = 0.1, rate: int = 16_000) -> Any:
        path = tmp_path / name
        wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
        soundfile.write(path, wave.astype(np.float32), rate)
        return path

    return write


@pytest.fixture(scope="session")
def warm() -> Iterator[Any]:
    """Start a process that has imported the command line, which saves most of the time of a short call."""
    server = WarmCli()
    yield server
    server.close()


@pytest.fixture
def auricle(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> Any:
    """Return a function that runs the command line in an empty folder."""
    scratch = tmp_path_factory.mktemp("output")

    def call(*words: Any, env: dict[str, str] | None = None, **options: Any) -> Any:
        if not options and not (env and needs_new_process(env)):
            return warm([str(word) for word in words], tmp_path, scratch, env)
        command = [sys.executable, "-m", "auricle", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, **options)

    return call


@pytest.fixture
def begin(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> Any:
    """Return a function that starts the command line without waiting for its end."""
    scratch = tmp_path_factory.mktemp("output")
    return lambda *words: warm.start([str(word) for word in words], tmp_path, scratch)


@pytest.fixture
def real_speech() -> Any:
    """Return a folder of recordings that are not part of the project, or skip."""
    folder = SHARED / "prompts-en"
    if not folder.exists():
        pytest.skip(f"no real recordings at {folder}")
    return folder

"""What tests share: manifests, sounds and the command line."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.support import paths
from tests.support.warm_cli import Warm

SHARED = paths.SHARED_DATA


@pytest.fixture(autouse=True)
def _what_a_test_wrote_does_not_stay_imported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Tests write modules of like names; the next is to import its own."""
    paths, known = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = paths
    base = str(tmp_path_factory.getbasetemp())
    for name in sys.modules.keys() - known:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(base):
            del sys.modules[name]


@pytest.fixture
def manifest(tmp_path: Path) -> Any:
    """Write rows as JSON lines; a string is written as it is."""

    def write(rows: Any, name: str = "mine.jsonl") -> Any:
        path = tmp_path / name
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def tone(tmp_path: Path) -> Any:
    """Write a tone as a WAV file."""

    def write(name: Any, seconds: float = 0.1, rate: int = 16_000) -> Any:
        path = tmp_path / name
        wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
        soundfile.write(path, wave.astype(np.float32), rate)
        return path

    return write


@pytest.fixture(scope="session")
def warm() -> Iterator[Any]:
    """The command line with its imports done: most of a short call's time."""
    server = Warm()
    yield server
    server.close()


@pytest.fixture
def auricle(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> Any:
    """The command line as a user has it, in a folder of its own."""
    scratch = tmp_path_factory.mktemp("said")

    def call(*words: Any, **options: Any) -> Any:
        if not options:
            return warm([str(word) for word in words], tmp_path, scratch)
        command = [sys.executable, "-m", "auricle", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, **options)

    return call


@pytest.fixture
def begin(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, warm: Any) -> Any:
    """The command line begun and left running, to be killed."""
    scratch = tmp_path_factory.mktemp("said")
    return lambda *words: warm.start([str(word) for word in words], tmp_path, scratch)


@pytest.fixture
def real_speech() -> Any:
    """Recordings that are not part of the project."""
    folder = SHARED / "prompts-en"
    if not folder.exists():
        pytest.skip(f"no real recordings at {folder}")
    return folder

"""Fixtures for tests of models, which these tests themselves use."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle import Audio, Generation, load_model, testing
from auricle.core.types import Request
from auricle.testing import FakeServer


def test_each_server_has_its_own_script(fake_server: Callable[..., FakeServer]) -> None:
    first, second = fake_server(reply="yes"), fake_server(reply="no")
    for server, expected in ((first, "yes"), (second, "no")):
        with load_model("openai", base_url=server.url, model="fake") as model:
            answer = model.ask(text="Is this on?")
        assert isinstance(answer, Generation)
        assert answer.text == expected


def test_sounds_and_requests_are_those_of_the_functions(
    sample_sounds: dict[str, Audio], sample_requests: dict[str, Request], tmp_path: Path
) -> None:
    assert sample_sounds.keys() == testing.sample_sounds(tmp_path).keys()
    assert sample_requests == testing.sample_requests(sample_sounds)


@pytest.mark.slow
def test_the_fixtures_are_enabled_by_one_line(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["auricle.testing.pytest_plugin"]\n', encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(
        "def test_mine(fake_server, sample_sounds, sample_requests):\n"
        "    assert fake_server().url and sample_sounds and sample_requests\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 passed" in process.stdout, process.stdout + process.stderr

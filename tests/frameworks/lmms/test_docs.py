"""The commands and files on the page about lmms-eval work."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from auricle.cli import cli
from auricle.frameworks.lmms.config_reader import OUTPUT_TYPES, UNSUPPORTED_FIELDS
from auricle.frameworks.lmms.scoring import FILTERS, LIKELIHOOD_METRICS
from auricle.runs.run_directory import Run
from tests.support import paths

pytestmark = pytest.mark.slow

PAGE = paths.DOCS / "coming-from/lmms-eval.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)


def files() -> dict[str, str]:
    """Return the files on the page, named above a block or in its first line."""
    named = re.findall(r"`([\w.]+)`:?\n\n```\w+\n(.*?)^```$", TEXT, re.S | re.M)
    bodies = [body for language, body in BLOCK.findall(TEXT) if language == "python"]
    headed = [(match[1], body) for body in bodies if (match := re.match(r"# (\w+\.py)", body))]
    return dict(named + headed)


def commands() -> list[str]:
    bodies = [body for language, body in BLOCK.findall(TEXT) if language == "sh"]
    return [line for body in bodies for line in body.splitlines() if line.startswith("auricle ")]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    for name, body in files().items():
        (folder / name).write_text(body, encoding="utf-8")
    for number, size in enumerate((8_000, 16_000)):
        wave = 0.3 * np.sin(np.arange(size) / 6)
        soundfile.write(folder / f"{number}.wav", wave.astype(np.float32), 16_000)
    return folder


def test_the_page_shows_every_file_it_uses() -> None:
    assert {*files()} == {"rows.jsonl", "my_model.py", "my_task.yaml", "utils.py"}


def test_every_command_of_the_page_runs(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    assert len(commands()) == 10
    for command in commands():
        result = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"
    for name in ("mine", "back"):
        records = Run.load(workspace / "runs" / name).records()
        assert {getattr(record.outputs[0], "text", "") for record in records} == {"one", "two"}


@pytest.mark.parametrize("name", [*OUTPUT_TYPES[2:], *UNSUPPORTED_FIELDS, *FILTERS, *LIKELIHOOD_METRICS])
def test_supported_and_unsupported_fields_are_listed(name: str) -> None:
    assert name in TEXT

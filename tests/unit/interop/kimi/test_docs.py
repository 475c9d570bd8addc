"""The page for people who come from Kimi-Audio-Evalkit: everything on it works."""

import re
import shlex
from typing import Any

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.interop.kimi.datasets import GROUPS
from auricle.runs.run_directory import Run
from tests.support import paths

PAGE = paths.DOCS / "coming-from-kimi-audio-evalkit.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
FLAGS = ("data", "work-dir", "reeval", "debug", "eval-method", "force-reinfer", "skip-eval")


def files() -> Any:
    """What the page says is in which file: named above a block, or in its first line."""
    named = re.findall(r"`([\w./-]+)`\n\n```\w+\n(.*?)^```$", TEXT, re.S | re.M)
    blocks = [body for language, body in BLOCK.findall(TEXT) if language == "python"]
    return dict(named + [(re.match(r"# (\w+\.py)", body).group(1), body) for body in blocks])


def commands() -> Any:
    """Every command on the page, in its order."""
    said = BLOCK.sub(lambda block: block[2] if block[1] == "sh" else "", TEXT).splitlines()
    whole = [line for line in said if line.startswith("auricle ")]
    cells = [each for line in said for each in re.findall(r"\| `(auricle [^`…]+)` \|", line)]
    return whole + cells


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder with every file that the page has, and two sounds."""
    import numpy as np
    import soundfile

    folder = tmp_path_factory.mktemp("kit")
    for name, body in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body, encoding="utf-8")
    for name in ("0.wav", "1.wav"):
        soundfile.write(folder / name, np.zeros(3200, np.float32), 16_000)
    return folder


def test_every_command_of_the_page_runs(kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kit)
    monkeypatch.delenv("PROJECT_CONFIG_PATH", raising=False)
    said = commands()
    assert len(said) > 12
    for command in said:
        words = shlex.split(command)[1:]
        own = ["--fresh"] if words[0] == "run" and "--fresh" not in words else []
        done = CliRunner().invoke(cli, [*words, *own])
        assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
    (first, _) = Run.load(kit / "runs" / "here").records()
    assert first.outputs[0].prompt == "Write down the speech: <|en|>"


@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_that_does_something_there_is_answered(flag: Any) -> None:
    assert f"--{flag}" in TEXT


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_is_named(group: Any) -> None:
    assert re.search(rf"(--data |`){group}`", TEXT)

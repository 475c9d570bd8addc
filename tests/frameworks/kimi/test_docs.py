"""The commands and files on the page about Kimi-Audio-Evalkit work."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from auricle.cli import cli
from auricle.core.types import Generation
from auricle.frameworks.kimi.datasets import GROUPS
from auricle.runs.run_directory import Run
from tests.support import paths
from tests.support.framework_results import write_letter_contexts

pytestmark = pytest.mark.slow

PAGE = paths.DOCS / "coming-from/kimi-audio-evalkit.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
FLAGS = ("data", "work-dir", "reeval", "debug", "eval-method", "force-reinfer", "skip-eval")


def files() -> dict[str, str]:
    """Return the files on the page, named above a block or in its first line."""
    named = re.findall(r"`([\w./-]+)`\n\n```\w+\n(.*?)^```$", TEXT, re.S | re.M)
    blocks = [body for language, body in BLOCK.findall(TEXT) if language == "python"]
    headed = [(match[1], body) for body in blocks if (match := re.match(r"# (\w+\.py)", body))]
    assert len(headed) == len(blocks)
    return dict(named + headed)


def commands() -> list[str]:
    """Return every command on the page, in order."""
    lines = BLOCK.sub(lambda block: block[2] if block[1] == "sh" else "", TEXT).splitlines()
    commands = [line for line in lines if line.startswith("auricle ")]
    cells = [command for line in lines for command in re.findall(r"\| `(auricle [^`…]+)` \|", line)]
    return commands + cells


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files of the page and two recordings."""
    import numpy as np
    import soundfile

    folder = tmp_path_factory.mktemp("kit")
    for name, body in files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body, encoding="utf-8")
    write_letter_contexts(folder)
    for name in ("0.wav", "1.wav"):
        soundfile.write(folder / name, np.zeros(3200, np.float32), 16_000)
    return folder


def test_every_command_of_the_page_runs(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kit)
    monkeypatch.delenv("PROJECT_CONFIG_PATH", raising=False)
    assert len(commands()) > 12
    for command in commands():
        arguments = shlex.split(command)[1:]
        fresh = ["--fresh"] if arguments[0] == "run" and "--fresh" not in arguments else []
        result = CliRunner().invoke(cli, [*arguments, *fresh])
        assert result.exit_code == 0, f"{command}\n{result.output}\n{result.exception!r}"
    (first, _) = Run.load(kit / "runs" / "here").records()
    (output,) = first.outputs
    assert isinstance(output, Generation)
    assert output.prompt == "Write down the speech: <|en|>"


@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_of_the_evalkit_is_explained(flag: str) -> None:
    assert f"--{flag}" in TEXT


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_is_mentioned(group: str) -> None:
    assert re.search(rf"(--data |`){group}`", TEXT)

"""The commands of pages, run with data and models that take the place of the reader's."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from auricle.app import server as app_server
from auricle.core.features import find_parts
from auricle.models.catalogue import MODELS
from auricle.studies.people.page.server import ListenServer
from auricle.testing import SimulatedListeners
from auricle.testing import commands as fake_server
from auricle.testing.fake_server import FakeServer
from tests.support import paths
from tests.support.code_blocks import ANY, is_run, list_pages, read_commands, read_page
from tests.support.page_data import PRELUDES, make_runs, run_command, write_data
from tests.support.page_models import SUBSTITUTES, Words

pytestmark = pytest.mark.slow
PAGES = {
    path.relative_to(paths.ROOT).as_posix(): blocks
    for path in list_pages()
    if any(map(is_run, blocks := read_page(path)))
}
PLACEHOLDERS = {"A": "runs/old", "B": "runs/human", "RUN": "runs/old", "TASK": "mine.yaml"}
VALUES = {
    "-m": {"MODEL": "echo", "A": "echo", "B": "whisper"},
    "--judge": {"MODEL": "judge.py:judge"},
    "--shards": {"400": "2"},
}
"""What takes the place of the values of an option."""
RUN_ELSEWHERE = {("demo",): "test_demo.py", ("demo", "voice"): "test_demo.py"}
"""Commands that take long, and the test that runs them."""
EXIT_CODES = {
    "perf": (0, 3),  # a load test is not valid on a machine that other tests keep busy
    "data": (0, 3),  # the copies of corpora in a test are incomplete
    "timestamps": (0, 3),  # the recogniser of the test reports no times
    "score": (0, 3),  # the judge of the test gives no verdict
    "gate": (0, 4, 5),  # the verdict is that on the runs of the test
}
"""Exit codes of commands that may be another than 0."""


async def start_and_stop(server: FakeServer, task: str) -> None:
    await server.start()
    await server.stop()


def let_people_answer(server: ListenServer, poll_interval: float) -> None:
    systems = server.session.test.systems
    SimulatedListeners(qualities={system.name: 3.0 for system in systems}).answer(server.session.folder)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the data, models and runs that pages name; models answer at once, and servers stop at once."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(folder.with_name("home")))
        substitutes = {name: model for model, names in SUBSTITUTES.items() for name in names}
        tested = find_parts("models")  # models without weights, for tests
        builtin = {name: substitutes.get(name, Words) for name in MODELS.builtin if name not in tested}
        patch.setattr(MODELS, "builtin", {**MODELS.builtin, **builtin})
        patch.setattr(MODELS, "_registered", {**MODELS._registered})  # where loaded models are kept
        patch.setattr(fake_server, "_serve_forever", start_and_stop)
        patch.setattr(ListenServer, "serve_forever", let_people_answer)
        patch.setattr(app_server, "serve", app_server.open_workspace)
        patch.setenv("MLFLOW_TRACKING_URI", folder.with_name("mlflow").as_uri())
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        write_data(folder)
        make_runs()
        yield folder


@pytest.fixture
def page_folder(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workspace for one page."""
    shutil.copytree(workspace, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_run(page: str, page_folder: Path) -> None:
    run_page(page, page_folder)


def run_page(page: str, folder: Path) -> None:
    for block in PAGES[page]:
        if block.file_name:
            (folder / block.file_name).write_text(block.body, encoding="utf-8")
    if prepare := PRELUDES.get(page):
        prepare(folder)
    for block in filter(is_run, PAGES[page]):
        commands = [words for program, *words in read_commands(block) if program == "auricle"]
        for words in commands:
            if tuple(words) not in RUN_ELSEWHERE:
                kind_or_command = "timestamps" if {"run", "timestamps"} <= {*words} else words[0]
                accepted = EXIT_CODES.get(kind_or_command, (0,))
                if block.exit_code and words is commands[-1]:
                    accepted = (block.exit_code,)
                run_command(replace_words(words, folder), accepted)


def replace_words(words: list[str], folder: Path) -> list[str]:
    """Return a command with files of the test instead of the reader's, a short duration and a free port."""
    words = [
        VALUES.get(option, PLACEHOLDERS).get(word, word)
        for option, word in itertools.pairwise(["", *words])
        if word != ANY
    ]
    words = [re.sub(r"^RUN/", "runs/old/", word) for word in words]
    words = [re.sub(r"(?<![\w.])(?:/data\b|~)", lambda match: f"{folder}{match[0].strip('~')}", word) for word in words]
    words = [name for word in words for name in (list_runs() if word == "runs/*" else [word])]
    if words[0] == "perf" and {"--load", "--data"} & {*words}:
        return [*words, *([] if "-m" in words else ["-m", "openai"]), "--duration", "0.2", "--warmup", "0"]
    if words[0] in ("fake-server", "ui") or words[:2] == ["listen-test", "serve"]:
        return [*words, "--port", "0"]
    return words


def list_runs() -> list[str]:
    """Return the runs of one task; a page with `runs/*` is about such a folder."""
    return sorted(str(path.parent) for path in Path("runs").glob("*/metrics.json") if "voice-" not in str(path))


@pytest.mark.parametrize(("words", "test"), RUN_ELSEWHERE.items())
def test_long_commands_are_run_by_another_test(words: tuple[str, ...], test: str) -> None:
    start = ", ".join(f'"{word}"' for word in words)
    assert f"auricle({start}, " in (Path(__file__).parent / test).read_text(encoding="utf-8")

"""The pages about realtime servers and about your own voice agent."""

import itertools
import re
import shlex
from pathlib import Path
from typing import Any, cast

import pytest

from auricle.cli.conformance import DIALECTS
from auricle.core.arguments import describe_arguments
from auricle.core.types import Call
from auricle.models.adapt import adapt
from auricle.models.base import SessionModel
from auricle.models.catalogue import MODELS
from auricle.models.sessions.cascade import read_rules
from auricle.models.sessions.driver import hold_call
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.testing.protocol_conformance.openai import OpenAISuite
from tests.support import paths
from tests.support.conformance import quick_settings
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import step

PAGE = (paths.DOCS / "realtime.md").read_text(encoding="utf-8")
AGENT_PAGE = (paths.DOCS / "sessions.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE + AGENT_PAGE, re.S) for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_models_and_arguments_that_exist(command: str) -> None:
    words = shlex.split(command)
    assert words[0] == "auricle"
    if words[1] == "conformance":
        assert {word for before, word in itertools.pairwise(words) if before == "--dialect"} <= set(DIALECTS)
        return
    arguments = {argument.name for argument in describe_arguments(MODELS.get(words[words.index("-m") + 1]))}
    given = {word.partition("=")[0] for before, word in itertools.pairwise(words) if before == "-M"}
    assert given <= arguments


def test_every_argument_is_on_the_page() -> None:
    table = PAGE[PAGE.index("## Arguments") : PAGE.index("## Dialects")]
    listed = set(re.findall(r"^\| `(\w+)`", table, re.M))
    names = {argument.name for model in (Realtime, GeminiLive) for argument in describe_arguments(model)}
    assert listed == names - {"api_key"}


def test_the_checks_of_the_third_party_server_are_those_of_today() -> None:
    table = PAGE[PAGE.index("### A third-party server") :]
    rows = re.findall(r"^\| (.+?) \| (?:supported|missing|wrong|unknown) \|", table, re.M)
    report = OpenAISuite(Realtime(model="m"), quick_settings(24_000)).report
    assert rows == list(report.names)


def read_block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", AGENT_PAGE, re.S)
    assert match
    return match[1]


def test_the_agent_of_a_few_lines_answers_after_half_a_second() -> None:
    scope: dict[str, Any] = {}
    exec(compile(read_block("python"), "page", "exec"), scope)
    model = cast(SessionModel, adapt(scope["Beeper"])())
    recording = run_in_virtual_time(hold_call(model, Call(steps=(step("say", 1.0),))))
    assert recording.text == "Beep."
    assert recording.agent[0].start == pytest.approx(1.5, abs=0.03)
    assert recording.agent[0].seconds == pytest.approx(1.0)


def test_the_rules_of_the_cascade_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(read_block("yaml"))
    assert [rule.tool for rule in read_rules(str(path))] == ["book_table", ""]

"""The page about realtime servers."""

import itertools
import re
import shlex

import pytest

from auricle.cli.conformance import DIALECTS
from auricle.core.arguments import describe_arguments
from auricle.models.catalogue import MODELS
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.testing.protocol_conformance.openai import OpenAISuite
from tests.support import paths
from tests.support.conformance import quick_settings

PAGE = (paths.DOCS / "realtime.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


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

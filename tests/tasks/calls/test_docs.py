"""The pages about realtime servers and about your own voice agent."""

import itertools
import re
import shlex
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from auricle.core.arguments import describe_arguments
from auricle.core.calls import EventKind, SessionEvent
from auricle.core.errors import InvalidEvent
from auricle.core.heard_speech import list_spoken_items
from auricle.core.types import Call
from auricle.models.adapt import adapt
from auricle.models.base import SessionModel
from auricle.models.catalogue import MODELS
from auricle.models.sessions.cascade import read_rules
from auricle.models.sessions.gemini_live import GeminiLive
from auricle.models.sessions.realtime import Realtime
from auricle.tasks.calls.call_scripts import parse_tools
from auricle.tasks.calls.live.driver import hold_call
from auricle.tasks.calls.live.event_checks import check_event
from auricle.testing.commands import DIALECTS
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


def read_block(file: str) -> str:
    """Return the block that begins with the name of its file."""
    match = re.search(rf"```\w+\n(# {re.escape(file)}\n.*?)```", AGENT_PAGE, re.S)
    assert match
    return match[1]


def load_agent(file: str, name: str) -> SessionModel:
    scope: dict[str, Any] = {}
    exec(compile(read_block(file), "page", "exec"), scope)
    return cast(SessionModel, adapt(scope[name])())


def test_the_agent_of_a_few_lines_answers_after_half_a_second() -> None:
    model = load_agent("agent.py", "Beeper")
    recording = run_in_virtual_time(hold_call(model, Call(steps=(step("say", 1.0),))))
    assert recording.text == "Beep."
    assert recording.agent[0].start == pytest.approx(1.5, abs=0.03)
    assert recording.agent[0].seconds == pytest.approx(1.0)


def test_the_host_books_a_table_and_stops_when_the_caller_interrupts(tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text(read_block("host.yaml"))
    script = yaml.safe_load(path.read_text())
    tools = tuple(parse_tools(script["tools"]))
    say, interrupt = step("say", 1.0), step("interrupt", 1.0, start="agent_start", delay=1.0)
    call = Call(steps=(say, interrupt), tools=tools)
    recording = run_in_virtual_time(hold_call(load_agent("host.py", "Host"), call))
    assert recording.tool_calls[0] == {"call_id": "call-1", "name": "book_table", "arguments": {"day": "Friday"}}
    assert recording.understood == "a table on Friday a table on Friday"
    first, second = list_spoken_items(recording)
    assert (first.heard, first.unheard) == ("Your table", "is booked, see you then.")
    assert second.heard == second.spoken
    assert recording.agent[0].seconds == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (7, "the session yielded int; expected a SessionEvent"),
        ({"kind": "speech_start"}, "Invalid kind 'speech_start' of a SessionEvent. Did you mean 'speech_started'?"),
        ({"kind": "step_started"}, "Invalid kind 'step_started'"),
        ({"kind": EventKind.TRANSCRIPT, "text": 3}, "Invalid text of a SessionEvent of kind transcript: 3, not a text"),
        ({"kind": "audio", "audio": [1, 2]}, "Invalid audio of a SessionEvent of kind audio: list, not a one-dim"),
        ({"kind": "final", "position": "1"}, "Invalid position of a SessionEvent of kind final: '1', not a number"),
        ({"kind": "tool_call", "data": {"name": "x"}}, 'Invalid data["arguments"] of a SessionEvent of kind tool_call'),
        ({"kind": "response_done", "data": {"status": "done"}}, """Invalid data["status"] 'done'"""),
    ],
)
def test_what_is_no_event_is_refused_with_what_is_allowed(event: Any, message: str) -> None:
    with pytest.raises(InvalidEvent, match=re.escape(message)):
        check_event(SessionEvent(**event) if isinstance(event, dict) else event)


def test_kinds_may_be_texts() -> None:
    assert check_event(SessionEvent(kind=cast(EventKind, "speech_started"))).kind is EventKind.SPEECH_STARTED


def test_the_rules_of_the_cascade_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(read_block("rules.yaml"))
    assert [rule.tool for rule in read_rules(str(path))] == ["book_table", ""]

"""A voice agent of local parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.calls import CallRecording, Tool
from auricle.core.errors import SpecError
from auricle.core.types import Call
from auricle.models.sessions.cascade import DEFAULT_REPLY, Cascade, read_rules, split_sentences
from auricle.tasks.calls.live.driver import hold_call
from tests.models.sessions.test_half_duplex import Beeper
from tests.support.virtual_time import run_in_virtual_time
from tests.support.voice_agents import step

PARTS = """
class Recogniser:
    words = {1: "What time do you open?", 2: "A table for Friday, please.", 3: "Is it raining?", 4: ""}

    def generate(self, batch):
        return [self.words[round(request.audio.seconds - 0.6)] for request in batch]

class Writer:
    async def generate(self, request):
        return f"You asked: {request.text.splitlines()[-1]}"
"""
RULES = r"""
rules:
  - when: (friday|saturday)
    tool: book_table
    arguments: {day: '\1'}
    reply: Your table for \1 is booked.
  - when: open
    reply: We open at nine. Anything else?
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "rules.yaml").write_text(RULES)
    monkeypatch.setattr("auricle.models.sessions.cascade.find_voice", lambda name: Beeper())
    return tmp_path


def hold(folder: Path, seconds: float, **options: Any) -> CallRecording:
    parts = {"rules": str(folder / "rules.yaml"), "recogniser": f"{folder}/parts.py:Recogniser", "vad": "energy"}
    call = Call(steps=(step("say", seconds),), tools=(Tool(name="book_table"),), response_timeout=3.0)
    return run_in_virtual_time(hold_call(Cascade(**{**parts, **options}), call))


def test_the_first_rule_that_matches_is_spoken_sentence_by_sentence(folder: Path) -> None:
    recording = hold(folder, 1.0)
    assert recording.understood == "What time do you open?"
    assert recording.text == "We open at nine. Anything else?"
    assert recording.agent[0].seconds == pytest.approx((len("We open at nine.") + len("Anything else?")) / 10)


def test_a_rule_may_use_a_tool_with_words_of_the_caller(folder: Path) -> None:
    recording = hold(folder, 2.0)
    (call,) = recording.tool_calls
    assert (call["name"], call["arguments"]) == ("book_table", {"day": "Friday"})
    assert recording.text == "Your table for Friday is booked."


def test_without_a_rule_a_text_model_answers(folder: Path) -> None:
    assert hold(folder, 3.0).text == DEFAULT_REPLY
    assert hold(folder, 3.0, model=f"{folder}/parts.py:Writer").text == "You asked: Is it raining?"


def test_no_words_get_no_reply(folder: Path) -> None:
    recording = hold(folder, 4.0)
    assert recording.agent == ()


def test_something_must_choose_replies() -> None:
    with pytest.raises(SpecError, match="-M rules=FILE or -M model=NAME"):
        Cascade()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules: []", "missing field 'rules'"),
        ("rules: [{when: x}]", "rule 1: missing field 'reply'"),
        ("rules: [{reply: x, then: y}]", "rule 1: expected the fields"),
        ("rules: [{when: '(', reply: x}]", "rule 1: 'when' is not a valid regular expression"),
    ],
)
def test_wrong_rules_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        read_rules(str(path))


def test_sentences_are_separated_by_their_marks() -> None:
    assert split_sentences(" One. Two! Three? 3.5 is a number ") == ["One.", "Two!", "Three?", "3.5 is a number"]

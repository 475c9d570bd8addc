"""Scripts of the fake realtime server, from Python and from files."""

from dataclasses import fields
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.testing.fake_server.realtime.script import (
    SESSION_FAULTS,
    RealtimeScript,
    ScriptedToolCall,
    TurnScript,
    build_realtime_script,
    load_realtime_script,
)
from tests.support import paths

PAGE = (paths.DOCS / "fake-server.md").read_text(encoding="utf-8")


def test_the_last_turn_is_repeated() -> None:
    script = RealtimeScript(turns=(TurnScript(answer="one"), TurnScript(answer="two")))
    assert [script.turn(index).answer for index in range(4)] == ["one", "two", "two", "two"]


def test_an_answer_without_a_length_takes_a_third_of_a_second_per_word() -> None:
    assert TurnScript(answer="three short words").speech_seconds == pytest.approx(1.05)
    assert TurnScript(answer="three short words", answer_seconds=4).speech_seconds == 4


def test_words_of_the_caller_end_where_the_script_puts_them() -> None:
    turn = TurnScript(word_ends=(0.4, 0.9))
    assert [turn.word_end(index) for index in range(3)] == pytest.approx([0.4, 0.9, 1.05])


def test_fields_of_a_file_apply_to_all_turns_and_turns_override_them(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(
        """
dialect: openai-beta
stop_after: 0.4
refuse: 401
turns:
  - answer: Which day?
    tool: {name: look_up, arguments: {day: Friday}}
  - {answer: null, stop_after: 0.9, yield_after: never, word_ends: [0.3, 0.6]}
"""
    )
    script = load_realtime_script(path, {"answer_after": 0.1, "stop_after": 0.6})
    assert (script.dialect, script.refuse) == ("openai-beta", "401")
    first, second = script.turns
    assert (first.stop_after, first.answer_after, first.answer) == (0.6, 0.1, "Which day?")
    assert first.tool == ScriptedToolCall(name="look_up", arguments={"day": "Friday"})
    assert (second.stop_after, second.answer, second.yield_after, second.word_ends) == (0.9, None, None, (0.3, 0.6))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"stop_afer": 1}, "Unknown field 'stop_afer'"),
        ({"stop_after": -1}, "stop_after must be 0 or more, not -1"),
        ({"audio_chunk_seconds": 0}, "audio_chunk_seconds must be more than 0"),
        ({"faults": ["explode"]}, "Unknown session fault 'explode'. Expected one of: close, reset"),
        ({"dialect": "french"}, "Unknown dialect 'french'"),
        ({"refuse": 418}, "Unknown refusal '418'"),
        ({"turns": {"answer": "x"}}, "turns must be a list of mappings"),
        ({"tool": {"nam": "x"}}, "Invalid turn"),
    ],
)
def test_invalid_values_are_named(document: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        build_realtime_script(document)


@pytest.mark.parametrize("content", ["- a list", "{", "answer: *missing", "answer: a\nanswer: b"])
def test_a_file_that_is_not_a_mapping_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(content)
    with pytest.raises(SpecError, match=r"script\.yaml"):
        load_realtime_script(path)


def test_only_the_first_sessions_have_faults() -> None:
    script = RealtimeScript(fault_sessions=1)
    assert (script.has_faults(0), script.has_faults(1)) == (True, False)
    assert RealtimeScript().has_faults(99)


def test_every_field_and_fault_is_on_the_page() -> None:
    names = [field.name for field in fields(TurnScript)] + list(SESSION_FAULTS)
    assert [name for name in names if f"`{name}`" not in PAGE] == []
    options = ["--" + field.name.replace("_", "-") for field in fields(RealtimeScript) if field.name != "turns"]
    assert [option for option in options if f"`{option}" not in PAGE] == []

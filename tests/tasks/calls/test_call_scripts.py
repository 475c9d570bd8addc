"""Scripts of callers, as people write them, and the calls built from them."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.calls import Step, Tool
from auricle.core.errors import SpecError
from auricle.media import Audio
from auricle.tasks.calls.call_scripts import (
    CallScript,
    CallSettings,
    Clip,
    MadeSound,
    Recorded,
    SpokenText,
    parse_after,
    parse_expect,
    parse_script,
    parse_tools,
)
from auricle.tasks.calls.expectations import Expectation

HERE = Path()


def parse_one(step: Any, base: Path = HERE) -> Any:
    """Read a step that is not the first."""
    return parse_script([{"say": "Hello."}, step], base)[1]


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        ("say", ("agent_end", 0.5)),
        ("interrupt", ("agent_start", 1.0)),
        ("backchannel", ("agent_start", 1.0)),
        ("aside", ("agent_start", 1.0)),
    ],
)
def test_steps_of_speech_begin_at_the_usual_moments(kind: str, start: tuple[str, float]) -> None:
    step = parse_one({kind: "Mm-hm."})
    assert (step.kind, step.parts, step.text) == (kind, (SpokenText("Mm-hm."),), "Mm-hm.")
    assert (step.start, step.delay, step.timeout) == (*start, 10.0)


def test_a_caller_who_speaks_first_waits_for_half_a_second() -> None:
    (step,) = parse_script([{"say": "Hello."}], HERE)
    assert (step.start, step.delay) == ("previous", 0.5)


@pytest.mark.parametrize(
    ("after", "start"),
    [
        ("agent_end + 0.5", ("agent_end", 0.5)),
        ("agent_start+2 s", ("agent_start", 2.0)),
        ("previous", ("previous", 0.0)),
        (1.5, ("previous", 1.5)),
    ],
)
def test_the_start_of_a_step_can_be_stated(after: Any, start: tuple[str, float]) -> None:
    assert parse_after(after) == start
    step = parse_one({"interrupt": "Wait.", "after": after, "timeout": 4})
    assert (step.start, step.delay, step.timeout) == (*start, 4.0)


def test_pauses_inside_an_utterance_are_written_in_the_text_or_in_a_list() -> None:
    parts = (SpokenText("And on"), 1.2, SpokenText("Sunday?"))
    assert parse_one({"say": "And on [pause 1.2] Sunday?"}).parts == parts
    listed = parse_one({"say": ["And on", {"pause": 1.2}, "Sunday?"]})
    assert listed.parts == parts
    assert listed.text == "And on Sunday?"


def test_recordings_are_named_with_their_text(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"")
    step = parse_one({"say": {"audio": "a.wav", "text": "Good morning.", "start": 1, "end": 2.5}}, tmp_path)
    assert step.parts == (Recorded(str(tmp_path / "a.wav"), 1.0, 2.5),)
    assert step.text == "Good morning."


@pytest.mark.parametrize(
    ("step", "part"),
    [
        ({"vocalise": "cough"}, MadeSound("cough", 0.5)),
        ({"vocalise": "Um."}, SpokenText("Um.")),
        ({"noise": 2}, MadeSound("pink", 2.0)),
        ({"noise": "music"}, MadeSound("music", 3.0)),
        ({"noise": {"sound": "white", "seconds": 0.5, "level": -20}}, MadeSound("white", 0.5, -20.0)),
        ({"wait": 3}, 3.0),
    ],
)
def test_sounds_and_silence_are_read(step: dict[str, Any], part: Any) -> None:
    assert parse_one(step).parts == (part,)


@pytest.mark.parametrize(
    ("script", "location", "message"),
    [
        ([], (), "Invalid script: expected a list of steps"),
        (["Hello."], (0,), "Invalid step 'Hello.'"),
        ([{"sayy": "Hello."}], (0, "sayy"), "Unknown field 'sayy' of a step. Did you mean 'say'?"),
        ([{"say": "a", "interrupt": "b"}], (0,), "A step needs exactly one of say, .*; it has say, interrupt"),
        ([{"after": 1}], (0,), "it has none"),
        ([{"say": ""}], (0, "say"), "Invalid say ''"),
        ([{"say": ["a", {"pause": 0}]}], (0, "say", 1, "pause"), "Invalid pause 0"),
        ([{"say": {"audio": "missing.wav"}}], (0, "say", "audio"), "There is no audio file missing.wav"),
        ([{"say": {"audio": "a.wav", "txt": "x"}}], (0, "say", "txt"), "Unknown field 'txt' of a recording"),
        ([{"say": [{"pause": 1}]}], (0, "say"), "expected a text, a sound or an audio file"),
        ([{"say": "a", "after": "agent"}], (0, "after"), "Invalid start 'agent': expected agent_end"),
        ([{"say": "a", "timeout": -1}], (0, "timeout"), "Invalid timeout -1"),
        ([{"noise": "barking"}], (0, "noise", "sound"), "Unknown sound 'barking'. Sounds: cough"),
        ([{"noise": {"sound": "pink", "level": -80}}], (0, "noise", "level"), "expected decibels from -45 to 0"),
        ([{"wait": "long"}], (0, "wait", "wait"), "Invalid wait 'long'"),
    ],
)
def test_what_is_wrong_with_a_script_is_stated_with_its_place(
    script: Any, location: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse_script(script, HERE)
    assert caught.value.location == location


def test_tools_have_schemas_and_results() -> None:
    short = {"name": "book", "parameters": {"day": "string"}, "result": {"ok": True}}
    schema = {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}
    whole = {"name": "book", "description": "Book.", "parameters": schema, "result": "done"}
    assert parse_tools([short, whole]) == (
        Tool(name="book", parameters=schema, result='{"ok":true}'),
        Tool(name="book", description="Book.", parameters=schema, result="done"),
    )
    assert parse_tools(None) == ()


@pytest.mark.parametrize(
    ("tools", "location", "message"),
    [
        ({"name": "book"}, (), "expected a list of mappings"),
        ([{"title": "book"}], (0,), "expected a mapping with `name`"),
        ([{"name": "book", "returns": 1}], (0, "returns"), "Unknown field 'returns' of a tool"),
        ([{"name": "b", "parameters": {"day": "date"}}], (0, "parameters", "day"), "Invalid type 'date'"),
    ],
)
def test_what_is_wrong_with_tools_is_stated_with_its_place(tools: Any, location: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        parse_tools(tools)
    assert caught.value.location == location


def test_expectations_are_texts_or_mappings() -> None:
    nine, book = Expectation("contains", ("nine",)), Expectation("tool", tool="book", arguments={"day": "Friday"})
    assert parse_expect('tool book(day="Friday")') == (book,)
    assert parse_expect({"contains": "nine", "tool": 'book(day="Friday")'}) == (nine, book)
    assert parse_expect(["contains nine", {"tool": 'book(day="Friday")'}]) == (nine, book)
    assert parse_expect(None) == ()
    with pytest.raises(SpecError, match="Unknown expectation 'contain'") as caught:
        parse_expect([{"contain": "nine"}])
    assert caught.value.location == (0, "contain")


def test_a_call_is_built_from_what_is_stored() -> None:
    steps = parse_script([{"say": "And on [pause 1.2] Sunday?"}, {"interrupt": "Sunday?"}], HERE)
    tool = Tool(name="book", description="Book.", parameters={"type": "object"}, result="{}")
    settings = CallSettings(instructions="Be brief.", tools=(tool,), language="en", max_seconds=30.0)
    made: list[Clip] = []

    def make_clip(clip: Clip) -> Audio:
        made.append(clip)
        return Audio(f"{len(made)}.wav")

    script = CallScript.build(steps, settings, make_clip)
    assert made == [SpokenText("And on"), SpokenText("Sunday?")]
    call = CallScript(script.document, script.clips).to_call()
    first, second = Audio("1.wav"), Audio("2.wav")
    assert call.steps == (
        Step(kind="say", audio=(first, 1.2, second), text="And on Sunday?", delay=0.5),
        Step(kind="interrupt", audio=(second,), text="Sunday?", start="agent_start", delay=1.0),
    )
    assert (call.instructions, call.tools, call.language, call.max_seconds) == ("Be brief.", (tool,), "en", 30.0)
    assert CallScript.build(steps, settings, make_clip).document == script.document


def test_a_script_may_wait_for_the_greeting_of_the_agent() -> None:
    steps = [parse_script([{"say": "Hello."}], HERE, first_speaker=side)[0] for side in ("caller", "agent")]
    assert [(step.start, step.delay) for step in steps] == [("previous", 0.5), ("agent_end", 0.5)]

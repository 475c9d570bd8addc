"""Eval scenarios of pipecat as conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.frameworks.exchange.task_drafts import TaskDraft, render_task_file
from auricle.frameworks.pipecat.config_import import draft_tasks
from auricle.tasks.calls.call_scripts import parse_expect, parse_script

SCENARIO = """
name: booking
user: !include caller.yaml
context:
  - {role: system, content: You answer the phone.}
turns:
  - expect:
      - {event: response, eval: greets the caller}
  - user: A table for four, please.
    expect:
      - event: function_call
        calls:
          - {name: book, args: {people: 4}}
          - name: send_message
      - {event: response, text_contains: booked, within_ms: 3000}
  - user: Wait, for five!
    send_after: {event: llm_started, delay_ms: 1500}
"""
CALLER = "{modality: audio, speech: {service: kokoro, voice: af_heart, language: en}}"


def draft(folder: Path, scenario: str) -> TaskDraft:
    (folder / "caller.yaml").write_text(CALLER)
    (folder / "scenario.yaml").write_text(scenario)
    [result] = draft_tasks(folder / "scenario.yaml", folder)
    return result


def convert_turns(folder: Path, *turns: str) -> tuple[dict[str, Any], list[str]]:
    lines = "".join(f"  - {turn}\n" for turn in turns)
    result = draft(folder, f"name: x\nturns:\n{lines}")
    return result.task["conversations"][0], result.notes


def test_turns_become_steps_and_expectations(tmp_path: Path) -> None:
    result = draft(tmp_path, SCENARIO)
    [conversation] = result.task["conversations"]
    assert conversation == {
        "id": "booking",
        "language": "en",
        "instructions": "You answer the phone.",
        "script": [
            {"say": "A table for four, please.", "after": "agent_end + 0.5"},
            {"interrupt": "Wait, for five!", "after": "agent_start + 1.5"},
        ],
        "expect": [
            {"judge": "Without words of the caller: greets the caller"},
            {"tool": {"name": "book", "arguments": {"people": 4}}},
            {"tool": {"name": "send_message"}},
            {"contains": "booked"},
        ],
    }
    assert [step.kind for step in parse_script(conversation["script"], tmp_path)] == ["say", "interrupt"]
    assert len(parse_expect(conversation["expect"])) == 4
    assert "# `within_ms` is not imported: latencies are metrics of every call.\n" in render_task_file(result)


@pytest.mark.parametrize(
    ("schedule", "after"),
    [
        ("{delay_ms: 3000}", "previous + 3"),
        ("{event: vad_user_stopped_speaking, delay_ms: 500}", "previous + 0.5"),
        ("{event: response, delay_ms: 200}", "agent_end + 0.2"),
    ],
)
def test_a_schedule_becomes_the_start_of_a_step(tmp_path: Path, schedule: str, after: str) -> None:
    conversation, _ = convert_turns(tmp_path, "user: One.", f"{{user: Two., send_after: {schedule}}}")
    assert conversation["script"] == [{"say": "One."}, {"say": "Two.", "after": after}]


@pytest.mark.parametrize(
    ("turn", "note"),
    [
        ('dtmf: "1#"', "`dtmf`"),
        ("{user: Look., image: cat.jpg}", "`image`"),
        ("{user: Hi., expect: [{event: response, absent: true}]}", "`absent: true` of response"),
        ("{user: Hi., expect: [{event: user_transcription, text_contains: hi}]}", "The event user_transcription"),
        ("{user: Hi., expect: [{event: function_call}]}", "`function_call` without a name"),
        ("{user: Hi., send_after: {event: function_call}}", "`send_after: function_call`"),
    ],
)
def test_what_has_no_counterpart_is_noted(tmp_path: Path, turn: str, note: str) -> None:
    conversation, notes = convert_turns(tmp_path, "user: Hello.", turn)
    assert "expect" not in conversation
    assert [line for line in notes if line.startswith((note, f"Turns with {note}"))]


def test_the_scenarios_of_a_folder_become_one_file(tmp_path: Path) -> None:
    draft(tmp_path, SCENARIO)
    (tmp_path / "keys.yaml").write_text('{name: keys, turns: [{dtmf: "1"}]}')
    (tmp_path / "other.yaml").write_text("{name: other, turns: [{user: Hello.}]}")
    [result] = draft_tasks(tmp_path, tmp_path)
    assert [conversation["id"] for conversation in result.task["conversations"]] == ["other", "booking"]
    assert "keys is not imported: the caller does not speak in it." in result.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{name: x}", "no scenario of pipecat"),
        ('{name: x, turns: [{dtmf: "1"}]}', "no scenario can be imported"),
        ("{turns: !include scenario.yaml}", "Check for a cycle"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        draft(tmp_path, text)

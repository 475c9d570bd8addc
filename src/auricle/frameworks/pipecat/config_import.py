"""Convert eval scenarios of pipecat to conversations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.yaml_files import read_foreign_yaml
from auricle.frameworks.exchange.task_drafts import TaskDraft

RESPONSE_EVENTS = ("response", "llm_response", "tts_response")
START_EVENTS = ("llm_started",)
CALLER_END_EVENTS = ("user_stopped_speaking", "vad_user_stopped_speaking")
MILLISECONDS = 1000
INCLUDE_TAG = "!include"
MAX_INCLUDE_DEPTH = 20
INTERRUPTION_NOTE = "`send_after: llm_started` counts from the first audible sound of the agent (`agent_start`)."
DELAY_NOTE = "`send_after` without an event counts from the end of the caller's previous step, not from its start."
JUDGE_NOTE = "`eval` is a statement for a judge about the whole call: choose the judge with --judge."
CONTAINS_NOTE = "`text_contains` applies to everything that the agent speaks in the call, not to one turn."
IGNORED_FIELDS = {
    "judge": "`judge` is not imported.",
    "trigger_disconnect": "`trigger_disconnect` is not imported.",
    "stop_on_failure": "`stop_on_failure` is not imported: every call takes place to its end.",
}


def draft_tasks(source: Path, output_folder: Path) -> list[TaskDraft]:
    """Convert a scenario, or all scenarios of a folder, to one file of conversations.

    Raises:
        SpecError: if there is no scenario in which the caller speaks.
    """
    files = sorted([*source.glob("*.yaml"), *source.glob("*.yml")]) if source.is_dir() else [source]
    scenarios = [(file, values) for file in files if "turns" in (values := _read_yaml(file))]
    if not scenarios:
        raise SpecError(f"{source} contains no scenario of pipecat: expected a YAML file with `name` and `turns`.")
    notes: list[str] = []
    conversations = []
    for file, values in scenarios:
        scenario = _Scenario(str(values.get("name") or file.stem))
        conversation = scenario.convert(values)
        if conversation["script"]:
            conversations.append(conversation)
            notes += scenario.notes
        else:
            notes.append(f"{scenario.name} is not imported: the caller does not speak in it.")
    if not conversations:
        raise SpecError(f"{source}: no scenario can be imported. {notes[0]}")
    task = {
        "kind": "conversation",
        "name": source.resolve().name if source.is_dir() else str(conversations[0]["id"]),
        "conversations": conversations,
    }
    title = f"Imported from pipecat's {source.name}"
    return [TaskDraft(title, output_folder, task=task, notes=list(dict.fromkeys(notes)))]


def _read_yaml(path: Path, depth: int = 0) -> dict[str, Any]:
    """Read a YAML file and the files that it names with `!include`."""
    if depth > MAX_INCLUDE_DEPTH:
        raise SpecError(f"{path}: more than {MAX_INCLUDE_DEPTH} files include one another. Check for a cycle.")
    return read_foreign_yaml(path, {INCLUDE_TAG: lambda name: _read_yaml(path.parent / name, depth + 1)})


@dataclass
class _Scenario:
    """A scenario while it is converted, with notes on what has no counterpart."""

    name: str
    notes: list[str] = field(default_factory=list)

    def convert(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the conversation; its script is empty if the caller does not speak."""
        speech = (values.get("user") or {}).get("speech") or {}
        if speech.get("voice"):
            self.notes.append("`user.speech` is not imported: choose a local voice with `voice`.")
        self.notes += [note for name, note in IGNORED_FIELDS.items() if name in values]
        turns = [turn for turn in values["turns"] or () if isinstance(turn, Mapping)]
        script = list(self._convert_turns(turns))
        expectations = [item for turn in turns for item in self._convert_expectations(turn)]
        messages = values.get("context") or ()
        system = [message for message in messages if message.get("role") in ("system", "developer")]
        if len(system) < len(messages):
            self.notes.append("Messages of `context` other than those of the system are not imported.")
        instructions = "\n\n".join(str(message.get("content", "")) for message in system)
        return {
            "id": self.name,
            **({"language": speech["language"]} if speech.get("language") else {}),
            **({"instructions": instructions} if instructions else {}),
            "script": script,
            **({"expect": expectations} if expectations else {}),
        }

    def _convert_turns(self, turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        is_first, waits = True, False
        for turn in turns:
            if "dtmf" in turn:
                self.notes.append("Turns with `dtmf` are not imported: callers press no keys.")
            if "image" in turn:
                self.notes.append("`image` is not imported: calls have no images.")
            if turn.get("user"):
                yield self._convert_step(turn, waits=is_first and waits)
                is_first = False
            waits = waits or not turn.get("user")

    def _convert_step(self, turn: Mapping[str, Any], *, waits: bool) -> dict[str, Any]:
        """Return the step of a turn; `waits` if the agent speaks before the caller's first step."""
        text, schedule = str(turn["user"]), turn.get("send_after")
        if not schedule:
            return {"say": text, **({"after": "agent_end + 0.5"} if waits else {})}
        event, delay = schedule.get("event"), schedule.get("delay_ms", 0) / MILLISECONDS
        if event in START_EVENTS:
            self.notes.append(INTERRUPTION_NOTE)
            return {"interrupt": text, "after": f"agent_start + {delay:g}"}
        if event in RESPONSE_EVENTS:
            return {"say": text, "after": f"agent_end + {delay:g}"}
        if event is None:
            self.notes.append(DELAY_NOTE)
        elif event not in CALLER_END_EVENTS:
            self.notes.append(f"`send_after: {event}` is not imported: the turn begins after the agent's response.")
            return {"say": text}
        return {"say": text, "after": f"previous + {delay:g}"}

    def _convert_expectations(self, turn: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for item in turn.get("expect") or ():
            event = str(item.get("event"))
            if "within_ms" in item and not item.get("absent"):
                self.notes.append("`within_ms` is not imported: latencies are metrics of every call.")
            if item.get("absent"):
                self.notes.append(f"`absent: true` of {event} is not imported.")
            elif event == "function_call":
                yield from self._convert_calls(item)
            elif event in RESPONSE_EVENTS:
                yield from self._convert_response(item, turn)
            else:
                self.notes.append(f"The event {event} is not checked.")

    def _convert_calls(self, item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for call in item.get("calls") or [item]:
            if call.get("name"):
                arguments = {"arguments": dict(call["args"])} if call.get("args") else {}
                yield {"tool": {"name": str(call["name"]), **arguments}}
            else:
                self.notes.append("`function_call` without a name is not checked.")

    def _convert_response(self, item: Mapping[str, Any], turn: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if item.get("text_contains"):
            self.notes.append(CONTAINS_NOTE)
            yield {"contains": str(item["text_contains"])}
        if item.get("eval"):
            self.notes.append(JUDGE_NOTE)
            place = f'In response to "{turn["user"]}"' if turn.get("user") else "Without words of the caller"
            yield {"judge": f"{place}: {item['eval']}"}

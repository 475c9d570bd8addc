"""Scripts of callers: read them from mappings as people write them, and build calls from them.

A script becomes canonical JSON, which is stored with a sample beside its clips, and from which the call is built.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import orjson

from auricle.core.calls import Caller, StartPoint, Step, StepKind, Tool
from auricle.core.errors import SpecError
from auricle.core.types import Call
from auricle.media import Audio
from auricle.tasks.calls.call_sounds import SOUND_KINDS
from auricle.tasks.calls.expectations import Expectation

STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)
START_POINTS: tuple[StartPoint, ...] = get_args(StartPoint)
STEP_SETTINGS = ("after", "timeout")
SPOKEN_KINDS = ("say", "interrupt", "backchannel", "aside")
DEFAULT_STARTS: Mapping[str, tuple[StartPoint, float]] = {"say": ("agent_end", 0.5), "wait": ("previous", 0.0)}
"""When steps begin that state nothing; all others begin 1 s after the agent began to speak."""
DEFAULT_START: tuple[StartPoint, float] = ("agent_start", 1.0)
FIRST_START: tuple[StartPoint, float] = ("previous", 0.5)
_AFTER = re.compile(rf"(?P<point>{'|'.join(START_POINTS)})(\s*\+\s*(?P<delay>\d+(\.\d+)?)\s*s?)?")
_PAUSE = re.compile(r"\[pause (\d+(?:\.\d+)?)\s*s?\]")
MIN_LEVEL = -45.0
"""Sounds that are fainter may count as silence."""
PARAMETER_TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True)
class SpokenText:
    """A text that a voice is to speak."""

    text: str


@dataclass(frozen=True)
class Recorded:
    """An audio file."""

    path: str
    start: float = 0.0
    end: float | None = None


@dataclass(frozen=True)
class MadeSound:
    """A sound that is made on this machine; see `auricle.tasks.calls.call_sounds`."""

    kind: str
    seconds: float = 0.0
    level: float = -30.0


Clip = SpokenText | Recorded | MadeSound
MakeClip = Callable[[Clip], Audio]


@dataclass(frozen=True)
class ScriptStep:
    """One step of a script, before its clips are made."""

    kind: StepKind
    parts: tuple[Clip | float, ...]
    text: str
    start: StartPoint
    delay: float
    timeout: float


@dataclass(frozen=True, kw_only=True)
class CallSettings:
    """Everything about a call besides its steps."""

    instructions: str = ""
    tools: tuple[Tool, ...] = ()
    language: str = ""
    turn_detection: str = "model"
    first_speaker: str = "caller"
    max_seconds: float = 120.0
    response_timeout: float = 10.0


@dataclass(frozen=True)
class CallScript:
    """A script as it is stored with a sample: canonical JSON, and the clips that it refers to by number."""

    document: str
    clips: tuple[Audio, ...] = field(default=())

    @classmethod
    def build(cls, steps: Sequence[ScriptStep], settings: CallSettings, make_clip: MakeClip) -> CallScript:
        """Make the clips of a script, each once."""
        numbers: dict[Clip, int] = {}
        clips: list[Audio] = []

        def number_of(clip: Clip) -> int:
            if clip not in numbers:
                numbers[clip] = len(clips)
                clips.append(make_clip(clip))
            return numbers[clip]

        encoded_steps = [
            {
                "kind": step.kind,
                "parts": [
                    {"pause": part} if isinstance(part, float) else {"clip": number_of(part)} for part in step.parts
                ],
                "text": step.text,
                "start": step.start,
                "delay": step.delay,
                "limit": step.timeout,
            }
            for step in steps
        ]
        document = {"steps": encoded_steps, **_encode_settings(settings)}
        return cls(orjson.dumps(document, option=orjson.OPT_SORT_KEYS).decode(), tuple(clips))

    def to_call(self, caller: Caller | None = None) -> Call:
        """Return the request for a session model."""
        document = orjson.loads(self.document)
        steps = tuple(self._decode_step(step) for step in document.pop("steps"))
        tools = tuple(Tool(**tool) for tool in document.pop("tools"))
        return Call(steps=steps, tools=tools, caller=caller, **document)

    def _decode_step(self, fields: dict[str, Any]) -> Step:
        parts = fields.pop("parts")
        audio = tuple(part["pause"] if "pause" in part else self.clips[part["clip"]] for part in parts)
        return Step(audio=audio, **fields)


def _encode_settings(settings: CallSettings) -> dict[str, Any]:
    return {
        "instructions": settings.instructions,
        "tools": [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
                "result": tool.result,
            }
            for tool in settings.tools
        ],
        "language": settings.language,
        "turn_detection": settings.turn_detection,
        **({"first_speaker": settings.first_speaker} if settings.first_speaker != "caller" else {}),
        "max_seconds": settings.max_seconds,
        "response_timeout": settings.response_timeout,
    }


# --- reading ------------------------------------------------------------------------------------


@contextmanager
def at(*keys: str | int) -> Iterator[None]:
    """Add the keys that lead to a value to the location of an error about it."""
    try:
        yield
    except SpecError as error:
        error.location = (*keys, *error.location)
        raise


def parse_script(value: Any, base: Path, *, first_speaker: str = "caller") -> tuple[ScriptStep, ...]:
    """Read the steps of a script.

    Args:
        value: A list of mappings.
        base: The folder that paths of audio files start from.
        first_speaker: Whether the `caller` begins, or waits for the `agent` to greet it.

    Raises:
        SpecError: with the location of the value that is wrong, relative to the script.
    """
    if not isinstance(value, list) or not value:
        raise SpecError("Invalid script: expected a list of steps, such as `- say: Hello.`")
    steps = []
    for index, item in enumerate(value):
        with at(index):
            steps.append(_parse_step(item, base, is_first=index == 0 and first_speaker == "caller"))
    return tuple(steps)


def _parse_step(item: Any, base: Path, *, is_first: bool) -> ScriptStep:
    if not isinstance(item, Mapping):
        raise SpecError(f"Invalid step {item!r}: expected one of {', '.join(STEP_KINDS)}, such as `say: Hello.`")
    kinds = [name for name in item if name in STEP_KINDS]
    if unknown := [name for name in item if name not in (*STEP_KINDS, *STEP_SETTINGS)]:
        raise SpecError(f"Unknown field {unknown[0]!r} of a step. {_suggest(str(unknown[0]))}", location=(unknown[0],))
    if len(kinds) != 1:
        raise SpecError(f"A step needs exactly one of {', '.join(STEP_KINDS)}; it has {', '.join(kinds) or 'none'}.")
    kind = kinds[0]
    with at(kind):
        parts = _parse_content(kind, item[kind], base)
    start, delay = _default_start(kind, is_first=is_first)
    if "after" in item:
        with at("after"):
            start, delay = parse_after(item["after"])
    timeout = parse_seconds("timeout", item["timeout"]) if "timeout" in item else 10.0
    texts = [part.text for part in parts if isinstance(part, SpokenText)]
    text = _recorded_text(item[kind]) or " ".join(texts)
    return ScriptStep(kind, parts, text, start, delay, timeout)


def _suggest(name: str) -> str:
    names = (*STEP_KINDS, *STEP_SETTINGS)
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"Fields: {', '.join(names)}."


def _default_start(kind: StepKind, *, is_first: bool) -> tuple[StartPoint, float]:
    if is_first and kind == "say":
        return FIRST_START
    return DEFAULT_STARTS.get(kind, DEFAULT_START)


def parse_after(value: Any) -> tuple[StartPoint, float]:
    """Read when a step begins: `agent_end + 0.5`, or seconds after the previous step.

    >>> parse_after("agent_start + 1.5")
    ('agent_start', 1.5)
    """
    if _is_number(value) and value >= 0:
        return "previous", float(value)
    match = _AFTER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise SpecError(
            f"Invalid start {value!r}: expected agent_end, agent_start or previous, with seconds after it such as "
            "`agent_end + 0.5`."
        )
    point = next(point for point in START_POINTS if point == match["point"])
    return point, float(match["delay"] or 0.0)


def parse_seconds(name: str, value: Any) -> float:
    if not _is_number(value) or not 0 < value < float("inf"):
        raise SpecError(f"Invalid {name} {value!r}: expected a number of seconds above zero.", location=(name,))
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _parse_content(kind: StepKind, value: Any, base: Path) -> tuple[Clip | float, ...]:
    """Return the clips and pauses of a step."""
    if kind == "wait":
        return (parse_seconds("wait", value),)
    if kind == "noise" and _is_number(value):
        return (MadeSound("pink", parse_seconds("noise", value)),)
    items = value if isinstance(value, list) else [value]
    parts = []
    for index, item in enumerate(items):
        with at(*(index,) * isinstance(value, list)):
            parts += [_parse_part(kind, part, base) for part in _split_pauses(item)]
    if not any(not isinstance(part, float) for part in parts):
        raise SpecError(f"Invalid {kind} {value!r}: expected a text, a sound or an audio file.")
    return tuple(parts)


def _split_pauses(item: Any) -> list[Any]:
    """Split a text at pauses such as `[pause 1.2]`."""
    if not isinstance(item, str):
        return [item]
    texts = _PAUSE.split(item)
    pieces: list[Any] = [{"pause": float(text)} if index % 2 else text.strip() for index, text in enumerate(texts)]
    return [piece for piece in pieces if piece] or [item]


def _parse_part(kind: StepKind, item: Any, base: Path) -> Clip | float:
    if isinstance(item, (str, int, float)) and not isinstance(item, bool) and str(item).strip():
        text = str(item).strip()
        if kind in SPOKEN_KINDS or (kind == "vocalise" and text not in SOUND_KINDS):
            return SpokenText(text)
        return _parse_sound({"sound": text})
    if isinstance(item, Mapping):
        if set(item) == {"pause"}:
            return parse_seconds("pause", item["pause"])
        if "audio" in item:
            return _parse_recording(item, base)
        if "text" in item:
            return _parse_part("say", item["text"], base)
        if "sound" in item or "seconds" in item:
            return _parse_sound(item)
    raise SpecError(
        f"Invalid {kind} {item!r}: expected a text, {{audio: FILE}}, {{sound: NAME}} or {{pause: SECONDS}}."
    )


def _parse_recording(item: Mapping[str, Any], base: Path) -> Recorded:
    allowed = {"audio", "text", "start", "end"}
    if unknown := [name for name in item if name not in allowed]:
        raise SpecError(
            f"Unknown field {unknown[0]!r} of a recording. Fields: audio, text, start, end.", location=(unknown[0],)
        )
    path = base / str(item["audio"])
    if not path.is_file():
        raise SpecError(f"There is no audio file {path}.", location=("audio",))
    end = item.get("end")
    return Recorded(str(path), float(item.get("start") or 0.0), None if end is None else parse_seconds("end", end))


def _recorded_text(value: Any) -> str:
    """Return the texts of recordings, as far as a step states them, with the spoken ones between them."""
    items = value if isinstance(value, list) else [value]
    texts = [item.get("text", "") if isinstance(item, Mapping) else _PAUSE.sub("", str(item)) for item in items]
    has_recording = any(isinstance(item, Mapping) and "audio" in item for item in items)
    return " ".join(str(text).strip() for text in texts if str(text).strip()) if has_recording else ""


def _parse_sound(item: Mapping[str, Any]) -> MadeSound:
    allowed = ("sound", "seconds", "level")
    if unknown := [name for name in item if name not in allowed]:
        raise SpecError(
            f"Unknown field {unknown[0]!r} of a sound. Fields: {', '.join(allowed)}.", location=(unknown[0],)
        )
    kind = str(item.get("sound", "pink"))
    if kind not in SOUND_KINDS:
        raise SpecError(f"Unknown sound {kind!r}. Sounds: {', '.join(SOUND_KINDS)}.", location=("sound",))
    seconds = parse_seconds("seconds", item["seconds"]) if "seconds" in item else SOUND_KINDS[kind].seconds
    level = item.get("level", -30.0)
    if not _is_number(level) or not MIN_LEVEL <= level <= 0:
        raise SpecError(f"Invalid level {level!r}: expected decibels from {MIN_LEVEL:g} to 0.", location=("level",))
    return MadeSound(kind, seconds, float(level))


def parse_tools(value: Any) -> tuple[Tool, ...]:
    """Read the tools of an agent.

    Raises:
        SpecError: with the location of the value that is wrong, relative to the list.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        raise SpecError(f"Invalid tools {value!r}: expected a list of mappings with `name` and `result`.")
    tools = []
    for index, item in enumerate(value):
        with at(index):
            tools.append(_parse_tool(item))
    return tuple(tools)


def _parse_tool(item: Any) -> Tool:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise SpecError(f"Invalid tool {item!r}: expected a mapping with `name`.")
    allowed = ("name", "description", "parameters", "result")
    if unknown := [name for name in item if name not in allowed]:
        raise SpecError(
            f"Unknown field {unknown[0]!r} of a tool. Fields: {', '.join(allowed)}.", location=(unknown[0],)
        )
    with at("parameters"):
        parameters = _parse_parameters(item.get("parameters") or {})
    result = item.get("result", {})
    encoded = result if isinstance(result, str) else orjson.dumps(result).decode()
    return Tool(name=item["name"], description=str(item.get("description", "")), parameters=parameters, result=encoded)


def _parse_parameters(value: Any) -> dict[str, Any]:
    """Return a JSON schema: as it is written, or from the types of required parameters by name."""
    if not isinstance(value, Mapping):
        raise SpecError(f"Invalid parameters {value!r}: expected types by name, or a JSON schema.")
    if isinstance(value.get("properties"), Mapping):
        return dict(value)
    for name, kind in value.items():
        if kind not in PARAMETER_TYPES:
            raise SpecError(
                f"Invalid type {kind!r} of the parameter {name!r}. Types: {', '.join(PARAMETER_TYPES)}.",
                location=(str(name),),
            )
    properties = {str(name): {"type": kind} for name, kind in value.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def parse_expect(value: Any) -> tuple[Expectation, ...]:
    """Read what is expected of the agent: `contains: nine`, `tool f(a=1)`, or a list of these.

    Raises:
        SpecError: with the location of the value that is wrong, relative to `expect`.
    """
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    expectations: list[Expectation] = []
    for index, item in enumerate(items):
        with at(*(index,) * isinstance(value, list)):
            expectations += _parse_expectations(item)
    return tuple(expectations)


def _parse_expectations(item: Any) -> list[Expectation]:
    if isinstance(item, str):
        kind, _, rest = item.strip().partition(" ")
        return [Expectation.parse(kind, rest)]
    if not isinstance(item, Mapping) or not item:
        raise SpecError(f"Invalid expectation {item!r}: expected a mapping such as `contains: nine`.")
    expectations = []
    for kind, value in item.items():
        with at(str(kind)):
            expectations.append(Expectation.parse(str(kind), value))
    return expectations

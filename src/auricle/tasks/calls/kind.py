"""The task kind `conversation`: a scripted caller talks to a voice agent."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson

from auricle.core.arguments import Hint, takes_options
from auricle.core.errors import AudioError, SampleError, SpecError
from auricle.core.redaction import SECRETS
from auricle.core.types import Json, RejectedRow, Sample
from auricle.core.yaml_files import SourceLocations, read_yaml_with_extends
from auricle.data.file_formats import Row, convert_row, file_revision, read_rows
from auricle.engine.kinds import allow_no_samples, build_metrics, build_task
from auricle.engine.task import Task
from auricle.engine.task_options import ScoringOptions, is_integer, normalise_language, parse_row_range, split_list
from auricle.media import Audio
from auricle.media.voices import find_voice, speak
from auricle.metrics.base import Metric
from auricle.tasks.calls.call_scripts import (
    CallScript,
    CallSettings,
    Clip,
    MadeSound,
    Recorded,
    ScriptStep,
    at,
    parse_expect,
    parse_script,
    parse_seconds,
    parse_tools,
)
from auricle.tasks.calls.call_sounds import make_sound
from auricle.tasks.calls.inferencers import HoldCall
from auricle.tasks.calls.simulated_caller import MAX_TURNS, STOP_WORD, CallerModel, CallerPrompt

ROWS_FIELD = "conversations"
"""Field of a YAML file that lists conversations."""
SETTINGS = (
    *("instructions", "tools", "language", "voice", "repeats", "turn_detection", "max_seconds", "response_timeout"),
    *("first_speaker", "caller"),
)
"""Fields of a conversation that can also be set for all conversations of a file, or with `-T`."""
OWN_FIELDS = ("id", "script", "expect", "meta")
FILE_FIELDS = (
    "kind",
    "task",
    "metrics",
    "name",
    "description",
    "version",
    "source",
    "citation",
    "licence",
    "by",
    "root",
)
MAX_REPEATS = 100
YAML_SUFFIXES = (".yaml", ".yml")
DEFAULT_METRICS = ("conversation",)
JUDGED_METRICS = ("task_success_judged", "judged_success")
CLUSTER_FIELD = "conversation"
"""Metadata field with the id of a conversation, whose repetitions are not independent."""


@dataclass(frozen=True, kw_only=True)
class ConversationOptions:
    """Settings of all conversations that have none of their own."""

    voice: Annotated[str | None, Hint(is_common=True)] = None
    """Voice that speaks the texts of scripts: `espeak`, `espeak:VOICE`, `hibari`, `hibari:VOICE` or
    `recordings:FOLDER`. By default hibari for English if it is installed, else espeak."""
    instructions: Annotated[str | None, Hint(is_common=True)] = None
    """System prompt of the agent."""
    tools: Any = None
    """Functions that the agent may call, with their results."""
    repeats: int | None = None
    """How often each conversation takes place. [default: 1]"""
    turn_detection: Literal["model", "caller"] | None = None
    """Whether the model detects the end of the caller's turns, or the caller states it. [default: model]"""
    first_speaker: Literal["caller", "agent"] | None = None
    """Whether the caller begins, or waits for the agent to greet it. [default: caller]"""
    max_seconds: float | None = None
    """The caller hangs up after this time. [default: 120]"""
    response_timeout: float | None = None
    """Longest silence of the agent after the last turn before the caller hangs up. [default: 10]"""
    caller: Any = None
    """A language model that plays the caller after the script: a mapping with `model`, `model_args`, `prompt`,
    `max_turns` and `stop`. [default: none]"""


@takes_options(ConversationOptions, ScoringOptions)
def conversation(**arguments: Any) -> Task:
    """Build a task in which a scripted caller talks to a voice agent."""
    names = {option.name for option in fields(ConversationOptions)}
    options = ScoringOptions.from_arguments(
        "conversation", {name: value for name, value in arguments.items() if name not in names}
    )
    defaults = {name: arguments[name] for name in names if arguments.get(name) is not None}
    if options.language:
        defaults["language"] = options.language
    path = Path(options.data)
    root = Path(options.root) if options.root else path.parent
    samples = Conversations(path, root, defaults, parse_row_range(options.rows))
    metrics = build_metrics(split_list(options.metrics) or DEFAULT_METRICS, "", options)
    judged_metrics: list[Metric] = []
    if not options.metrics:
        metrics = list(map(allow_no_samples, metrics))
        judged_metrics = list(map(allow_no_samples, build_metrics(JUDGED_METRICS, "", options)))
    inferencer = HoldCall(_parse_caller_model(defaults.get("caller")))
    task = build_task("conversation", options, samples, inferencer, metrics)
    return replace(
        task,
        judged_metrics=judged_metrics,
        cluster=options.cluster or CLUSTER_FIELD,
        extra_context={"kind": "conversation"},
    )


@dataclass(frozen=True)
class Conversation:
    """One conversation: what the caller does, and what is expected of the agent."""

    id: str
    steps: tuple[ScriptStep, ...]
    settings: CallSettings
    voice: str
    caller: CallerPrompt | None
    repeats: int
    target: Json
    meta: Mapping[str, Json]
    origin: str

    def make_samples(self) -> Iterator[Sample]:
        """Yield a sample per repetition; its clips are made when they are not in the cache."""
        script = CallScript.build(self.steps, self.settings, self._make_clip)
        for number in range(1, self.repeats + 1):
            inputs: dict[str, Any] = {"script": script.document}
            if script.clips:
                inputs["clips"] = list(script.clips)
            if self.caller:
                inputs["caller"] = orjson.dumps(asdict(self.caller), option=orjson.OPT_SORT_KEYS).decode()
            meta = {**self.meta, CLUSTER_FIELD: self.id}
            sample_id = self.id
            if self.repeats > 1:
                sample_id, meta["repeat"] = f"{self.id}.{number}", number
                inputs["repeat"] = str(number)  # samples with equal inputs could take each other's answers
            yield Sample(id=sample_id, inputs=inputs, target=self.target, meta=meta, origin=self.origin)

    def _make_clip(self, clip: Clip) -> Audio:
        if isinstance(clip, Recorded):
            return Audio(clip.path, start=clip.start, end=clip.end)
        if isinstance(clip, MadeSound):
            return make_sound(clip.kind, clip.seconds, clip.level)
        return speak(find_voice(self.voice, self.settings.language), clip.text)


@dataclass(frozen=True)
class Conversations:
    """The conversations of a YAML file or of a file of rows.

    Args:
        path: The file.
        root: The folder that paths of audio files start from.
        defaults: Settings for conversations that have none of their own.
        row_range: Index of the first conversation, and of the one after the last.
    """

    path: Path
    root: Path
    defaults: Mapping[str, Any] = field(default_factory=dict)
    row_range: tuple[int, int | None] = (0, None)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for item in self._conversations:
            if isinstance(item, RejectedRow):
                yield item
                continue
            try:
                yield from item.make_samples()
            except AudioError as error:
                yield RejectedRow(item.origin, str(error))

    def __len__(self) -> int:
        return sum(1 if isinstance(item, RejectedRow) else item.repeats for item in self._conversations)

    @property
    def revision(self) -> str:
        """The content of the file, and the voices that speak its texts."""
        return " ".join([f"{self.path.name}@{file_revision(self.path)}", *self._voices])

    def validate(self) -> None:
        """Check the file before a run.

        Raises:
            SpecError: with file and line, if the file is wrong or a voice is not installed.
        """
        if not any(isinstance(item, Conversation) for item in self._conversations):
            reasons = [item.reason for item in self._conversations if isinstance(item, RejectedRow)]
            raise SpecError(f"{self.path} has no valid conversation. {' '.join(reasons[:1])}".strip())
        _ = self._voices

    @cached_property
    def _voices(self) -> list[str]:
        """Signatures of the voices that are needed."""
        names = {
            (item.voice, item.settings.language)
            for item in self._conversations
            if isinstance(item, Conversation) and (item.caller or _has_spoken_text(item.steps))
        }
        return sorted({find_voice(*name).signature for name in names})

    @cached_property
    def _conversations(self) -> list[Conversation | RejectedRow]:
        read = self._read_yaml if self.path.suffix.lower() in YAML_SUFFIXES else self._read_rows
        first, last = self.row_range
        return list(read())[first:last]

    def _read_yaml(self) -> Iterator[Conversation]:
        """Read a YAML file; what is wrong with it is raised with its line, because people write such files."""
        values, locations = read_yaml_with_extends(self.path, lambda _, values: values)
        rows = values.pop(ROWS_FIELD, None)
        with locations.annotate_errors(ROWS_FIELD):
            if not isinstance(rows, list) or not rows:
                raise SpecError(f"Missing field {ROWS_FIELD!r}: expected a list of conversations with `script`.")
            _check_fields(values, (*SETTINGS, *FILE_FIELDS, ROWS_FIELD))
            shared = {name: values[name] for name in SETTINGS if name in values}
            _check_shared(shared)
        for index, row in enumerate(rows):
            yield self._read_yaml_row(index, row, shared, locations)

    def _read_yaml_row(
        self, index: int, row: Any, shared: Mapping[str, Any], locations: SourceLocations
    ) -> Conversation:
        with locations.annotate_errors(ROWS_FIELD, index), at(ROWS_FIELD, index):
            if not isinstance(row, Mapping):
                raise SpecError(f"Invalid conversation {row!r}: expected a mapping with `script`.")
            return self._parse(row, index, {**shared, **self.defaults}, locations.locate((ROWS_FIELD, index)))

    def _read_rows(self) -> Iterator[Conversation | RejectedRow]:
        for index, row in enumerate(read_rows(self.path)):
            yield row if isinstance(row, RejectedRow) else convert_row(row.origin, self._parse_row, index, row)

    def _parse_row(self, index: int, row: Row) -> Conversation:
        try:
            return self._parse(row.values, index, self.defaults, row.origin)
        except SpecError as error:
            place = ".".join(map(str, error.location))
            raise SampleError(f"{place}: {error}" if place else str(error)) from error

    def _parse(self, row: Mapping[str, Any], index: int, defaults: Mapping[str, Any], origin: str) -> Conversation:
        settings = {**defaults, **{name: row[name] for name in SETTINGS if row.get(name) is not None}}
        others = {name: value for name, value in row.items() if name not in (*SETTINGS, *OWN_FIELDS)}
        _check_fields(others, (*SETTINGS, *OWN_FIELDS), only_misspelt=True)
        with at("caller"):
            caller = _parse_caller(defaults.get("caller"), row.get("caller"), settings)
        if row.get("script") is None and caller is None:
            raise SpecError("Missing field 'script': expected a list of steps, such as `- say: Hello.`")
        with at("script"):
            first_speaker = settings.get("first_speaker", "caller")
            script = row.get("script")
            steps = () if script is None else parse_script(script, self.root, first_speaker=first_speaker)
        with at("expect"):
            expectations = parse_expect(row.get("expect"))
        meta = row.get("meta") or {}
        return Conversation(
            id=str(row.get("id") or index + 1),
            steps=steps,
            settings=_parse_settings(settings),
            voice=str(settings.get("voice") or ""),
            caller=caller,
            repeats=_parse_repeats(settings.get("repeats", 1)),
            target=[expectation.to_json() for expectation in expectations] or None,
            meta={**others, **(meta if isinstance(meta, Mapping) else {"meta": meta})},
            origin=origin,
        )


def _has_spoken_text(steps: Sequence[ScriptStep]) -> bool:
    return any(not isinstance(part, (float, Recorded, MadeSound)) for step in steps for part in step.parts)


def _check_fields(values: Mapping[str, Any], known: Sequence[str], *, only_misspelt: bool = False) -> None:
    """Refuse unknown fields, or only those that seem to be misspelt names of others."""
    for name in values:
        if name in known:
            continue
        near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.75)
        if near or not only_misspelt:
            hint = f"Did you mean {near[0]!r}?" if near else f"Fields: {', '.join(known)}."
            raise SpecError(f"Unknown field {name!r}. {hint}", location=(str(name),))


def _check_shared(values: Mapping[str, Any]) -> None:
    """Check what applies to all conversations, so that mistakes in it are reported with their own lines."""
    _parse_settings(values)
    with at("caller"):
        if values.get("caller") is not None:
            _parse_caller({"prompt": "set by each conversation", **_check_caller(values["caller"])}, None, values)


def _parse_settings(values: Mapping[str, Any]) -> CallSettings:
    with at("tools"):
        tools = parse_tools(values.get("tools"))
    for name, sides in (("turn_detection", ("model", "caller")), ("first_speaker", ("caller", "agent"))):
        if values.get(name, sides[0]) not in sides:
            raise SpecError(f"Invalid {name} {values[name]!r}: expected {' or '.join(sides)}.", location=(name,))
    return CallSettings(
        instructions=str(values.get("instructions") or "").strip(),
        tools=tools,
        language=normalise_language(str(values.get("language") or "")),
        turn_detection=values.get("turn_detection", "model"),
        first_speaker=values.get("first_speaker", "caller"),
        max_seconds=parse_seconds("max_seconds", values.get("max_seconds", 120.0)),
        response_timeout=parse_seconds("response_timeout", values.get("response_timeout", 10.0)),
    )


CALLER_FIELDS = ("model", "model_args", "prompt", "max_turns", "stop", "gap")


def _parse_caller(shared: Any, own: Any, settings: Mapping[str, Any]) -> CallerPrompt | None:
    """Return how a language model plays the caller of a conversation; None if it does not.

    Args:
        shared: What applies to all conversations, with the model.
        own: What the conversation adds to it.
        settings: Settings of the conversation.
    """
    if shared is None and own is None:
        return None
    values = {**_check_caller(shared or {}), **_check_caller(own or {})}
    if own and ("model" in own or "model_args" in own):
        raise SpecError("The model of the caller is the same for all conversations: set it beside `conversations`.")
    if not values.get("model"):
        raise SpecError("Missing field 'model' of the caller, beside `conversations`.")
    if not str(values.get("prompt") or "").strip():
        raise SpecError("Missing field 'prompt' of the caller: who calls, and what for.")
    max_turns = values.get("max_turns", MAX_TURNS)
    if not is_integer(max_turns) or max_turns < 1:
        raise SpecError(f"Invalid max_turns {max_turns!r}: expected a positive integer.", location=("max_turns",))
    return CallerPrompt(
        prompt=str(values["prompt"]).strip(),
        max_turns=max_turns,
        gap=None if values.get("gap", "natural") == "natural" else parse_seconds("gap", values["gap"]),
        stop=str(values.get("stop") or STOP_WORD),
        voice=str(settings.get("voice") or ""),
        language=normalise_language(str(settings.get("language") or "")),
    )


def _check_caller(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(f"Invalid caller {value!r}: expected a mapping with `model` and `prompt`.")
    _check_fields(value, CALLER_FIELDS)
    return value


def _parse_caller_model(value: Any) -> CallerModel | None:
    if value is None:
        return None
    arguments = value.get("model_args") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(value.get("model"), str):
        raise SpecError(
            f"Invalid caller {value!r}: expected a mapping with `model`, the name of a model.", location=("caller",)
        )
    SECRETS.register(arguments or {})
    return CallerModel(value["model"], dict(arguments or {}))


def _parse_repeats(value: Any) -> int:
    if not is_integer(value) or not 1 <= value <= MAX_REPEATS:
        raise SpecError(f"Invalid repeats {value!r}: expected a number from 1 to {MAX_REPEATS}.", location=("repeats",))
    return int(value)

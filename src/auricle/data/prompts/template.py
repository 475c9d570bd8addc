"""Prompt templates: a system message, examples, and turns with placeholders.

Rendering uses only a sample's inputs, never its target, so no target can reach a prompt. The target of an example is
shown where its template has `{target}`. Values are inserted as they are, without filling placeholders in them.
`{name?}` may be missing, `{{name}}` is the text `{name}`, and all other braces stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast, get_args

from auricle.core.errors import SampleError, SpecError
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import Input, Part, Sample, Turn
from auricle.data.prompts.example_pool import Example
from auricle.data.prompts.few_shot import FewShotSelector

_create_turn = make_fast_constructor(Turn)

FIELD_PATTERN = re.compile(r"\{\{(\w+\??)\}\}|\{(\w+)(\??)\}")

TemplateSegment = tuple[str, bool] | str  # the name of a field and whether it is optional, or a text


@lru_cache(maxsize=1024)
def parse_template(template: str) -> tuple[TemplateSegment, ...]:
    """Split a template into texts and fields, in order."""
    segments: list[TemplateSegment] = []
    end = 0
    for match in FIELD_PATTERN.finditer(template):
        segments.append(template[end : match.start()])
        escaped, name, mark = match.groups()
        segments.append(f"{{{escaped}}}" if escaped else (name, bool(mark)))
        end = match.end()
    segments.append(template[end:])
    return tuple(segment for segment in segments if segment)


def field_names(template: str) -> dict[str, bool]:
    """Return the fields of a template, and whether each is optional."""
    optional_by_name: dict[str, bool] = {}
    for segment in parse_template(template):
        if not isinstance(segment, str):
            optional_by_name[segment[0]] = segment[1] and optional_by_name.get(segment[0], True)
    return optional_by_name


def render(template: str, inputs: Mapping[str, Input]) -> tuple[Part, ...]:
    """Fill the fields of a template; media stay separate parts."""
    parts: list[Part] = []
    for segment in parse_template(template):
        if isinstance(segment, str):
            parts.append(segment)
        elif segment[0] in inputs:
            parts.extend(as_parts(inputs[segment[0]]))
        elif not segment[1]:
            raise SampleError(
                f"the prompt needs {{{segment[0]}}}, but the sample has only {', '.join(inputs) or 'no inputs'}"
            )
    return merge_texts(parts)


def merge_texts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Join neighbouring texts into one part."""
    if len(parts) == 1 and parts[0] != "":
        return tuple(parts)
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def as_parts(value: Input) -> list[Part]:
    return list(value) if isinstance(value, (list, tuple)) else [cast(Part, value)]


Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES = get_args(Role)
SECTIONS = ("system", "examples", "turns", "separator")
MEDIA = ("audio", "image", "video")
TARGET_FIELDS = ("target", "answer")  # placeholders for the correct answer, allowed only in examples
EXAMPLES_FIELD = "examples"  # placeholder for examples; those that are messages replace a whole turn
EXAMPLES_PLACEHOLDER = f"{{{EXAMPLES_FIELD}}}"


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template."""

    turns: tuple[Message, ...]
    system: str = ""
    examples: tuple[Message, ...] | str = ()
    """Template of an example: text that is inserted at `{examples}`, or messages that come before the turns or replace
    the turn `{examples}`."""
    separator: str = "\n\n"
    """Text after each example that is written as text."""
    shots: FewShotSelector | None = None

    @classmethod
    def of(cls, value: Any, *, system: str = "", shots: FewShotSelector | None = None) -> Prompt:
        """Build a prompt from a text, a list of messages, or a mapping of sections."""
        if isinstance(value, Prompt):
            return value
        sections = value if isinstance(value, Mapping) and not _is_message(value) else {}
        if not sections:
            sections = {"turns": value}
        if unknown := [str(name) for name in sections if name not in SECTIONS]:
            raise _prompt_error(f"has the unknown section {', '.join(unknown)}; expected {', '.join(SECTIONS)}")
        if not sections.get("turns"):
            raise _prompt_error("is empty: set `turns`")
        examples = sections.get("examples") or ()
        prompt = cls(
            turns=_parse_messages(sections["turns"], "turns"),
            system=_parse_text(sections.get("system", system), "system"),
            examples=examples if isinstance(examples, str) else _parse_messages(examples, "examples"),
            separator=str(sections.get("separator", "\n\n")),
            shots=shots,
        )
        prompt._validate()
        return prompt

    @property
    def fields(self) -> dict[str, bool]:
        """Return the inputs that the prompt shows, and whether each is optional."""
        optional_by_name: dict[str, bool] = {}
        for text in (self.system, *(message.text for message in self.turns)):
            for name, optional in field_names(text).items():
                optional_by_name[name] = optional and optional_by_name.get(name, True)
        optional_by_name.pop(EXAMPLES_FIELD, None)
        return optional_by_name

    @property
    def example_fields(self) -> list[str]:
        """Return the columns that the examples show, without the answer."""
        texts = [self.examples] if isinstance(self.examples, str) else [message.text for message in self.examples]
        return [name for text in texts for name in field_names(text) if name not in TARGET_FIELDS]

    def render(self, sample: Sample) -> tuple[Turn, ...]:
        """Return the conversation for a sample."""
        examples = self.shots.examples_for(sample) if self.shots else ()
        inputs = sample.inputs
        if self.examples:
            as_text = self._example_text_parts(examples) if isinstance(self.examples, str) else ""
            inputs = {**inputs, EXAMPLES_FIELD: as_text}
        turns = [_create_turn("system", render(self.system, inputs))] if self.system else []
        messages = [_create_turn(message.role, render(message.text, inputs)) for message in self.turns]
        if isinstance(self.examples, str) or not (self.examples or examples):
            return (*turns, *messages)
        example_turns = [turn for example in examples for turn in self._example_turns(example)]
        position = self._examples_position
        if position is None:
            return (*turns, *example_turns, *messages)
        return tuple(_join_turns(turns + messages[:position], example_turns, messages[position + 1 :]))

    @property
    def _examples_position(self) -> int | None:
        """Return the index of the turn that examples replace, if there is one."""
        return next((index for index, turn in enumerate(self.turns) if turn.text == EXAMPLES_PLACEHOLDER), None)

    def example_parts(self, example: Example) -> list[Part]:
        """Return the parts that an example is shown as."""
        if isinstance(self.examples, str) and self.examples:
            return self._example_text_parts([example])
        return [part for turn in self._example_turns(example) for part in turn.parts]

    def _example_turns(self, example: Example) -> list[Turn]:
        """Return an example as turns; without an example template, use the turns of the prompt."""
        inputs = _example_inputs(example)
        template = self.examples or _append_target(self.turns)
        return [
            Turn(message.role, render(message.text, inputs)) for message in template if isinstance(message, Message)
        ]

    def _example_text_parts(self, examples: Sequence[Example]) -> list[Part]:
        """Return examples as text, each followed by the separator."""
        parts: list[Part] = []
        for example in examples:
            parts += [*render(str(self.examples), _example_inputs(example)), self.separator]
        return list(merge_texts(parts))

    def _validate(self) -> None:
        """Raise if the prompt would show the answer, or has no placeholder for its examples."""
        if target_fields := [name for name in self.fields if name in TARGET_FIELDS]:
            raise _prompt_error(f"would show the answer: {{{target_fields[0]}}} is allowed only in examples")
        texts = [message.text for message in self.turns]
        has_placeholder = any(EXAMPLES_FIELD in field_names(text) for text in texts)
        if isinstance(self.examples, str) and self.examples and not has_placeholder:
            raise _prompt_error("has `examples` as text but no {examples} in its turns")
        if has_placeholder and not self.examples:
            raise _prompt_error("has {examples} in its turns but no `examples`")
        is_whole_turn = texts.count(EXAMPLES_PLACEHOLDER) == 1 and "".join(texts).count(EXAMPLES_PLACEHOLDER) == 1
        if has_placeholder and not isinstance(self.examples, str) and not is_whole_turn:
            raise _prompt_error("has `examples` as messages, so {examples} must be one turn of its own")
        if self.turns[-1].role == "system":
            raise _prompt_error("must not end with a system message")


def _join_turns(*sections: Sequence[Turn]) -> list[Turn]:
    """Concatenate turns; neighbours of one role become one turn, because many models expect the roles to alternate."""
    joined: list[Turn] = []
    for turn in (turn for section in sections for turn in section):
        if joined and joined[-1].role == turn.role:
            joined[-1] = Turn(turn.role, merge_texts((*joined[-1].parts, "\n", *turn.parts)))
        else:
            joined.append(turn)
    return joined


def _example_inputs(example: Example) -> dict[str, Input]:
    """Return all placeholders of an example, including the other columns of its row."""
    columns = {k: str(v) for k, v in example.meta.items() if isinstance(v, (str, int, float))}
    return {"answer": example.answer, **columns, **example.inputs, "target": example.answer}


def _append_target(turns: Sequence[Message]) -> tuple[Message, ...]:
    """Append the answer to the turns, or to a prefilled answer."""
    if turns[-1].role == "assistant":
        prefix = turns[-1].text
        separator = "" if prefix.endswith((" ", "\n")) else " "
        return (*turns[:-1], Message("assistant", f"{prefix}{separator}{{target}}"))
    return (*turns, Message("assistant", "{target}"))


def _parse_messages(value: Any, section: str) -> tuple[Message, ...]:
    if isinstance(value, str) or _is_message(value):
        value = [value]
    if not isinstance(value, Sequence):
        raise _prompt_error(f"must have a list of messages under {section}, not {value!r}", section)
    return tuple(_parse_message(message, section, index) for index, message in enumerate(value))


def _parse_message(value: Any, section: str, index: int) -> Message:
    """Parse `user: text`, `{role: user, content: …}`, or a text, which becomes a user message."""
    if isinstance(value, Message):
        return value
    if isinstance(value, str):
        return Message("user", value)
    if isinstance(value, Mapping) and {*value} == {"role", "content"}:
        value = {value["role"]: value["content"]}
    if not (isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in ROLES):
        raise _prompt_error(
            f"must have messages with `user:`, `assistant:` or `system:`, not {value!r}", section, index
        )
    ((role, content),) = value.items()
    return Message(role, _parse_text(content, section, index))


def _parse_text(content: Any, *where: str | int) -> str:
    """Parse a text with placeholders, or a list of parts."""
    if isinstance(content, (str, int, float)):
        return str(content)
    if not isinstance(content, Sequence):
        content = [content]
    return "".join(_parse_part(part, *where) for part in content)


def _parse_part(part: Any, *where: str | int) -> str:
    """Parse a part: `{audio: name}` is the placeholder `{name}`, `{text: …}` is text with placeholders."""
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and len(part) == 1:
        ((kind, value),) = part.items()
        if kind in MEDIA and isinstance(value, str):
            return f"{{{value}}}"
        if kind == "text":
            return str(value)
    kinds = ", ".join(f"`{kind}: field`" for kind in MEDIA)
    raise _prompt_error(f"has an invalid part {part!r}; expected text, `text: …`, {kinds}", *where)


def _is_message(value: Any) -> bool:
    """Return whether a mapping is one message rather than sections, one of which is also named `system`."""
    if not isinstance(value, Mapping):
        return False
    return ({*value} == {"role", "content"} and value["role"] in ROLES) or (
        len(value) == 1 and next(iter(value)) in ("user", "assistant")
    )


def _prompt_error(problem: str, *where: str | int) -> SpecError:
    return SpecError(f"The prompt {problem}.", location=("prompt", *where))

"""A task's side of a conversation: a system message, examples, and turns with fields.

Rendering is given a sample's inputs and never the sample, so no target can reach a prompt;
an example's target is shown where its template says `{target}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import SpecError
from auricle.core.types import Input, Part, Sample, Turn
from auricle.prompts.few_shot import Example, FewShotSelector
from auricle.prompts.placeholders import field_names, merge_texts, render

Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES = get_args(Role)
SECTIONS = ("system", "examples", "turns", "separator")
MEDIA = ("audio", "image", "video")
TARGET_FIELDS = ("target", "answer")
"""Fields that only an example may have: what a good answer to it is."""
EXAMPLES_FIELD = "examples"
"""The field in whose place examples stand that are text."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one side says, with fields."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is said to a model about a sample."""

    turns: tuple[Message, ...]
    system: str = ""
    examples: tuple[Message, ...] | str = ()
    """How an example is shown: as turns of its own, or as text in the place of `{examples}`."""
    separator: str = "\n\n"
    """What stands after each example that is text."""
    shots: FewShotSelector | None = None

    @classmethod
    def of(cls, value: Any, *, system: str = "", shots: FewShotSelector | None = None) -> Prompt:
        """A prompt from a text, a list of messages, or their sections by name."""
        if isinstance(value, Prompt):
            return value
        sections = value if isinstance(value, Mapping) and not _is_message(value) else {}
        if not sections:
            sections = {"turns": value}
        if unknown := [str(name) for name in sections if name not in SECTIONS]:
            raise _prompt_error(f"has no {', '.join(unknown)}; it has {', '.join(SECTIONS)}")
        if not sections.get("turns"):
            raise _prompt_error("says nothing: it needs `turns`")
        examples = sections.get("examples") or ()
        found = cls(
            turns=_parse_messages(sections["turns"], "turns"),
            system=_parse_text(sections.get("system", system), "system"),
            examples=examples if isinstance(examples, str) else _parse_messages(examples, "examples"),
            separator=str(sections.get("separator", "\n\n")),
            shots=shots,
        )
        found._validate()
        return found

    @property
    def fields(self) -> dict[str, bool]:
        """The inputs it shows, and whether each may be absent."""
        asked: dict[str, bool] = {}
        for text in (self.system, *(message.text for message in self.turns)):
            for name, optional in field_names(text).items():
                asked[name] = optional and asked.get(name, True)
        asked.pop(EXAMPLES_FIELD, None)
        return asked

    def render(self, sample: Sample) -> tuple[Turn, ...]:
        """What is said about this sample."""
        shots = self.shots.examples_for(sample) if self.shots else ()
        inputs = sample.inputs
        if isinstance(self.examples, str) and self.examples:
            inputs = {**inputs, EXAMPLES_FIELD: self._example_text_parts(shots)}
        said = [Turn("system", render(self.system, inputs))] if self.system else []
        if not isinstance(self.examples, str):
            for shot in shots:
                said.extend(self._example_turns(shot))
        said.extend(Turn(message.role, render(message.text, inputs)) for message in self.turns)
        return tuple(said)

    def example_parts(self, example: Example) -> list[Part]:
        """The parts that an example is shown as."""
        if isinstance(self.examples, str) and self.examples:
            return self._example_text_parts([example])
        return [part for turn in self._example_turns(example) for part in turn.parts]

    def _example_turns(self, example: Example) -> list[Turn]:
        """An example as turns of its own; without a template, as the sample itself is asked."""
        inputs = _example_inputs(example)
        template = self.examples or _append_target(self.turns)
        return [
            Turn(message.role, render(message.text, inputs)) for message in template if isinstance(message, Message)
        ]

    def _example_text_parts(self, examples: Sequence[Example]) -> list[Part]:
        """Examples as text, with what separates them after each."""
        parts: list[Part] = []
        for shot in examples:
            parts += [*render(str(self.examples), _example_inputs(shot)), self.separator]
        return list(merge_texts(parts))

    def _validate(self) -> None:
        """Refuse a prompt that would show the answer, or has no place for its examples."""
        if found := [name for name in self.fields if name in TARGET_FIELDS]:
            raise _prompt_error(f"would show the answer: {{{found[0]}}} may stand in examples only")
        texts = [message.text for message in self.turns]
        placed = any(EXAMPLES_FIELD in field_names(text) for text in texts)
        if isinstance(self.examples, str) and self.examples and not placed:
            raise _prompt_error("has examples that are text, and no {examples} in its turns")
        if placed and not (isinstance(self.examples, str) and self.examples):
            raise _prompt_error("has {examples} in its turns, and no `examples` that are text")
        if self.turns[-1].role == "system":
            raise _prompt_error("ends with a system message, which nobody answers")


def _example_inputs(example: Example) -> dict[str, Input]:
    """All that an example may show: its row's other columns, too."""
    columns = {k: str(v) for k, v in example.meta.items() if isinstance(v, (str, int, float))}
    return {**columns, **example.inputs, **dict.fromkeys(TARGET_FIELDS, example.answer)}


def _append_target(turns: Sequence[Message]) -> tuple[Message, ...]:
    """A sample's turns with its answer behind them; after words put in the model's mouth, too."""
    if turns[-1].role == "assistant":
        begun = turns[-1].text
        gap = "" if begun.endswith((" ", "\n")) else " "
        return (*turns[:-1], Message("assistant", f"{begun}{gap}{{target}}"))
    return (*turns, Message("assistant", "{target}"))


def _parse_messages(value: Any, section: str) -> tuple[Message, ...]:
    if isinstance(value, str) or _is_message(value):
        value = [value]
    if not isinstance(value, Sequence):
        raise _prompt_error(f"has {section} that are no list of messages: {value!r}", section)
    return tuple(_parse_message(each, section, at) for at, each in enumerate(value))


def _parse_message(value: Any, section: str, index: int) -> Message:
    """`user: text`, `{role: user, content: …}`, or a text that the user says."""
    if isinstance(value, Message):
        return value
    if isinstance(value, str):
        return Message("user", value)
    if isinstance(value, Mapping) and {*value} == {"role", "content"}:
        value = {value["role"]: value["content"]}
    if not (isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in ROLES):
        raise _prompt_error(f"should say `user:`, `assistant:` or `system:`, not {value!r}", section, index)
    ((role, content),) = value.items()
    return Message(role, _parse_text(content, section, index))


def _parse_text(content: Any, *where: str | int) -> str:
    """A text with fields, from a text or from a list of parts."""
    if isinstance(content, (str, int, float)):
        return str(content)
    if not isinstance(content, Sequence):
        content = [content]
    return "".join(_parse_part(each, *where) for each in content)


def _parse_part(part: Any, *where: str | int) -> str:
    """`{audio: name}` is the field `{name}`; `{text: …}` is a text, which may have fields."""
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and len(part) == 1:
        ((kind, value),) = part.items()
        if kind in MEDIA and isinstance(value, str):
            return f"{{{value}}}"
        if kind == "text":
            return str(value)
    kinds = ", ".join(f"`{kind}: field`" for kind in MEDIA)
    raise _prompt_error(f"has a part that is no text, `text: …`, {kinds}: {part!r}", *where)


def _is_message(value: Any) -> bool:
    """One message, and not sections by name, of which `system` is one."""
    if not isinstance(value, Mapping):
        return False
    return ({*value} == {"role", "content"} and value["role"] in ROLES) or (
        len(value) == 1 and next(iter(value)) in ("user", "assistant")
    )


def _prompt_error(problem: str, *where: str | int) -> SpecError:
    return SpecError(f"The prompt {problem}.", location=("prompt", *where))

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
from auricle.prompts.few_shot import Shot, Shots
from auricle.prompts.fields import joined, names, render

Role: TypeAlias = Literal["system", "user", "assistant"]
ROLES = get_args(Role)
KEYS = ("system", "examples", "turns", "separator")
MEDIA = ("audio", "image", "video")
TARGETS = ("target", "answer")
"""Fields that only an example may have: what a good answer to it is."""
SHOWN = "examples"
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
    shots: Shots | None = None

    @classmethod
    def of(cls, given: Any, *, system: str = "", shots: Shots | None = None) -> Prompt:
        """A prompt from a text, a list of messages, or their sections by name."""
        if isinstance(given, Prompt):
            return given
        sections = given if isinstance(given, Mapping) and not _is_message(given) else {}
        if not sections:
            sections = {"turns": given}
        if unknown := [str(name) for name in sections if name not in KEYS]:
            raise _wrong(f"has no {', '.join(unknown)}; it has {', '.join(KEYS)}")
        if not sections.get("turns"):
            raise _wrong("says nothing: it needs `turns`")
        examples = sections.get("examples") or ()
        found = cls(
            turns=_messages(sections["turns"], "turns"),
            system=_text(sections.get("system", system), "system"),
            examples=examples if isinstance(examples, str) else _messages(examples, "examples"),
            separator=str(sections.get("separator", "\n\n")),
            shots=shots,
        )
        found._check()
        return found

    @property
    def fields(self) -> dict[str, bool]:
        """The inputs it shows, and whether each may be absent."""
        asked: dict[str, bool] = {}
        for text in (self.system, *(message.text for message in self.turns)):
            for name, optional in names(text).items():
                asked[name] = optional and asked.get(name, True)
        asked.pop(SHOWN, None)
        return asked

    def render(self, sample: Sample) -> tuple[Turn, ...]:
        """What is said about this sample."""
        shots = self.shots.of(sample) if self.shots else ()
        inputs = sample.inputs
        if isinstance(self.examples, str) and self.examples:
            inputs = {**inputs, SHOWN: self._listed(shots)}
        said = [Turn("system", render(self.system, inputs))] if self.system else []
        if not isinstance(self.examples, str):
            for shot in shots:
                said.extend(self._shown(shot))
        said.extend(Turn(message.role, render(message.text, inputs)) for message in self.turns)
        return tuple(said)

    def shown(self, shot: Shot) -> list[Part]:
        """The parts that an example is shown as."""
        if isinstance(self.examples, str) and self.examples:
            return self._listed([shot])
        return [part for turn in self._shown(shot) for part in turn.parts]

    def _shown(self, shot: Shot) -> list[Turn]:
        """An example as turns of its own; without a template, as the sample itself is asked."""
        inputs = _with_target(shot)
        template = self.examples or _answered(self.turns)
        return [
            Turn(message.role, render(message.text, inputs))
            for message in template
            if isinstance(message, Message)
        ]

    def _listed(self, shots: Sequence[Shot]) -> list[Part]:
        """Examples as text, with what separates them after each."""
        parts: list[Part] = []
        for shot in shots:
            parts += [*render(str(self.examples), _with_target(shot)), self.separator]
        return list(joined(parts))

    def _check(self) -> None:
        """Refuse a prompt that would show the answer, or has no place for its examples."""
        if found := [name for name in self.fields if name in TARGETS]:
            raise _wrong(f"would show the answer: {{{found[0]}}} may stand in examples only")
        texts = [message.text for message in self.turns]
        placed = any(SHOWN in names(text) for text in texts)
        if isinstance(self.examples, str) and self.examples and not placed:
            raise _wrong("has examples that are text, and no {examples} in its turns")
        if placed and not (isinstance(self.examples, str) and self.examples):
            raise _wrong("has {examples} in its turns, and no `examples` that are text")
        if self.turns[-1].role == "system":
            raise _wrong("ends with a system message, which nobody answers")


def _with_target(shot: Shot) -> dict[str, Input]:
    """All that an example may show: its row's other columns, too."""
    columns = {k: str(v) for k, v in shot.meta.items() if isinstance(v, (str, int, float))}
    return {**columns, **shot.inputs, **dict.fromkeys(TARGETS, shot.answer)}


def _answered(turns: Sequence[Message]) -> tuple[Message, ...]:
    """A sample's turns with its answer behind them; after words put in the model's mouth, too."""
    if turns[-1].role == "assistant":
        begun = turns[-1].text
        gap = "" if begun.endswith((" ", "\n")) else " "
        return (*turns[:-1], Message("assistant", f"{begun}{gap}{{target}}"))
    return (*turns, Message("assistant", "{target}"))


def _messages(given: Any, section: str) -> tuple[Message, ...]:
    if isinstance(given, str) or _is_message(given):
        given = [given]
    if not isinstance(given, Sequence):
        raise _wrong(f"has {section} that are no list of messages: {given!r}", section)
    return tuple(_message(each, section, at) for at, each in enumerate(given))


def _message(given: Any, section: str, at: int) -> Message:
    """`user: text`, `{role: user, content: …}`, or a text that the user says."""
    if isinstance(given, Message):
        return given
    if isinstance(given, str):
        return Message("user", given)
    if isinstance(given, Mapping) and {*given} == {"role", "content"}:
        given = {given["role"]: given["content"]}
    if not (isinstance(given, Mapping) and len(given) == 1 and next(iter(given)) in ROLES):
        raise _wrong(f"should say `user:`, `assistant:` or `system:`, not {given!r}", section, at)
    ((role, content),) = given.items()
    return Message(role, _text(content, section, at))


def _text(content: Any, *where: str | int) -> str:
    """A text with fields, from a text or from a list of parts."""
    if isinstance(content, (str, int, float)):
        return str(content)
    if not isinstance(content, Sequence):
        content = [content]
    return "".join(_part(each, *where) for each in content)


def _part(given: Any, *where: str | int) -> str:
    """`{audio: name}` is the field `{name}`; `{text: …}` is a text, which may have fields."""
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping) and len(given) == 1:
        ((kind, value),) = given.items()
        if kind in MEDIA and isinstance(value, str):
            return f"{{{value}}}"
        if kind == "text":
            return str(value)
    kinds = ", ".join(f"`{kind}: field`" for kind in MEDIA)
    raise _wrong(f"has a part that is no text, `text: …`, {kinds}: {given!r}", *where)


def _is_message(given: Any) -> bool:
    """One message, and not sections by name, of which `system` is one."""
    if not isinstance(given, Mapping):
        return False
    return ({*given} == {"role", "content"} and given["role"] in ROLES) or (
        len(given) == 1 and next(iter(given)) in ("user", "assistant")
    )


def _wrong(what: str, *where: str | int) -> SpecError:
    return SpecError(f"The prompt {what}.", where=("prompt", *where))

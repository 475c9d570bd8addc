"""Conversations: turns that stand in the data, or rounds that a function makes up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar, Literal, TypeAlias, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Ability, Ask, Generate, Generation, Input, Output, Part, Sample, Turn
from auricle.prompts.placeholders import as_parts, render
from auricle.tasks.inferencers.base import resolve_max_tokens


@dataclass(frozen=True)
class Converse:
    """A conversation: user turns asked one after the other, or only the last of them.

    `every` goes on from the model's own answers, `gold` from the reference answers among the
    turns; `last` gives the whole history as it stands in the data.
    """

    mode: Literal["every", "last", "gold"] = "every"
    turns: str = "turns"
    system: str = ""
    max_tokens: int = 512
    temperature: float = 0.0
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self) -> None:
        if self.mode not in ("every", "last", "gold"):
            raise SpecError(f"A conversation goes on by every, last or gold, not {self.mode!r}.", location=("mode",))

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        history = [Turn("system", render(self.system, sample.inputs))] if self.system else []
        if self.turns not in sample.inputs:
            known = ", ".join(sample.inputs) or "nothing"
            raise SampleError(f"no conversation in {self.turns!r}; the sample has {known}")
        said = to_turns(sample.inputs[self.turns])
        asked = [place for place, turn in enumerate(said) if turn.role == "user"]
        answers: list[Output] = []
        for place, turn in enumerate(said[: asked[-1] + 1]):
            if turn.role != "assistant" or self.mode != "every":
                history.append(turn)
            if turn.role != "user" or (self.mode == "last" and place != asked[-1]):
                continue
            if self.mode == "gold":
                _refuse_unanswered(history)
            answers.append(await ask(self._request(sample, history, len(answers))))
            if self.mode == "every":
                history.append(Turn("assistant", (cast(Generation, answers[-1]).text,)))
        return tuple(answers)

    def _request(self, sample: Sample, history: Sequence[Turn], turn: int) -> Generate:
        return Generate(
            turns=tuple(history),
            max_tokens=resolve_max_tokens(sample, self.max_tokens, turn),
            temperature=self.temperature,
        )


def _refuse_unanswered(history: Sequence[Turn]) -> None:
    roles = [turn.role for turn in history if turn.role != "system"]
    if any(pair == ("user", "user") for pair in pairwise(roles)):
        raise SampleError("a turn has no reference answer to go on from")


def to_turns(value: Input) -> list[Turn]:
    """Turns as they are; a text or a sound alone is what the user says."""
    held = value if isinstance(value, (list, tuple)) else [value]
    said = [each if isinstance(each, Turn) else Turn("user", (cast(Part, each),)) for each in held]
    if not any(turn.role == "user" for turn in said):
        raise SampleError("a conversation in which the user says nothing")
    return said


NextRound: TypeAlias = Callable[[Sample, int, Sequence[str]], "Turn | Part | Sequence[Part] | None"]


@dataclass(frozen=True)
class Rounds:
    """A function of the sample, the round and the earlier answers says what is said next."""

    next: NextRound = field(repr=False)
    most: int = 16
    memory: bool = True
    """Is each round said after those before it, or alone?"""
    max_tokens: int = 512
    temperature: float = 0.0
    name: str = ""
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self) -> None:
        called = getattr(self.next, "__qualname__", "")
        if not (self.name or called):  # else two runs with different rounds would be taken for one
            raise SpecError("What says the next round has no name of its own; give it one: name=…")
        name = self.name or f"{getattr(self.next, '__module__', '')}:{called}"
        object.__setattr__(self, "name", name)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        shown = replace(sample, target=None)  # whoever writes a prompt is not told the answer
        history: list[Turn] = []
        answers: list[Generation] = []
        while (said := self.next(shown, len(answers), [each.text for each in answers])) is not None:
            if len(answers) == self.most:
                raise SampleError(f"not done after {self.most} rounds")
            turn = said if isinstance(said, Turn) else Turn("user", tuple(as_parts(said)))
            history = [*history, turn] if self.memory else [turn]
            request = Generate(
                turns=tuple(history),
                max_tokens=resolve_max_tokens(sample, self.max_tokens, len(answers)),
                temperature=self.temperature,
            )
            answers.append(cast(Generation, await ask(request)))
            history.append(Turn("assistant", (answers[-1].text,)))
        if not answers:
            raise SampleError("the first round already says nothing")
        return tuple(answers)

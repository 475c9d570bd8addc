"""Inferencers that ask for text: `respond` sends one prompt, `converse` and `rounds` hold a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import pairwise
from typing import ClassVar, Literal, TypeAlias, cast

from auricle.core.errors import SampleError, SpecError
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.types import Ability, Ask, Generate, Generation, Input, Output, Part, Sample, Turn
from auricle.data.prompts import Prompt
from auricle.data.prompts.template import as_parts, render
from auricle.engine.inferencers.base import PromptMixin, resolve_max_tokens

_create_generate = make_fast_constructor(Generate)


@dataclass(frozen=True)
class Respond(PromptMixin):
    """Sends one prompt and returns one answer, or several samples of it."""

    prompt: Prompt | str
    system: InitVar[str] = ""
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    samples: int = 1
    """How many answers to sample; the metric decides how to combine them."""
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self, system: str) -> None:
        super().__post_init__(system)
        if self.samples > 1 and not self.temperature:
            raise SpecError(
                f"samples={self.samples} needs a temperature: at temperature 0 all answers are the same. "
                "Set one, such as -T temperature=0.7.",
                location=("samples",),
            )

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        request = self.request(sample)
        if self.samples == 1:
            return (await ask(request),)
        answers = (ask(replace(request, answer_index=index, seed=index)) for index in range(self.samples))
        return tuple(await asyncio.gather(*answers))

    def request(self, sample: Sample) -> Generate:
        """Return the request for a sample."""
        return _create_generate(
            turns=self.render_turns(sample),
            max_tokens=resolve_max_tokens(sample, self.max_tokens),
            temperature=self.temperature,
            stop=self.stop,
        )


@dataclass(frozen=True)
class Converse:
    """Asks the user turns of a conversation one after the other, or only the last one.

    `every` continues from the model's own answers, `gold` from the reference answers in the data; `last` sends the
    whole history from the data and asks the last turn.
    """

    mode: Literal["every", "last", "gold"] = "every"
    turns: str = "turns"
    system: str = ""
    max_tokens: int = 512
    temperature: float = 0.0
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self) -> None:
        if self.mode not in ("every", "last", "gold"):
            raise SpecError(f"Invalid mode {self.mode!r}: expected every, last or gold.", location=("mode",))

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        history = [Turn("system", render(self.system, sample.inputs))] if self.system else []
        if self.turns not in sample.inputs:
            names = ", ".join(sample.inputs) or "none"
            raise SampleError(f"no conversation: the sample has no input {self.turns!r} (inputs: {names})")
        turns = to_turns(sample.inputs[self.turns])
        last_user = max(index for index, turn in enumerate(turns) if turn.role == "user")
        answers: list[Output] = []
        for index, turn in enumerate(turns[: last_user + 1]):
            if turn.role != "assistant" or self.mode != "every":
                history.append(turn)
            if turn.role != "user" or (self.mode == "last" and index != last_user):
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
            seed=turn if self.temperature else 0,
        )


def _refuse_unanswered(history: Sequence[Turn]) -> None:
    roles = [turn.role for turn in history if turn.role != "system"]
    if any(pair == ("user", "user") for pair in pairwise(roles)):
        raise SampleError("an earlier user turn has no reference answer")


def to_turns(value: Input) -> list[Turn]:
    """Convert an input to turns; a text or an audio clip becomes a user turn."""
    items = value if isinstance(value, (list, tuple)) else [value]
    turns = [item if isinstance(item, Turn) else Turn("user", (cast(Part, item),)) for item in items]
    if not any(turn.role == "user" for turn in turns):
        raise SampleError("the conversation has no user turn")
    return turns


NextRound: TypeAlias = Callable[[Sample, int, Sequence[str]], "Turn | Part | Sequence[Part] | None"]


@dataclass(frozen=True)
class Rounds:
    """Asks the turns that a function returns, given the sample, the round and the earlier answers."""

    next: NextRound = field(repr=False)
    most: int = 16
    """Maximum number of rounds."""
    memory: bool = True
    """Whether each round is sent with the earlier rounds, or alone."""
    max_tokens: int = 512
    temperature: float = 0.0
    name: str = ""
    needs: ClassVar[Ability] = "generate"

    def __post_init__(self) -> None:
        qualified_name = getattr(self.next, "__qualname__", "")
        if not (self.name or qualified_name):  # the name distinguishes runs with different functions
            raise SpecError("The function `next` of the inferencer rounds has no name. Set `name`.")
        name = self.name or f"{getattr(self.next, '__module__', '')}:{qualified_name}"
        object.__setattr__(self, "name", name)

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        without_target = replace(sample, target=None)  # a prompt must not reveal the answer
        history: list[Turn] = []
        answers: list[Generation] = []
        while (content := self.next(without_target, len(answers), [answer.text for answer in answers])) is not None:
            if len(answers) == self.most:
                raise SampleError(f"the conversation did not end after {self.most} rounds")
            turn = content if isinstance(content, Turn) else Turn("user", tuple(as_parts(content)))
            history = [*history, turn] if self.memory else [turn]
            request = Generate(
                turns=tuple(history),
                max_tokens=resolve_max_tokens(sample, self.max_tokens, len(answers)),
                temperature=self.temperature,
                seed=len(answers) if self.temperature else 0,
            )
            answers.append(cast(Generation, await ask(request)))
            history.append(Turn("assistant", (answers[-1].text,)))
        if not answers:
            raise SampleError("the function `next` returned no first turn")
        return tuple(answers)

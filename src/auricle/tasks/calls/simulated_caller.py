"""A caller that a language model plays: it reads what the agent spoke so far, and decides what to say next."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from auricle.core.calls import StartPoint, Step, Utterance
from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation, Turn
from auricle.media.voices import find_voice, speak
from auricle.models.sessions.inner_models import InnerModel

STOP_WORD = "[hang up]"
MAX_TURNS = 10
RULES = (
    "You are the caller in a phone call. Answer only with the words that you say next, in one or two short sentences, "
    "without quotes or descriptions. When your request is settled or cannot be settled, answer with {stop}."
)
"""What every caller is asked to do, after the prompt of the conversation."""
SILENCE = "(The other side is silent.)"
CONNECTED = "(The call is connected.)"
MEDIAN_GAP, GAP_SPREAD = 0.5, 0.6
"""Natural gaps are log-normal, as those between people: seconds that half of them exceed, and the standard deviation of
their logarithms. 95 % are between 0.15 and 1.6 s."""
GAP_LIMITS = (0.1, 3.0)


@dataclass(frozen=True, kw_only=True)
class CallerPrompt:
    """How a caller is played in one conversation."""

    prompt: str
    max_turns: int = MAX_TURNS
    stop: str = STOP_WORD
    voice: str = ""
    language: str = ""
    gap: float | None = None
    """Seconds between the agent's speech and the caller's. [default: natural]"""

    def list_turns(self, dialogue: Sequence[Utterance]) -> tuple[Turn, ...]:
        """Return the conversation as the language model reads it: the agent is its user."""
        turns = [Turn("system", (f"{self.prompt}\n\n{RULES.format(stop=self.stop)}",))]
        if not dialogue or dialogue[0].speaker == "caller":
            turns.append(Turn("user", (CONNECTED,)))
        for utterance in dialogue:
            role = "assistant" if utterance.speaker == "caller" else "user"
            if turns[-1].role == role:  # chat models want both sides to alternate
                turns[-1] = Turn(turns[-1].role, (f"{turns[-1].parts[0]} {utterance.text}",))
            else:
                turns.append(Turn("assistant" if role == "assistant" else "user", (utterance.text,)))
        if turns[-1].role == "assistant":
            turns.append(Turn("user", (SILENCE,)))
        return tuple(turns)


class TextModel(Protocol):
    """A model that writes answers, one at a time."""

    async def generate(self, request: Generate) -> Generation: ...


@dataclass
class SimulatedCaller:
    """The caller of one call.

    Args:
        model: A model that generates text.
        settings: What it is asked.
        seed: Decides the natural gaps of the call.
    """

    model: TextModel
    settings: CallerPrompt
    seed: str = ""
    turns: int = 0
    is_last: bool = False

    async def next_step(self, dialogue: Sequence[Utterance]) -> Step | None:
        """Return the next utterance of the caller; None when the model ended the call, or after `max_turns`."""
        if self.is_last or self.turns >= self.settings.max_turns:
            return None
        self.turns += 1
        reply = await self.model.generate(Generate(turns=self.settings.list_turns(dialogue), max_tokens=200))
        text, stop, _ = reply.text.partition(self.settings.stop)
        self.is_last = bool(stop)
        text = " ".join(text.split())
        if not text:
            return None
        voice = find_voice(self.settings.voice, self.settings.language)
        clip = await asyncio.to_thread(speak, voice, text)
        has_agent_spoken = bool(dialogue) and dialogue[-1].speaker == "agent"
        start: StartPoint = "agent_end" if has_agent_spoken else "previous"
        return Step(kind="say", audio=(clip,), text=text, start=start, delay=self._choose_gap())

    def _choose_gap(self) -> float:
        """Return how long after the agent's speech the caller speaks; the same for the same seed and turn."""
        if self.settings.gap is not None:
            return self.settings.gap
        gap = random.Random(f"{self.seed} {self.turns}").lognormvariate(math.log(MEDIAN_GAP), GAP_SPREAD)
        return min(max(gap, GAP_LIMITS[0]), GAP_LIMITS[1])


@dataclass
class CallerModel:
    """The language model of all callers of a run, loaded when it is first needed."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _model: InnerModel | None = field(default=None, repr=False, compare=False)

    def load(self) -> InnerModel:
        """Return the model.

        Raises:
            SpecError: if there is no such model, it does not generate text, or its arguments are wrong.
        """
        if self._model is None:
            try:
                self._model = InnerModel(self.name, self.arguments)
            except TypeError as error:
                raise SpecError(f"Cannot build the model {self.name!r} of the caller: {error}.") from error
        return self._model

    async def close(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            await model.close()

"""A voice agent made of local parts: voice activity detection, a recogniser, rules or a text model, and a voice.

-m cascade -M rules=rules.yaml
-m cascade -M model=openai -M 'model_args={"model": "qwen", "base_url": "http://127.0.0.1:8000/v1"}'
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Turn
from auricle.core.yaml_files import read_yaml
from auricle.media.voices import find_voice
from auricle.models.listing import ModelListing
from auricle.models.sessions.inner_models import InnerModel
from auricle.models.sessions.turn_taking import CallerTurn, Reply, TurnTakingModel

DEFAULT_REPLY = "Sorry, I did not understand that."


@dataclass(frozen=True)
class Rule:
    """What the agent replies, and which tool it uses, if the words of the caller match `when`."""

    when: re.Pattern[str]
    reply: str
    tool: str = ""
    arguments: Mapping[str, str] | None = None

    @classmethod
    def parse(cls, fields: Any, place: str) -> Rule:
        """Read a rule from YAML.

        Raises:
            SpecError: if a field is missing, unknown or wrong.
        """
        if not isinstance(fields, dict) or set(fields) - {"when", "reply", "tool", "arguments"}:
            raise SpecError(f"{place}: expected the fields 'when', 'reply', and optionally 'tool' and 'arguments'.")
        if not fields.get("reply"):
            raise SpecError(f"{place}: missing field 'reply'.")
        try:
            pattern = re.compile(str(fields.get("when", "")), re.IGNORECASE)
        except re.error as error:
            raise SpecError(f"{place}: 'when' is not a valid regular expression: {error}.") from error
        arguments = {str(name): str(value) for name, value in (fields.get("arguments") or {}).items()}
        return cls(pattern, str(fields["reply"]), str(fields.get("tool", "")), arguments)


def read_rules(path: str) -> list[Rule]:
    """Read the rules of an agent from a YAML file; the first that matches applies."""
    rules = read_yaml(Path(path)).get("rules")
    if not isinstance(rules, list) or not rules:
        raise SpecError(f"{path}: missing field 'rules', a list.")
    return [Rule.parse(fields, f"{path}: rule {number}") for number, fields in enumerate(rules, start=1)]


class Cascade(TurnTakingModel):
    """Recognises each turn of the caller, chooses a reply, and speaks it sentence by sentence."""

    listing = ModelListing(group="Voice agents")

    def __init__(
        self,
        *,
        rules: str = "",
        model: str = "",
        model_args: Mapping[str, Any] | None = None,
        recogniser: str = "moonshine",
        voice: str = "",
        **options: Any,
    ) -> None:
        r"""Load the parts.

        Args:
            rules: YAML file with a list `rules`: `when` (a regular expression), `reply`, `tool` and `arguments`, in
                which `\1` stands for the first group of `when`.
            model: A text model, as after `-m`, that answers if no rule applies.
            model_args: Its arguments.
            recogniser: A model that transcribes, as after `-m`.
            voice: `espeak`, `espeak:VOICE`, `hibari` or `hibari:VOICE`. [default: hibari if installed, else espeak]
            **options: As for all models that take turns.
        """
        if not rules and not model:
            raise SpecError("cascade needs something that chooses replies: -M rules=FILE or -M model=NAME.")
        super().__init__(**options)
        self._rules = read_rules(rules) if rules else []
        self._voice = find_voice(voice)
        self._model = InnerModel(model, model_args) if model else None
        self._recogniser = InnerModel(recogniser)

    async def respond(self, turn: CallerTurn) -> AsyncIterator[Reply]:
        understood = await self.transcribe(turn)
        yield Reply(understood=understood)
        if not understood:
            return
        for sentence in split_sentences(await self._choose_reply(understood, turn)):
            yield Reply(text=f"{sentence} ", audio=await asyncio.to_thread(self._voice.synthesise, sentence))

    async def transcribe(self, turn: CallerTurn) -> str:
        return (await self._recogniser.generate(Generate(turns=(Turn("user", (turn.audio,)),)))).text.strip()

    async def close(self) -> None:
        for part in (self._recogniser, self._model):
            if part is not None:
                await part.close()

    async def _choose_reply(self, understood: str, turn: CallerTurn) -> str:
        for rule in self._rules:
            if match := rule.when.search(understood):
                if rule.tool:
                    arguments = {name: match.expand(value) for name, value in (rule.arguments or {}).items()}
                    await turn.use_tool(rule.tool, arguments)
                return match.expand(rule.reply)
        if self._model is None:
            return DEFAULT_REPLY
        answer = await self._model.generate(Generate(turns=(*turn.history, Turn("user", (understood,)))))
        return answer.text


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences, so that the first can be spoken before the others are.

    >>> split_sentences("It opens at nine. Anything else?")
    ['It opens at nine.', 'Anything else?']
    """
    return [sentence for part in re.split(r"(?<=[.!?。！？])\s+", text) if (sentence := part.strip())]

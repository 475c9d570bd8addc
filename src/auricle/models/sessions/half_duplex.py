"""Any model that answers recorded speech, as a voice agent that listens, then speaks.

-m half-duplex -M model=openai -M 'model_args={"model": "gpt-audio", "base_url": "http://127.0.0.1:8000/v1"}'
-m half-duplex -M model=agent.py:Agent -M voice=espeak
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from auricle.core.errors import SampleError
from auricle.core.types import Generate, Turn
from auricle.media.voices import find_voice
from auricle.models.listing import ModelListing
from auricle.models.sessions.inner_models import InnerModel
from auricle.models.sessions.turn_taking import CallerTurn, Reply, TurnTakingModel


class HalfDuplex(TurnTakingModel):
    """Sends each turn of the caller to a model, and speaks its answer."""

    listing = ModelListing(group="Voice agents")

    def __init__(
        self, model: str, *, model_args: Mapping[str, Any] | None = None, voice: str = "", **options: Any
    ) -> None:
        """Load the model.

        Args:
            model: A model that takes audio, as after `-m`.
            model_args: Its arguments.
            voice: Voice that speaks answers without audio, such as `espeak` or `hibari`.
            **options: As for all models that take turns.
        """
        super().__init__(**options)
        self._model = InnerModel(model, model_args)
        self._voice = find_voice(voice) if voice else None

    async def respond(self, turn: CallerTurn) -> AsyncIterator[Reply]:
        answer = await self._model.generate(Generate(turns=(*turn.history, Turn("user", (turn.audio,)))))
        audio = answer.audio
        if audio is None and self._voice is not None:
            audio = await asyncio.to_thread(self._voice.synthesise, answer.text)
        if audio is None:
            raise SampleError("The model returned no speech. Set a voice to speak its text: -M voice=espeak.")
        yield Reply(text=answer.text, audio=audio)

    async def transcribe(self, turn: CallerTurn) -> str:
        return (await self._model.generate(Generate(turns=(Turn("user", (turn.audio,)),)))).text

    async def close(self) -> None:
        await self._model.close()

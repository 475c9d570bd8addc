"""Models that take the place of built-in ones when the commands of a page are run, without weights or servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.types import Generate, Generation, Predict, Prediction
from auricle.media import Audio
from auricle.models.base import BatchModel, Model
from auricle.models.embeddings import SCORE
from auricle.testing.models import Echo, FakeApi, FakeLabels, pseudo_random
from tests.support.voice_agents import RATE, Script, TimedAgent, tone

REPLIES = {"Which recording is better": "A", "Score:": "Score: 3", "Verdict:": "Verdict: yes", "Choice:": "Choice: 1"}
"""What a judge replies, by what its prompt contains."""


class Words(Echo):
    """Repeat most words of the request."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(wrong=0.3)


class Api(FakeApi):
    """Repeat most words of the request, in parts if asked to; as a judge, approve."""

    first_tokens = True

    def __init__(self, **arguments: Any) -> None:
        super().__init__(delay=0.0, wrong=0.3)

    async def generate(self, request: Generate) -> Generation:
        for mark, reply in REPLIES.items():
            if mark in request.text:
                return Generation(text=reply)
        likely = {"A": -0.7, "B": -0.7} if request.first_tokens else None
        return replace(await super().generate(request), first_token_logprobs=likely)


class Voice(BatchModel):
    """Answer with a tone of this length."""

    def __init__(self, seconds: float = 0.3, **arguments: Any) -> None:
        self.sound = Audio.of(tone(seconds), rate=RATE)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=request.text, audio=self.sound) for request in batch]


class Labels(FakeLabels):
    """Rate the usual emotions."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__()


class Ratings(BatchModel):
    """Return numbers between 0 and 1 that depend only on the inputs."""

    names: tuple[str, ...] = (SCORE,)

    def __init__(self, **arguments: Any) -> None: ...

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [
            Prediction(values={name: pseudo_random(str(request), name) for name in self.names}, scale="continuous")
            for request in batch
        ]


class Alignment(Ratings):
    names = ("alignment",)


class Dimensions(Ratings):
    names = ("arousal", "dominance", "valence")


class PacketLoss(Ratings):
    names = ("plcmos",)


class Noise(Ratings):
    names = ("ovrl_mos", "sig_mos", "bak_mos", "p808_mos")


class Events(BatchModel):
    """Hear speech in every recording."""

    def __init__(self, **arguments: Any) -> None: ...

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text='[{"onset": 0.1, "offset": 0.2, "label": "speech"}]')] * len(batch)


class Agent(TimedAgent):
    """Answer at the end of a turn with a short tone."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(Script(stop_after=0.1, answer_after=0.02, answer_seconds=0.1))


SUBSTITUTES: dict[type[Model], tuple[str, ...]] = {
    Api: ("openai", "azure", "vllm-chat", "transcription", "responses", "gemini"),
    Voice: ("hibari", "speech"),
    Labels: ("emotion2vec", "audio-classification"),
    Ratings: ("resemblyzer",),
    Alignment: ("clap",),
    Dimensions: ("audeering",),
    PacketLoss: ("plcmos",),
    Noise: ("dnsmos",),
    Events: ("silero-vad",),
    Agent: ("realtime", "gemini-live", "moonshine-stream", "vosk-stream", "half-duplex", "cascade"),
}
"""Built-in models by the class that takes their place; `Words` takes the place of all others."""

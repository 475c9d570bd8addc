"""Models that are wrong in one way each, and the check that should name it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import soundfile

from auricle import (
    AsyncModel,
    Audio,
    BatchModel,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Predict,
    Prediction,
    SampleError,
)


def listen(audio: Audio | None) -> str:
    """Return what a healthy model answers: something that depends on the sound."""
    assert audio is not None
    waveform = audio.decode(16_000)
    return f"{len(waveform)} samples, loudness {float(np.abs(waveform).mean()):.4f}"


class Healthy(BatchModel):
    """Answers with the length and the loudness of the sound."""

    batch_size = 4

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self.answer(request)) for request in batch]

    def answer(self, request: Generate) -> str:
        return listen(request.audio)


class HealthyClient(AsyncModel):
    """The same, as a client that also streams."""

    async def generate(self, request: Generate) -> Generation:
        await asyncio.sleep(0)
        return Generation(text=listen(request.audio))

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        for word in listen(request.audio).split():
            yield f"{word} "


# --- batches --------------------------------------------------------------------


class DropsOne(Healthy):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        outputs = super().generate(batch)
        return outputs[:-1] if len(batch) > 1 else outputs


class CrashesOnBatches(Healthy):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        np.stack([request.audio.decode(16_000) for request in batch if request.audio])  # without padding
        return super().generate(batch)


class SwapsTwo(Healthy):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        outputs = super().generate(batch)
        return [outputs[1], outputs[0], *outputs[2:]] if len(batch) > 1 else outputs


class SortsByLength(Healthy):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return super().generate(sorted(batch, key=lambda request: request.audio.seconds if request.audio else 0.0))


class HearsPadding(Healthy):
    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        longest = max(len(request.audio.decode(16_000)) for request in batch if request.audio)
        return [Generation(text=f"{output.text} of {longest}") for output in super().generate(batch)]


class SharesRequests(AsyncModel):
    """A client that keeps the request in an attribute while it waits."""

    async def generate(self, request: Generate) -> Generation:
        self.request = request
        await asyncio.sleep(0.001)
        return Generation(text=listen(self.request.audio))


class FailsConcurrently(HealthyClient):
    in_flight = 0

    async def generate(self, request: Generate) -> Generation:
        self.in_flight += 1
        try:
            if self.in_flight > 1:
                raise RuntimeError("the session is busy")
            await asyncio.sleep(0.001)
            return await super().generate(request)
        finally:
            self.in_flight -= 1


# --- repetition -----------------------------------------------------------------


class Guesses(Healthy):
    def answer(self, request: Generate) -> str:
        return f"{super().answer(request)} {random.random()}"


class RemembersHistory(Healthy):
    def __init__(self) -> None:
        self.history: list[str] = []

    def answer(self, request: Generate) -> str:
        self.history.append(super().answer(request))
        return " ".join(self.history)


class RemembersTheLast(Healthy):
    """Answers twice the same, but something else after another sound."""

    last = ""

    def answer(self, request: Generate) -> str:
        text = super().answer(request)
        before, self.last = self.last, text
        return text if before in ("", text) else f"{text}, no longer {before}"


# --- sounds ---------------------------------------------------------------------


class DividesByLoudness(Healthy):
    def answer(self, request: Generate) -> str:
        waveform = request.audio.decode(16_000) if request.audio else np.zeros(0)
        return f"{super().answer(request)} {1 / float(np.abs(waveform).max()):.3f}"


class ScoresSilenceAsNaN(BatchModel):
    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values={"snr": self.measure(request)}, scale="continuous") for request in batch]

    def measure(self, request: Predict) -> float:
        assert request.audio is not None
        power = float((request.audio.decode(16_000) ** 2).mean())
        return 0.5 / power if power else float("nan")


class NeedsAFrame(Healthy):
    def answer(self, request: Generate) -> str:
        assert request.audio is not None
        frames = np.lib.stride_tricks.sliding_window_view(request.audio.decode(16_000), 400)[::160]
        return f"{super().answer(request)} {len(frames)} frames"


class HasRoomForHalfAMinute(Healthy):
    def answer(self, request: Generate) -> str:
        assert request.audio is not None
        room = np.zeros(30 * 16_000)
        waveform = request.audio.decode(16_000)
        room[: len(waveform)] = waveform
        return super().answer(request)


class ReadsFilesItself(Healthy):
    def answer(self, request: Generate) -> str:
        assert request.audio is not None
        waveform, _rate = soundfile.read(str(request.audio.path))
        return f"{waveform.max():.3f} {super().answer(request)}"


class ExpectsOneChannel(Healthy):
    def answer(self, request: Generate) -> str:
        assert request.audio is not None
        waveform = request.audio.decode(mono=False)
        return f"{float(waveform[:, 0] @ waveform.reshape(len(waveform))):.3f} {super().answer(request)}"


class HidesErrors(Healthy):
    def answer(self, request: Generate) -> str:
        try:
            return super().answer(request)
        except SampleError:
            return ""


# --- values ---------------------------------------------------------------------


class LikelierThanCertain(BatchModel):
    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        return [Likelihood(logprobs=(-0.5, 0.5)) for _ in batch]


class Scorer(BatchModel):
    """Predicts two numbers for each sound."""

    scale: Literal["probability", "logit", "continuous"] = "continuous"

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values=self.score(request), scale=self.scale) for request in batch]

    def score(self, request: Predict) -> dict[str, float]:
        assert request.audio is not None
        return {"calm": float(np.abs(request.audio.decode(16_000)).mean()), "excited": 3.5}


class CallsScoresProbabilities(Scorer):
    scale = "probability"


class RenamesScores(Scorer):
    def score(self, request: Predict) -> dict[str, float]:
        first, second = super().score(request).values()
        return {"quiet" if first < 0.1 else "loud": first, "excited": second}


# --- other methods ----------------------------------------------------------------


class ReturnsNothing(Healthy):
    def generate(self, batch: Sequence[Generate]) -> Any:
        super().generate(batch)


class YieldsOutputs(Healthy):
    def generate(self, batch: Sequence[Generate]) -> Any:
        def outputs() -> Iterator[Generation]:
            yield from super(YieldsOutputs, self).generate(batch)

        return outputs()


class ExpectsOneTurn(Healthy):
    def answer(self, request: Generate) -> str:
        (turn,) = request.turns
        return f"{turn.role} {super().answer(request)}"


class StreamsAnotherText(HealthyClient):
    async def stream(self, request: Generate) -> AsyncIterator[str]:
        yield "something else"


class ForgetsFirstTokens(Healthy):
    first_tokens = True


class FailsToClose(Healthy):
    def close(self) -> None:
        raise OSError("the device is gone")


BROKEN_MODELS: dict[type[Any], str] = {
    DropsOne: "generate.batch",
    CrashesOnBatches: "generate.batch",
    SwapsTwo: "generate.order",
    SortsByLength: "generate.order",
    HearsPadding: "generate.parity",
    SharesRequests: "generate.parity",
    FailsConcurrently: "generate.parity",
    Guesses: "generate.determinism",
    RemembersHistory: "generate.state",
    RemembersTheLast: "generate.state",
    DividesByLoudness: "generate.silent_sound",
    ScoresSilenceAsNaN: "predict.silent_sound",
    NeedsAFrame: "generate.short_sound",
    HasRoomForHalfAMinute: "generate.long_sound",
    ReadsFilesItself: "generate.empty_sound",
    ExpectsOneChannel: "generate.sample_rates",
    HidesErrors: "generate.damaged_sound",
    LikelierThanCertain: "loglikelihood.values",
    CallsScoresProbabilities: "predict.values",
    RenamesScores: "predict.values",
    ReturnsNothing: "generate.answers",
    YieldsOutputs: "generate.answers",
    ExpectsOneTurn: "generate.conversation",
    StreamsAnotherText: "generate.stream",
    ForgetsFirstTokens: "generate.first_tokens",
    FailsToClose: "close",
}
"""The check that fails, by model; no other one does."""

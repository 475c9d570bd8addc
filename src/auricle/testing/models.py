"""Models without weights, for tests, demos and a first run on any laptop.

What they get wrong, and when they fail, depends only on what they are asked, so a run
can be repeated to the letter.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import PurePath

from auricle.audio import Audio
from auricle.core.errors import SampleError, Transient
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Predict, Prediction, Request, list_media
from auricle.models.adapt import extract_request_text
from auricle.models.base import AsyncModel, BatchModel


class Echo(BatchModel):
    """Says the words in an audio file's name, or the text it is given."""

    batch_size = 64

    def __init__(self, *, wrong: float = 0.0, fail: float = 0.0, delay: float = 0.0, reply: str = "") -> None:
        self.wrong, self.fail, self.delay, self.reply = wrong, fail, delay, str(reply)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        if self.delay:
            time.sleep(self.delay)
        return [Generation(text=self._reply_text(request)) for request in batch]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        return [Likelihood(logprobs=(-0.5,) * len(r.continuation.split())) for r in batch]

    def _reply_text(self, request: Generate) -> str:
        words = self.reply or fake_transcript(request)
        if self.fail and pseudo_random(words, "fail") < self.fail:
            raise SampleError("the fake was told to fail on this one")
        return corrupt_words(words, self.wrong) if self.wrong else words


class FakeApi(AsyncModel):
    """Answers after a delay, gets words wrong, fails for good or for a while, and can stream."""

    def __init__(
        self, *, delay: float = 0.001, wrong: float = 0.0, fail: float = 0.0, fail_every: int = 0, reply: str = ""
    ) -> None:
        self.delay, self.wrong, self.fail = delay, wrong, fail
        self.fail_every, self.reply, self.calls = fail_every, str(reply), 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        call = self.calls
        await asyncio.sleep(self.delay)
        if self.fail_every and call % self.fail_every == 0:
            raise Transient("429 Too Many Requests")
        words = self.reply or fake_transcript(request)
        if self.fail and pseudo_random(words, "fail") < self.fail:
            raise SampleError("400 the fake was told to refuse this one")
        return Generation(text=corrupt_words(words, self.wrong), tokens=len(words.split()))

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        for word in (self.reply or fake_transcript(request)).split():
            await asyncio.sleep(self.delay)
            yield word + " "


class FakeLabels(BatchModel):
    """Probabilities over `labels` that depend only on the inputs."""

    def __init__(self, *, labels: str | Iterable[str] = "angry,happy,neutral,sad") -> None:
        self.labels = labels.split(",") if isinstance(labels, str) else list(labels)

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values=self._probabilities(each), scale="probability") for each in batch]

    def _probabilities(self, request: Predict) -> dict[str, float]:
        weights = {label: pseudo_random(request_key(request), label) + 1e-6 for label in self.labels}
        total = sum(weights.values())
        return {label: weight / total for label, weight in weights.items()}


class FakeReward(BatchModel):
    """Raw, unnormalised numbers that depend only on the inputs."""

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [
            Prediction(
                values={k: 10 * pseudo_random(request_key(r), k) - 5 for k in ("alignment", "musicality")},
                scale="continuous",
            )
            for r in batch
        ]


def fake_transcript(request: Request) -> str:
    """The words in the names of the sounds; without sounds, the words of the text."""
    sounds = [part for part in list_media(request) if isinstance(part, Audio)]
    names = (PurePath(sound.uri).stem.replace("_", " ") for sound in sounds)
    return " ".join(names) if sounds else extract_request_text(request)


def request_key(request: Predict) -> str:
    return repr(sorted((name, str(part)) for name, part in request.inputs.items()))


def pseudo_random(key: str, salt: str) -> float:
    """A number in [0, 1) that `what` and `salt` decide."""
    return zlib.crc32(f"{salt}\0{key}".encode()) / 2**32


def corrupt_words(text: str, fraction: float) -> str:
    """Replace about `share` of the words."""
    if not fraction:
        return text
    words = text.split()
    return " ".join(
        f"not{word}" if pseudo_random(f"{at} {text}", "wrong") < fraction else word for at, word in enumerate(words)
    )

"""Models without weights, for tests and demos.

Their answers, mistakes and failures depend only on the request, so runs are reproducible.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import PurePath

from auricle.core.errors import SampleError, Transient
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Predict, Prediction, Request
from auricle.models.base import AsyncModel, BatchModel
from auricle.models.listing import ModelListing

REWARD_NAMES = ("alignment", "musicality")
FAKE = ModelListing(group="Fake")


class Echo(BatchModel):
    """A batch model that answers with the words in the names of the audio files, or with the text of the request.

    Args:
        wrong: Share of words to get wrong.
        fail: Share of requests that fail.
        delay: Seconds per batch.
        reply: Text of every answer, instead of the request's words.

    Examples:
        >>> from auricle import Audio, Generate, Turn
        >>> from auricle.testing import Echo
        >>> request = Generate(turns=(Turn("user", (Audio("good_morning.wav"),)),))
        >>> Echo().generate([request])[0].text
        'good morning'
    """

    listing = FAKE
    batch_size = 64

    def __init__(self, *, wrong: float = 0.0, fail: float = 0.0, delay: float = 0.0, reply: str = "") -> None:
        self.wrong, self.fail, self.delay, self.reply = wrong, fail, delay, str(reply)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        if self.delay:
            time.sleep(self.delay)
        return [Generation(text=self._reply_text(request)) for request in batch]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        return [Likelihood(logprobs=(-0.5,) * len(request.continuation.split())) for request in batch]

    def _reply_text(self, request: Generate) -> str:
        text = self.reply or fake_transcript(request)
        if self.fail and pseudo_random(text, "fail") < self.fail:
            raise SampleError("the fake model is set to fail on this request")
        return corrupt_words(text, self.wrong)


class FakeApi(AsyncModel):
    """An asynchronous model that answers as `Echo` does, after a delay, and can stream.

    Args:
        delay: Seconds before each answer.
        wrong: Share of words to get wrong.
        fail: Share of requests that fail permanently.
        fail_every: Every nth call fails with a transient error; 0 for none.
        reply: Text of every answer, instead of the request's words.

    Examples:
        >>> import asyncio
        >>> from auricle import Generate, Turn
        >>> from auricle.testing import FakeApi
        >>> request = Generate(turns=(Turn("user", ("hello",)),))
        >>> asyncio.run(FakeApi(delay=0).generate(request)).text
        'hello'
    """

    listing = FAKE

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
        text = self.reply or fake_transcript(request)
        if self.fail and pseudo_random(text, "fail") < self.fail:
            raise SampleError("400 the fake model is set to reject this request")
        return Generation(text=corrupt_words(text, self.wrong), tokens=len(text.split()))

    async def stream(self, request: Generate) -> AsyncIterator[str]:
        for word in (self.reply or fake_transcript(request)).split():
            await asyncio.sleep(self.delay)
            yield word + " "


class FakeLabels(BatchModel):
    """A classifier whose probabilities depend only on the inputs.

    Args:
        labels: Labels, separated by commas or as a sequence.

    Examples:
        >>> from auricle import Predict
        >>> from auricle.testing import FakeLabels
        >>> FakeLabels(labels="yes,no").predict([Predict(inputs={"text": "hello"})])[0].values
        {'yes': 0.31..., 'no': 0.68...}
    """

    listing = FAKE

    def __init__(self, *, labels: str | Iterable[str] = "angry,happy,neutral,sad") -> None:
        self.labels = labels.split(",") if isinstance(labels, str) else list(labels)

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [Prediction(values=self._probabilities(request), scale="probability") for request in batch]

    def _probabilities(self, request: Predict) -> dict[str, float]:
        weights = {label: pseudo_random(request_key(request), label) + 1e-6 for label in self.labels}
        total = sum(weights.values())
        return {label: weight / total for label, weight in weights.items()}


class FakeReward(BatchModel):
    """A reward model whose raw scores, between -5 and 5, depend only on the inputs.

    Examples:
        >>> from auricle import Predict
        >>> from auricle.testing import FakeReward
        >>> sorted(FakeReward().predict([Predict(inputs={"text": "hello"})])[0].values)
        ['alignment', 'musicality']
    """

    listing = FAKE

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [
            Prediction(
                values={name: 10 * pseudo_random(request_key(request), name) - 5 for name in REWARD_NAMES},
                scale="continuous",
            )
            for request in batch
        ]


def fake_transcript(request: Request) -> str:
    """Return the words in the names of the audio files; without audio, the text of the request."""
    clips = request.audios
    names = (PurePath(clip.uri).stem.replace("_", " ") for clip in clips)
    return " ".join(names) if clips else request.text


def request_key(request: Predict) -> str:
    return repr(sorted((name, str(part)) for name, part in request.inputs.items()))


def pseudo_random(key: str, salt: str) -> float:
    """Return a number in [0, 1) that depends only on `key` and `salt`."""
    return zlib.crc32(f"{salt}\0{key}".encode()) / 2**32


def corrupt_words(text: str, fraction: float) -> str:
    """Replace about this fraction of the words."""
    if not fraction:
        return text
    return " ".join(
        f"not{word}" if pseudo_random(f"{index} {text}", "wrong") < fraction else word
        for index, word in enumerate(text.split())
    )

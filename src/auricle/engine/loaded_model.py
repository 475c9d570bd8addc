"""A loaded model to call directly, without a task."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, TypeVar

from auricle.core.closing import Closing
from auricle.core.types import Generate, Output, Part, Predict, Request, Turn
from auricle.engine.slots import close_model, send_all
from auricle.media import Audio, Image, Video
from auricle.models import AsyncModel, Model

T = TypeVar("T")


class LoadedModel(Closing):
    """A loaded model to call directly, without a task. Close it after use, or use it in a `with` block."""

    def __init__(self, model: Model, abilities: list[str]) -> None:
        self.model = model
        self.abilities = abilities
        # Its own thread and event loop, so that connections stay open between calls and the loop of a
        # notebook does not interfere.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="auricle-ask")
        self._runner = asyncio.Runner()

    def ask(self, audio: Any = None, text: str = "", **inputs: Any) -> Output:
        """Send one request and return the raw output.

        Args:
            audio: A path, bytes, an array with `rate=`, a Hugging Face dict, or a list of these.
            text: Prompt.
            inputs: `video` and `image` (a path, bytes, or a list of these) and fields of `Generate` such as
                `max_tokens`, or further inputs of a predicting model.

        Returns:
            A `Generation` from a model that generates text, or else a `Prediction`.
        """
        output = self.send_all([self._build_request(audio, text, inputs)])[0]
        if isinstance(output, BaseException):
            raise output
        return output

    def send_all(self, requests: Sequence[Request]) -> list[Output | BaseException]:
        """Send requests as a run would, in batches or concurrently.

        Args:
            requests: Requests of any kind.

        Returns:
            The output of each request, or the error it failed with, in the same order.
        """
        return self.run(send_all(self.model, requests))

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the event loop of the model, whose connections belong to it."""
        return self._thread.submit(self._runner.run, coroutine).result()

    @property
    def can_stream(self) -> bool:
        """Whether the model can stream its answers."""
        model_class = type(self.model)
        return issubclass(model_class, AsyncModel) and model_class.stream is not AsyncModel.stream

    def stream(self, audio: Any = None, text: str = "", **inputs: Any) -> Iterator[str]:
        """Yield pieces of the answer as they arrive; only if `can_stream`. See `ask` for the arguments."""
        request, model = self._build_request(audio, text, inputs), self.model
        assert isinstance(request, Generate)
        assert isinstance(model, AsyncModel)
        pieces: SimpleQueue[str | None] = SimpleQueue()

        async def collect() -> None:
            try:
                async for piece in model.stream(request):
                    pieces.put(piece)
            finally:
                pieces.put(None)

        done = self._thread.submit(self._runner.run, collect())
        yield from iter(pieces.get, None)
        done.result()

    def _build_request(self, audio: Any, text: str, inputs: dict[str, Any]) -> Request:
        rate = inputs.pop("rate", None)
        values = audio if isinstance(audio, list) and not _is_number_list(audio) else [audio]
        clips = [Audio.of(value, rate=rate) for value in values if value is not None]
        if "generate" in self.abilities:
            videos, images = (
                [make(value) for value in _to_list(inputs.pop(name, None))]
                for name, make in (("video", Video.of), ("image", Image.of))
            )
            parts: tuple[Part, ...] = (*videos, *images, *clips, *([text] if text else []))
            return Generate(turns=(Turn("user", parts),), **inputs)
        named: dict[str, Any] = {**inputs, **({"text": text} if text else {})}
        return Predict(inputs={**named, **({"audio": clips[0]} if clips else {})})

    def close(self) -> None:
        try:
            self.run(close_model(self.model))
        finally:
            self._thread.submit(self._runner.close).result()
            self._thread.shutdown()


def _to_list(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _is_number_list(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], (int, float))

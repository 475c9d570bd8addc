"""Requests with a text, and workers that answer batches of them."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.types import Ability, Generate, Generation, Request, Turn
from auricle.engine.batching import BatchWorker, WorkerLost


def request(text: str) -> Generate:
    return Generate(turns=(Turn("user", (text,)),))


def text_of(sent: Request) -> str:
    assert isinstance(sent, Generate)
    return str(sent.turns[0].parts[0])


def recording_worker(batches: list[list[str]]) -> BatchWorker:
    """Return a worker that repeats each text and records its batches."""

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        batches.append([text_of(sent) for sent in batch])
        return [Generation(text=text_of(sent)) for sent in batch]

    return worker


async def answer_everything(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
    return [Generation(text="fine") for _ in batch]


async def lose_worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
    raise WorkerLost("the worker is gone")

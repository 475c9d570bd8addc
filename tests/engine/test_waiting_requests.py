"""Batches of the requests that wait, without windows."""

import asyncio
from collections.abc import Sequence
from typing import Any

from auricle.core.types import Ability, Generate, Generation, Output, Predict, Request
from auricle.engine.batch_limits import BatchLimits
from auricle.engine.batching import Batcher, BatchWorker
from tests.support.batch_workers import answer_everything, lose_worker, recording_worker, request


async def send_waiting(worker: BatchWorker, texts: Sequence[str | Predict], size: int) -> list[Any]:
    """Send each text from its own slot, without windows; return outputs and exceptions."""
    batcher = Batcher([worker], BatchLimits(size), windows=False)
    try:
        sent = (request(text) if isinstance(text, str) else text for text in texts)
        return await asyncio.gather(*(batcher.acquire_slot().send(item) for item in sent), return_exceptions=True)
    finally:
        await batcher.close()


def test_free_worker_takes_what_waits_in_the_order_of_arrival() -> None:
    batches: list[list[str]] = []
    texts = ["a", "long text", "b", "another long text", "c"]
    outputs = asyncio.run(send_waiting(recording_worker(batches), texts, 3))
    assert [output.text for output in outputs] == texts
    assert [sorted(batch) for batch in batches] == [sorted(texts[:3]), sorted(texts[3:])]


def test_waiting_requests_of_another_type_are_another_batch() -> None:
    kinds: list[list[type]] = []

    async def worker(_ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        kinds.append([type(sent) for sent in batch])
        return [Generation(text="") for _ in batch]

    asyncio.run(send_waiting(worker, ["a", "b", Predict(inputs={}), "c"], 8))
    assert kinds == [[Generate, Generate], [Predict], [Generate]]


def test_idle_worker_takes_the_next_request() -> None:
    async def main() -> None:
        batcher = Batcher([answer_everything], BatchLimits(2), windows=False)
        for _ in range(2):
            await batcher.acquire_slot().send(request("x"))
            await asyncio.sleep(0)
        await batcher.close()

    asyncio.run(main())


def test_closing_waits_until_workers_have_ended() -> None:
    ended: list[str] = []

    async def main() -> None:
        async def worker(_ability: Ability, _batch: Sequence[Request]) -> Sequence[Output]:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("worker")
            return []

        batcher = Batcher([worker], BatchLimits(1), windows=False)
        sending = asyncio.create_task(batcher.acquire_slot().send(request("x")))
        await asyncio.sleep(0.01)
        await batcher.close()
        assert ended == ["worker"]
        sending.cancel()

    asyncio.run(main())


def test_failed_batch_of_waiting_requests_is_not_split() -> None:
    sizes: list[int] = []

    async def worker(_ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        sizes.append(len(batch))
        raise RuntimeError("broken")

    errors = asyncio.run(send_waiting(worker, ["a", "b", "c"], 3))
    assert [str(error) for error in errors] == ["broken"] * 3
    assert sizes == [3]


def test_waiting_requests_of_a_lost_worker_fail() -> None:
    errors = asyncio.run(send_waiting(lose_worker, ["a", "b"], 2))
    assert [str(error) for error in errors] == ["the worker is gone"] * 2


def test_a_cancelled_request_takes_no_place_in_a_batch_of_waiting_ones() -> None:
    batches: list[list[str]] = []

    async def main() -> None:
        batcher = Batcher([recording_worker(batches)], BatchLimits(2), windows=False)
        tasks = [asyncio.create_task(batcher.acquire_slot().send(request(text))) for text in "abc"]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await batcher.close()

    asyncio.run(main())
    assert batches == [["b", "c"]]

"""Batching: by length, in windows, halved when they fail."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import AudioError
from auricle.core.types import Audio, Generate, Generation, Predict, Prediction, Turn
from auricle.engine.batch_limits import MAX_AUTO_BATCH_SIZE, BatchLimits
from auricle.engine.batching import BATCHES_PER_WINDOW, Batcher, PendingRequest, RunStopped, split_into_batches


def request(text: Any) -> Any:
    return Generate(turns=(Turn("user", (text,)),))


def said(each: Any) -> Any:
    return each.turns[0].parts[0]


async def answers(lanes: Any, limits: Any, texts: Any, asks: int = 1, growing: bool = False) -> Any:
    """Every text asked by a sample of its own, `asks` times in a row."""
    batcher = Batcher(lanes, limits, auto_grow=growing)

    async def sample(seat: Any, text: Any) -> Any:
        try:
            for _ in range(asks):
                answer = await seat.ask(request(text))
            return answer
        finally:
            seat.release()

    try:
        tasks = [asyncio.create_task(sample(batcher.acquire_slot(), text)) for text in texts]
        batcher.close_window()
        return await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await batcher.close()


def recording(batches: Any) -> Any:
    async def lane(ability: Any, batch: Any) -> Any:
        batches.append([said(each) for each in batch])
        return [Generation(text=said(each)) for each in batch]

    return lane


def test_answers_reach_whoever_asked() -> None:
    batches = []
    texts = [str(number) for number in range(10)]
    found = asyncio.run(answers([recording(batches)], BatchLimits(4), texts))
    assert [each.text for each in found] == texts
    assert [len(batch) for batch in batches] == [4, 4, 2]


def test_the_longest_go_first_and_neighbours_in_length_share_a_batch() -> None:
    batches = []
    texts = ["aaaa", "b", "ccc", "dd", "eeeee", "ffffff"]
    asyncio.run(answers([recording(batches)], BatchLimits(2), texts))
    assert batches == [["ffffff", "eeeee"], ["aaaa", "ccc"], ["dd", "b"]]


def test_batches_are_a_function_of_the_data_not_of_timing() -> None:
    texts = [f"{'x' * (number * 37 % 11)}{number}" for number in range(200)]

    def run(delay: Any) -> Any:
        batches = []

        async def lane(ability: Any, batch: Any) -> Any:
            batches.append([said(each) for each in batch])
            await asyncio.sleep(delay * (len(batches) % 3))
            return [Generation(text="") for _ in batch]

        asyncio.run(answers([lane], BatchLimits(8), texts))
        return batches

    assert run(0) == run(0.002)


def test_several_rounds_of_asking_are_batched_each() -> None:
    batches = []
    asyncio.run(answers([recording(batches)], BatchLimits(4), list("abcdefgh"), asks=3))
    assert [len(batch) for batch in batches] == [4] * 6


def test_a_window_holds_a_bounded_number_of_samples() -> None:
    batches = []
    size = BATCHES_PER_WINDOW * 2
    texts = [f"{'x' * number}" for number in range(1, 2 * size + 1)]
    asyncio.run(answers([recording(batches)], BatchLimits(2), texts))
    assert batches[0][0] == texts[size - 1]  # the longest of the first window, not of all


def waiting(*lengths: Any) -> Any:
    return [PendingRequest(request(str(length)), length, None, None) for length in lengths]


def test_a_budget_of_padded_seconds_bounds_a_batch() -> None:
    cuts = [[each.length for each in batch] for batch in split_into_batches(waiting(1, 9, 2, 8, 3), BatchLimits(8, 20))]
    assert cuts == [[9, 8], [3, 2, 1]]


def test_a_request_over_the_budget_goes_alone() -> None:
    cuts = [[each.length for each in batch] for batch in split_into_batches(waiting(50, 60, 1), BatchLimits(8, 20))]
    assert cuts == [[60], [50], [1]]


def test_a_bad_request_fails_alone_after_halving() -> None:
    calls = []

    async def lane(ability: Any, batch: Any) -> Any:
        calls.append(len(batch))
        if any(said(each) == "bad" for each in batch):
            raise ValueError("cannot decode")
        return [Generation(text=said(each)) for each in batch]

    texts = ["one", "two", "bad", "four", "five", "six", "seven", "eight"]
    found = asyncio.run(answers([lane], BatchLimits(8), texts))
    assert isinstance(found[2], ValueError)
    assert [each.text for at, each in enumerate(found) if at != 2] == [t for t in texts if t != "bad"]
    assert calls[0] == 8
    assert len(calls) == 7  # 8, then 4+4, 2+2, 1+1: halves, not one by one


def test_a_short_answer_list_is_an_error_not_a_shift() -> None:
    async def lane(ability: Any, batch: Any) -> Any:
        return [Generation(text="x")][: len(batch) - 1]

    (only,) = asyncio.run(answers([lane], BatchLimits(8), ["one"]))
    with pytest.raises(Exception, match="gave 0 answers to 1 requests"):
        raise only


def test_lanes_work_side_by_side() -> None:
    running = peak = 0

    async def lane(ability: Any, batch: Any) -> Any:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.02)
        running -= 1
        return [Generation(text=said(each)) for each in batch]

    asyncio.run(answers([lane] * 3, BatchLimits(2), [str(number) for number in range(12)]))
    assert peak == 3


def test_sounds_arrive_decoded_and_a_broken_one_costs_only_itself(tone: Any, tmp_path: Path) -> None:
    good = Audio(str(tone("good.wav")))
    (tmp_path / "bad.wav").write_bytes(b"RIFF but no more")
    bad = Audio(str(tmp_path / "bad.wav"), 0.0, None)
    heard = []

    async def lane(ability: Any, batch: Any) -> Any:
        heard.extend(each.inputs["audio"].data.shape for each in batch)
        return [Prediction(values={"x": 1.0}, scale="continuous") for _ in batch]

    async def main() -> Any:
        batcher = Batcher([lane], BatchLimits(4, sample_rate=8000))
        try:
            seats = [batcher.acquire_slot() for _ in range(2)]
            batcher.close_window()
            asked = [
                seat.send(Predict(inputs={"audio": sound})) for seat, sound in zip(seats, (good, bad), strict=True)
            ]
            pending = [asyncio.create_task(each) for each in asked]
            for seat, task in zip(seats, pending, strict=True):
                task.add_done_callback(lambda _, seat=seat: seat.release())
            return await asyncio.gather(*pending, return_exceptions=True)
        finally:
            await batcher.close()

    first, second = asyncio.run(main())
    assert first.values == {"x": 1.0}
    assert isinstance(second, AudioError)
    assert heard == [(800,)]


def test_stopping_turns_away_what_has_not_begun() -> None:
    async def main() -> Any:
        started = asyncio.Event()

        async def lane(ability: Any, batch: Any) -> Any:
            started.set()
            await asyncio.sleep(0.05)
            return [Generation(text=said(each)) for each in batch]

        batcher = Batcher([lane], BatchLimits(2))
        seats = [batcher.acquire_slot() for _ in range(6)]
        batcher.close_window()
        tasks = [asyncio.create_task(s.send(request(str(at)))) for at, s in enumerate(seats)]
        await started.wait()
        batcher.stop()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        await batcher.close()
        return found

    found = asyncio.run(main())
    assert sum(isinstance(each, Generation) for each in found) == 2
    assert sum(isinstance(each, RunStopped) for each in found) == 4


def within(most: Any, sizes: Any) -> Any:
    """A lane that runs out of memory beyond `most` requests."""

    async def lane(ability: Any, batch: Any) -> Any:
        sizes.append(len(batch))
        if len(batch) > most:
            raise MemoryError
        return [Generation(text=str(each.turns[0].parts[0])) for each in batch]

    return lane


def test_running_out_of_memory_halves_the_batch_and_is_remembered() -> None:
    sizes, texts = [], [str(number) for number in range(200)]
    found = asyncio.run(answers([within(3, sizes)], BatchLimits(8), texts))
    assert [each.text for each in found] == texts
    # One batch of 8 and one of 4 are found too large; another may have been decoded by then.
    assert sum(size > 3 for size in sizes) <= 4
    assert set(sizes[6:]) == {2}


def test_another_error_halves_the_batch_and_later_batches_are_as_large_as_before() -> None:
    sizes, texts = [], [str(number) for number in range(32)]

    async def lane(ability: Any, batch: Any) -> Any:
        sizes.append(len(batch))
        said = [str(each.turns[0].parts[0]) for each in batch]
        if "0" in said and len(batch) > 1:
            raise ValueError("this one cannot be batched")
        return [Generation(text=each) for each in said]

    asyncio.run(answers([lane], BatchLimits(8), texts))
    assert sizes.count(8) == 4


def test_a_growing_batch_doubles_until_memory_or_the_most_stops_it() -> None:
    sizes, texts = [], [str(number) for number in range(3000)]
    asyncio.run(answers([within(10**6, sizes)], BatchLimits(8), texts, growing=True))
    assert sizes[0] == 8
    assert max(sizes) == MAX_AUTO_BATCH_SIZE
    sizes.clear()
    asyncio.run(answers([within(40, sizes)], BatchLimits(8), texts, growing=True))
    assert sorted(set(sizes))[-2:] == [32, 64]
    assert sizes.count(64) == 1

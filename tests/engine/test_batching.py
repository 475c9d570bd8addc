"""Batches by length, windows, and halving of batches that fail."""

import asyncio
import threading
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import AudioError
from auricle.core.types import Ability, Generate, Generation, LogLikelihood, Output, Predict, Prediction, Request, Turn
from auricle.engine.batch_limits import MAX_AUTO_BATCH_SIZE, BatchLimits
from auricle.engine.batching import (
    BATCHES_PER_WINDOW,
    Batcher,
    BatchSlot,
    BatchWorker,
    PendingRequest,
    RunStopped,
    WorkerLost,
    decode_request_audio,
    sort_by_length,
    split_into_batches,
)
from auricle.media import Audio
from tests.support.batch_workers import answer_everything, lose_worker, recording_worker, request, text_of


async def send_all(
    workers: Sequence[BatchWorker],
    limits: BatchLimits,
    texts: Sequence[str],
    rounds: int = 1,
    answered: Collection[str] = (),
    **options: Any,
) -> list[Any]:
    """Send every text from its own slot, unless it is answered, `rounds` times; return outputs and exceptions."""
    batcher = Batcher(workers, limits, **options)

    async def sample(slot: BatchSlot, text: str) -> Output:
        try:
            for _ in range(rounds):
                output = await slot.send(request(text))
            return output
        finally:
            slot.release()

    try:
        tasks = []
        for text in texts:
            if text in answered:
                batcher.skip_sample()
            else:
                tasks.append(asyncio.create_task(sample(batcher.acquire_slot(), text)))
        batcher.close_window()
        return await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await batcher.close()


def test_each_request_gets_its_own_output() -> None:
    batches: list[list[str]] = []
    texts = [str(number) for number in range(10)]
    outputs = asyncio.run(send_all([recording_worker(batches)], BatchLimits(4), texts))
    assert [output.text for output in outputs] == texts
    assert [len(batch) for batch in batches] == [4, 4, 2]


def test_batches_are_sorted_by_length_longest_first() -> None:
    batches: list[list[str]] = []
    texts = ["aaaa", "b", "ccc", "dd", "eeeee", "ffffff"]
    asyncio.run(send_all([recording_worker(batches)], BatchLimits(2), texts))
    assert batches == [["ffffff", "eeeee"], ["aaaa", "ccc"], ["dd", "b"]]


def test_batches_do_not_depend_on_timing() -> None:
    texts = [f"{'x' * (number * 37 % 11)}{number}" for number in range(200)]

    def run(delay: float) -> list[list[str]]:
        batches: list[list[str]] = []

        async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
            batches.append([text_of(sent) for sent in batch])
            await asyncio.sleep(delay * (len(batches) % 3))
            return [Generation(text="") for _ in batch]

        asyncio.run(send_all([worker], BatchLimits(8), texts))
        return batches

    assert run(0) == run(0.002)


def batches_of(texts: Sequence[str], workers: int = 1, **options: Any) -> list[list[str]]:
    batches: list[list[str]] = []
    asyncio.run(send_all([recording_worker(batches)] * workers, BatchLimits(4, 9.0), texts, **options))
    return batches


def test_batches_are_the_same_for_every_number_of_workers() -> None:
    texts = [f"{'x' * (number * 37 % 501)}{number}" for number in range(200)]
    assert sorted(batches_of(texts)) == sorted(batches_of(texts, workers=3))


@pytest.mark.parametrize("keep_order", [False, True])
def test_a_resumed_run_has_the_batches_of_the_first_pass(keep_order: bool) -> None:
    texts = [f"{'x' * (number * 37 % 501)}{number}" for number in range(100)]
    batches = batches_of(texts, keep_order=keep_order)
    answered = {text for batch in batches[:5] + batches[7:8] for text in batch}
    assert batches_of(texts, answered=answered, keep_order=keep_order) == batches[5:7] + batches[8:]


def test_requests_of_equal_length_are_in_the_order_of_the_data() -> None:
    async def main() -> list[list[str]]:
        batches: list[list[str]] = []
        batcher = Batcher([recording_worker(batches)], BatchLimits(4))
        slots = [batcher.acquire_slot() for _ in "abcdef"]
        batcher.close_window()
        await asyncio.gather(*(slots[number].send(request("abcdef"[number])) for number in (3, 0, 5, 2, 4, 1)))
        await batcher.close()
        return batches

    assert asyncio.run(main()) == [["a", "b", "c", "d"], ["e", "f"]]


def test_windows_are_first_split_in_the_order_of_the_data() -> None:
    async def main() -> list[list[str]]:
        batches: list[list[str]] = []
        batcher = Batcher([recording_worker(batches)], BatchLimits(2))
        slots = [batcher.acquire_slot() for _ in range(2 * batcher.window_size)]
        *first, last = slots[: batcher.window_size]
        later = asyncio.gather(*(slot.send(request("later")) for slot in (*first, *slots[batcher.window_size :])))
        await asyncio.sleep(0.01)
        assert batches == []  # although all samples of the second window wait
        await asyncio.gather(last.send(request("longest of the first window")), later)
        await batcher.close()
        return batches

    assert asyncio.run(main())[0] == ["longest of the first window", "later"]


def test_batches_in_the_order_of_the_data_contain_one_subset_and_one_request_of_each_sample() -> None:
    async def main() -> list[list[str]]:
        batches: list[list[str]] = []
        batcher = Batcher([recording_worker(batches)], BatchLimits(2), keep_order=True)
        slots = [(f"{subset}{number}", batcher.acquire_slot(subset)) for subset in "ab" for number in range(3)]
        batcher.close_window()
        await asyncio.gather(*(slot.send(request(name + side)) for name, slot in slots for side in ("", " other side")))
        await batcher.close()
        return batches

    other = " other side"
    assert asyncio.run(main()) == [
        *(["a0", "a1"], ["a2"], [f"a0{other}", f"a1{other}"], [f"a2{other}"]),
        *(["b0", "b1"], ["b2"], [f"b0{other}", f"b1{other}"], [f"b2{other}"]),
    ]


def test_each_round_of_requests_is_batched() -> None:
    batches: list[list[str]] = []
    asyncio.run(send_all([recording_worker(batches)], BatchLimits(4), list("abcdefgh"), rounds=3))
    assert [len(batch) for batch in batches] == [4] * 6


def test_window_has_a_fixed_number_of_samples() -> None:
    batches: list[list[str]] = []
    size = BATCHES_PER_WINDOW * 2
    texts = [f"{'x' * number}" for number in range(1, 2 * size + 1)]
    asyncio.run(send_all([recording_worker(batches)], BatchLimits(2), texts))
    assert batches[0][0] == texts[size - 1]  # the longest of the first window, not of all


def batch_lengths(*lengths: float, seconds: float = 20.0) -> list[list[float]]:
    """Split requests of these lengths, with at most 8 requests and some padded seconds in a batch."""
    nothing: Any = None
    pending = [PendingRequest(request(str(length)), length, nothing, nothing) for length in lengths]
    batches = split_into_batches(sort_by_length(pending), BatchLimits(8, seconds))
    return [[entry.length for entry in batch] for batch in batches]


def test_padded_seconds_limit_a_batch() -> None:
    assert batch_lengths(1, 9, 2, 8, 3) == [[9, 8], [3, 2, 1]]


def test_padded_seconds_limit_requests_of_less_than_a_second_and_of_none() -> None:
    assert batch_lengths(0.4, 0.4, 0.4, seconds=1.0) == [[0.4, 0.4], [0.4]]
    assert batch_lengths(15, 0, 0) == [[15], [0, 0]]


def test_request_over_the_limit_is_its_own_batch() -> None:
    assert batch_lengths(50, 60, 1) == [[60], [50], [1]]


def test_failing_request_is_isolated_by_halving() -> None:
    calls: list[int] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        calls.append(len(batch))
        if any(text_of(sent) == "bad" for sent in batch):
            raise ValueError("cannot decode")
        return [Generation(text=text_of(sent)) for sent in batch]

    texts = ["one", "two", "bad", "four", "five", "six", "seven", "eight"]
    outputs = asyncio.run(send_all([worker], BatchLimits(8), texts))
    assert isinstance(outputs.pop(2), ValueError)
    assert [output.text for output in outputs] == [text for text in texts if text != "bad"]
    assert calls[0] == 8
    assert len(calls) == 7  # 8, then 4+4, 2+2, 1+1: halves, not one by one


def test_too_few_outputs_are_an_error() -> None:
    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        return [Generation(text="x")][: len(batch) - 1]

    (error,) = asyncio.run(send_all([worker], BatchLimits(8), ["one"]))
    assert str(error) == "the model returned 0 outputs for 1 requests"


def test_workers_run_concurrently() -> None:
    running = peak = 0

    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.02)
        running -= 1
        return [Generation(text=text_of(sent)) for sent in batch]

    asyncio.run(send_all([worker] * 3, BatchLimits(2), [str(number) for number in range(12)]))
    assert peak == 3


def test_audio_is_decoded_and_a_damaged_file_fails_alone(tone: Any, tmp_path: Path) -> None:
    good = Audio(str(tone("good.wav")))
    (tmp_path / "bad.wav").write_bytes(b"RIFF and nothing else")
    bad = Audio(str(tmp_path / "bad.wav"), 0.0, None)
    shapes: list[tuple[int, ...]] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        for sent in batch:
            assert isinstance(sent, Predict)
            audio = sent.inputs["audio"]
            assert isinstance(audio, Audio)
            assert isinstance(audio.data, np.ndarray)
            shapes.append(audio.data.shape)
        return [Prediction(values={"x": 1.0}, scale="continuous") for _ in batch]

    async def main() -> Any:
        batcher = Batcher([worker], BatchLimits(4, sample_rate=8000))
        try:
            slots = [batcher.acquire_slot() for _ in range(2)]
            batcher.close_window()
            tasks = [
                asyncio.create_task(slot.send(Predict(inputs={"audio": clip})))
                for slot, clip in zip(slots, (good, bad), strict=True)
            ]
            for slot, task in zip(slots, tasks, strict=True):
                task.add_done_callback(partial(lambda slot, _: slot.release(), slot))
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await batcher.close()

    first, second = asyncio.run(main())
    assert first.values == {"x": 1.0}
    assert isinstance(second, AudioError)
    assert shapes == [(800,)]


def test_stop_rejects_requests_that_have_not_started() -> None:
    async def main() -> Any:
        started = asyncio.Event()

        async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
            started.set()
            await asyncio.sleep(0.05)
            return [Generation(text=text_of(sent)) for sent in batch]

        batcher = Batcher([worker], BatchLimits(2))
        slots = [batcher.acquire_slot() for _ in range(6)]
        batcher.close_window()
        tasks = [asyncio.create_task(slot.send(request(str(index)))) for index, slot in enumerate(slots)]
        await started.wait()
        batcher.stop()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        await batcher.close()
        return results

    results = asyncio.run(main())
    assert sum(isinstance(result, Generation) for result in results) == 2
    assert sum(isinstance(result, RunStopped) for result in results) == 4


def worker_with_memory(max_size: int, sizes: list[int]) -> BatchWorker:
    """Return a worker that runs out of memory beyond `max_size` requests and records its batch sizes."""

    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        sizes.append(len(batch))
        if len(batch) > max_size:
            raise MemoryError
        return [Generation(text=text_of(sent)) for sent in batch]

    return worker


def test_out_of_memory_halves_this_and_later_batches() -> None:
    sizes: list[int] = []
    texts = [str(number) for number in range(200)]
    outputs = asyncio.run(send_all([worker_with_memory(3, sizes)], BatchLimits(8), texts))
    assert [output.text for output in outputs] == texts
    # One batch of 8 and one of 4 are too large; another may have been decoded by then.
    assert sum(size > 3 for size in sizes) <= 4
    assert set(sizes[6:]) == {2}


def test_other_errors_do_not_shrink_later_batches() -> None:
    sizes: list[int] = []
    texts = [str(number) for number in range(32)]

    async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
        sizes.append(len(batch))
        if "0" in map(text_of, batch) and len(batch) > 1:
            raise ValueError("this one cannot be batched")
        return [Generation(text=text_of(sent)) for sent in batch]

    asyncio.run(send_all([worker], BatchLimits(8), texts))
    assert sizes.count(8) == 4


@pytest.mark.slow
def test_auto_batch_doubles_until_memory_or_the_maximum() -> None:
    sizes: list[int] = []
    texts = [str(number) for number in range(3000)]
    asyncio.run(send_all([worker_with_memory(10**6, sizes)], BatchLimits(8), texts, auto_grow=True))
    assert sizes[0] == 8
    assert max(sizes) == MAX_AUTO_BATCH_SIZE
    sizes.clear()
    asyncio.run(send_all([worker_with_memory(40, sizes)], BatchLimits(8), texts, auto_grow=True))
    assert sorted(set(sizes))[-2:] == [32, 64]
    assert sizes.count(64) == 1


# --- sound, and workers that are lost ------------------------------------------------------


def sound_request(*clips: Any, text: str = "") -> Generate:
    parts: list[str | Audio] = [text, *(Audio(str(clip)) for clip in clips)]
    return Generate(turns=(Turn("user", tuple(parts)),))


async def send_requests(workers: Sequence[BatchWorker], limits: BatchLimits, requests: Sequence[Request]) -> list[Any]:
    """Send each request from its own slot, in one window; return outputs and exceptions."""
    batcher = Batcher(workers, limits)

    async def sample(slot: BatchSlot, sent: Request) -> Output:
        try:
            return await slot.send(sent)
        finally:
            slot.release()

    try:
        tasks = [asyncio.create_task(sample(batcher.acquire_slot(), sent)) for sent in requests]
        batcher.close_window()
        return await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await batcher.close()


def test_requests_with_sound_are_sorted_by_their_seconds(tone: Any) -> None:
    short, middle, long = (tone(f"{name}.wav", seconds) for name, seconds in (("a", 0.1), ("b", 0.2), ("c", 0.3)))
    requests: list[Request] = [
        sound_request(short, text="x" * 90),
        sound_request(long),
        sound_request(middle, middle),
        request("y" * 25),
    ]
    order: list[Request] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        order.extend(batch)
        return [Generation(text="") for _ in batch]

    asyncio.run(send_requests([worker], BatchLimits(1), requests))
    # 0.4 s in two clips, 0.3 s, text as long as 0.25 s, and 0.1 s, where the text beside the sound does not count.
    assert [requests.index(sent) for sent in order] == [2, 1, 3, 0]


def test_sound_that_breaks_off_fails_alone_when_it_is_decoded(tone: Any, tmp_path: Path) -> None:
    good = tone("good.flac", 1.0)
    content = good.read_bytes()
    bad = tmp_path / "bad.flac"
    bad.write_bytes(content[: len(content) // 2])
    outputs = asyncio.run(
        send_requests(
            [answer_everything], BatchLimits(4, sample_rate=16_000), [sound_request(good), sound_request(bad)]
        )
    )
    assert outputs[0] == Generation(text="fine")
    assert isinstance(outputs[1], AudioError)


def test_other_workers_answer_the_requests_of_a_lost_one() -> None:
    texts = [str(number) for number in range(12)]
    outputs = asyncio.run(send_all([lose_worker, answer_everything, lose_worker], BatchLimits(2), texts))
    assert outputs == [Generation(text="fine")] * 12


def test_without_any_worker_all_requests_fail() -> None:
    outputs = asyncio.run(send_all([lose_worker] * 2, BatchLimits(2), ["a", "b"]))
    assert [str(output) for output in outputs] == ["the worker is gone"] * 2


def test_a_worker_that_is_lost_after_some_answers_keeps_them() -> None:
    calls: list[int] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        calls.append(len(batch))
        if len(calls) == 1:
            return [Generation(text="first") for _ in batch]
        raise WorkerLost("the worker is gone")

    outputs = asyncio.run(send_all([worker], BatchLimits(1), ["aa", "b"]))
    assert outputs[0] == Generation(text="first")
    assert isinstance(outputs[1], WorkerLost)


def test_a_window_has_eight_batches_for_any_number_of_workers() -> None:
    async def main() -> tuple[int, int]:
        batcher = Batcher([answer_everything] * 3, BatchLimits(5))
        automatic = Batcher([answer_everything] * 2, BatchLimits(5), auto_grow=True)
        sizes = batcher.window_size, automatic.window_size
        await batcher.close()
        await automatic.close()
        return sizes

    assert asyncio.run(main()) == (8 * 5, MAX_AUTO_BATCH_SIZE)


def test_stopping_is_noticed_before_a_request_is_sent() -> None:
    async def main(windows: bool) -> bool:
        batcher = Batcher([answer_everything], BatchLimits(2), windows=windows)
        assert not batcher.is_stopping
        batcher.stop()
        with pytest.raises(RunStopped):
            await batcher.acquire_slot().send(request("late"))
        await batcher.close()
        return batcher.is_stopping

    assert asyncio.run(main(windows=True))
    assert asyncio.run(main(windows=False))


def test_sound_in_every_kind_of_request_is_decoded(tone: Any) -> None:
    clip = Audio(str(tone("a.wav", 0.1)))
    turns = (Turn("user", ("listen", clip)),)
    for sent in (Generate(turns=turns), LogLikelihood(turns=turns, continuation="x")):
        decoded = decode_request_audio(sent, 8000)
        assert isinstance(decoded, Generate | LogLikelihood)
        assert decoded.turns[0].parts[0] == "listen"
        audio = decoded.turns[0].parts[1]
        assert isinstance(audio, Audio)
        assert isinstance(audio.data, np.ndarray)
        assert audio.data.shape == (800,)


def test_a_sample_that_waits_for_its_second_request_only_blocks_nothing() -> None:
    async def main() -> list[Output]:
        started, finish = asyncio.Event(), asyncio.Event()

        async def worker(ability: Ability, batch: Sequence[Request]) -> Sequence[Output]:
            started.set()
            await finish.wait()
            return [Generation(text=text_of(sent)) for sent in batch]

        batcher = Batcher([worker], BatchLimits(2))
        slot = batcher.acquire_slot()
        batcher.close_window()
        first = asyncio.create_task(slot.send(request("first")))
        await started.wait()
        second = asyncio.create_task(slot.send(request("second")))  # while the first one is being answered
        await asyncio.sleep(0.01)
        finish.set()
        outputs = list(await asyncio.wait_for(asyncio.gather(first, second), 10))
        await batcher.close()
        return outputs

    assert [text_of_output(output) for output in asyncio.run(main())] == ["first", "second"]


def text_of_output(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


def test_limit_after_running_out_of_memory_is_half_of_the_padded_batch() -> None:
    """Four requests, of which the longest counts as 10 s, need the memory of 40 s."""

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        if len(batch) > 2:
            raise MemoryError
        return [Generation(text=text_of(sent)) for sent in batch]

    async def main() -> BatchLimits:
        batcher = Batcher([worker], BatchLimits(4, seconds=100.0))
        try:
            slots = [batcher.acquire_slot() for _ in range(4)]
            batcher.close_window()
            texts = ("x" * 100, "x" * 1000, "x" * 200, "x" * 300)
            await asyncio.gather(*(slot.send(request(text)) for slot, text in zip(slots, texts, strict=True)))
            return batcher.adaptive_limits.limits
        finally:
            await batcher.close()

    assert asyncio.run(main()) == BatchLimits(2, seconds=20.0)


def test_a_window_waits_for_a_sample_that_works_between_two_requests() -> None:
    batches: list[list[str]] = []

    async def main() -> None:
        batcher = Batcher([recording_worker(batches)], BatchLimits(4))

        async def sample(slot: BatchSlot, name: str, pause: float) -> None:
            await slot.send(request(f"{name}1"))
            await asyncio.sleep(pause)
            await slot.send(request(f"{name}2"))
            slot.release()

        slots = [batcher.acquire_slot() for _ in range(2)]
        batcher.close_window()
        await asyncio.gather(sample(slots[0], "a", 0.0), sample(slots[1], "b", 0.05))
        await batcher.close()

    asyncio.run(main())
    assert [sorted(batch) for batch in batches] == [["a1", "b1"], ["a2", "b2"]]


def test_a_window_waits_for_a_sample_that_continues_after_a_backoff() -> None:
    batches: list[list[str]] = []

    async def main() -> None:
        batcher = Batcher([recording_worker(batches)], BatchLimits(4))
        first, second = batcher.acquire_slot(), batcher.acquire_slot()
        batcher.close_window()
        first.release()
        early = asyncio.create_task(second.send(request("second")))
        await asyncio.sleep(0)  # all other samples wait, so that the window is about to be split
        first.reacquire()
        await asyncio.sleep(0.01)
        await asyncio.wait_for(asyncio.gather(early, first.send(request("first"))), 10)
        await batcher.close()

    asyncio.run(main())
    assert [sorted(batch) for batch in batches] == [["first", "second"]]


def test_sound_is_not_decoded_for_a_model_without_a_sample_rate(tone: Any) -> None:
    sent = sound_request(tone("a.wav", 0.1))
    received: list[Request] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        received.extend(batch)
        return [Generation(text="") for _ in batch]

    asyncio.run(send_requests([worker], BatchLimits(2), [sent]))
    assert received == [sent]


def test_threads_that_decode_sound_end_with_the_batcher(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.core.adaptive_executor.MAX_INLINE_SECONDS", 0.0)  # every call takes too long
    threads: list[threading.Thread] = []

    async def worker(ability: Ability, batch: Sequence[Request]) -> list[Generation]:
        threads.extend(thread for thread in threading.enumerate() if thread.name.startswith("auricle-decode"))
        return [Generation(text="") for _ in batch]

    async def main() -> None:
        batcher = Batcher([worker], BatchLimits(2, sample_rate=8000))
        slot = batcher.acquire_slot()
        batcher.close_window()
        await slot.send(sound_request(tone("a.wav", 0.1)))
        await batcher.close()
        assert threads
        for thread in threads:
            await asyncio.to_thread(thread.join, 1.0)
        assert not any(thread.is_alive() for thread in threads)

    asyncio.run(main())


def test_a_window_waits_for_samples_that_are_being_answered() -> None:
    batches: list[list[str]] = []

    async def main() -> None:
        batcher = Batcher([recording_worker(batches)], BatchLimits(1))

        async def sample(slot: BatchSlot, *texts: str) -> None:
            for text in texts:
                await slot.send(request(text))
            slot.release()

        slots = [batcher.acquire_slot() for _ in range(2)]
        batcher.close_window()
        await asyncio.gather(sample(slots[0], "longer", "b"), sample(slots[1], "long", "longest"))
        await batcher.close()

    asyncio.run(main())
    assert batches == [["longer"], ["long"], ["longest"], ["b"]]

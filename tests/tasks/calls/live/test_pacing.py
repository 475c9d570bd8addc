"""Lateness of frames."""

import asyncio

import numpy as np
import pytest

from auricle.core.calls import AudioFrame, CallerInput, EndOfTurn
from auricle.tasks.calls.live.pacing import InputStream, summarise_lateness
from tests.support.virtual_time import run_in_virtual_time

FRAME = AudioFrame(np.zeros(480, np.int16))


def test_inputs_are_taken_in_order_and_only_frames_have_a_lateness() -> None:
    async def take_all() -> tuple[list[CallerInput], InputStream]:
        loop = asyncio.get_running_loop()
        stream, start = InputStream(loop), loop.time()
        loop.call_at(start + 1.0, stream.put, FRAME, start + 1.0)
        loop.call_at(start + 2.0, stream.put, EndOfTurn(), start + 1.0)
        loop.call_at(start + 3.0, stream.put, FRAME, start + 2.5)
        loop.call_at(start + 4.0, stream.close)
        return [item async for item in stream], stream

    items, stream = run_in_virtual_time(take_all())
    assert items == [FRAME, EndOfTurn(), FRAME]
    pacing = stream.summarise()
    assert pacing is not None
    assert (pacing.frames, pacing.max) == (2, 0.5)


def test_waiting_for_an_input_can_be_cancelled() -> None:
    async def take_after_timeout() -> CallerInput:
        loop = asyncio.get_running_loop()
        stream = InputStream(loop)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 1.0)
        stream.put(FRAME, loop.time())
        return await anext(stream)

    assert run_in_virtual_time(take_after_timeout()) is FRAME


def test_lateness_is_unknown_without_frames() -> None:
    assert summarise_lateness([]) is None


def test_each_time_that_more_than_five_frames_are_late_is_a_burst() -> None:
    lateness = [0.0, 0.3, 0.28, 0.26, 0.1, 0.09, 0.0, 0.2, 0.0]
    pacing = summarise_lateness(lateness)
    assert pacing is not None
    assert pacing.bursts == 2
    assert pacing.p50 == pytest.approx(0.1)
    assert pacing.max == 0.3
    first = summarise_lateness([0.3, 0.0])
    assert first is not None
    assert first.bursts == 1

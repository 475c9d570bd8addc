"""What a load test measures of live calls."""

from dataclasses import replace

import numpy as np
import pytest

from auricle.core.calls import Pacing, Step
from auricle.core.types import Call, Generation
from auricle.media import Audio
from auricle.perf.calls import measure_call, prepare_call
from tests.support.call_recordings import make_recording


def test_a_call_has_a_latency_for_each_answered_turn_and_a_time_for_each_yield() -> None:
    recording = replace(make_recording(), pacing=Pacing(frames=950, p50=0.001, p99=0.004, max=0.03))
    fields = measure_call(recording)
    assert fields["voice_to_voice"] == pytest.approx((0.9, 1.0, -1.4))
    assert fields["yields"] == pytest.approx((0.3,))
    assert (fields["turns"], fields["answered_turns"]) == (3, 3)
    assert (fields["pacing_p99"], fields["pacing_max"]) == (0.004, 0.03)


def test_a_turn_without_an_answer_is_counted_and_has_no_latency() -> None:
    fields = measure_call(replace(make_recording(), agent=()))
    assert fields["voice_to_voice"] == ()
    assert (fields["turns"], fields["answered_turns"]) == (3, 0)
    assert fields["pacing_p99"] is None


@pytest.mark.parametrize("output", [None, Generation(text="hello")])
def test_other_outputs_have_no_such_fields(output: Generation | None) -> None:
    assert measure_call(output) == {}


def test_audio_of_a_prepared_call_is_decoded_to_the_rate_of_the_model_and_not_kept() -> None:
    clip = Audio.of(np.zeros(1600, dtype=np.float32), rate=16_000)
    prepared = prepare_call(Call(steps=(Step(kind="say", audio=(clip, 0.5, clip)),)), 24_000)
    first, pause, last = prepared.steps[0].audio
    assert isinstance(first, Audio)
    assert isinstance(last, Audio)
    assert (first.rate, pause, last.rate) == (24_000, 0.5, 24_000)
    assert not prepared.keep_audio

"""Full-Duplex-Bench's metrics."""

import random
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import interp1d
from scipy.spatial.distance import jensenshannon

from auricle import Metric, Sample
from auricle.core.calls import CallRecording, EventKind
from auricle.tasks.calls.metrics import full_duplex_bench as fdb
from tests.tasks.calls.metrics.recordings import agent, caller, happens, record, speak

SAMPLE = Sample(id="1", inputs={})


def compute(metric: Metric, *recordings: CallRecording, sample: Sample = SAMPLE) -> float:
    stats: list[Any] = [metric.score(sample, recording) for recording in recordings]
    return metric.aggregate([stat for stat in stats if stat is not None])


def speak_words(start: float, end: float, item: str, words: int) -> list[Any]:
    text = happens(start, EventKind.TRANSCRIPT, item=item, text=" ".join(["word"] * words))
    return [*speak(start, end, item), text]


@pytest.mark.parametrize(
    ("seconds", "words", "take_over"), [(0.9, 3, 0.0), (0.9, 4, 1.0), (1.0, 1, 1.0), (4.68, 12, 1.0)]
)
def test_speech_takes_over_with_a_second_or_four_words(seconds: float, words: int, take_over: float) -> None:
    recording = record(caller(0, 1), *speak_words(2, 2 + seconds, "a", words))
    assert compute(fdb.fdb_tor_turn_taking, recording) == take_over


def test_short_speech_without_transcript_is_left_out() -> None:
    assert fdb.fdb_tor_turn_taking.score(SAMPLE, record(caller(0, 1), agent(2, 2.5))) is None
    assert compute(fdb.fdb_tor_turn_taking, record(caller(0, 1), agent(2, 4))) == 1.0
    assert compute(fdb.fdb_tor_turn_taking, record(caller(0, 1))) == 0.0


def test_kinds_of_turns_are_kept_apart() -> None:
    recording = record(caller(0, 1, step=0), agent(2, 5.2), caller(5, 6, "interrupt", step=1))
    assert compute(fdb.fdb_tor_turn_taking, recording) == 1.0
    assert compute(fdb.fdb_tor_interruption, recording) == 0.0


def test_negative_latencies_are_set_to_zero_and_counted() -> None:
    early, late = record(caller(0, 3), agent(2, 5)), record(caller(0, 3), agent(5, 7))
    assert compute(fdb.fdb_latency_turn_taking, early, late) == pytest.approx(1.0)
    stat: Any = fdb.fdb_latency_turn_taking.score(SAMPLE, early)
    assert fdb.fdb_latency_turn_taking.details([stat])["negative_set_to_0"] == 1


def test_taking_over_in_a_pause_counts_against_the_agent() -> None:
    clips = [caller(0, 1, step=0), caller(2.5, 4, step=0)]
    assert compute(fdb.fdb_tor_pause, record(*clips, agent(1.5, 3)), record(*clips, agent(5, 8))) == 0.5
    assert fdb.fdb_tor_pause.score(SAMPLE, record(caller(0, 1))) is None
    assert not fdb.fdb_tor_pause.higher_is_better


@pytest.mark.parametrize(
    ("segments", "take_over", "backchannels"),
    [
        ([], False, 0),
        ([(1, 1.5, 2)], False, 1),
        ([(1, 1.5, 3)], True, 1),
        ([(1, 2.0, 1)], True, 1),
        ([(1, 2.5, 1), (4, 4.5, 1)], False, 2),  # the last one decides
        ([(1, 1.5, 1), (2, 5.5, 1), (7, 7.5, 1)], True, 1),  # nothing after long speech counts
    ],
)
def test_backchannels_are_judged_as_the_benchmark_does(
    segments: list[tuple[float, float, int]], take_over: bool, backchannels: int
) -> None:
    result, counted = fdb.judge_segments(segments)
    assert (result, len(counted)) == (take_over, backchannels)


def test_backchannels_are_counted_per_second_of_turns() -> None:
    recording = record(caller(0, 10), *speak_words(2, 2.4, "a", 1), *speak_words(5, 5.4, "b", 1), agent(12, 14))
    assert compute(fdb.fdb_backchannel_frequency, recording) == pytest.approx(0.2)
    assert compute(fdb.fdb_tor_backchannel, recording) == 0.0


@pytest.mark.parametrize("seed", range(10))
def test_the_distance_of_timing_equals_that_of_scipy(seed: int) -> None:
    rng = random.Random(seed)
    seconds = rng.uniform(5, 20)
    starts = [rng.uniform(0, seconds - 1) for _ in range(rng.randint(1, 5))]
    backchannels = [(start, start + rng.uniform(0.1, 0.9)) for start in starts]
    reference = [rng.choice([0.0, rng.random()]) for _ in range(rng.randint(10, 60))]
    bins = [0.0] * (int(seconds / 0.2) + 1)
    for start, end in backchannels:
        for index in range(int(start / 0.2), int(end / 0.2) + 1):
            if index < len(bins):
                bins[index] += 1
    resized = interp1d(np.linspace(0, 1, len(reference)), reference)(np.linspace(0, 1, len(bins)))
    expected = jensenshannon(np.array(bins) + 1e-10, resized)
    assert fdb.compare_timing(backchannels, seconds, reference) == pytest.approx(expected)


def test_timing_without_backchannels_is_as_far_as_possible_and_needs_a_reference() -> None:
    with_reference = Sample(id="1", inputs={}, meta={"backchannel_distribution": [0.1, 0.9]})
    recording = record(caller(0, 10))
    assert compute(fdb.fdb_backchannel_jsd, recording, sample=with_reference) == 1.0
    assert fdb.fdb_backchannel_jsd.score(SAMPLE, recording) is None

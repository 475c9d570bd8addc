"""Full-Duplex-Bench's metrics (version 1) under its names: take-over rate, latency, and backchannels.

The benchmark reads words and their times from a recogniser on the agent's audio. Here the times are those of the
agent's speech as played, and the words are counted in the model's own transcript of what was played in the meantime.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from auricle.core.calls import CallRecording, EventKind, Span, StepKind, join_transcripts
from auricle.core.types import Output, Sample
from auricle.metrics.base import Array, Metric, mean
from auricle.metrics.pooling import PLAYED, count_metric, require_recording
from auricle.tasks.calls.metrics.turns import CallerTurn, list_asking_turns, list_lost

SHORT_SECONDS, SHORT_WORDS = 1.0, 3
"""Speech that is shorter, and has at most so many words, does not take over."""
LONG_SECONDS = 3.0
"""A segment that is longer is no backchannel, whatever it contains."""
BACKCHANNEL_WORDS = 2
BIN_SECONDS = 0.2
DISTRIBUTION_FIELD = "backchannel_distribution"
"""Metadata field with how often people give backchannels over the course of the recording."""
VARIANT = f"full-duplex-bench-1.own-transcript.{PLAYED}"


def takes_over(spans: Sequence[Span], word_count: int | None) -> bool | None:
    """Return whether speech takes over: it lasts a second, or has more than three words.

    None if it is short and its words are not known.
    """
    if not spans or word_count == 0:
        return False
    if spans[-1].end - spans[0].start >= SHORT_SECONDS:
        return True
    return None if word_count is None else word_count > SHORT_WORDS


def count_words(recording: CallRecording, start: float, end: float) -> int | None:
    """Count the words of what begins to play in an interval; None if there is no transcript."""
    transcript = recording.select(EventKind.TRANSCRIPT)
    if not transcript:
        return None
    items = {event.item for event in recording.select(EventKind.PLAYBACK_STARTED) if start <= event.at < end}
    return len(join_transcripts([event for event in transcript if event.item in items]).split())


def _find_speech(recording: CallRecording, start: float, end: float) -> tuple[list[Span], bool | None]:
    """Return the agent's speech that begins in an interval, and whether it takes over."""
    spans = [span for span in recording.agent if start <= span.start < end]
    return spans, takes_over(spans, count_words(recording, start, end) if spans else 0)


# --- pauses, turns and interruptions --------------------------------------------------------------


def _count_take_overs(results: Sequence[bool | None]) -> Sequence[float]:
    decided = [result for result in results if result is not None]
    return sum(decided), len(decided)


def _count_in_pauses(sample: Sample, recording: CallRecording) -> Sequence[float]:
    turns = [turn for turn in list_asking_turns(recording) if turn.pauses]
    return _count_take_overs([_find_speech(recording, turn.start, turn.end)[1] for turn in turns])


def _list_answers(recording: CallRecording, kind: str) -> list[tuple[float, bool | None]]:
    """Return the latency of each answer to turns of a kind, and whether it takes over; NaN without speech."""
    answers = []
    turns = list_asking_turns(recording)
    ends = [*(turn.start for turn in turns[1:]), recording.seconds]  # the next turn, or the end of the call
    for turn, until in zip(turns, ends, strict=False):
        if turn.kind == kind:
            spans, is_take_over = _find_speech(recording, turn.start, until)
            answers.append((spans[0].start - turn.end if spans else math.nan, is_take_over))
    return answers


def _take_over_metric(name: str, title: str, kind: StepKind) -> Metric:
    def count(sample: Sample, recording: CallRecording) -> Sequence[float]:
        lost = [False for _ in list_lost(recording, kind)]
        return _count_take_overs([*(is_take_over for _, is_take_over in _list_answers(recording, kind)), *lost])

    return count_metric(name, title, count, ("take_overs", "turns"), variant=VARIANT)


def _latency_metric(name: str, title: str, kind: str) -> Metric:
    def count(sample: Sample, recording: CallRecording) -> Sequence[float]:
        latencies = [latency for latency, is_take_over in _list_answers(recording, kind) if is_take_over]
        return sum(max(0.0, latency) for latency in latencies), len(latencies), sum(value < 0 for value in latencies)

    columns = ("seconds", "take_overs", "negative_set_to_0")
    return count_metric(
        name, title, count, columns, is_share=False, higher_is_better=False, unit="s", variant=f"{VARIANT}.mean"
    )


fdb_tor_pause = count_metric(
    "fdb_tor_pause",
    "FDB TOR, pauses",
    _count_in_pauses,
    ("take_overs", "turns_with_pauses"),
    higher_is_better=False,
    variant=VARIANT,
)
fdb_tor_turn_taking = _take_over_metric("fdb_tor_turn_taking", "FDB TOR, turn taking", "say")
fdb_tor_interruption = _take_over_metric("fdb_tor_interruption", "FDB TOR, interruption", "interrupt")
fdb_latency_turn_taking = _latency_metric("fdb_latency_turn_taking", "FDB latency, turn taking", "say")
fdb_latency_interruption = _latency_metric("fdb_latency_interruption", "FDB latency, interruption", "interrupt")


# --- backchannels of the agent --------------------------------------------------------------------


def judge_segments(segments: Sequence[tuple[float, float, int]]) -> tuple[bool, list[tuple[float, float]]]:
    """Return whether the agent takes over during a turn, and what counts as its backchannels.

    The last segment decides, unless one is longer than three seconds; every segment before that is a backchannel, also
    one that takes over, as in the code of the benchmark.

    Args:
        segments: Start, end and number of words of the agent's speech.
    """
    is_take_over = False
    backchannels: list[tuple[float, float]] = []
    for start, end, words in segments:
        if end - start > LONG_SECONDS:
            return True, backchannels
        backchannels.append((start, end))
        is_take_over = end - start >= SHORT_SECONDS or words > BACKCHANNEL_WORDS
    return is_take_over, backchannels


def compare_timing(backchannels: Sequence[tuple[float, float]], seconds: float, reference: Sequence[float]) -> float:
    """Return the Jensen-Shannon distance between when an agent and people give backchannels; 1 without backchannels.

    Args:
        backchannels: Start and end of each.
        seconds: Length of the recording.
        reference: How often people give one, over the course of the recording.
    """
    import numpy as np

    if not backchannels:
        return 1.0
    size = int(seconds / BIN_SECONDS) + 1
    counts = np.zeros(size)
    for start, end in backchannels:
        counts[int(start / BIN_SECONDS) : int(end / BIN_SECONDS) + 1] += 1
    people = np.interp(np.linspace(0, 1, size), np.linspace(0, 1, len(reference)), np.asarray(reference, np.float64))
    p, q = (counts + 1e-10) / (counts + 1e-10).sum(), people / people.sum()
    return math.sqrt(max(0.0, (_relative_entropy(p, (p + q) / 2) + _relative_entropy(q, (p + q) / 2)) / 2))


def _relative_entropy(p: Array, q: Array) -> float:
    import numpy as np

    present = p > 0
    return float((p[present] * np.log(p[present] / q[present])).sum())


def _list_segments(turn: CallerTurn, recording: CallRecording) -> list[tuple[float, float, int]]:
    spans = [span for span in recording.agent if turn.start <= span.start < turn.end]
    return [(span.start, span.end, count_words(recording, span.start - 0.5, span.end) or 0) for span in spans]


def _count_backchannel_take_overs(sample: Sample, recording: CallRecording) -> Sequence[float]:
    turns = list_asking_turns(recording)
    return sum(judge_segments(_list_segments(turn, recording))[0] for turn in turns), len(turns)


def _count_backchannels(sample: Sample, recording: CallRecording) -> Sequence[float]:
    turns = list_asking_turns(recording)
    counts = [len(judge_segments(_list_segments(turn, recording))[1]) for turn in turns]
    return sum(counts), sum(turn.end - turn.start for turn in turns)


fdb_tor_backchannel = count_metric(
    "fdb_tor_backchannel",
    "FDB TOR, backchannel",
    _count_backchannel_take_overs,
    ("take_overs", "turns"),
    higher_is_better=False,
    variant=VARIANT,
)
fdb_backchannel_frequency = count_metric(
    "fdb_backchannel_frequency",
    "FDB backchannels per second",
    _count_backchannels,
    ("backchannels", "seconds_of_turns"),
    is_share=False,
    variant=VARIANT,
)


def _score_timing(sample: Sample, output: Output) -> float | None:
    recording = require_recording(output)
    reference: Any = sample.meta.get(DISTRIBUTION_FIELD)
    turns = list_asking_turns(recording)
    if not isinstance(reference, (list, tuple)) or not reference or not turns:
        return None
    backchannels = [item for turn in turns for item in judge_segments(_list_segments(turn, recording))[1]]
    return compare_timing(backchannels, recording.seconds, reference)


fdb_backchannel_jsd = Metric(
    "fdb_backchannel_jsd",
    _score_timing,
    mean,
    higher_is_better=False,
    title="FDB backchannel JSD",
    variant=f"{VARIANT}.distance",
)

full_duplex_bench = (
    fdb_tor_pause,
    fdb_tor_turn_taking,
    fdb_tor_interruption,
    fdb_tor_backchannel,
    fdb_latency_turn_taking,
    fdb_latency_interruption,
    fdb_backchannel_frequency,
    fdb_backchannel_jsd,
)
"""All of these metrics, for `--add-metrics full_duplex_bench`."""

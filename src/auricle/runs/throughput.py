"""Measure the throughput of a run.

A pass that is killed contributes neither its time nor its samples, so every ratio relates values
that were measured together.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from contextlib import suppress

from auricle.core.errors import DataError
from auricle.core.types import Generation, Record
from auricle.runs.metrics import Delay, Throughput
from auricle.runs.progress import PassTiming
from auricle.runs.run_directory import Run

MIN_ANSWERS_FOR_P95 = 20


class PassTimer:
    """Measures one pass from its first request to its last answer."""

    __slots__ = ("_audio_seconds", "_ended_at", "_has_unknown_duration", "_model_seconds", "_samples", "_started_at")

    def __init__(self) -> None:
        self._started_at = self._ended_at = math.inf
        self._samples = 0
        self._has_unknown_duration = False
        self._audio_seconds = self._model_seconds = 0.0

    def add(self, record: Record, span: tuple[float, float], *, model_seconds: float, has_media: bool) -> None:
        """Count an answered sample. Failures count as time only; samples answered from the cache are ignored.

        Args:
            record: The sample and its answer.
            span: When the sample was started and when it was answered.
            model_seconds: Time that the model took, exactly; that of the record is truncated.
            has_media: Whether the sample has media, so that the duration of its audio should be known.
        """
        if record.is_cached:
            return
        started_at, ended_at = span
        if started_at < self._started_at:
            self._started_at = started_at
        self._ended_at = ended_at  # records are added in the order in which they finish
        if record.error:
            return
        self._samples += 1
        self._model_seconds += model_seconds
        if record.audio_seconds is not None:
            self._audio_seconds += record.audio_seconds
        elif has_media:
            self._has_unknown_duration = True

    def timings(self, ready_at: float | None = None) -> list[PassTiming]:
        """Return the timing of the pass, if it answered anything.

        Args:
            ready_at: When the model finished loading; time before that is not counted.
        """
        if not self._samples:
            return []
        started_at = max(self._started_at, ready_at or -math.inf)
        audio_seconds = None if self._has_unknown_duration else round(self._audio_seconds, 4)
        wall_seconds, model_seconds = round(self._ended_at - started_at, 6), round(self._model_seconds, 6)
        return [PassTiming(wall_seconds, self._samples, audio_seconds, model_seconds)]


class StreamDelays:
    """Counts the answers of a run, and collects when the first token and the first audio of streamed ones arrived."""

    def __init__(self) -> None:
        self.answers = 0
        """Answers that are not from the cache."""
        self._first_token, self._first_audio = array("d"), array("d")

    def add(self, record: Record) -> None:
        self.answers += not (record.error or record.is_cached)
        for output in record.outputs:
            if not isinstance(output, Generation) or output.timing is None:
                continue
            if output.timing.first_token is not None:
                self._first_token.append(output.timing.first_token)
            if output.timing.first_audio is not None:
                self._first_audio.append(output.timing.first_audio)

    @property
    def seconds(self) -> dict[str, array[float]]:
        """The delays by the name of what they are about."""
        return {"first_token": self._first_token, "first_audio": self._first_audio}

    @property
    def first_token(self) -> Delay | None:
        return _summarise_delays(self._first_token)

    @property
    def first_audio(self) -> Delay | None:
        return _summarise_delays(self._first_audio)


def _summarise_delays(seconds: array[float]) -> Delay | None:
    import numpy as np

    if not seconds:
        return None
    median, high = (round(float(value), 6) for value in np.percentile(seconds, [50, 95]))
    return Delay(len(seconds), median, high if len(seconds) >= MIN_ANSWERS_FOR_P95 else None)


def read_passes(run: Run) -> list[PassTiming]:
    """Read the timings of the passes over a run; an empty or damaged run has none."""
    with suppress(FileNotFoundError, DataError):
        if run.outputs_path.stat().st_size:
            return list(run.read_progress().passes)
    return []


def summarise_throughput(timings: Sequence[PassTiming], delays: StreamDelays | None = None) -> Throughput | None:
    """Summarise all passes, and the delays of streamed answers; unknown values are None.

    Passes that answered more than the scored samples, such as rows that were changed or removed since, are not about
    these samples, so that there is no summary.

    Throughput is per second of wall time, `rtfx` per second that the model took, if every pass recorded that.
    """
    if not timings:
        return None
    wall, samples = sum(timing.wall_seconds for timing in timings), sum(timing.samples for timing in timings)
    if delays and samples > delays.answers:
        return None
    model_seconds = [timing.model_seconds for timing in timings if timing.model_seconds is not None]
    model = sum(model_seconds) if len(model_seconds) == len(timings) else None
    durations = [timing.audio_seconds for timing in timings if timing.audio_seconds is not None]
    audio = (sum(durations) or None) if len(durations) == len(timings) else None
    return Throughput(
        wall_seconds=round(wall, 6),
        samples=samples,
        samples_per_second=_per_second(samples, wall),
        audio_seconds=None if audio is None else round(audio, 4),
        throughput=_per_second(audio, wall),
        rtfx=_per_second(audio, model),
        passes=len(timings),
        model_seconds=None if model is None else round(model, 6),
        ttft_s=delays.first_token if delays else None,
        ttfa_s=delays.first_audio if delays else None,
    )


def _per_second(amount: float | None, seconds: float | None) -> float | None:
    """Return a rate with six significant digits."""
    return float(f"{amount / seconds:.6g}") if amount is not None and seconds else None

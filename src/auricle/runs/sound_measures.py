"""`signals.jsonl`: measures of the recordings of a run, such as level and signal-to-noise ratio, measured once.

Recordings are measured while a run goes on, as far as that takes little of its time; the others when their measures are
asked for. For recordings that were perturbed, the lines also have what was measured on the result, under `realised`.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import BinaryIO

import orjson

from auricle.core.adaptive_executor import AdaptiveExecutor
from auricle.core.closing import Closing
from auricle.core.files import open_regular_file
from auricle.core.serialization import dumps
from auricle.core.types import Sample, list_audio
from auricle.media import Audio
from auricle.media.sound_measures import SignalMeasures, measure_signal
from auricle.runs.journal import iter_journal
from auricle.runs.run_spec import OUTPUTS_FILE

SIGNALS_FILE = "signals.jsonl"
MAX_SECONDS = 60.0
"""Seconds of a recording that are measured."""
MAX_SHARE = 0.06
"""Share of the time of a run that measuring may take; together with its bookkeeping it adds less than a tenth."""
MAX_PENDING = 256
"""Recordings that may wait to be measured; further ones are left until their measures are asked for."""
UNKNOWN = SignalMeasures(*[math.nan] * len(SignalMeasures._fields))


def read_signals(run_path: Path) -> dict[str, SignalMeasures]:
    """Return the measures of recordings by the content key of their samples; damaged lines are skipped."""
    measures: dict[str, SignalMeasures] = {}
    with suppress(FileNotFoundError), open_regular_file(run_path / SIGNALS_FILE) as lines:
        for line in lines:
            with suppress(orjson.JSONDecodeError, TypeError, KeyError, ValueError):
                fields = orjson.loads(line)
                values = (fields[name] for name in SignalMeasures._fields)
                measures[str(fields["key"])] = SignalMeasures(
                    *(math.nan if value is None else float(value) for value in values)
                )
    return measures


class SignalLog(Closing):
    """Appends the measures of recordings, once for each sample; any thread may do so.

    Args:
        run_path: Run directory.
    """

    def __init__(self, run_path: Path) -> None:
        self._path = run_path / SIGNALS_FILE
        self._measured = {*read_signals(run_path)}
        self._file: BinaryIO | None = None
        self._lock = threading.Lock()

    def __contains__(self, key: str) -> bool:
        """Return whether the recording of a sample was measured."""
        return key in self._measured

    def append(self, key: str, measures: SignalMeasures, realised: Mapping[str, float] | None = None) -> None:
        """Append the measures of a recording, and the values of its perturbation, unless its key is known."""
        with self._lock:
            if key in self._measured:
                return
            self._measured.add(key)
            self._file = self._file or open_regular_file(self._path, mode="ab")
            extra = {} if realised is None else {"realised": dict(realised)}
            self._file.write(dumps({"key": key, **_to_json(measures), **extra}))
            self._file.flush()  # in whole lines, because the app may append to the file at the same time

    def close(self) -> None:
        if self._file:
            self._file.close()


class TimeBudget:
    """Limits what takes time to a share of the time that has passed.

    Args:
        share: Highest share.
        clock: Returns the time in seconds.

    Examples:
        >>> times = iter([0.0, 10.0, 10.0])
        >>> TimeBudget(0.1, clock=lambda: next(times)).delay
        0.0
    """

    def __init__(self, share: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._share, self._clock = share, clock
        self._started_at = clock()
        self.used = 0.0
        """Seconds that were spent."""

    @property
    def delay(self) -> float:
        """Seconds until the share is no longer exceeded; 0 if it is not."""
        return max(0.0, self.used / self._share - (self._clock() - self._started_at))

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Count the time of a block."""
        started_at = self._clock()
        try:
            yield
        finally:
            self.used += self._clock() - started_at


class RecordingMeasurer(Closing):
    """Measures recordings while a run goes on, for a small share of its time, one after the other.

    Short recordings are measured in the event loop: a thread would compete with it for the interpreter lock, which
    takes longer than measuring.

    Args:
        log: Stores the measures.
        budget: Limits the time. Default: `MAX_SHARE` of the time from now on.
    """

    def __init__(self, log: SignalLog, budget: TimeBudget | None = None) -> None:
        self._log = log
        self._budget = budget or TimeBudget(MAX_SHARE)
        self._pending: deque[tuple[str, Audio]] = deque()
        self._executor = AdaptiveExecutor(1, "auricle-measure")
        self._is_measuring = False
        self._is_first = True

    async def add(self, key: str, audio: Audio) -> None:
        """Measure a recording, now or when there is time; it is left out if too many are waiting."""
        if len(self._pending) < MAX_PENDING and key not in self._log:
            self._pending.append((key, audio))
        while self._pending and not self._is_measuring and not self._budget.delay:
            self._is_measuring = True
            try:
                key, audio = self._pending.popleft()
                with self._count_time() as is_first:
                    # The executor would take the imports of the first for the usual time.
                    measures = (
                        measure_recording(audio) if is_first else await self._executor.run(measure_recording, audio)
                    )
                    self._log.append(key, measures)
            finally:
                self._is_measuring = False

    def close(self) -> None:
        """Measure what the time still allows, and leave the rest."""
        self._executor.close()
        while self._pending and not self._budget.delay:
            key, audio = self._pending.popleft()
            with self._count_time():
                self._log.append(key, measure_recording(audio))
        self._pending.clear()

    @contextmanager
    def _count_time(self) -> Iterator[bool]:
        """Count the time, except that of the first recording, which imports what the run needs for decoding, too.

        Yields:
            Whether it is the first.
        """
        is_first, self._is_first = self._is_first, False
        with nullcontext() if is_first else self._budget.spend():
            yield is_first


def measure_run(run_path: Path, resolve: Callable[[Audio], Audio | None]) -> Generator[SignalMeasures]:
    """Measure the first recording of each sample that was not measured before, and append it to the file.

    Args:
        run_path: Run directory.
        resolve: Returns the recording to read, or None if it may not be read.

    Yields:
        The measures of each recording, unknown ones if it cannot be read.
    """
    with SignalLog(run_path) as log:
        for line in iter_journal(run_path / OUTPUTS_FILE):
            record = line.record
            if record is None or not record.key or record.key in log:
                continue
            if audio := first_recording(record.sample):
                measures = measure_recording(resolve(audio))
                log.append(record.key, measures)
                yield measures


def first_recording(sample: Sample) -> Audio | None:
    """Return the first recording among the inputs of a sample that a model may listen to."""
    return next(iter(list_audio(sample)), None)


def measure_recording(audio: Audio | None) -> SignalMeasures:
    """Measure the first minute of a recording; the measures are unknown if it cannot be read."""
    if audio is None:
        return UNKNOWN
    try:
        excerpt = audio.segment(0.0, MAX_SECONDS)
        return measure_signal(excerpt.decode(), excerpt.info().rate)
    except Exception:  # noqa: BLE001 - a decoder may raise anything, and the measures of a file are not worth a run
        return UNKNOWN


def _to_json(measures: SignalMeasures) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else round(value, 5) for name, value in measures._asdict().items()}

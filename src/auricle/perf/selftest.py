"""Measure the highest load that one sender on this machine can generate on time (`auricle perf selftest`).

The rate of requests to a fake server in another process is raised until a load point is no longer valid. Later load
points that come near these limits carry a warning.
"""

from __future__ import annotations

import asyncio
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from auricle.core.errors import SpecError
from auricle.core.files import user_cache_folder
from auricle.engine.spec import Spec
from auricle.perf.coordinator import run_load_point
from auricle.perf.load_patterns import Load
from auricle.perf.machine_load import MachineLoad, measure_machine_load
from auricle.perf.messages import LoadPointPlan
from auricle.perf.request_records import RequestColumns
from auricle.perf.search import Search
from auricle.perf.summary import summarise
from auricle.runs.perf_files import REQUESTS_FILE

SERVER_LATENCY, SERVER_PACE, WORDS_PER_ANSWER = 0.2, 50, 16
"""The fake server sends the first of 16 words after 0.2 s, and 50 words per second."""
TRIAL_SECONDS = 2.0
MIN_RATE, MAX_RATE, TOLERANCE = 10.0, 5120.0, 0.2
ATTEMPTS_PER_RATE = 2  # other processes may have disturbed the first attempt
SAMPLE_COUNT = 64
WARNING_SHARE = 0.5
"""Share of a limit above which a load point carries a warning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineLimits:
    """The highest rates at which a load point of one sender is still valid."""

    requests_s: float | None
    """Requests per second that are not streamed; None if even the lowest rate was not valid."""
    events_s: float | None
    """Stream events per second."""
    idle_lag_p99_s: float | None
    """Lag of the idle event loop."""
    machine: str
    created: str

    def save(self) -> Path:
        path = limits_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2))
        return path


def limits_path() -> Path:
    return user_cache_folder() / "selftest.json"


def describe_machine() -> str:
    """Identify this machine; limits measured on another one do not apply."""
    return f"{platform.node()}, {platform.platform()}, {os.cpu_count()} cores"


def load_limits() -> MachineLimits | None:
    """Read the limits of this machine; None if there are none, or if they cannot be read."""
    try:
        limits = MachineLimits(**orjson.loads(limits_path().read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return limits if limits.machine == describe_machine() else None


def find_limit_warnings(load: Load, columns: RequestColumns, senders: int) -> Iterator[str]:
    """Yield a warning for each limit of which a load point used more than half."""
    limits = load_limits()
    if limits is None:
        return
    request_rate = load.peak_rate / senders
    if limits.requests_s and request_rate > WARNING_SHARE * limits.requests_s:
        yield _limit_warning(request_rate, limits.requests_s, "requests")
    event_rate = _event_rate(columns) / senders
    if limits.events_s and event_rate > WARNING_SHARE * limits.events_s:
        yield _limit_warning(event_rate, limits.events_s, "stream events")


def _limit_warning(rate: float, limit: float, what: str) -> str:
    return (
        f"A sender handled {rate:.3g} {what} per second, more than half of the {limit:.3g} that"
        " `auricle perf selftest` measured on this machine. Use more senders or a faster machine."
    )


def _event_rate(columns: RequestColumns) -> float:
    """Return stream chunks per second, from the first request sent to the last response."""
    streams = columns.streamed & ~np.isnan(columns["first_token"])
    if not streams.any():
        return 0.0
    span = np.nanmax(columns["done"][streams]) - np.nanmin(columns["sent"][streams])
    return float((columns.gaps.counts[streams] + 1).sum() / max(span, 1e-9))


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """The limits, and where they are saved; they are not if other processes used the machine."""

    limits: MachineLimits
    path: Path | None
    load: MachineLoad | None
    """Highest use of the machine before, between and after the trials; None if it is unknown."""

    def to_dict(self) -> dict[str, Any]:
        busy_cores = round(self.load.busy_cores, 2) if self.load else None
        return {**asdict(self.limits), "busy_cores": busy_cores, "saved": str(self.path) if self.path else None}

    def describe(self) -> Iterator[str]:
        """Yield lines that explain the limits, and whether they were saved."""
        yield from describe_limits(self.limits)
        if self.path:
            yield f"Saved to {self.path}."
        else:
            yield (
                f"This machine is busy: other processes use {self.load}, so the limits may be too low and were not"
                " saved. Run `auricle perf selftest` again when the machine is idle."
            )


def run_selftest() -> SelfTestResult:
    """Measure the limits of one sender on this machine; save them for later measurements unless it is busy."""
    loads = [measure_machine_load()]
    with tempfile.TemporaryDirectory(prefix="auricle-selftest-") as name, run_fake_server() as url:
        selftest = SelfTest(Path(name), url)
        request_rate = selftest.find_max_rate(stream=False)
        loads.append(measure_machine_load())
        stream_rate = selftest.find_max_rate(stream=True)
        loads.append(measure_machine_load())
        limits = MachineLimits(
            requests_s=request_rate,
            events_s=None if stream_rate is None else stream_rate * WORDS_PER_ANSWER,
            idle_lag_p99_s=min(selftest.idle_lags, default=None),
            machine=describe_machine(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    highest = max(filter(None, loads), key=lambda load: load.busy_cores, default=None)
    is_busy = highest is not None and highest.is_busy
    return SelfTestResult(limits, None if is_busy else limits.save(), highest)


def describe_limits(limits: MachineLimits) -> Iterator[str]:
    """Yield lines that explain the limits."""
    requests, events = ("no" if rate is None else f"{rate:,.0f}" for rate in (limits.requests_s, limits.events_s))
    lag = limits.idle_lag_p99_s
    yield "One sender on this machine, next to a fake server, keeps its schedule up to"
    yield f"  {requests} requests per second without streaming,"
    yield f"  {events} events per second in streamed responses."
    if lag is not None:
        yield f"Its idle event loop lags by {1000 * lag:.2g} ms (99th percentile)."
    yield (
        "Above these limits, times depend on this machine rather than on the server. `auricle perf` warns above"
        " half of a limit. With --senders N, the limits apply to each of N processes, if there are enough cores."
    )


class SelfTest:
    """Runs load points against the fake server and checks whether they are valid."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder, self._url = folder, url
        self._data = folder / "questions.jsonl"
        with self._data.open("wb") as lines:
            for number in range(SAMPLE_COUNT):
                question = " ".join(f"word{number + word}" for word in range(WORDS_PER_ANSWER))
                lines.write(orjson.dumps({"id": str(number), "question": question, "answer": ""}) + b"\n")
        self._point_count = 0
        self.idle_lags: list[float] = []

    def find_max_rate(self, *, stream: bool) -> float | None:
        """Return the highest request rate at which a load point is valid."""
        search = Search(MIN_RATE, MAX_RATE, tolerance=TOLERANCE)
        while (rate := search.next_point()) is not None:
            search.record_result(rate, any(self._is_valid_at(rate, stream) for _ in range(ATTEMPTS_PER_RATE)))
        return search.result().best

    def _is_valid_at(self, rate: float, stream: bool) -> bool:
        plan = self._build_plan(rate, stream)
        health = asyncio.run(run_load_point(plan, lambda _: None, asyncio.Event()))
        if health.idle_lag_p99_s is not None:
            self.idle_lags.append(health.idle_lag_p99_s)
        columns = RequestColumns.read(Path(plan.folder) / REQUESTS_FILE)
        return summarise(columns, plan.load, health, window_kind="all").validity.valid

    def _build_plan(self, rate: float, stream: bool) -> LoadPointPlan:
        self._point_count += 1
        point_folder = self._folder / str(self._point_count)
        point_folder.mkdir()
        spec = Spec(
            task="qa",
            task_args={"data": str(self._data)},
            model="openai",
            model_args={"base_url": self._url, "model": "fake"},
        )
        return LoadPointPlan(
            spec=spec.model_dump(mode="json"),
            load=f"constant:{rate:.4g}",
            folder=str(point_folder),
            duration=TRIAL_SECONDS,
            grace=5.0,
            stream=stream,
        )


@contextmanager
def run_fake_server() -> Iterator[str]:
    """Run the fake server in a subprocess and yield its URL."""
    command = [sys.executable, "-m", "auricle", "fake-server", "--port", "0"]
    times = ["--latency", str(SERVER_LATENCY), "--pace", str(SERVER_PACE)]
    with subprocess.Popen(  # noqa: S603 - our own command, no shell
        [*command, *times], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = re.search(r"http://[^\s;]+", process.stdout.readline())
            if url is None:
                raise SpecError("The fake server did not start. Run `auricle fake-server` to see why.")
            yield url[0]
        finally:
            process.terminate()

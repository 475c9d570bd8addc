"""`auricle perf selftest`: how much one sender on this machine can measure well.

A fake server in a process of its own is asked more and more, until what was sent is late or the
event loop lags, by the same rules that make any load point valid or not.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import orjson

from auricle.core.errors import SpecError
from auricle.engine.spec import Spec
from auricle.perf.coordinator import run_load_point
from auricle.perf.machine_limits import MachineLimits, describe_machine
from auricle.perf.plan import LoadPointPlan
from auricle.perf.request_columns import RequestColumns
from auricle.perf.search import Search
from auricle.perf.summary import summarise

SERVER_LATENCY, SERVER_PACE, WORDS_PER_ANSWER = 0.2, 50, 16
"""What the fake server does: a first word after 0.2 s, then 50 a second, 16 in all."""
TRIAL_SECONDS = 2.0
MIN_RATE, MAX_RATE, TOLERANCE = 10.0, 5120.0, 0.2
ATTEMPTS_PER_RATE = 2  # at a rate, as somebody else may have been at work
SAMPLE_COUNT = 64


def run_selftest() -> tuple[MachineLimits, Path]:
    """Measure what one sender on this machine can do, and save it for later measurements."""
    with tempfile.TemporaryDirectory(prefix="auricle-selftest-") as name, run_fake_server() as url:
        trial = SelfTest(Path(name), url)
        found = MachineLimits(
            requests_s=trial.find_max_rate(stream=False),
            events_s=_multiply(trial.find_max_rate(stream=True), WORDS_PER_ANSWER),
            idle_lag_p99_s=min(trial.idle_lags, default=None),
            machine=describe_machine(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    return found, found.save()


def describe_limits(limits: MachineLimits) -> Iterator[str]:
    """The ceiling in words, and what it means."""
    lag = limits.idle_lag_p99_s
    yield "One sender, on this machine, with a fake server beside it, is on time up to"
    yield f"  {_format_rate(limits.requests_s)} requests a second that are answered whole,"
    yield f"  {_format_rate(limits.events_s)} events a second of streamed answers."
    if lag is not None:
        yield f"Its event loop, when idle, wakes {1000 * lag:.2g} ms late (99th percentile)."
    yield (
        "Beyond it what is measured is this machine and not the server; `auricle perf` says so from"
        " half of it on. --senders N has as much in each of N processes, while there are cores."
    )


def _format_rate(value: float | None) -> str:
    return "no" if value is None else f"{value:,.0f}"


def _multiply(value: float | None, factor: int) -> float | None:
    return None if value is None else value * factor


class SelfTest:
    """Load points against the fake server, each judged as any other would be."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder, self._url = folder, url
        self._data = folder / "questions.jsonl"
        rows = ({"id": str(at), "question": _make_question(at), "answer": ""} for at in range(SAMPLE_COUNT))
        self._data.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
        self._point_count = 0
        self.idle_lags: list[float] = []

    def find_max_rate(self, *, stream: bool) -> float | None:
        """The highest rate of requests at which a point is valid."""
        search = Search((), MIN_RATE, MAX_RATE, tolerance=TOLERANCE)
        while (rate := search.next_point()) is not None:
            search.record_result(rate, any(self._is_valid_at(rate, stream) for _ in range(ATTEMPTS_PER_RATE)))
        return search.result().best

    def _is_valid_at(self, rate: float, stream: bool) -> bool:
        plan = self._build_plan(rate, stream)
        health = asyncio.run(run_load_point(plan, lambda _: None, asyncio.Event()))
        if health.idle_lag_p99_s is not None:
            self.idle_lags.append(health.idle_lag_p99_s)
        columns = RequestColumns.read(Path(plan.folder) / "requests.jsonl")
        point = summarise(columns, plan.load, health, window_kind="all")
        held: bool = point["validity"]["valid"]
        return held

    def _build_plan(self, rate: float, stream: bool) -> LoadPointPlan:
        self._point_count += 1
        place = self._folder / str(self._point_count)
        place.mkdir()
        spec = Spec(
            task="qa",
            task_args={"data": str(self._data)},
            model="openai",
            model_args={"base_url": self._url, "model": "fake"},
        )
        return LoadPointPlan(
            spec=spec.model_dump(mode="json"),
            load=f"constant:{rate:.4g}",
            folder=str(place),
            duration=TRIAL_SECONDS,
            grace=5.0,
            stream=stream,
        )


def _make_question(index: int) -> str:
    return " ".join(f"word{index + word}" for word in range(WORDS_PER_ANSWER))


@contextmanager
def run_fake_server() -> Iterator[str]:
    """The fake server in a process of its own: where it is."""
    command = [sys.executable, "-m", "auricle", "fake-server", "--port", "0"]
    times = ["--latency", str(SERVER_LATENCY), "--pace", str(SERVER_PACE)]
    with subprocess.Popen(  # noqa: S603 - our own command, no shell
        [*command, *times], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://[^\s;]+", process.stdout.readline())
            if found is None:
                raise SpecError("The fake server did not start; try `auricle fake-server`.")
            yield found[0]
        finally:
            process.terminate()

"""Passes over small data, and models that answer them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle import AsyncModel, Generate, Generation, Sample, SampleError, Settings
from auricle.core.types import Failure, Outcome, Output, Record, RejectedRow
from auricle.engine.inferencers import Inferencer, Respond
from auricle.engine.observer import Observer
from auricle.engine.run_loop import RunLoop
from auricle.models.base import Model
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec

SPEC = RunSpec(identity={}, spec={})
QUICK = Settings(initial_backoff=0.001)


def texts(size: int) -> list[Sample]:
    return [
        Sample(id=str(number), inputs={"question": f"sentence number {number}"}, target=str(number))
        for number in range(size)
    ]


def evaluate(
    path: Path,
    samples: Iterable[Sample | RejectedRow],
    model: Model,
    inferencer: Inferencer | None = None,
    settings: Settings = QUICK,
    stop: Callable[[Any], asyncio.Event] | None = None,
) -> list[Record]:
    run_pass(path, samples, model, inferencer, settings, stop)
    return sorted(Run.load(path).records(), key=lambda record: record.row)


@dataclass
class FinishedPass(Observer):
    """A pass and what its observer saw."""

    results: list[Record] = field(default_factory=list)
    skipped: int = 0
    outcomes: Mapping[Outcome, int] = field(default_factory=dict)
    loop: RunLoop = field(init=False)

    def on_result(self, record: Record, /) -> None:
        self.results.append(record)

    def on_skipped(self) -> None:
        self.skipped += 1


def run_pass(
    path: Path,
    samples: Iterable[Sample | RejectedRow],
    model: Model,
    inferencer: Inferencer | None = None,
    settings: Settings = QUICK,
    stop: Callable[[Any], asyncio.Event] | None = None,
) -> FinishedPass:
    async def main() -> None:
        loop = finished.loop = RunLoop(inferencer or Respond("{question}"), samples, run, settings, finished)
        assert (loop.stop_reason, loop.audio_not_sent) == ("", 0)
        finished.outcomes = await loop.run(model, stop(model) if stop else asyncio.Event())

    finished = FinishedPass()
    with Run.open(path, SPEC) as run:
        asyncio.run(main())
    return finished


def text_of(output: Output) -> str:
    assert isinstance(output, Generation)
    return output.text


def error_of(record: Record) -> Failure:
    assert record.error
    return record.error


def journal_lines(path: Path) -> list[str]:
    return (path / "outputs.jsonl").read_text().splitlines()


class Rejecting(AsyncModel):
    """Fails every request, and counts them."""

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: Generate) -> Generation:
        self.calls += 1
        raise SampleError("400 bad request")

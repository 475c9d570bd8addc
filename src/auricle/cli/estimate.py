"""Estimate the audio duration and cost of a run from its first rows."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from auricle.core.errors import AuricleError
from auricle.core.types import Generate, Predict, Request, Sample
from auricle.engine.factory import Evaluation
from auricle.runs.metrics import format_money
from auricle.runs.usage import MILLION, Price, sample_audio_seconds
from auricle.tasks.inferencers import preview_requests

MIN_SAMPLES_FOR_ESTIMATE = 1_000
"""Runs without a price file are estimated only from this number of samples on."""
MAX_ROWS_SCANNED, MAX_SAMPLES_INSPECTED = 2_000, 50
INSPECTION_SECONDS = 1.0
CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class SampledWorkload:
    """Totals over the inspected samples."""

    samples: int = 0
    requests: int = 0
    characters: int = 0
    max_output_tokens: int = 0
    audio_seconds: float = 0.0

    def add(self, sample: Sample, requests: list[Request]) -> None:
        self.samples += 1
        self.requests += len(requests)
        self.audio_seconds += sample_audio_seconds(sample) or 0.0
        for request in requests:
            self.characters += _count_characters(request)
            self.max_output_tokens += request.max_tokens if isinstance(request, Generate) else 0

    def estimate_cost(self, price: Price, samples: int) -> float:
        token_cost = self.characters / CHARACTERS_PER_TOKEN * price.input
        token_cost += self.max_output_tokens * price.output
        other_cost = self.requests * price.request + self.audio_seconds / 60 * price.audio_minute
        return (token_cost / MILLION + other_cost) * samples / self.samples


def estimate_run(evaluation: Evaluation, total_samples: int | None, completed_samples: int, price: Price | None) -> str:
    """Return one line on the size of a run; empty if the run is small or cannot be estimated."""
    remaining = total_samples - completed_samples if total_samples is not None else None
    if price is None and (remaining is None or remaining < MIN_SAMPLES_FOR_ESTIMATE):
        return ""
    workload = SampledWorkload()
    with suppress(AuricleError):  # the run itself reports the error
        asyncio.run(_inspect_samples(evaluation, total_samples, workload))
    if not workload.samples or remaining == 0:
        return ""
    scale = remaining or 1000
    parts = []
    if hours := workload.audio_seconds * scale / workload.samples / 3600:
        parts.append(f"about {hours:,.2g} h of audio" if hours < 10 else f"about {hours:,.0f} h of audio")
    if price:
        parts.append(_format_cost(workload, price, scale))
    if not parts:
        return ""
    samples = f"{remaining:,} samples" if remaining is not None else "an unknown number of samples"
    return f"Estimate: {samples}, {', '.join(parts)}{'' if remaining else ' per 1,000 samples'}."


def _format_cost(workload: SampledWorkload, price: Price, samples: int) -> str:
    bounded = price.output and workload.max_output_tokens
    notes = []
    if bounded:
        tokens = workload.max_output_tokens / max(1, workload.requests)
        notes.append(f"assuming outputs of the maximum length, {tokens:.0f} tokens")
    if price.input and workload.audio_seconds:
        notes.append("without audio input tokens")
    cost = format_money(workload.estimate_cost(price, samples), price.currency)
    return f"{'up to' if bounded else 'about'} {cost}" + (f" ({'; '.join(notes)})" if notes else "")


async def _inspect_samples(evaluation: Evaluation, total_samples: int | None, workload: SampledWorkload) -> None:
    """Add evenly spaced samples of the first rows to the workload, for at most `INSPECTION_SECONDS`."""
    task, inferencer = evaluation.task, evaluation.inferencer
    deadline = time.monotonic() + INSPECTION_SECONDS
    if iter(task.samples) is task.samples:
        return  # an iterator: samples read here would be missing from the run
    row_count = min(total_samples or MAX_ROWS_SCANNED, MAX_ROWS_SCANNED)
    for sample in islice(task.samples, 0, row_count, max(1, row_count // MAX_SAMPLES_INSPECTED)):
        if isinstance(sample, Sample):
            with suppress(AuricleError):
                workload.add(sample, await preview_requests(inferencer, sample))
        if time.monotonic() > deadline:
            return


def _count_characters(request: Request) -> int:
    if isinstance(request, Predict):
        return sum(len(part) for part in request.inputs.values() if isinstance(part, str))
    return sum(len(part) for turn in request.turns for part in turn.parts if isinstance(part, str))

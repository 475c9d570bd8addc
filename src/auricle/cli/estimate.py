"""What a large run is going to take, from a glance at its first rows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from auricle.core.errors import AuricleError
from auricle.core.types import Generate, Predict, Request, Sample
from auricle.engine.spec import Spec
from auricle.models import abilities, adapt
from auricle.models.catalogue import MODELS
from auricle.runs.usage import MILLION, Price, format_money, sample_audio_seconds
from auricle.tasks.base import Task
from auricle.tasks.inferencers import preview_requests, select_inferencer

MIN_SAMPLES_FOR_ESTIMATE = 1_000  # samples from which on a forecast is told unasked
MAX_ROWS_SCANNED, MAX_SAMPLES_INSPECTED = 2_000, 50
INSPECTION_SECONDS = 1.0
CHARACTERS_PER_TOKEN = 4


@dataclass(slots=True)
class SampledWorkload:
    """Sums over the samples looked at."""

    samples: int = 0
    requests: int = 0
    characters: int = 0
    max_output_tokens: int = 0
    """The longest that answers may be."""
    audio_seconds: float = 0.0

    def add(self, sample: Sample, requests: list[Request]) -> None:
        self.samples += 1
        self.requests += len(requests)
        self.audio_seconds += sample_audio_seconds(sample) or 0.0
        for each in requests:
            self.characters += _count_characters(each)
            self.max_output_tokens += each.max_tokens if isinstance(each, Generate) else 0

    def estimate_cost(self, price: Price, samples: int) -> float:
        tokens = self.characters / CHARACTERS_PER_TOKEN * price.input
        tokens += self.max_output_tokens * price.output
        rest = self.requests * price.request + self.audio_seconds / 60 * price.audio_minute
        return (tokens / MILLION + rest) * samples / self.samples


def estimate_run(task: Task, spec: Spec, total_samples: int | None, completed_samples: int, price: Price | None) -> str:
    """One line on what is to come; empty where it is little, or cannot be told."""
    to_ask = total_samples - completed_samples if total_samples is not None else None
    if price is None and (to_ask is None or to_ask < MIN_SAMPLES_FOR_ESTIMATE):
        return ""
    glance = SampledWorkload()
    with suppress(AuricleError):  # the run itself will say what is wrong
        asyncio.run(_inspect_samples(task, spec, total_samples, glance))
    if not glance.samples or to_ask == 0:
        return ""
    told = [f"{to_ask:,} samples" if to_ask is not None else "an unknown number of samples"]
    scale = to_ask or 1000
    if hours := glance.audio_seconds * scale / glance.samples / 3600:
        told.append(f"about {hours:,.2g} h of audio" if hours < 10 else f"about {hours:,.0f} h of audio")
    if price:
        told.append(_format_cost(glance, price, scale))
    if len(told) == 1:
        return ""  # how many there are is no news
    return f"Forecast: {', '.join(told)}{'' if to_ask else ' (for each 1,000)'}."


def _format_cost(workload: SampledWorkload, price: Price, samples: int) -> str:
    bounded = price.output and workload.max_output_tokens
    notes = []
    if bounded:
        longest = workload.max_output_tokens / max(1, workload.requests)
        notes.append(f"answers counted at their longest, {longest:.0f} tokens")
    if price.input and workload.audio_seconds:
        notes.append("the tokens of sounds not counted")
    told = format_money(workload.estimate_cost(price, samples), price.currency)
    aside = f" ({'; '.join(notes)})" if notes else ""
    return f"{'up to' if bounded else 'about'} {told}{aside}"


async def _inspect_samples(task: Task, spec: Spec, total_samples: int | None, workload: SampledWorkload) -> None:
    """A few samples spread over the first rows, for a second at most."""
    can = abilities(adapt(MODELS.get(spec.model)))
    inferencer = select_inferencer(task.inferencer, can, task.name, spec.model)
    until = time.monotonic() + INSPECTION_SECONDS
    if iter(task.samples) is task.samples:
        return  # what is taken from it now would be missing from the run
    for sample in _evenly_spaced(task.samples, min(total_samples or MAX_ROWS_SCANNED, MAX_ROWS_SCANNED)):
        if isinstance(sample, Sample):
            with suppress(AuricleError):
                workload.add(sample, await preview_requests(inferencer, sample))
        if time.monotonic() > until:
            return


def _evenly_spaced(samples: Iterable[Any], row_count: int) -> Iterable[Any]:
    return islice(samples, 0, row_count, max(1, row_count // MAX_SAMPLES_INSPECTED))


def _count_characters(request: Request) -> int:
    if isinstance(request, Predict):
        return sum(len(part) for part in request.inputs.values() if isinstance(part, str))
    return sum(len(part) for turn in request.turns for part in turn.parts if isinstance(part, str))

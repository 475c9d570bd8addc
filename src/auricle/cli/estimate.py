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
from auricle.runs.usage import MILLION, Price, heard, money
from auricle.tasks.base import Task
from auricle.tasks.inferencers import preview, suited

MANY = 1_000  # samples from which on a forecast is told unasked
FIRST, LOOKED_AT = 2_000, 50
GLANCE_SECONDS = 1.0
CHARACTERS_A_TOKEN = 4


@dataclass(slots=True)
class Glance:
    """Sums over the samples looked at."""

    samples: int = 0
    requests: int = 0
    characters: int = 0
    most_tokens: int = 0
    """The longest that answers may be."""
    audio_seconds: float = 0.0

    def add(self, sample: Sample, requests: list[Request]) -> None:
        self.samples += 1
        self.requests += len(requests)
        self.audio_seconds += heard(sample) or 0.0
        for each in requests:
            self.characters += _characters(each)
            self.most_tokens += each.max_tokens if isinstance(each, Generate) else 0

    def cost(self, price: Price, samples: int) -> float:
        tokens = self.characters / CHARACTERS_A_TOKEN * price.input
        tokens += self.most_tokens * price.output
        rest = self.requests * price.request + self.audio_seconds / 60 * price.audio_minute
        return (tokens / MILLION + rest) * samples / self.samples


def forecast(task: Task, spec: Spec, total: int | None, held: int, price: Price | None) -> str:
    """One line on what is to come; empty where it is little, or cannot be told."""
    to_ask = total - held if total is not None else None
    if price is None and (to_ask is None or to_ask < MANY):
        return ""
    glance = Glance()
    with suppress(AuricleError):  # the run itself will say what is wrong
        asyncio.run(_look(task, spec, total, glance))
    if not glance.samples or to_ask == 0:
        return ""
    told = [f"{to_ask:,} samples" if to_ask is not None else "an unknown number of samples"]
    scale = to_ask or 1000
    if hours := glance.audio_seconds * scale / glance.samples / 3600:
        told.append(
            f"about {hours:,.2g} h of audio" if hours < 10 else f"about {hours:,.0f} h of audio"
        )
    if price:
        told.append(_cost(glance, price, scale))
    if len(told) == 1:
        return ""  # how many there are is no news
    return f"Forecast: {', '.join(told)}{'' if to_ask else ' (for each 1,000)'}."


def _cost(glance: Glance, price: Price, samples: int) -> str:
    bounded = price.output and glance.most_tokens
    notes = []
    if bounded:
        longest = glance.most_tokens / max(1, glance.requests)
        notes.append(f"answers counted at their longest, {longest:.0f} tokens")
    if price.input and glance.audio_seconds:
        notes.append("the tokens of sounds not counted")
    told = money(glance.cost(price, samples), price.currency)
    aside = f" ({'; '.join(notes)})" if notes else ""
    return f"{'up to' if bounded else 'about'} {told}{aside}"


async def _look(task: Task, spec: Spec, total: int | None, glance: Glance) -> None:
    """A few samples spread over the first rows, for a second at most."""
    can = abilities(adapt(MODELS.get(spec.model)))
    inferencer = suited(task.inferencer, can, task.name, spec.model)
    until = time.monotonic() + GLANCE_SECONDS
    if iter(task.samples) is task.samples:
        return  # what is taken from it now would be missing from the run
    for sample in _spread(task.samples, min(total or FIRST, FIRST)):
        if isinstance(sample, Sample):
            with suppress(AuricleError):
                glance.add(sample, await preview(inferencer, sample))
        if time.monotonic() > until:
            return


def _spread(samples: Iterable[Any], rows: int) -> Iterable[Any]:
    return islice(samples, 0, rows, max(1, rows // LOOKED_AT))


def _characters(request: Request) -> int:
    if isinstance(request, Predict):
        return sum(len(part) for part in request.inputs.values() if isinstance(part, str))
    return sum(len(part) for turn in request.turns for part in turn.parts if isinstance(part, str))

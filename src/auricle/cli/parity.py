"""Does a model answer the same alone as in a batch? Padding that is not masked shows here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from auricle import api
from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.engine.loop import Settings
from auricle.engine.spec import Spec
from auricle.runs.run_directory import Run

MOST_TOLD = 5
CLOSE = 1e-4  # numbers that differ by less differ by rounding


def parity(spec: Spec, number: int) -> Iterator[tuple[bool, str]]:
    """Ask about the first samples one by one and all together; what differs, by sample."""
    alone = _answers(spec, number, 1)
    together = _answers(spec, number, number)
    both = [name for name in alone if name in together]
    if not both:
        yield False, f"parity: {spec.model} answered none of {number} samples both ways"
        return
    differing = [
        (name, words) for name in both for words in _differences(alone[name], together[name])
    ]
    count = len({name for name, _ in differing})
    yield (
        not differing,
        f"parity: {len(both) - count} of {len(both)} answers are the same in a batch",
    )
    for name, words in differing[:MOST_TOLD]:
        yield False, f"  {name}: {words}"


def _answers(spec: Spec, number: int, size: int) -> dict[str, tuple[Output, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(batch_size=size, limit=number)
        api.evaluate(spec, folder, settings=settings, infer_only=True)
        records = sorted(Run.load(Path(folder)).records(), key=lambda record: record.row)
        return {each.sample.id: each.outputs for each in records if not each.error}


def _differences(alone: tuple[Output, ...], together: tuple[Output, ...]) -> Iterator[str]:
    for one, other in zip(alone, together, strict=True):
        if isinstance(one, Generation) and isinstance(other, Generation):
            if one.text != other.text:
                yield f"alone {one.text!r}, in a batch {other.text!r}"
        elif (gap := _gap(one, other)) > CLOSE:
            yield f"numbers differ by up to {gap:.2g}"


def _gap(one: Output, other: Output) -> float:
    """The largest difference between two outputs' numbers."""
    if isinstance(one, Prediction) and isinstance(other, Prediction):
        if one.values.keys() != other.values.keys():
            return float("inf")
        pairs = [(value, other.values[name]) for name, value in one.values.items()]
    elif isinstance(one, Likelihood) and isinstance(other, Likelihood):
        if len(one.logprobs) != len(other.logprobs):
            return float("inf")
        pairs = list(zip(one.logprobs, other.logprobs, strict=True))
    else:
        return float("inf")
    return max((abs(a - b) for a, b in pairs), default=0.0)

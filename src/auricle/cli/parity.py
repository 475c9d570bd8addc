"""Does a model answer the same alone as in a batch? Padding that is not masked shows here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from auricle import api
from auricle.core.types import Generation, Likelihood, Output, Prediction
from auricle.engine.run_loop import Settings
from auricle.engine.spec import Spec
from auricle.runs.run_directory import Run

MAX_DIFFERENCES_SHOWN = 5
TOLERANCE = 1e-4  # numbers that differ by less differ by rounding


def check_parity(spec: Spec, sample_count: int) -> Iterator[tuple[bool, str]]:
    """Ask about the first samples one by one and all together; what differs, by sample."""
    alone = _collect_outputs(spec, sample_count, 1)
    together = _collect_outputs(spec, sample_count, sample_count)
    both = [name for name in alone if name in together]
    if not both:
        yield False, f"parity: {spec.model} answered none of {sample_count} samples both ways"
        return
    differing = [(name, words) for name in both for words in _compare_outputs(alone[name], together[name])]
    count = len({name for name, _ in differing})
    yield (not differing, f"parity: {len(both) - count} of {len(both)} answers are the same in a batch")
    for name, words in differing[:MAX_DIFFERENCES_SHOWN]:
        yield False, f"  {name}: {words}"


def _collect_outputs(spec: Spec, sample_count: int, batch_size: int) -> dict[str, tuple[Output, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(batch_size=batch_size, limit=sample_count)
        api.evaluate(spec, folder, settings=settings, infer_only=True)
        records = sorted(Run.load(Path(folder)).records(), key=lambda record: record.row)
        return {each.sample.id: each.outputs for each in records if not each.error}


def _compare_outputs(single_outputs: tuple[Output, ...], batched_outputs: tuple[Output, ...]) -> Iterator[str]:
    for one, other in zip(single_outputs, batched_outputs, strict=True):
        if isinstance(one, Generation) and isinstance(other, Generation):
            if one.text != other.text:
                yield f"alone {one.text!r}, in a batch {other.text!r}"
        elif (gap := _max_difference(one, other)) > TOLERANCE:
            yield f"numbers differ by up to {gap:.2g}"


def _max_difference(single: Output, batched: Output) -> float:
    """The largest difference between two outputs' numbers."""
    if isinstance(single, Prediction) and isinstance(batched, Prediction):
        if single.values.keys() != batched.values.keys():
            return float("inf")
        pairs = [(value, batched.values[name]) for name, value in single.values.items()]
    elif isinstance(single, Likelihood) and isinstance(batched, Likelihood):
        if len(single.logprobs) != len(batched.logprobs):
            return float("inf")
        pairs = list(zip(single.logprobs, batched.logprobs, strict=True))
    else:
        return float("inf")
    return max((abs(a - b) for a, b in pairs), default=0.0)

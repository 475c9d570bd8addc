"""What is logged about a run: its identity, its progress and its numbers. Secrets and answers are not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from auricle.core.redaction import redact, redact_text
from auricle.engine.progress import ProgressEvent
from auricle.engine.trackers.base import FinalState, Parameter, RunStatus, TrackedRun
from auricle.runs.metrics import Metrics, Number
from auricle.runs.run_spec import RunSpec
from auricle.runs.suites import contains_suite

MAX_TEXT = 500
"""Longer texts, such as prompts, are cut."""
KEY_IN_NAME = 8
"""Characters of the key in the names of runs, which some trackers identify runs by."""


def describe_run(path: Path, spec: RunSpec, project: str = "") -> TrackedRun:
    """Describe a run for trackers.

    Args:
        path: Run directory.
        spec: Its spec.
        project: Project or experiment of the tracker.
    """
    identity = json.dumps([spec.identity, spec.created, spec.platform, path.name], sort_keys=True, default=str)
    key = blake2b(identity.encode(), digest_size=16).hexdigest()
    return TrackedRun(
        key=key,
        name=f"{path.name}-{key[:KEY_IN_NAME]}",
        project=project,
        group=path.parent.name if contains_suite(path.parent) else "",
        parameters=dict(_list_parameters(path, spec)),
    )


def progress_values(event: ProgressEvent) -> dict[str, float]:
    """Return the progress of the phase of an event, such as `inference/done`."""
    values: dict[str, float] = {"done": event.done, "failed": event.failed}
    if event.rate:
        values["rate"] = event.rate
    if event.cost is not None and event.phase == "inference":
        values["cost"] = event.cost
    return {f"{event.phase}/{name}": float(value) for name, value in values.items()}


def final_state(metrics: Metrics | None, status: RunStatus = "finished") -> FinalState:
    """Return the numbers over all samples with their intervals, coverage and signatures; none without metrics."""
    if metrics is None:
        return FinalState(status=status)
    numbers = {name: value for number in metrics.overall for name, value in _number_values(number)}
    numbers |= _count_values(metrics)
    facts = {f"{number.metric}/signature": str(number.signature) for number in metrics.overall}
    facts |= {"scored": metrics.created, "auricle": metrics.auricle}
    return FinalState(
        status=status,
        numbers={name: float(value) for name, value in numbers.items() if math.isfinite(value)},
        facts={name: redact_text(text) for name, text in facts.items() if text},
        step=metrics.outcomes.total,
    )


def _number_values(number: Number) -> Iterator[tuple[str, float]]:
    values = {"": number.value, "/low": number.low, "/high": number.high, "/coverage": number.coverage}
    yield from ((f"{number.metric}{suffix}", value) for suffix, value in values.items() if value is not None)


def _count_values(metrics: Metrics) -> dict[str, float]:
    """Return counts of samples, and cost and speed if they are known."""
    values: dict[str, float | None] = {
        "samples/total": metrics.outcomes.total,
        "samples/answered": metrics.outcomes.answered,
        "samples/failed": metrics.outcomes.failed,
        "cost": metrics.usage.cost,
        "audio_seconds": metrics.usage.audio_seconds,
        "samples_per_second": metrics.speed.samples_per_second if metrics.speed else None,
        "throughput": metrics.speed.throughput if metrics.speed else None,
        "rtfx": metrics.speed.rtfx if metrics.speed else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _list_parameters(path: Path, spec: RunSpec) -> Iterator[tuple[str, Parameter]]:
    stored = spec.spec
    yield from {"run": path.name, "created": spec.created}.items()
    for name in ("task", "model", "label", "limit", "seed", "profile"):
        if stored.get(name) not in (None, "", [], ()):
            yield name, _to_parameter(stored[name])
    for name, hide_generated in (("task_args", False), ("model_args", True)):
        arguments: Mapping[str, Any] = redact(stored.get(name) or {}, hide_generated=hide_generated)
        for argument, value in arguments.items():
            yield f"{name}.{argument}", _to_parameter(value)


def _to_parameter(value: Any) -> Parameter:
    """Return a value as trackers accept it: of a path only the name, because folders name people and machines."""
    if isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, str) and Path(value).is_absolute():
        text = Path(value).name
    text = redact_text(text)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
